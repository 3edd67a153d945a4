"""GPUs of the fourth CDNA generation."""

from ...._names import complete as _complete
from .. import cdna3 as _cdna3
from . import async_copy  # noqa: F401

__getattr__, __dir__ = _complete(__name__, _cdna3)
