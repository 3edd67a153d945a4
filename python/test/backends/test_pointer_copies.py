"""Operands of products that are loaded through plain pointers: on sm_90 bulk copies bring them where that pays."""

import random

import numpy as np
import pytest
import triton
import triton.language as tl
from bulk_operands import TOLERANCES, is_moved, padded, relative_error
from values import argument, is_refused, poisoned, random_values, read

SIMULATED_HOPPER = "sim:cuda:90"


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
    stride_cm,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    WRAPS: tl.constexpr,
    MASKS_ROWS: tl.constexpr,
    MASKS_STORE: tl.constexpr,
    BLOCK_POINTERS: tl.constexpr,
):
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    rows, columns, inner = row + tl.arange(0, BM), column + tl.arange(0, BN), tl.arange(0, BK)
    read_rows, read_columns = rows, columns
    if WRAPS:
        read_rows, read_columns = rows % M, columns % N
    sum = tl.zeros((BM, BN), tl.float32)
    if BLOCK_POINTERS:
        a_block = tl.make_block_ptr(a_ptr, (M, K), (stride_am, stride_ak), (row, 0), (BM, BK), (1, 0))
        b_block = tl.make_block_ptr(b_ptr, (K, N), (stride_bk, stride_bn), (0, column), (BK, BN), (1, 0))
        for _ in range(0, tl.cdiv(K, BK)):
            a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
            b = tl.load(b_block, boundary_check=(0, 1), padding_option="zero")
            sum = tl.dot(a, b, sum)
            a_block = tl.advance(a_block, (0, BK))
            b_block = tl.advance(b_block, (BK, 0))
    else:
        a_ptrs = a_ptr + read_rows[:, None] * stride_am + inner[None, :] * stride_ak
        b_ptrs = b_ptr + inner[:, None] * stride_bk + read_columns[None, :] * stride_bn
        for k in range(0, tl.cdiv(K, BK)):
            a_mask, b_mask = inner[None, :] < K - k * BK, inner[:, None] < K - k * BK
            if MASKS_ROWS:
                a_mask, b_mask = a_mask & (rows[:, None] < M), b_mask & (columns[None, :] < N)
            sum = tl.dot(tl.load(a_ptrs, a_mask, 0.0), tl.load(b_ptrs, b_mask, 0.0), sum)
            a_ptrs += BK * stride_ak
            b_ptrs += BK * stride_bk
    pointers = c_ptr + rows[:, None] * stride_cm + columns[None, :]
    if MASKS_STORE:
        tl.store(pointers, sum, (rows[:, None] < M) & (columns[None, :] < N))
    else:
        tl.store(pointers, sum)


def operand(rng, shape, dtype, turned):
    """Values of this shape: an array of their type, its strides, and the exact values."""
    values = random_values(rng, shape[::-1] if turned else shape, dtype)
    array, stride = padded(values, dtype)
    exact = read(values, dtype).astype(np.float64)
    return (array, (1, stride), exact.T) if turned else (array, (stride, 1), exact)


def run_product(rng, dtype, block, size, turned=(False, False), warps=4, stages=3, way="wraps", stores_all=False):
    (BM, BN, _), (M, N, K) = block, size
    a, a_strides, exact_a = operand(rng, (M, K), dtype, turned[0])
    b, b_strides, exact_b = operand(rng, (K, N), dtype, turned[1])
    grid = (triton.cdiv(M, BM), triton.cdiv(N, BN))
    c = poisoned((grid[0] * BM, grid[1] * BN), "float32")
    kernel = product[grid](
        a,
        b,
        c,
        M,
        N,
        K,
        *a_strides,
        *b_strides,
        grid[1] * BN,
        *block,
        WRAPS=way == "wraps",
        MASKS_ROWS=way == "masks",
        MASKS_STORE=not stores_all,
        BLOCK_POINTERS=way == "blocks",
        num_warps=warps,
        num_stages=stages,
    )
    result = read(c, "float32")
    rest = np.delete(result, slice(0, M), 0), np.delete(result, slice(0, N), 1)
    assert stores_all or all(np.isnan(part).all() for part in rest)
    return kernel, relative_error(result[:M, :N], exact_a, exact_b)


