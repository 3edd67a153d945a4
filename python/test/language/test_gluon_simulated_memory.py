# ruff: noqa: F811
"""Tensor memory and its products on a simulated GPU of compute capability 10.0, and what is said of wrong uses."""

import ml_dtypes
import numpy as np
import pytest
from gluon_devices import blackwell  # noqa: F401
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language.nvidia.blackwell import (
    TensorMemoryLayout,
    TensorMemoryScalesLayout,
    allocate_tensor_memory,
    fence_async_shared,
    mbarrier,
    tcgen05_commit,
    tcgen05_copy,
    tcgen05_mma,
    tcgen05_mma_scaled,
    tma,
)
from triton.experimental.gluon.nvidia.blackwell import TensorDescriptor
from triton.runtime.errors import SimulationError

ROWS = ttgl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
TILE = ttgl.NVMMASharedLayout(128, 16)
#: The order in which a copy takes the scales of 128 rows.
PACKED = ttgl.SharedLinearLayout([[0, 1], [0, 2], [32, 0], [64, 0], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]])


def random(*shape, dtype=np.float16, seed=0):
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(np.float32).astype(dtype)


@gluon.jit
def places(M: ttgl.constexpr, N: ttgl.constexpr, layout: ttgl.constexpr):
    """The places in a matrix of N columns of the elements of a block of M rows."""
    i = ttgl.arange(0, M, layout=ttgl.SliceLayout(1, layout))
    return i[:, None] * N + ttgl.arange(0, N, layout=ttgl.SliceLayout(0, layout))[None, :]


@gluon.jit
def store_matrix(memory, c, VARIANT: ttgl.constexpr = "32x32b"):
    layout: ttgl.constexpr = memory.get_reg_layout(instr_variant=VARIANT)
    ttgl.store(c + places(memory.shape[0], memory.shape[1], layout), memory.load(layout))


@gluon.jit
def product(
    a, b, c, steps, M: ttgl.constexpr, N: ttgl.constexpr, K: ttgl.constexpr, LEFT: ttgl.constexpr,
    RIGHT: ttgl.constexpr, VARIANT: ttgl.constexpr,
):  # fmt: skip
    left = ttgl.allocate_shared_memory(a.dtype.element_ty, [M, K], LEFT)
    right = ttgl.allocate_shared_memory(b.dtype.element_ty, [K, N], RIGHT)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    acc = allocate_tensor_memory(c.dtype.element_ty, [M, N], TensorMemoryLayout([min(M, 128), N], 1))
    for step in range(steps):
        left.store(ttgl.load(a + step * M * K + places(M, K, ROWS)))
        right.store(ttgl.load(b + step * K * N + places(K, N, ROWS)))
        fence_async_shared()
        tcgen05_mma(left, right, acc, use_acc=step > 0, mbarriers=[bar])
        mbarrier.wait(bar, step & 1)
    store_matrix(acc, c, VARIANT)


