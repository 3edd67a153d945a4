"""Hints for the compiler's schedule."""

from ..... import language as tl
from .....language.types import constexpr
from ..._jit import jit
from ..._names import complete as _complete


@jit
def sched_barrier(allow: constexpr = None):
    """Nothing shall move over this place. The hint has no effect."""
    tl.static_assert(allow is None, "`sched_barrier` takes no `allow`: nothing may move over it")


__getattr__, __dir__ = _complete(__name__)
