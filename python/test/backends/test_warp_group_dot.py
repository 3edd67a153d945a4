"""Products in loops, which groups of warps compute together on sm_90 (wgmma), against float64."""

import random

import numpy as np
import pytest
import triton
import triton.language as tl
from values import argument, is_refused, poisoned, random_values, read, tl_dtype


@triton.jit
def product(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    stride_am,
    stride_ak,
    stride_bk,
    stride_bn,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    SUM: tl.constexpr,
    IMPRECISE: tl.constexpr,
):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a = a_ptr + m[:, None] * stride_am + k[None, :] * stride_ak
    b = b_ptr + k[:, None] * stride_bk + n[None, :] * stride_bn
    sum = tl.zeros((BLOCK_M, BLOCK_N), SUM)
    for start in range(0, K, BLOCK_K):
        x = tl.load(a, (m[:, None] < M) & (k[None, :] < K - start), other=0)
        y = tl.load(b, (n[None, :] < N) & (k[:, None] < K - start), other=0)
        sum = tl.dot(x, y, sum, out_dtype=SUM, max_num_imprecise_acc=IMPRECISE)
        a += BLOCK_K * stride_ak
        b += BLOCK_K * stride_bk
    tl.store(c_ptr + m[:, None] * N + n[None, :], sum, (m[:, None] < M) & (n[None, :] < N))


def strides(transposed, rows, columns):
    return (1, rows) if transposed else (columns, 1)


def run_product(rng, dtype, out_dtype, transposed, block, size, warps, stages, imprecise=None):
    M, N, K = size
    a, b = random_values(rng, (M, K), dtype), random_values(rng, (K, N), dtype)
    given = [np.ascontiguousarray(x.T) if t else x for x, t in zip((a, b), transposed, strict=True)]
    c = poisoned((M, N), out_dtype)
    kernel = product[(triton.cdiv(M, block[0]), triton.cdiv(N, block[1]))](
        argument(given[0], dtype),
        argument(given[1], dtype),
        argument(c, out_dtype),
        M,
        N,
        K,
        *strides(transposed[0], M, K),
        *strides(transposed[1], K, N),
        *block,
        SUM=tl_dtype(out_dtype),
        IMPRECISE=imprecise,
        num_warps=warps,
        num_stages=stages,
    )
    exact = [read(x, dtype).astype(np.float64) for x in (a, b)]
    magnitude = np.abs(exact[0]) @ np.abs(exact[1])
    error = np.abs(read(c, out_dtype).astype(np.float64) - exact[0] @ exact[1])
    return kernel, float((error / (magnitude + 1e-30)).max())


# Sums of bytes keep 13 bits of fraction in Hopper's units.
TOLERANCE = {"float32": 2**-18, "int32": 0, "float16": 2**-8}
# Units cut off what they read of f32 behind 10 bits of fraction.
TF32 = 1.01 * 2**-9
HOPPER = ("sim:cuda:90", "cuda")
TYPES = [
    ("float32", "float32"),
    ("float16", "float32"),
    ("bfloat16", "float32"),
    ("float8e5", "float32"),
    ("float8e4nv", "float32"),
    ("int8", "int32"),
    ("float16", "float16"),
]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dtype, out_dtype", TYPES)
def test_blocks_and_strides(seed, dtype, out_dtype, rng, device):
    choose = random.Random(f"{seed} {dtype} {out_dtype}")
    block = choose.choice([64, 128]), choose.choice([16, 32, 64, 128]), choose.choice([32, 64, 128])
    transposed = choose.random() < 0.5, choose.random() < 0.5
    size = choose.choice([(128, 128, 256), (130, 72, 200), (64, 256, 96)])
    warps, stages = choose.choice([4, 8]), choose.choice([1, 2, 3])

    def run():
        return run_product(rng, dtype, out_dtype, transposed, block, size, warps, stages)

    if not is_refused(device, dtype, run):
        tolerance = {"float8e5": 2**-9, "float8e4nv": 2**-9, "float32": TF32}.get(dtype, TOLERANCE[out_dtype])
        assert run()[1] <= tolerance, (block, transposed, size)


