"""GPUs of the third CDNA generation."""

from .._core import mfma

__all__ = ["mfma"]
