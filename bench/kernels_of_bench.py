"""The kernels that bench.py measures, besides those of the examples."""

import triton
import triton.language as tl


@triton.jit
def launch_kernel(x, y, out, n):
    i = tl.arange(0, 64)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


@triton.jit
def square_matmul_kernel(
    a_ptr, b_ptr, c_ptr, N, TOTAL: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr
):
    """C = A @ B of square matrices whose side the blocks divide; sums in the type TOTAL."""
    rows = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + rows[:, None] * N + inner[None, :]
    b_ptrs = b_ptr + inner[:, None] * N + columns[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=TOTAL)
    for _ in range(0, N, BLOCK_K):
        total = tl.dot(tl.load(a_ptrs), tl.load(b_ptrs), total, out_dtype=TOTAL)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K * N
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], total)
