"""Results that go through tensor descriptors: on sm_90 bulk copies store them while the kernel goes on."""

import random

import numpy as np
import pytest
import triton
import triton.language as tl
from bulk_operands import HOPPER, Result, describe, relative_error
from triton.tools.tensor_descriptor import TensorDescriptor
from values import aligned, is_refused, poisoned, random_values

ROUNDING = {"float16": 2**-10, "bfloat16": 2**-8, "float32": 2**-18, "float8e5": 2**-2, "float8e4nv": 2**-3}


def count_stores(kernel):
    return kernel.asm["ttgir"].count("ttg.async_mapped_store")


def expect_stores(device, kernel, count, columns=0):
    """Rows must be known to end at multiples of 16 bytes, since copies write whole pieces of so many."""
    if device.name in HOPPER:
        assert count_stores(kernel) == (count if columns % 16 == 0 else 0)


@triton.jit
def product(a_desc, b_desc, c_desc, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0) * BM
    column = tl.program_id(1) * BN
    sum = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        sum = tl.dot(a_desc.load([row, k]), b_desc.load([column, k]).T, sum)
    c_desc.store([row, column], sum.to(c_desc.dtype))


def run_product(rng, dtype, block, size, warps, stages):
    (BM, BN, BK), (M, N, K) = block, size
    a, b = random_values(rng, (M, K), "float16"), random_values(rng, (N, K), "float16")
    c = Result((M, N), dtype)
    kernel = product[(triton.cdiv(M, BM), triton.cdiv(N, BN))](
        describe(a, "float16", [BM, BK]),
        describe(b, "float16", [BN, BK]),
        c.descriptor([BM, BN]),
        K,
        *block,
        num_warps=warps,
        num_stages=stages,
    )
    return kernel, relative_error(c.values(), a.astype(np.float64), b.astype(np.float64).T)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float8e5", "float8e4nv"])
def test_blocks_and_edges(seed, dtype, rng, device):
    choose = random.Random(f"{seed} {dtype}")
    block = choose.choice([64, 128]), choose.choice([16, 32, 64, 128]), choose.choice([32, 64])
    size = choose.choice([(128, 128, 96), (130, 80, 64), (64, 256, 32), (65, 33, 8), (65, 48, 8)])
    warps, stages = choose.choice([4, 8]), choose.choice([1, 2, 3])

    def run():
        return run_product(rng, dtype, block, size, warps, stages)

    if is_refused(device, dtype, run):
        return
    kernel, error = run()
    assert error <= ROUNDING[dtype], (block, size, warps, stages)
    expect_stores(device, kernel, 1, size[1])
    if device.name.startswith("sim:cuda:90") and dtype in ("float16", "bfloat16") and size[1] % 16 == 0:
        assert "stmatrix" in str(kernel.asm["llir"])


@pytest.mark.parametrize("dtype, stages, parts", [("float16", 3, 1), ("float16", 4, 4), ("float32", 3, 4)])
def test_blocks_that_shared_memory_holds_in_parts(dtype, stages, parts, rng, device):
    """Groups of columns of a block go through two buffers in turn."""
    kernel, error = run_product(rng, dtype, (128, 256, 64), (120, 208, 64), 8, stages)
    assert error <= ROUNDING[dtype]
    expect_stores(device, kernel, parts)


@triton.jit
def product_of_rows(a_desc, b_desc, c_desc, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0) * BM
    column = tl.program_id(1) * BN
    sum = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        sum = tl.dot(a_desc.load([row, k]), b_desc.load([k, column]), sum)
    c_desc.store([row, column], sum)


@pytest.mark.parametrize("block, parts", [((128, 64, 32), 1), ((128, 128, 64), 4)])
def test_parts_of_transposed_products(block, parts, rng, device):
    """Warps share the columns of a product that is computed transposed, so that parts of a block are rows."""
    (BM, BN, BK), (M, N, K) = block, (200, 112, 96)
    a, b = random_values(rng, (M, K), "float32"), random_values(rng, (K, N), "float32")
    c = Result((M, N), "float32")
    kernel = product_of_rows[(triton.cdiv(M, BM), triton.cdiv(N, BN))](
        describe(a, "float32", [BM, BK]),
        describe(b, "float32", [BK, BN]),
        c.descriptor([BM, BN]),
        K,
        *block,
        num_warps=8,
        num_stages=3,
    )
    assert relative_error(c.values(), a.astype(np.float64), b.astype(np.float64)) <= 1.01 * 2**-10
    expect_stores(device, kernel, parts)