@pytest.mark.parametrize(
    "M, N, K, dtype, along_k, variant",
    [
        (128, 64, 64, np.float16, False, "32x32b"),
        (64, 64, 64, np.float16, True, "32x32b"),
        (256, 64, 32, ml_dtypes.bfloat16, True, "16x64b"),
        (128, 128, 32, np.float32, True, "16x128b"),
        (128, 64, 64, ml_dtypes.float8_e4m3fn, False, "16x256b"),
        (128, 64, 64, np.int8, True, "32x32b"),
    ],
)
def test_products(blackwell, M, N, K, dtype, along_k, variant):
    bits = 8 * np.dtype(dtype).itemsize
    a, b = random(3, M, K, dtype=dtype), random(3, K, N, dtype=dtype, seed=1)
    c = np.zeros((M, N), np.int32 if dtype == np.int8 else np.float32)
    left, right = (
        ttgl.NVMMASharedLayout(min(128, extent * bits // 8), bits, transposed=turned)
        for extent, turned in ((K, False), (K if along_k else N, along_k))
    )
    product[(1,)](a, b, c, 3, M, N, K, left, right, variant)
    np.testing.assert_array_equal(
        c, sum(x.astype(np.float32) @ y.astype(np.float32) for x, y in zip(a, b, strict=True))
    )


@gluon.jit
def left_in_memory(a, b, parts, halves):
    left = allocate_tensor_memory(ttgl.float16, [128, 64], TensorMemoryLayout([128, 64], 1))
    left.store(ttgl.load(a + places(128, 64, left.get_reg_layout())))
    right = ttgl.allocate_shared_memory(ttgl.float16, [64, 64], TILE, ttgl.load(b + places(64, 64, ROWS)))
    accs = allocate_tensor_memory(ttgl.float32, [2, 128, 64], TensorMemoryLayout([128, 64], 1))
    for step in ttgl.static_range(2):
        tcgen05_mma(left, right, accs.index(step), use_acc=False)
        store_matrix(accs.index(step).slice(32 * step, 32), parts + step * 128 * 32)
    narrow = allocate_tensor_memory(ttgl.float16, [128, 64], TensorMemoryLayout([128, 64], 2))
    tcgen05_mma(left, right, narrow, use_acc=False)
    store_matrix(narrow, halves)


def test_factor_in_tensor_memory_and_parts(blackwell):
    a, b = random(128, 64), random(64, 64, seed=1)
    parts, halves = np.zeros((2, 128, 32), np.float32), np.zeros((128, 64), np.float16)
    left_in_memory[(1,)](a, b, parts, halves)
    expected = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_array_equal(np.concatenate([*parts], 1), expected)
    np.testing.assert_array_equal(halves, expected)


@gluon.jit
def product_with_scales(
    a, b, a_scales, b_scales, c, COUNT: ttgl.constexpr, FORMAT: ttgl.constexpr, COPIES: ttgl.constexpr
):
    left = ttgl.allocate_shared_memory(a.dtype.element_ty, [128, 128], ttgl.NVMMASharedLayout(128, 8))
    left.store(ttgl.load(a + places(128, 128, ROWS)))
    right = ttgl.allocate_shared_memory(a.dtype.element_ty, [128, 128], ttgl.NVMMASharedLayout(128, 8, transposed=True))
    right.permute((1, 0)).store(ttgl.load(b + places(128, 128, ROWS)))
    kind: ttgl.constexpr = a_scales.dtype.element_ty
    of_a = allocate_tensor_memory(kind, [128, COUNT], TensorMemoryScalesLayout())
    of_b = allocate_tensor_memory(kind, [128, COUNT], TensorMemoryScalesLayout())
    layout: ttgl.constexpr = of_a.get_reg_layout()
    scales = ttgl.load(a_scales + places(128, COUNT, layout))
    if COPIES:
        tcgen05_copy(ttgl.allocate_shared_memory(kind, [128, COUNT], PACKED, scales), of_a)
    else:
        of_a.store(scales)
    of_b.store(ttgl.load(b_scales + places(128, COUNT, layout)))
    acc = allocate_tensor_memory(ttgl.float32, [128, 128], TensorMemoryLayout([128, 128], 1))
    tcgen05_mma_scaled(left, right, acc, of_a, of_b, FORMAT, FORMAT, use_acc=False)
    store_matrix(acc, c)


E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], np.float32)


def halves_of_bytes(packed):
    return np.stack([E2M1[packed & 15], E2M1[packed >> 4]], -1).reshape(len(packed), -1)


