"""Barriers in shared memory, at which each thread arrives."""

from ...._names import complete as _complete
from ..._core import amd_cdna5_mbarrier_arrive as arrive  # noqa: F401
from ..._core import amd_cdna5_mbarrier_init as init  # noqa: F401
from ..._core import amd_cdna5_mbarrier_wait as wait  # noqa: F401
from ..._layouts import MBarrierLayout  # noqa: F401

__getattr__, __dir__ = _complete(__name__)