@pytest.mark.parametrize("a_transposed", [False, True])
@pytest.mark.parametrize("b_transposed", [False, True])
@pytest.mark.parametrize(
    "block, size, warps, stages",
    [
        ((64, 64, 32), (64, 64, 96), 4, 3),
        ((128, 64, 16), (130, 72, 68), 8, 2),
        ((64, 128, 8), (128, 128, 48), 4, 3),
        ((128, 128, 64), (80, 144, 192), 8, 2),
        ((64, 16, 32), (80, 48, 64), 4, 1),
    ],
)
def test_orders_of_f32(a_transposed, b_transposed, block, size, warps, stages, rng, device):
    """Units read f32 in one order alone. Where an operand lies the other way, threads read it for them, or turn it."""
    kernel, error = run_product(rng, "float32", "float32", (a_transposed, b_transposed), block, size, warps, stages)
    assert error <= TF32
    if device.name in HOPPER and all(extent % 16 == 0 for extent in size):
        ttgir = kernel.asm["ttgir"]
        assert "ttg.warp_group_dot " in ttgir
        assert ("pendings = 1" in ttgir) == (stages > 1)


@pytest.mark.parametrize("transposed", [(False, False), (True, True)])
def test_matrix_units_read_shared_memory(transposed, rng, device):
    """Sixteen-bit operands may have either dimension contiguous; the sums of an iteration end in the next."""
    kernel, error = run_product(rng, "float16", "float32", transposed, (128, 64, 64), (128, 64, 512), 4, 3)
    assert error <= TOLERANCE["float32"]
    if device.name in HOPPER:
        assert "ttg.warp_group_dot_wait" in kernel.asm["ttgir"]
        assert "pendings = 1" in kernel.asm["ttgir"]


def test_switching_groups_off(rng, device, monkeypatch):
    monkeypatch.setenv("DISABLE_MMA_V3", "1")
    kernel, error = run_product(rng, "float16", "float32", (False, False), (64, 64, 32), (64, 64, 128), 4, 2)
    assert error <= TOLERANCE["float32"]
    if device.name != "cpu":
        assert "ttg.warp_group_dot" not in kernel.asm["ttgir"]


@pytest.mark.parametrize("imprecise", [0, 32, 64])
def test_sums_of_bytes_are_as_precise_as_asked(imprecise, rng, device):
    def run():
        return run_product(rng, "float8e4nv", "float32", (False, True), (64, 64, 128), (64, 64, 2048), 4, 3, imprecise)

    if not is_refused(device, "float8e4nv", run):
        assert run()[1] <= (2**-14 if imprecise else 2**-9)


@triton.jit
def persistent(a_ptr, b_ptr, c_ptr, M, N, K: tl.constexpr, BLOCK: tl.constexpr, DEPTH: tl.constexpr):
    columns = tl.cdiv(N, BLOCK)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BLOCK) * columns, tl.num_programs(0), flatten=True):
        m = tile // columns * BLOCK + tl.arange(0, BLOCK)
        n = tile % columns * BLOCK + tl.arange(0, BLOCK)
        total = tl.zeros((BLOCK, BLOCK), tl.float32)
        for start in range(0, K, DEPTH):
            k = start + tl.arange(0, DEPTH)
            a = tl.load(a_ptr + m[:, None] * K + k[None, :])
            b = tl.load(b_ptr + n[:, None] * K + k[None, :])
            total = tl.dot(a, b.T, total)
        tl.store(c_ptr + m[:, None] * N + n[None, :], total)


@pytest.mark.parametrize("depth", [64, 128])
def test_tiles_of_a_flattened_loop(depth, rng, device):
    """The loop stores a sum while the product that gave it was under way a moment before."""
    a, b = (rng.standard_normal((size, 384)).astype(np.float16) for size in (128, 192))
    c = poisoned((128, 192), "float32")
    kernel = persistent[(2,)](a, b, c, 128, 192, K=384, BLOCK=64, DEPTH=depth, num_warps=4, num_stages=2)
    assert np.abs(c - a.astype(np.float64) @ b.astype(np.float64).T).max() <= 1e-3
    if device.name in HOPPER and depth == 64:
        assert "pendings = 1" in kernel.asm["ttgir"]


