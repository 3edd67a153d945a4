"""Layouts for products whose operands lie in both parts of shared memory, which warps read at the same time."""

from ......runtime.jit import constexpr_function
from ..._layouts import AMDWMMALayout
from ..._unit_layouts import PartitionedSharedLayout

_PARTS = 2


def _powers(end):
    return [1 << bit for bit in range(end.bit_length() - 1)]


def _check_extent(name, block, part, tile, least):
    """The number of tiles in a part."""
    if part < 1 or part & (part - 1) or block % part or part % tile or part // tile < least:
        wanted = f"a power of two of at least {least * tile} that divides block_{name}, {block}"
        raise ValueError(f"slice_{name} must be {wanted}, not {part}")
    return part // tile


@constexpr_function
def make_partitioned_dot_layouts(
    block_m,
    block_n,
    original_layout_a,
    original_layout_b,
    num_warps,
    instr_shape,
    a_transposed=False,
    b_transposed=False,
    slice_m=None,
    slice_n=None,
    transposed=True,
):
    """(layout of A's buffer, layout of B's buffer, `AMDWMMALayout` of the result). Slices of the blocks lie in one part
    of shared memory with one half, and in the other with the rest; warps that differ in their lowest bit read other
    halves. The original layouts are those of such halves."""
    if num_warps not in (4, 8):
        raise ValueError(f"num_warps must be 4 or 8, not {num_warps}")
    slice_m, slice_n = slice_m or block_m, slice_n or block_n
    rows = _check_extent("m", block_m, slice_m, instr_shape[0], 4)
    columns = _check_extent("n", block_n, slice_n, instr_shape[1], 2)
    quarter, half = rows // 4, columns // 2
    warp_bases = [[rows // 2, half], [quarter, 0]]
    reg_bases = [[0, place] for place in _powers(half)] + [[place, 0] for place in _powers(quarter)]
    (warp_bases if num_warps == 8 else reg_bases).append([2 * quarter, 0])
    return (
        PartitionedSharedLayout(_PARTS, block_m // slice_m, 1 if a_transposed else 0, original_layout_a),
        PartitionedSharedLayout(_PARTS, block_n // slice_n, 0 if b_transposed else 1, original_layout_b),
        AMDWMMALayout(3, transposed, warp_bases, reg_bases, instr_shape),
    )
