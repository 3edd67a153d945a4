"""Barriers in shared memory, which also count bytes."""

from ...._names import complete as _complete
from ..ampere import mbarrier as _mbarrier

__getattr__, __dir__ = _complete(__name__, _mbarrier)