@triton.jit
def chain(q_ptr, k_ptr, v_ptr, o_ptr, LENGTH, SIZE: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows, columns, size = tl.arange(0, ROWS), tl.arange(0, COLUMNS), tl.arange(0, SIZE)
    q = tl.load(q_ptr + rows[:, None] * SIZE + size[None, :])
    sum = tl.zeros((ROWS, SIZE), tl.float32)
    weight = tl.zeros((ROWS, SIZE), tl.float32)
    for start in range(0, LENGTH, COLUMNS):
        k = tl.load(k_ptr + (start + columns)[None, :] * SIZE + size[:, None])
        v = tl.load(v_ptr + (start + columns)[:, None] * SIZE + size[None, :])
        scores = tl.dot(q, k)
        sum = tl.dot((scores * 0.125).to(tl.float16), v, sum * 0.5)
        weight = tl.dot(scores.to(tl.float16), v, weight)
    tl.store(o_ptr + rows[:, None] * SIZE + size[None, :], sum + weight)


@pytest.mark.parametrize("warps, stages", [(4, 1), (4, 3), (8, 2)])
@pytest.mark.parametrize("size", [64, 128])
def test_results_are_operands(warps, stages, size, rng, device):
    """A product's result goes to the next one in registers, while another product is under way."""
    length, rows, columns = 192, 128, 32
    q, k, v = (rng.standard_normal(s).astype(np.float16) for s in ((rows, size), (length, size), (length, size)))
    out = poisoned((rows, size), "float32")
    chain[(1,)](q, k, v, out, length, SIZE=size, ROWS=rows, COLUMNS=columns, num_warps=warps, num_stages=stages)
    exact_q, exact_k, exact_v = (x.astype(np.float64) for x in (q, k, v))
    sum, weight = np.zeros((rows, size)), np.zeros((rows, size))
    for start in range(0, length, columns):
        scores = exact_q @ exact_k[start : start + columns].T
        part = exact_v[start : start + columns]
        sum = sum * 0.5 + (scores * 0.125) @ part
        weight += scores @ part
    assert np.abs(out - (sum + weight)).max() <= 2**-8 * np.abs(weight).max()


@triton.jit
def scaled_product(
    a_ptr, f_ptr, b_ptr, c_ptr, K, stride_bk, stride_bn, M: tl.constexpr, N: tl.constexpr, BLOCK: tl.constexpr
):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BLOCK)
    sum = tl.zeros((M, N), tl.float32)
    for start in range(0, K, BLOCK):
        a = tl.load(a_ptr + m[:, None] * K + start + k[None, :])
        f = tl.load(f_ptr + start + k)
        b = tl.load(b_ptr + (start + k)[:, None] * stride_bk + n[None, :] * stride_bn)
        sum = tl.dot(a.to(tl.float16) * f[None, :], b, sum)
    tl.store(c_ptr + m[:, None] * N + n[None, :], sum)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("N, block", [(64, 32), (64, 64), (64, 128), (128, 128), (256, 128)])
@pytest.mark.parametrize("warps, stages", [(4, 3), (8, 2)])
def test_computed_left_operands(N, block, transposed, warps, stages, rng, device):
    """One half of the operand is computed while the unit multiplies the other one."""
    M, K = 128, 384
    a = rng.integers(-128, 128, (M, K), dtype=np.int8)
    f, b = (rng.standard_normal(s).astype(np.float16) for s in (K, (K, N)))
    given = np.ascontiguousarray(b.T) if transposed else b
    c = poisoned((M, N), "float32")
    kernel = scaled_product[(1,)](
        a, f, given, c, K, *strides(transposed, K, N), M, N, BLOCK=block, num_warps=warps, num_stages=stages
    )
    operand = (a.astype(np.float16) * f).astype(np.float64)
    exact = b.astype(np.float64)
    assert np.abs(c - operand @ exact).max() <= 2**-18 * (np.abs(operand) @ np.abs(exact)).max()
    if device.name in HOPPER and block == 128:
        assert "ttg.take_columns" in kernel.asm["ttgir"]
