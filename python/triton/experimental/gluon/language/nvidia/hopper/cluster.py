"""Barriers of the blocks of a cluster."""

from ......language.types import constexpr
from ...._jit import jit
from ...._names import complete as _complete
from ..._core import nvidia_hopper_cluster__barrier as _barrier


@jit
def barrier(relaxed: constexpr = False):
    """All threads of all blocks of the program wait for each other, and unless it is `relaxed` see what the others have
    written before."""
    _barrier(relaxed)


__getattr__, __dir__ = _complete(__name__)
