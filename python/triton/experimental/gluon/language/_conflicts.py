"""Conflicts of banks in shared memory."""

from .... import language as tl
from ....language.types import constexpr
from ....runtime.jit import constexpr_function
from .._jit import jit
from ._core import to_linear_layout
from ._layouts import DistributedLayout, PaddedSharedLayout, SharedLayout

_BANKS, _BANK_BITS, _VECTOR_BITS = 32, 32, 128


def _reduced(vector, rows):
    """The vector without the leading bits of `rows`, and what of them that takes: {leading bit: (vector, sources)}."""
    sources = 0
    while vector and (row := rows.get(vector.bit_length())):
        vector, sources = vector ^ row[0], sources ^ row[1]
    return vector, sources


def _rows(vectors):
    """Independent vectors by their leading bits, each with the numbers of those that it is the sum of, as bits."""
    rows = {}
    for number, vector in enumerate(vectors):
        vector, sources = _reduced(vector, rows)
        if vector:
            rows[vector.bit_length()] = vector, sources ^ 1 << number
    return rows


def _flat(basis, shape):
    place = 0
    for coordinate, extent in zip(basis, shape, strict=True):
        place = place * extent + coordinate
    return place


def _vector(registers, others, bits):
    """How many neighbours one access moves: registers hold them, and they begin at multiples of their number."""
    size = 1
    while 2 * size * bits <= _VECTOR_BITS and size in registers:
        size *= 2
    while any(offset % size for offset in [*others, *(offset for offset in registers if offset >= size)]):
        size //= 2
    return size


@constexpr_function
def _count(distributed, shared, shape, bits):
    """Accesses beyond the first, of layouts by their bases."""
    rows = _rows([_flat(basis, shape) for basis in shared.offset_bases])

    def offsets(bases):
        return [_reduced(_flat(basis, shape), rows)[1] for basis in bases]

    registers = [offset for offset in offsets(distributed.reg_bases) if offset]
    lanes = offsets(distributed.lane_bases)
    vector = _vector(registers, [*lanes, *offsets(distributed.warp_bases)], bits)
    words = max(1, vector * bits // _BANK_BITS)
    phase = lanes[: len(lanes) - (words.bit_length() - 1)]  # the lanes that are served at once
    line = max(_BANKS * _BANK_BITS // bits, vector)  # elements of all banks
    return (1 << len(_rows(phase)) - len(_rows([lane % line for lane in phase]))) - 1


@constexpr_function
def _are_of_block_and_buffer(layout, other):
    return isinstance(layout, DistributedLayout) and isinstance(other, SharedLayout)


@constexpr_function
def _has_paddings(layout):
    return isinstance(layout, PaddedSharedLayout)


@jit
def bank_conflicts(distr_ty: constexpr, shared_ty: constexpr):
    """How many accesses more than one a buffer takes for each part of a warp that is served at once, if blocks of the
    type `distr_ty` are read or written."""
    tl.static_assert(
        not isinstance(distr_ty, tl.tensor) and _are_of_block_and_buffer(distr_ty.layout, shared_ty.layout),
        "`bank_conflicts` takes the types of a block and of a buffer: `x.type` and `buffer.type`",
    )
    tl.static_assert(
        not _has_paddings(shared_ty.layout),
        "`bank_conflicts` does not count those of a buffer with a PaddedSharedLayout; give it one of another layout",
    )
    tl.static_assert(
        distr_ty.shape == shared_ty.shape and distr_ty.element_ty == shared_ty.element_ty,
        "the block and the buffer must have the same shape and dtype",
    )
    distributed: constexpr = to_linear_layout(distr_ty.layout, distr_ty.shape)
    shared: constexpr = to_linear_layout(shared_ty.layout, shared_ty.shape)
    return _count(distributed, shared, distr_ty.shape, distr_ty.element_ty.primitive_bitwidth)
