"""Buffers from which the threads of gfx950 read operands of matrix units with few conflicts of banks."""

import functools
import itertools

from ......runtime.jit import constexpr_function
from ..._layouts import AMDMFMALayout, DotOperandLayout, PaddedSharedLayout

_LANES = 64
#: What all banks have once, and what a thread copies at once.
_LINE_BYTES, _PIECE_BYTES = 256, 16
#: The lanes of half a warp that are served together, where each reads 16 bytes. Those that read 8 are served at once.
_SERVED = ((*range(4), *range(12, 16), *range(20, 28)), (*range(4, 12), *range(16, 20), *range(28, 32)))


def _conflicts(addresses, size):
    """How many of the lanes' reads of so many bytes, all at different places, wait for others."""
    groups = _SERVED if size == _PIECE_BYTES else (range(_LANES // 2),)
    waiting = 0
    for half, lanes in itertools.product((0, _LANES // 2), groups):
        waiting += len(lanes) - len({addresses[half + lane] % _LINE_BYTES // size for lane in lanes})
    return waiting


def _order_of_rows(places, bits):
    """The bits of a row's number at the places in memory that follow a row: the lowest at these, others in order."""
    order = [None] * bits
    for bit, place in enumerate(places):
        order[place] = bit
    rest = iter(range(len(places), bits))
    return [next(rest) if bit is None else bit for bit in order]


@functools.cache
def _fewest_conflicts(tile_rows, k_width, bits, rows, columns, interval):
    """(padding in bytes, order of the bits of a row's number) with which a warp's reads of a tile conflict least."""
    size = min(k_width * bits // 8, _PIECE_BYTES)
    row_bits, tile_bits = rows.bit_length() - 1, tile_rows.bit_length() - 1
    best, fewest, seen = None, None, set()
    orders = itertools.permutations(range(row_bits), tile_bits)
    for padding, places in itertools.product((size, 2 * size, 4 * size), orders):
        steps = [columns << place for place in places]  # from a row to the one whose number has this bit as well
        steps = tuple((step * bits // 8 + step // interval * padding) % _LINE_BYTES for step in steps)
        if steps in seen:
            continue
        seen.add(steps)
        found = _conflicts([_address(lane, tile_rows, steps, k_width * bits // 8) for lane in range(_LANES)], size)
        if fewest is None or found < fewest:
            best, fewest = (padding, places), found
        if fewest == 0:
            break
    return best[0], _order_of_rows(best[1], row_bits)


def _address(lane, tile_rows, steps, bytes_along_k):
    """Where a lane reads, but for whole lines: lanes have neighbouring rows, and then neighbours along K."""
    return lane // tile_rows * bytes_along_k + sum(step for bit, step in enumerate(steps) if lane >> bit & 1)


@constexpr_function
def compute_efficient_padded_shared_layout(dot_operand_layout, shape, dtype, is_k_contig=True):
    """The layout of a buffer for an operand of `mfma`: a warp's copy of 16 bytes a thread stays in one piece, and its
    reads of the operand meet different banks. `None` where copies or reads are not of that kind."""
    operand = dot_operand_layout
    if not isinstance(operand, DotOperandLayout) or not isinstance(operand.parent, AMDMFMALayout):
        raise TypeError(f"dot_operand_layout must be a DotOperandLayout over an AMDMFMALayout, not {operand}")
    if operand.parent.version != 4:
        raise ValueError(f"the AMDMFMALayout must be of version 4, gfx950, not {operand.parent.version}")
    bits, k_width, shape = dtype.primitive_bitwidth, operand.k_width, list(map(int, shape))
    if wrong := [extent for extent in shape if extent < 1 or extent & (extent - 1)]:
        raise ValueError(f"shape must be of powers of two, not {wrong[0]}")
    if k_width not in (4, 8, 16) or bits not in (8, 16) or k_width * bits < 64 or len(shape) != 2:
        return None
    along_k = 1 - operand.operand_index
    inner = along_k if is_k_contig else 1 - along_k
    rows, columns = shape[1 - inner], shape[inner]
    interval = max(_LANES * _PIECE_BYTES * 8 // bits, columns)
    tile_rows = operand.parent.instr_shape[operand.operand_index]
    fits = shape[1 - along_k] >= tile_rows and shape[along_k] >= k_width * _LANES // tile_rows
    if not fits or columns * bits < _PIECE_BYTES * 8 or rows * columns <= interval:
        return None
    if is_k_contig:
        padding, order = _fewest_conflicts(tile_rows, k_width, bits, rows, columns, interval)
    else:
        padding, order = tile_rows * bits // 8, range(rows.bit_length() - 1)

    def basis(dim, place):
        return [place if other == dim else 0 for other in range(2)]

    bases = [basis(inner, 1 << bit) for bit in range(columns.bit_length() - 1)]
    bases += [basis(1 - inner, 1 << bit) for bit in order]
    return PaddedSharedLayout([[interval, padding * 8 // bits]], bases, [], shape)
