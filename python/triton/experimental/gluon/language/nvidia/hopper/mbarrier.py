"""Barriers in shared memory, which also count bytes."""

from ...._names import complete as _complete
from ..._core import nvidia_hopper_mbarrier_arrive as arrive  # noqa: F401
from ..._core import nvidia_hopper_mbarrier_expect as expect  # noqa: F401
from ..ampere import mbarrier as _mbarrier

__getattr__, __dir__ = _complete(__name__, _mbarrier)
