"""Tools around kernels."""

from .._C import LinearLayout

__all__ = ["LinearLayout"]
