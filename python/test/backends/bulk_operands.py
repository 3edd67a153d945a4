"""What tests of bulk copies share: arrays whose rows tensor descriptors can have, and errors of products."""

import numpy as np
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor
from values import aligned, argument, poisoned, read

HOPPER = ("sim:cuda:90", "cuda")


def padded(values, dtype):
    """`values` in rows whose stride is a multiple of 16 bytes, as an array and the elements of a row."""
    step = 16 // values.dtype.itemsize
    width = -(-values.shape[1] // step) * step
    rows = np.zeros((values.shape[0], width), values.dtype)
    rows[:, : values.shape[1]] = values
    return argument(aligned(rows), dtype), width


def describe(values, dtype, block):
    array, stride = padded(values, dtype)
    return TensorDescriptor(array, list(values.shape), [stride, 1], block)


def relative_error(result, left, right):
    magnitude = np.abs(left) @ np.abs(right)
    return float((np.abs(result.astype(np.float64) - left @ right) / (magnitude + 1e-30)).max())


# Sums of bytes keep 13 bits of fraction in Hopper's units.
# Copies round f32 to 10 bits of fraction.
TOLERANCES = {"float8e4nv": 2**-9, "float8e5": 2**-9, "float32": 1.01 * 2**-10}


def is_moved(kernel):
    return "ttg.async_mapped_load" in kernel.asm["ttgir"]


@triton.jit
def persistent(a_desc, b_desc, c_desc, M, N, K, BLOCK: tl.constexpr, DEPTH: tl.constexpr):
    columns = tl.cdiv(N, BLOCK)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BLOCK) * columns, tl.num_programs(0), flatten=True):
        row = tile // columns * BLOCK
        column = tile % columns * BLOCK
        sum = tl.zeros((BLOCK, BLOCK), tl.float32)
        for k in range(0, K, DEPTH):
            sum = tl.dot(a_desc.load([row, k]), b_desc.load([column, k]).T, sum)
        c_desc.store([row, column], sum)


class Result:
    """An array that a kernel stores, in rows of a stride that bulk copies can have, with more of both behind."""

    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, dtype
        element = poisoned((1,), dtype).itemsize
        self.stride = -(-shape[1] * element // 16) * 16 // element
        self.storage = aligned(poisoned((shape[0] + 3, self.stride), dtype))
        self.before = self.storage.copy()

    def descriptor(self, block):
        return TensorDescriptor(argument(self.storage, self.dtype), list(self.shape), [self.stride, 1], block)

    def values(self):
        """What was stored, after a check that nothing around it was."""
        around = np.ones(self.storage.shape, bool)
        around[: self.shape[0], : self.shape[1]] = False
        np.testing.assert_array_equal(self.storage[around], self.before[around])
        return read(self.storage, self.dtype)[: self.shape[0], : self.shape[1]].astype(np.float64)
