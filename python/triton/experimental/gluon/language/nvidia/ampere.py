"""From compute capability 8.0 on."""

from .._core import mma_v2

__all__ = ["mma_v2"]