@pytest.mark.parametrize("way", ["wraps", "masks", "blocks"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float8e4nv"])
def test_operands_are_copied(way, dtype, rng, device):
    turned = (False, dtype == "float8e4nv")

    def run():
        return run_product(rng, dtype, (64, 64, 32), (96, 80, 112), turned, way=way)

    if is_refused(device, dtype, run):
        return
    kernel, error = run()
    assert error < TOLERANCES.get(dtype, 1e-5)
    assert device.name != SIMULATED_HOPPER or is_moved(kernel)


def test_results_that_show_replaced_rows_are_not_copied(rng, device):
    kernel, error = run_product(rng, "float16", (64, 64, 32), (96, 80, 64), stores_all=True)
    assert error < 1e-5
    assert device.name != SIMULATED_HOPPER or not is_moved(kernel)


def random_case(random):
    block = random.choice([64, 128]), random.choice([32, 64, 128]), random.choice([32, 64])
    size = tuple(random.randint(1, 3 * side) for side in block)
    return {
        "block": block,
        "size": size,
        "dtype": random.choice(["float16", "bfloat16", "float32", "float8e5"]),
        "turned": (random.random() < 0.3, random.random() < 0.5),
        "warps": random.choice([4, 8]),
        "stages": random.choice([1, 2, 3, 4]),
        "way": random.choice(["wraps", "masks", "blocks"]),
    }


@pytest.mark.parametrize("seed", range(12))
def test_random_shapes(seed, rng, device):
    case = random_case(random.Random(seed))
    kernel, error = run_product(rng, **case)
    assert error < TOLERANCES.get(case["dtype"], 1e-5), case


@triton.jit
def product_of_rows(a_ptr, b_ptr, c_ptr, K, stride, BM: tl.constexpr, BK: tl.constexpr):
    """A and B lie in rows in front of which others lie; negative strides read rows upwards."""
    rows, inner = tl.arange(0, BM), tl.arange(0, BK)
    sum = tl.zeros((BM, BM), tl.float32)
    for k in range(0, K, BK):
        a = tl.load(a_ptr + rows[:, None] * stride + (k + inner)[None, :])
        b = tl.load(b_ptr + rows[:, None] * stride + (k + inner)[None, :])
        sum = tl.dot(a, b.T, sum)
    tl.store(c_ptr + rows[:, None] * BM + rows[None, :], sum)


@pytest.mark.parametrize("sign", [1, -1])
def test_rows_upwards(sign, rng, host_device):
    values = random_values(rng, (64, 128), "float16")
    array = argument(values, "float16")
    first = array if sign > 0 else array[63:]
    c = poisoned((64, 64), "float32")
    kernel = product_of_rows[(1,)](first, first, c, 128, sign * 128, BM=64, BK=32)
    exact = read(values, "float16").astype(np.float64)[::sign]
    assert relative_error(read(c, "float32"), exact, exact.T) < 1e-5
    assert host_device.name != SIMULATED_HOPPER or is_moved(kernel) == (sign > 0)


@triton.jit
def product_in_place(x_ptr, y_ptr, STEPS: tl.constexpr, SIZE: tl.constexpr):
    """x becomes x times x again and again; both arguments are x."""
    rows = tl.arange(0, SIZE)
    places = rows[:, None] * SIZE + rows[None, :]
    for _ in range(STEPS):
        result = tl.dot(tl.load(x_ptr + places), tl.load(x_ptr + places))
        tl.debug_barrier()
        tl.store(y_ptr + places, (result * 0.125).to(tl.float16))
        tl.debug_barrier()


def test_stores_through_another_argument(rng, host_device):
    x = random_values(rng, (64, 64), "float16")
    expected = x.astype(np.float64)
    for _ in range(3):
        expected = (expected @ expected * 0.125).astype(np.float16).astype(np.float64)
    product_in_place[(1,)](x, x, STEPS=3, SIZE=64)
    assert np.abs(x - expected).max() <= 2**-6 * np.abs(expected).max()


@triton.jit
def product_of_parts(
    a_ptr, b_ptr, c_ptr, M, N, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr
):
    """Each program adds a part of K; rows and columns that there are not are read as row and column 0."""
    rows, columns = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.program_id(2) * BK + tl.arange(0, BK)
    read_rows, read_columns = tl.where(rows < M, rows, 0), tl.where(columns < N, columns, 0)
    a_ptrs = a_ptr + read_rows[:, None] * sa + inner[None, :]
    b_ptrs = b_ptr + inner[:, None] * sb + read_columns[None, :]
    sum = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK * SPLIT)):
        left = K - k * (BK * SPLIT)
        a = tl.load(a_ptrs, inner[None, :] < left, 0.0)
        b = tl.load(b_ptrs, inner[:, None] < left, 0.0)
        sum = tl.dot(a, b, sum)
        a_ptrs += BK * SPLIT
        b_ptrs += BK * SPLIT * sb
    mask = (rows[:, None] < M) & (columns[None, :] < N)
    tl.atomic_add(c_ptr + rows[:, None] * sc + columns[None, :], sum * 2, mask, sem="relaxed")


@pytest.mark.parametrize("size", [(64, 64, 128), (70, 90, 250)])
def test_parts_of_k(size, rng, device):
    M, N, K = size
    (a, (sa, _), exact_a), (b, (sb, _), exact_b) = (
        operand(rng, shape, "float16", turned=False) for shape in ((M, K), (K, N))
    )
    c = np.zeros((M, N), np.float32)
    grid = (triton.cdiv(M, 64), triton.cdiv(N, 64), 2)
    kernel = product_of_parts[grid](a, b, c, M, N, K, sa, sb, N, BM=64, BN=64, BK=32, SPLIT=2)
    assert relative_error(c / 2, exact_a, exact_b) < 1e-5
    assert device.name != SIMULATED_HOPPER or is_moved(kernel)


