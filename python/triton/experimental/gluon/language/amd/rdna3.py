"""GPUs of the third RDNA generation."""

from ..._names import complete as _complete
from .._core import amd_rdna3_wmma as wmma  # noqa: F401

__getattr__, __dir__ = _complete(__name__)
