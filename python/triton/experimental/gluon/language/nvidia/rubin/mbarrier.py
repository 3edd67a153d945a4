"""Barriers in shared memory, at which blocks arrive for one another."""

from ...... import language as tl
from ......language.types import constexpr
from ...._jit import jit
from ...._names import complete as _complete
from ..hopper import mbarrier as _mbarrier
from ..hopper.mbarrier import arrive as _arrive


@jit
def arrive(mbarrier, *, count: constexpr = 1, pred=True, from_cta: constexpr = None, multicast_cta: constexpr = 0):
    """The program arrives `count` times at the barrier, unless `pred` is false, when all its threads have come here.
    It is one block, and `multicast_cta` would name dimensions of a cluster."""
    tl.static_assert(multicast_cta == 0, "a program is one block, without others for `multicast_cta`, which must be 0")
    _arrive(mbarrier, count=count, pred=pred, from_cta=from_cta)


__getattr__, __dir__ = _complete(__name__, _mbarrier)
