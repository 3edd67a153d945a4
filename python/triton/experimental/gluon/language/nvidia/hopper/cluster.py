"""Barriers of the blocks of a cluster."""

from ...... import language as tl
from ......language.types import constexpr
from ...._jit import jit
from ...._names import complete as _complete
from ..._core import barrier as _barrier


@jit
def barrier(relaxed: constexpr = False):
    """All threads of the cluster wait for each other. A program is one block, and so is its cluster."""
    tl.static_assert(
        tl.target_info.cuda_capability_geq(9, 0),
        "`cluster.barrier` needs an NVIDIA GPU of compute capability 9.0 or more",
    )
    _barrier()


__getattr__, __dir__ = _complete(__name__)
