"""Atomic operations on blocks of tensor descriptors: on sm_90 bulk copies do them while the kernel goes on."""

import numpy as np
import pytest
import triton
import triton.language as tl
from bulk_operands import HOPPER, Result, describe
from shared_kernels import COMBINATIONS, combine_block
from values import aligned, argument, read, store_as


def expect_reductions(device, kernel, kind, count):
    if device.name in HOPPER:
        assert kernel.asm["ttgir"].count(f"ttg.async_mapped_store {kind}") == count


HALVES = ("float16", "bfloat16")  # Threads are not slower with other types.


def small(rng, shape):
    """Numbers whose products and sums are exact in every type here."""
    return rng.integers(-2, 3, shape).astype(np.float16)


@triton.jit
def split_product(a_desc, b_desc, c_desc, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0) * BM
    column = tl.program_id(1) * BN
    sum = tl.zeros((BM, BN), tl.float32)
    for k in range(tl.program_id(2) * K, (tl.program_id(2) + 1) * K, BK):
        sum = tl.dot(a_desc.load([row, k]), b_desc.load([column, k]).T, sum)
    c_desc.atomic_add([row, column], sum.to(c_desc.dtype))


@pytest.mark.parametrize("size", [(128, 64, 64), (130, 80, 128), (65, 48, 192)])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int32"])
@pytest.mark.parametrize("block, warps", [((64, 32, 32), 4), ((128, 128, 32), 8), ((64, 256, 64), 4)])
def test_parts_of_a_product(block, warps, dtype, size, rng, device):
    (BM, BN, BK), (M, N, K), programs = block, size, 3
    a, b = small(rng, (M, K * programs)), small(rng, (N, K * programs))
    c = Result((M, N), dtype)
    c.storage[: c.shape[0], : c.shape[1]] = 0

    kernel = split_product[(triton.cdiv(M, BM), triton.cdiv(N, BN), programs)](
        describe(a, "float16", [BM, BK]),
        describe(b, "float16", [BN, BK]),
        c.descriptor([BM, BN]),
        K,
        *block,
        num_warps=warps,
    )
    np.testing.assert_array_equal(c.values(), a.astype(np.float64) @ b.astype(np.float64).T)
    if device.name in HOPPER:
        assert ("ttg.async_mapped_store add" in kernel.asm["ttgir"]) == (dtype in HALVES)


@triton.jit
def combined_at(a_desc, b_desc, c_ptr, M, N, stride, row, column, K, KIND: tl.constexpr):
    c_desc = tl.make_tensor_descriptor(c_ptr, [M, N], [stride, 1], [64, 32])
    sum = tl.zeros((64, 32), tl.float32)
    for k in range(0, K, 32):
        sum = tl.dot(a_desc.load([0, k]), b_desc.load([0, k]).T, sum)
    combine_block(c_desc, row, column, sum.to(c_desc.dtype), KIND)


@pytest.mark.parametrize(
    "M, N, row, column",
    [
        (64, 48, 0, 16),
        (70, 48, -48, -16),
        (16, 48, -16, 32),
        (64, 48, 64, 0),
        (0, 48, 0, 0),
        (-3, 48, 0, 0),
        (64, 48, 3, 16),
    ],
)
@pytest.mark.parametrize(
    "kind, dtype",
    [
        ("add", "float32"),
        ("add", "float16"),
        ("add", "bfloat16"),
        *((kind, "int32") for kind in COMBINATIONS),
        ("min", "uint32"),
    ],
)
def test_blocks_that_begin_anywhere(kind, dtype, M, N, row, column, rng, device):
    """Maps know no blocks that begin before the array."""
    a, b = small(rng, (64, 64)), small(rng, (32, 64))
    if dtype == "uint32":
        a, b = abs(a), abs(b)
    before = rng.integers(0 if dtype == "uint32" else -40, 40, (96, 64))
    c = aligned(store_as(before, dtype))
    kernel = combined_at[(1,)](
        describe(a, "float16", [64, 32]),
        describe(b, "float16", [32, 32]),
        argument(c, dtype),
        M,
        N,
        64,
        row,
        column,
        64,
        KIND=kind,
    )
    block = (a.astype(np.float64) @ b.astype(np.float64).T).astype(np.int64)
    expected = before.copy()
    for i in range(max(row, 0), min(row + 64, M)):
        for j in range(max(column, 0), min(column + 32, N)):
            expected[i, j] = COMBINATIONS[kind](before[i, j], block[i - row, j - column])
    np.testing.assert_array_equal(read(c, dtype), expected)
    expect_reductions(device, kernel, kind, 1 if dtype in HALVES else 0)


@triton.jit
def stored_and_added(a_desc, b_desc, c_desc, tiles, K):
    for tile in range(tiles):
        sum = tl.zeros((64, 64), tl.float32)
        for k in range(0, K, 32):
            sum = tl.dot(a_desc.load([tile * 64, k]), b_desc.load([0, k]).T, sum)
        c_desc.store([0, 0], sum.to(tl.float16))
        c_desc.atomic_add([0, 0], sum.to(tl.float16))
        c_desc.atomic_add([0, 0], sum.to(tl.float16))


def test_stores_and_additions_keep_their_order(rng, device):
    """Additions to one block need not wait for each other, but for the store before them."""
    a, b = small(rng, (3 * 64, 64)), small(rng, (64, 64))
    c = Result((64, 64), "float16")
    kernel = stored_and_added[(1,)](
        describe(a, "float16", [64, 32]), describe(b, "float16", [64, 32]), c.descriptor([64, 64]), 3, 64
    )
    np.testing.assert_array_equal(c.values(), 3 * (a[128:].astype(np.float64) @ b.astype(np.float64).T))
    expect_reductions(device, kernel, "add", 2)
    if device.name in HOPPER:
        waits = kernel.asm["ttgir"].split("ttg.async_mapped_store")[1:]
        assert ["async_store_wait" in text for text in waits] == [True, False, True]
