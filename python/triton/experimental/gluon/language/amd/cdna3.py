"""GPUs of the third CDNA generation."""

from ..._names import complete as _complete
from .._core import mfma  # noqa: F401

__getattr__, __dir__ = _complete(__name__)
