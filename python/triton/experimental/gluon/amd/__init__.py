"""What programs for AMD's GPUs need outside of kernels."""

from .._names import complete as _complete
from . import cdna5, gfx1250  # noqa: F401

__getattr__, __dir__ = _complete(__name__)
