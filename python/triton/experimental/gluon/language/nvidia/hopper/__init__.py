"""From compute capability 9.0 on."""

from ...._names import complete as _complete
from .. import ampere as _ampere
from ..ampere import async_copy  # noqa: F401
from . import cluster, mbarrier, tma  # noqa: F401

__getattr__, __dir__ = _complete(__name__, _ampere)