@triton.jit
def persistent(
    a_desc, b_desc, c_desc, M, N, K, BM: tl.constexpr, BN: tl.constexpr, DEPTH: tl.constexpr, SUBTILE: tl.constexpr
):
    columns = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * columns, tl.num_programs(0), flatten=True):
        row = tile // columns * BM
        column = tile % columns * BN
        sum = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, DEPTH):
            sum = tl.dot(a_desc.load([row, k]), b_desc.load([column, k]).T, sum)
        if SUBTILE:
            halves = tl.permute(tl.reshape(sum, (BM, 2, BN // 2)), (0, 2, 1))
            left, right = tl.split(halves)
            c_desc.store([row, column], left.to(c_desc.dtype))
            c_desc.store([row, column + BN // 2], right.to(c_desc.dtype))
        else:
            c_desc.store([row, column], sum.to(c_desc.dtype))


@pytest.mark.parametrize("subtile", [False, True])
@pytest.mark.parametrize("warps", [4, 8])
@pytest.mark.parametrize(
    "programs, size",
    [(1, (192, 144, 96)), (1, (192, 130, 96)), (3, (300, 208, 256)), (4, (64, 64, 32)), (2, (128, 128, 0))],
)
def test_a_program_of_many_tiles(programs, size, warps, subtile, rng, device):
    """A copy goes on while the next tile is computed."""
    M, N, K = size
    a, b = random_values(rng, (M, max(K, 8)), "float16"), random_values(rng, (N, max(K, 8)), "float16")
    c = Result((M, N), "float16")
    kernel = persistent[(programs,)](
        describe(a, "float16", [64, 32]),
        describe(b, "float16", [64, 32]),
        c.descriptor([64, 32 if subtile else 64]),
        M,
        N,
        K,
        BM=64,
        BN=64,
        DEPTH=32,
        SUBTILE=subtile,
        num_warps=warps,
    )
    a, b = a[:, :K].astype(np.float64), b[:, :K].astype(np.float64)
    assert relative_error(c.values(), a, b.T) <= ROUNDING["float16"]
    expect_stores(device, kernel, 2 if subtile else 1, N)


@triton.jit
def product_at(a_desc, b_desc, c_ptr, M, N, stride, row, column, K):
    c_desc = tl.make_tensor_descriptor(c_ptr, [M, N], [stride, 1], [64, 32])
    sum = tl.zeros((64, 32), tl.float32)
    for k in range(0, K, 32):
        sum = tl.dot(a_desc.load([0, k]), b_desc.load([0, k]).T, sum)
    c_desc.store([row, column], sum.to(tl.float16))


@pytest.mark.parametrize(
    "M, N, row, column, stores",
    [
        (64, 48, 0, 16, 1),
        (64, 48, -16, 16, 1),
        (64, 48, 16, -16, 1),
        (70, 48, -48, -16, 1),
        (16, 48, -16, 32, 1),
        (64, 48, 64, 0, 1),
        (64, 48, 0, 48, 1),
        (64, 48, -64, 0, 1),
        (0, 48, 0, 0, 1),
        (64, 0, -16, 0, 1),
        (-3, 48, 0, 0, 1),
        (64, 48, 0, 8, 1),  # known to be 8
        (64, 48, 3, 16, 1),
        (64, 48, 0, 20, 0),
    ],
)
def test_blocks_that_begin_anywhere(M, N, row, column, stores, rng, device):
    """Maps know no blocks that begin before the array; of an array without elements nothing is stored."""
    a, b = random_values(rng, (64, 64), "float16"), random_values(rng, (32, 64), "float16")
    before = aligned(random_values(rng, (96, 64), "float16"))
    c = aligned(before.copy())
    kernel = product_at[(1,)](
        describe(a, "float16", [64, 32]), describe(b, "float16", [32, 32]), c, M, N, 64, row, column, 64
    )
    block = a.astype(np.float64) @ b.astype(np.float64).T
    expected = before.astype(np.float64)
    for i in range(max(row, 0), min(row + 64, M)):
        for j in range(max(column, 0), min(column + 32, N)):
            expected[i, j] = block[i - row, j - column]
    np.testing.assert_allclose(c.astype(np.float64), expected, rtol=2**-10, atol=2**-6)
    if column != 8:
        expect_stores(device, kernel, stores)


@triton.jit
def one_place(a_desc, b_desc, c_desc, tiles, K):
    for tile in range(tiles):
        sum = tl.zeros((64, 64), tl.float32)
        for k in range(0, K, 32):
            sum = tl.dot(a_desc.load([tile * 64, k]), b_desc.load([0, k]).T, sum)
        c_desc.store([0, 0], sum)
        c_desc.store([0, 0], sum * 2)


def test_the_last_store_counts(rng, device):
    """Blocks that overlap are stored in order."""
    a, b = random_values(rng, (3 * 64, 64), "float16"), random_values(rng, (64, 64), "float16")
    c = Result((64, 64), "float32")
    kernel = one_place[(1,)](
        describe(a, "float16", [64, 32]), describe(b, "float16", [64, 32]), c.descriptor([64, 64]), 3, 64
    )
    last = a[128:].astype(np.float64) @ b.astype(np.float64).T
    np.testing.assert_allclose(c.values(), last * 2, rtol=0, atol=1e-3)
    expect_stores(device, kernel, 2)


@triton.jit
def two_results(a_desc, b_desc, c_desc, d_desc, K):
    row = tl.program_id(0) * 64
    sum = tl.zeros((64, 64), tl.float32)
    for k in range(0, K, 32):
        sum = tl.dot(a_desc.load([row, k]), b_desc.load([0, k]).T, sum)
    c_desc.store([row, 0], sum)
    top = tl.max(sum, 1)
    d_desc.store([0, row, 0], tl.reshape(tl.exp2(sum - top[:, None]).to(tl.float16), (1, 64, 64)))


def test_results_of_different_types(rng, device):
    """The second is of three dimensions, of which the block's first has one coordinate."""
    a, b = random_values(rng, (128, 64), "float16"), random_values(rng, (64, 64), "float16")
    c, d = Result((128, 64), "float32"), aligned(poisoned((1, 128, 64), "float16"))
    kernel = two_results[(2,)](
        describe(a, "float16", [64, 32]),
        describe(b, "float16", [64, 32]),
        c.descriptor([64, 64]),
        TensorDescriptor(d, [1, 128, 64], [128 * 64, 64, 1], [1, 64, 64]),
        64,
    )
    exact = a.astype(np.float64) @ b.astype(np.float64).T
    np.testing.assert_allclose(c.values(), exact, rtol=0, atol=1e-3)
    np.testing.assert_allclose(d[0], np.exp2(exact - exact.max(1, keepdims=True)), rtol=0, atol=2e-3)
    expect_stores(device, kernel, 2)


@triton.jit
def product_and_more(a_desc, b_desc, c_desc, c_ptr, flag_ptr, K, KIND: tl.constexpr):
    sum = tl.zeros((64, 64), tl.float32)
    for k in range(0, K, 32):
        sum = tl.dot(a_desc.load([0, k]), b_desc.load([0, k]).T, sum)
    if KIND == "read":
        sum += c_desc.load([0, 0])
    c_desc.store([0, 0], sum)
    if KIND == "barrier":
        tl.debug_barrier()
        n = tl.arange(0, 64)
        place = n[:, None] * 64 + n[None, :]
        tl.store(flag_ptr + place, tl.load(c_ptr + place) * 2)
    if KIND == "release":
        tl.atomic_add(flag_ptr, 1.0, sem="release")
    if KIND == "relaxed":
        tl.atomic_add(flag_ptr, 1.0, sem="relaxed")


@pytest.mark.parametrize("kind, stores", [("read", 0), ("barrier", 0), ("release", 0), ("relaxed", 1)])
def test_what_others_may_see(kind, stores, rng, device):
    """Copies end at some time of their own: where anything may look at what they store, they are not used."""
    a, b = random_values(rng, (64, 64), "float16"), random_values(rng, (64, 64), "float16")
    c = aligned(np.ones((64, 64), np.float32))
    flags = np.zeros((64, 64), np.float32)
    kernel = product_and_more[(1,)](
        describe(a, "float16", [64, 32]),
        describe(b, "float16", [64, 32]),
        TensorDescriptor(c, [64, 64], [64, 1], [64, 64]),
        c,
        flags,
        64,
        KIND=kind,
    )
    exact = a.astype(np.float64) @ b.astype(np.float64).T + (kind == "read")
    np.testing.assert_allclose(c, exact, rtol=0, atol=1e-3)
    if kind == "barrier":
        np.testing.assert_array_equal(flags, c * 2)
    elif kind != "read":
        assert flags[0, 0] == 1
    expect_stores(device, kernel, stores)


def test_leaving_bulk_stores_out(rng, device, monkeypatch):
    monkeypatch.setenv("TRITON_SKIP_PASSES", "triton-select-mapped-stores")
    kernel, error = run_product(rng, "float16", (64, 64, 32), (64, 64, 96), 4, 3)
    assert error <= ROUNDING["float16"]
    expect_stores(device, kernel, 0)
