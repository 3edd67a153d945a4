"""Weights in the order in which the processor's products read them.

`tl.dot` reads its second operand in groups of neighbours along K and in panels of columns, which its target decides. A
kernel brings each block into that order when it loads it. A matrix that does not change from launch to launch can be
brought into it once, by `pack`; the kernel then loads its blocks by `load_block`, and the product reads them where they
lie. On other targets the same kernel gives the same result, by moving elements."""

from dataclasses import dataclass
from typing import Any

import triton
import triton.language as tl

from .. import _C

_TYPES = {"float32": "fp32", "float64": "fp64", "float16": "fp16", "bfloat16": "bf16", "int8": "i8"}


@dataclass(frozen=True)
class PackedOperand:
    """A matrix of `rows` x `columns`, packed. The kernel takes `data` and the constants `panel` and `group`."""

    data: Any  # one-dimensional, of the matrix's type
    rows: int
    columns: int
    block_rows: int
    block_columns: int
    panel: int
    group: int


def pack(matrix, block_rows, block_columns, block_m, arch=""):
    """Packs a matrix in memory of the processor, an array of NumPy or a tensor of PyTorch, for products of blocks of
    `block_m` x `block_rows` elements with blocks of `block_rows` x `block_columns` elements of it. Both operands have
    the matrix's type. `arch` is the option of that name, the processor that the kernel is compiled for. Missing rows
    and columns of the last blocks are zeros."""
    if len(matrix.shape) != 2:
        raise ValueError(f"a matrix has two dimensions, not {len(matrix.shape)}")
    name = str(matrix.dtype).removeprefix("torch.")
    if name not in _TYPES:
        raise TypeError(f"packed operands have elements of {', '.join(_TYPES)}, not {name}")
    for extent in (block_rows, block_columns, block_m):
        if extent < 1 or extent & (extent - 1):
            raise ValueError(f"the extents of blocks are powers of two, not {extent}")
    panel, group = _C.operand_packing(arch, _TYPES[name], block_m, block_columns, block_rows)
    rows, columns = matrix.shape
    k, n = -(-rows // block_rows), -(-columns // block_columns)
    if hasattr(matrix, "new_zeros"):  # a tensor of PyTorch
        padded = matrix.new_zeros((k * block_rows, n * block_columns))
    else:
        import numpy

        padded = numpy.zeros((k * block_rows, n * block_columns), matrix.dtype)
    padded[:rows, :columns] = matrix
    parts = padded.reshape(k, block_rows // group, group, n, block_columns // panel, panel)
    order = (3, 0, 4, 1, 5, 2)
    parts = parts.permute(order) if hasattr(parts, "permute") else parts.transpose(order)
    return PackedOperand(parts.reshape(-1), rows, columns, block_rows, block_columns, panel, group)


@triton.jit
def load_block(
    data,
    k_block,
    n_block,
    k_blocks,
    BLOCK_ROWS: tl.constexpr,
    BLOCK_COLUMNS: tl.constexpr,
    PANEL: tl.constexpr,
    GROUP: tl.constexpr,
):
    """Block (`k_block`, `n_block`) of a packed matrix that has `k_blocks` blocks along its rows."""
    SIZE: tl.constexpr = BLOCK_ROWS * BLOCK_COLUMNS
    first = (tl.cast(n_block, tl.int64) * k_blocks + k_block) * SIZE
    elements = tl.load(data + first + tl.arange(0, SIZE))
    parts = tl.reshape(elements, (BLOCK_COLUMNS // PANEL, BLOCK_ROWS // GROUP, PANEL, GROUP))
    return tl.reshape(tl.permute(parts, (1, 3, 0, 2)), (BLOCK_ROWS, BLOCK_COLUMNS))
