"""GPUs of the fifth CDNA generation, gfx1250."""

from ...._names import complete as _complete
from ..._core import amd_cdna5_wmma as wmma  # noqa: F401
from ..cdna3 import buffer_load, buffer_store  # noqa: F401
from . import async_copy, cluster, mbarrier, tdm  # noqa: F401

__getattr__, __dir__ = _complete(__name__)