@pytest.mark.parametrize(
    "format, exponents, count, copies",
    [("e4m3", True, 4, False), ("e5m2", True, 4, True), ("e2m1", True, 8, False), ("e2m1", False, 16, False)],
)
def test_products_with_scales(blackwell, format, exponents, count, copies):
    generator = np.random.default_rng(0)
    if format == "e2m1":
        a, b = generator.integers(0, 256, (2, 128, 128)).astype(np.uint8)
        numbers = [halves_of_bytes(a), halves_of_bytes(b)]
    else:
        dtype = ml_dtypes.float8_e4m3fn if format == "e4m3" else ml_dtypes.float8_e5m2
        a, b = random(2, 128, 128, dtype=dtype)
        numbers = [a.astype(np.float32), b.astype(np.float32)]
    if exponents:
        scales = generator.integers(125, 130, (2, 128, count)).astype(np.uint8)
        factors = np.exp2(scales.astype(np.float32) - 127)
    else:
        scales = generator.choice([0.5, 1, 1.5, 2], (2, 128, count)).astype(ml_dtypes.float8_e4m3fn)
        factors = scales.astype(np.float32)
    c = np.zeros((128, 128), np.float32)
    product_with_scales[(1,)](a, b, *scales, c, count, format, copies)
    x, y = (each * np.repeat(scale, each.shape[1] // count, 1) for each, scale in zip(numbers, factors, strict=True))
    np.testing.assert_allclose(c, x @ y.T, rtol=1e-5)


@gluon.jit
def copy_tiles(a, b, left, right, ready, free, steps, SLOTS: ttgl.constexpr):
    for step in range(steps):
        slot = step % SLOTS
        mbarrier.wait(free.index(slot), step // SLOTS & 1 ^ 1)
        mbarrier.expect(ready.index(slot), a.nbytes_per_cta + b.nbytes_per_cta)
        tma.async_load(a, [0, step * 64], ready.index(slot), left.index(slot))
        tma.async_load(b, [step * 64, 0], ready.index(slot), right.index(slot))


@gluon.jit
def multiply_tiles(left, right, acc, ready, free, done, steps, SLOTS: ttgl.constexpr, FAULT: ttgl.constexpr):
    for step in range(steps):
        slot = step % SLOTS
        if FAULT != "early product":
            mbarrier.wait(ready.index(slot), step // SLOTS & 1)
        if FAULT == "early slot" and step == 0:
            mbarrier.arrive(free.index(slot))
            tcgen05_mma(left.index(slot), right.index(slot), acc, use_acc=False, mbarriers=[done.index(1)])
        else:
            tcgen05_mma(left.index(slot), right.index(slot), acc, use_acc=step > 0, mbarriers=[free.index(slot)])
    tcgen05_commit(done.index(0))


@gluon.jit
def store_result(acc, free, done, c, FAULT: ttgl.constexpr):
    if FAULT == "early result":
        mbarrier.wait(free.index(0), 0)  # The first product has ended, and others have not.
    else:
        mbarrier.wait(done.index(0), 0)
    store_matrix(acc, c)


@gluon.jit
def in_groups(a, b, c, steps, SLOTS: ttgl.constexpr, FAULT: ttgl.constexpr):
    left = ttgl.allocate_shared_memory(ttgl.float16, [SLOTS, 128, 64], a.layout)
    right = ttgl.allocate_shared_memory(ttgl.float16, [SLOTS, 64, 64], b.layout)
    ready, free, done = (
        mbarrier.allocate_mbarrier(SLOTS),
        mbarrier.allocate_mbarrier(SLOTS),
        mbarrier.allocate_mbarrier(2),
    )
    for slot in ttgl.static_range(SLOTS):
        mbarrier.init(ready.index(slot), count=1)
        mbarrier.init(free.index(slot), count=1)
    for number in ttgl.static_range(2):
        mbarrier.init(done.index(number), count=1)
    acc = allocate_tensor_memory(ttgl.float32, [128, 64], TensorMemoryLayout([128, 64], 1))
    ttgl.warp_specialize(
        [
            (store_result, (acc, free, done, c, FAULT)),
            (copy_tiles, (a, b, left, right, ready, free, steps, SLOTS)),
            (multiply_tiles, (left, right, acc, ready, free, done, steps, SLOTS, FAULT)),
        ],
        [1, 1],
    )


def run_in_groups(fault):
    a, b, c = random(128, 320), random(320, 64, seed=1), np.zeros((128, 64), np.float32)
    in_groups[(1,)](
        TensorDescriptor.from_tensor(a, [128, 64], TILE),
        TensorDescriptor.from_tensor(b, [64, 64], TILE),
        c,
        5,
        2,
        fault,
    )
    return c, a.astype(np.float32) @ b.astype(np.float32)


def test_groups_of_warps(blackwell):
    np.testing.assert_array_equal(*run_in_groups("none"))


@pytest.mark.parametrize(
    "fault, expected",
    [
        ("early product", "race on shared memory.*asynchronous read of shared bytes"),
        (
            "early slot",
            "race on shared memory.*asynchronous write of shared bytes.*which an asynchronous operation reads",
        ),
        ("early result", "race on tensor memory|use of a product that has not ended"),
    ],
)
def test_groups_that_do_not_wait(blackwell, fault, expected):
    with pytest.raises(SimulationError, match=expected):
        run_in_groups(fault)


@gluon.jit
def faulty(a, c, FAULT: ttgl.constexpr):
    left = ttgl.allocate_shared_memory(ttgl.float16, [128, 64], TILE, ttgl.load(a + places(128, 64, ROWS)))
    right = left.slice(0, 64)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    acc = allocate_tensor_memory(ttgl.float32, [128, 64], TensorMemoryLayout([128, 64], 1))
    factor = allocate_tensor_memory(ttgl.float16, [128, 64], TensorMemoryLayout([128, 64], 1))
    fence_async_shared()
    if FAULT == "early":
        tcgen05_mma(left, right, acc, use_acc=False, mbarriers=[bar])
        store_matrix(acc, c)
        mbarrier.wait(bar, 0)
    elif FAULT == "slot":
        tcgen05_mma(left, right, acc, use_acc=False, mbarriers=[bar])
        left.store(ttgl.load(a + places(128, 64, ROWS)))
        mbarrier.wait(bar, 0)
    elif FAULT == "factor":
        zeros = ttgl.zeros([128, 64], ttgl.float16, factor.get_reg_layout())
        factor.store(zeros)
        tcgen05_mma(factor, right, acc, use_acc=False, mbarriers=[bar])
        factor.store(zeros)
        mbarrier.wait(bar, 0)
    elif FAULT == "unwritten":
        tcgen05_mma(left, right, acc, mbarriers=[bar])
        mbarrier.wait(bar, 0)


@pytest.mark.parametrize(
    "fault, expected",
    [
        ("early", "use of a product that has not ended.*lane 0, column 0 of tensor memory is read"),
        ("slot", "write of shared bytes 0 to 16, which an asynchronous operation reads that has not ended"),
        ("factor", "use of a product that has not ended.*is written, and the matrix unit may still work there"),
        ("unwritten", "wrong use of tensor memory.*is read, and nothing has been written there"),
    ],
)
def test_the_simulator_reports(blackwell, fault, expected):
    with pytest.raises(SimulationError, match=expected) as caught:
        faulty[(1,)](np.ones((128, 64), np.float16), np.zeros((128, 64), np.float32), fault)
    assert "test_gluon_simulated_memory.py:" in str(caught.value)


RESERVE = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [$1], {}; "


@gluon.jit
def by_hand(TEXT: ttgl.constexpr):
    place = ttgl.allocate_shared_memory(ttgl.int32, [1], ttgl.SwizzledSharedLayout(1, 1, 1, [0]))
    ttgl.inline_asm(TEXT + "mov.b32 $0, 0;", "=r,r,r", (place, 0), ttgl.int32)


@pytest.mark.parametrize(
    "text, expected",
    [
        (RESERVE.format(64), "tensor memory not freed.*has not given back 64 columns"),
        (RESERVE.format(512) * 2, "512 columns are to be reserved, of which 512 of 512 are reserved already"),
        (RESERVE.format(48), "48 columns; a power of two from 32 to 512 is reserved"),
        ("tcgen05.ld.sync.aligned.32x32b.x1.b32 {$0}, [$2+32]; ", "the program has not reserved it"),
        ("tcgen05.ld.sync.aligned.32x32b.x1.b32 {$0}, [$2+4194304]; ", "accesses lanes 64 to 95 .*reaches 0 to 31"),
        ("tcgen05.dealloc.cta_group::1.sync.aligned.b32 $2, 32; ", "no 32 columns were reserved together"),
        (
            "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned; " + RESERVE.format(32),
            "has given up the right to reserve columns",
        ),
    ],
)
def test_columns(blackwell, text, expected):
    with pytest.raises(SimulationError, match=expected):
        by_hand[(1,)](text, num_warps=1)


def test_columns_that_are_given_back(blackwell):
    by_hand[(1,)](RESERVE.format(32) + "tcgen05.dealloc.cta_group::1.sync.aligned.b32 $2, 32; ", num_warps=1)
