"""From compute capability 8.0 on."""

from ...._names import complete as _complete
from ..._core import mma_v2  # noqa: F401
from . import async_copy, mbarrier  # noqa: F401
from ._caches import CachePolicy, FractionalEvictionPolicy  # noqa: F401

__getattr__, __dir__ = _complete(__name__)
