"""How many arrivals a barrier gets from products of the blocks of a cluster."""

from ...... import language as tl
from ......language.types import constexpr
from ......runtime.jit import constexpr_function
from ...._jit import jit


@constexpr_function
def _arriving_blocks(layouts, multicast, two_ctas):
    """How many blocks arrive at the barrier when they have read the buffers with these layouts: each that has a part
    of its own of one of them, of pairs the first."""
    if not layouts or not multicast:
        return 1
    listed = [layout.cga_layout for layout in layouts]
    if len({len(bases) for bases in listed}) != 1:
        raise ValueError(f"the layouts must be for as many blocks, not {' and '.join(map(str, layouts))}")

    def owns(block, bases):
        return not any(block >> bit & 1 and any(basis) for bit, basis in enumerate(bases))

    blocks = range(0, 1 << len(listed[0]), 2 if two_ctas else 1)
    return sum(any(owns(block, bases) for bases in listed) for block in blocks)


@jit
def tcgen05_mma_barrier_count(smems, multicast: constexpr, two_ctas: constexpr):
    """How often products that read these buffers arrive at a barrier."""
    tl.static_assert(len(smems) <= 4, "`tcgen05_mma_barrier_count` takes up to 4 buffers")
    layouts = ()
    for place in tl.static_range(len(smems)):
        layouts = layouts + (smems[place].layout,)
    return _arriving_blocks(layouts, multicast, two_ctas)
