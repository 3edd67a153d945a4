"""The engine that copies blocks of arrays."""

from ...._names import complete as _complete
from ..._core import nvidia_blackwell_tma_async_gather as async_gather  # noqa: F401
from ..._core import nvidia_blackwell_tma_async_scatter as async_scatter  # noqa: F401
from ..hopper import tma as _tma

__getattr__, __dir__ = _complete(__name__, _tma)
