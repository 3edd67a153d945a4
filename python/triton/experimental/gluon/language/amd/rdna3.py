"""GPUs of the third RDNA generation."""

from ..._names import complete as _complete

__getattr__, __dir__ = _complete(__name__)