@triton.jit
def batched_product(a_ptr, b_ptr, c_ptr, M, SIZE: tl.constexpr, K: tl.constexpr, BK: tl.constexpr):
    """Matrices of a batch lie one behind the other, at offsets of 64 bits; each column's largest element is stored."""
    batch = tl.program_id(0).to(tl.int64)
    rows, inner = tl.arange(0, SIZE), tl.arange(0, BK)
    read_rows = rows % M
    sum = tl.zeros((SIZE, SIZE), tl.float32)
    for k in range(0, K, BK):
        a = tl.load(a_ptr + batch * SIZE * K + read_rows[:, None] * K + (k + inner)[None, :])
        b = tl.load(b_ptr + batch * SIZE * K + rows[:, None] * K + (k + inner)[None, :])
        sum = tl.dot(a, b.T, sum)
    tl.store(c_ptr + batch * SIZE + rows, tl.max(sum, 0))


@pytest.mark.parametrize("M", [64, 40])
def test_batches(M, rng, device):
    """The largest of each column depends on all rows, also on those that were replaced."""
    a, b = (random_values(rng, (3, 64, 96), "float16") for _ in range(2))
    c = poisoned((3, 64), "float32")
    kernel = batched_product[(3,)](a, b, c, M, SIZE=64, K=96, BK=32)
    wide = a.astype(np.float64)[:, np.arange(64) % M] @ b.astype(np.float64).transpose(0, 2, 1)
    np.testing.assert_allclose(c, wide.max(1), rtol=1e-4, atol=1e-4)
    assert device.name != SIMULATED_HOPPER or not is_moved(kernel)


@triton.jit
def product_of_wrapped_rows(a_ptr, b_ptr, c_ptr, M, K: tl.constexpr, BM: tl.constexpr, BK: tl.constexpr):
    """Rows beyond the end are replaced in the store, too, so that its mask is true for all."""
    rows, columns, inner = tl.arange(0, BM) % M, tl.arange(0, 64), tl.arange(0, BK)
    sum = tl.zeros((BM, 64), tl.float32)
    for k in range(0, K, BK):
        a = tl.load(a_ptr + rows[:, None] * K + (k + inner)[None, :])
        sum = tl.dot(a, tl.load(b_ptr + (k + inner)[:, None] * 64 + columns[None, :]), sum)
    tl.store(c_ptr + rows[:, None] * 64 + columns[None, :], sum, (rows < M)[:, None])


def test_store_to_wrapped_rows(rng, device):
    a, b = random_values(rng, (48, 128), "float16"), random_values(rng, (128, 64), "float16")
    c = poisoned((48, 64), "float32")
    kernel = product_of_wrapped_rows[(1,)](a, b, c, 48, K=128, BM=128, BK=64)
    assert relative_error(c, a.astype(np.float64), b.astype(np.float64)) < 1e-5
    assert device.name != SIMULATED_HOPPER or not is_moved(kernel)


@triton.jit
def square_product(a_ptr, b_ptr, c_ptr, SIZE: tl.constexpr, BLOCK: tl.constexpr):
    rows, columns = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, SIZE)
    sum = tl.zeros((BLOCK, SIZE), tl.float32)
    for k in range(0, SIZE, 32):
        inner = k + tl.arange(0, 32)
        a = tl.load(a_ptr + rows[:, None] * SIZE + inner[None, :])
        sum = tl.dot(a, tl.load(b_ptr + inner[:, None] * SIZE + columns[None, :]), sum)
    tl.store(c_ptr + rows[:, None] * SIZE + columns[None, :], sum)


def test_other_programs_get_machine_code_without_maps(rng, host_device):
    """Who launches the machine code of `triton.compile` passes the arguments alone."""
    a, b = (random_values(rng, (128, 128), "float16") for _ in range(2))
    c = poisoned((128, 128), "float32")
    launched = square_product[(2,)](a, b, c, SIZE=128, BLOCK=64)
    assert relative_error(c, a.astype(np.float64), b.astype(np.float64)) < 1e-5
    assert host_device.name != SIMULATED_HOPPER or is_moved(launched)
    signature = dict.fromkeys(("a_ptr", "b_ptr"), "*fp16") | {"c_ptr": "*fp32"}
    aligned = {(i,): [["tt.divisibility", 16]] for i in range(3)}
    source = triton.compiler.ASTSource(square_product, signature, {"SIZE": 128, "BLOCK": 64}, aligned)
    hopper = triton.backends.compiler.GPUTarget("sim:cuda", 90, 32)
    assert not is_moved(triton.compile(source, target=hopper))
    assert is_moved(triton.compile(source, target=hopper, options={"pointer_copies": True}))
