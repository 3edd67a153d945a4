"""GPUs of the fourth RDNA generation."""

from ..._names import complete as _complete
from .._core import amd_rdna4_wmma as wmma  # noqa: F401
from . import rdna3 as _rdna3

__getattr__, __dir__ = _complete(__name__, _rdna3)
