"""Barriers of the blocks of a cluster. A program is one block, and so is its cluster."""

from ...... import language as tl
from ......language.target_info import current_target
from ...._jit import jit
from ...._names import complete as _complete
from ..._core import barrier as _barrier


@jit
def arrive():
    """The program arrives at the barrier of its cluster, whose threads are its own: they meet."""
    tl.static_assert(current_target().arch == "gfx1250", "`cluster.arrive` needs AMD's gfx1250")
    _barrier()


@jit
def wait():
    """Waits until all blocks of the cluster have arrived."""
    tl.static_assert(current_target().arch == "gfx1250", "`cluster.wait` needs AMD's gfx1250")


__getattr__, __dir__ = _complete(__name__)
