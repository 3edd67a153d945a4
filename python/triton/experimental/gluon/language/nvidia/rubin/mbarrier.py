"""Barriers in shared memory, at which blocks arrive for one another."""

from ...._names import complete as _complete
from ..hopper import mbarrier as _mbarrier

__getattr__, __dir__ = _complete(__name__, _mbarrier)
