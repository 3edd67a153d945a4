"""GPUs of the third CDNA generation."""

from ..._names import complete as _complete
from .._core import amd_cdna3_buffer_load as buffer_load  # noqa: F401
from .._core import amd_cdna3_buffer_store as buffer_store  # noqa: F401
from .._core import mfma  # noqa: F401

__getattr__, __dir__ = _complete(__name__)
