"""GPUs of the fourth RDNA generation."""

from ..._names import complete as _complete
from . import rdna3 as _rdna3

__getattr__, __dir__ = _complete(__name__, _rdna3)
