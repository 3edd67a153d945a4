"""Kernels that the tests of ahead-of-time compilation compile."""

import triton
import triton.language as tl


@triton.jit
def scale(x, out, n, factor, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    tl.store(out + offsets, tl.load(x + offsets, mask=inside) * factor, mask=inside)


@triton.jit
def add_scalars(out, half, brain, single, double, flag, small, wide, unsigned):
    """Each scalar of another type."""
    tl.store(out + 0, half.to(tl.float64))
    tl.store(out + 1, brain.to(tl.float64))
    tl.store(out + 2, single.to(tl.float64))
    tl.store(out + 3, double)
    tl.store(out + 4, flag.to(tl.float64))
    tl.store(out + 5, small.to(tl.float64))
    tl.store(out + 6, wide.to(tl.float64))
    tl.store(out + 7, unsigned.to(tl.float64))


@triton.jit
def row_sums(x, out, columns, stride, ROWS: tl.constexpr, BLOCK: tl.constexpr = 64):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    total = tl.zeros((ROWS,), tl.float32)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        tile = tl.load(
            x + rows[:, None] * stride + offsets[None, :], mask=offsets[None, :] < columns, other=-float("inf")
        )
        total += tl.sum(tl.exp(tile), axis=1)
    tl.store(out + rows, total)


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        inner = start + tl.arange(0, BK)
        left = tl.load(a + rows[:, None] * K + inner[None, :], mask=rows[:, None] < M, other=0.0)
        right = tl.load(b + inner[:, None] * N + columns[None, :], mask=columns[None, :] < N, other=0.0)
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * N + columns[None, :], total, mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def awkward(new, stream, tt_x, register, BLOCK: tl.constexpr):
    """Names of parameters that generated functions cannot have."""
    offsets = tl.arange(0, BLOCK)
    tl.store(new + offsets, offsets + stream + tt_x, mask=offsets < register)


@triton.jit
def printing(x):
    tl.device_print("x", tl.load(x))


@triton.jit
def special(x, out):
    tl.store(out, tl.extra.libdevice.cyl_bessel_i0(tl.load(x)))


@triton.jit
def program_ids(out):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    tl.store(out + x + tl.num_programs(0) * (y + tl.num_programs(1) * z), x + 100 * y + 10000 * z)


@triton.jit
def mapped(a, b, c, M, N, K, stride, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """On Hopper its launch encodes a tensor map for `a`."""
    left = tl.make_tensor_descriptor(a, [M, K // 2], [stride, 1], [BM, BK], padding_option="nan")
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K // 2, BK):
        inner = start + tl.arange(0, BK)
        right = tl.load(b + inner[:, None] * N + columns[None, :])
        total = tl.dot(left.load([tl.program_id(0) * BM, start]), right, total)
    tl.store(c + rows[:, None] * N + columns[None, :], total, mask=rows[:, None] < M)


@triton.jit
def checked(x, limit):
    tl.device_assert(tl.load(x) < limit, "too large")


@triton.jit
def timed(out):
    start = tl.extra.cuda.globaltimer()
    tl.store(out, start)


@triton.jit
def hyperbolic(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offsets, tl.extra.libdevice.tanh(tl.load(x + offsets, mask=offsets < n)), mask=offsets < n)
