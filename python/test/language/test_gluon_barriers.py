# ruff: noqa: F811
"""Barriers in shared memory and products of groups of warps, in Gluon, and what the simulator says of wrong uses."""

import numpy as np
import pytest
import triton
from gluon_devices import hopper  # noqa: F401
from triton.backends.compiler import GPUTarget
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language.nvidia.hopper import (
    async_copy,
    cluster,
    fence_async_shared,
    mbarrier,
    warpgroup_mma,
    warpgroup_mma_init,
    warpgroup_mma_wait,
)
from triton.runtime.errors import SimulationError

LAYOUT = ttgl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
SHARED = ttgl.SwizzledSharedLayout(4, 1, 8, [1, 0])


@gluon.jit
def transposed_sums(x, y, N: ttgl.constexpr):
    i = ttgl.arange(0, 32, layout=ttgl.SliceLayout(1, LAYOUT))[:, None]
    j = ttgl.arange(0, 32, layout=ttgl.SliceLayout(0, LAYOUT))[None, :]
    bars = mbarrier.allocate_mbarrier(batch=2)
    for k in ttgl.static_range(2):
        mbarrier.init(bars.index(k), count=1 + k)
    buffer = ttgl.allocate_shared_memory(ttgl.float32, [32, 32], SHARED)
    total = ttgl.zeros([32, 32], ttgl.float32, LAYOUT)
    for step in range(N):
        buffer.store(ttgl.load(x + step * 1024 + i * 32 + j))
        mbarrier.arrive(bars.index(0))
        mbarrier.wait(bars.index(0), step & 1, deps=[buffer])
        total += buffer.permute([1, 0]).load(LAYOUT)
        mbarrier.arrive(bars.index(1), count=2, pred=step >= 0)
        mbarrier.wait(bars.index(1), step & 1, pred=step < N)
    for k in ttgl.static_range(2):
        mbarrier.invalidate(bars.index(k))
    ttgl.store(y + i * 32 + j, total)


def test_phases_of_barriers(hopper):
    x = np.random.default_rng(0).standard_normal((5, 32, 32)).astype(np.float32)
    y = np.zeros((32, 32), np.float32)
    transposed_sums[(1,)](hopper.put(x), hopper.put(y), 5)
    np.testing.assert_allclose(hopper.get(y), x.sum(0).T, rtol=1e-5)


@gluon.jit
def turned(buffer, block):
    buffer.store(block)
    return buffer.permute([1, 0]).load(LAYOUT)


@gluon.jit
def twice_turned(x, y):
    i = ttgl.arange(0, 32, layout=ttgl.SliceLayout(1, LAYOUT))[:, None]
    j = ttgl.arange(0, 32, layout=ttgl.SliceLayout(0, LAYOUT))[None, :]
    buffer = ttgl.allocate_shared_memory(ttgl.float32, [32, 32], SHARED)
    block = turned(buffer, ttgl.load(x + i * 32 + j))
    ttgl.store(y + i * 32 + j, turned(buffer, block + i))


def test_functions_use_buffers_of_their_callers(hopper):
    x = np.random.default_rng(0).standard_normal((32, 32)).astype(np.float32)
    y = np.zeros((32, 32), np.float32)
    kernel = twice_turned[(1,)](hopper.put(x), hopper.put(y))
    np.testing.assert_array_equal(hopper.get(y), x + np.arange(32, dtype=np.float32))
    if kernel is not None:  # compiled
        assert "tt.call" not in kernel.asm["ttgir"] and kernel.asm["ttgir"].count("ttg.local_barrier") == 3


@gluon.jit
def group_product(a, b, c, shared: ttgl.constexpr, acc_layout: ttgl.constexpr, N: ttgl.constexpr, way: ttgl.constexpr):
    layout: ttgl.constexpr = ttgl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    i = ttgl.arange(0, N, layout=ttgl.SliceLayout(1, layout))[:, None]
    j = ttgl.arange(0, N, layout=ttgl.SliceLayout(0, layout))[None, :]
    left = ttgl.load(a + i * N + j)
    left_buffer = ttgl.allocate_shared_memory(a.dtype.element_ty, [N, N], shared, left)
    right = ttgl.allocate_shared_memory(a.dtype.element_ty, [N, N], shared, ttgl.load(b + i * N + j))
    fence_async_shared()
    acc = warpgroup_mma_init(ttgl.full([N, N], 100.0, ttgl.float32, acc_layout))
    if way == 0:
        acc = warpgroup_mma(left_buffer, right, acc)
    elif way == 1:
        width: ttgl.constexpr = 32 // a.dtype.element_ty.primitive_bitwidth
        operand = ttgl.convert_layout(left, ttgl.DotOperandLayout(0, acc_layout, width))
        acc = warpgroup_mma(operand, right, acc, use_acc=False)
    else:
        for step in range(3):
            acc = warpgroup_mma(left_buffer, right, acc, use_acc=step > 0, is_async=True)
            acc = warpgroup_mma_wait(0, deps=[acc])
    ttgl.store(c + i * N + j, ttgl.convert_layout(acc, layout))


@pytest.mark.parametrize("way, expected", [(0, lambda p: p + 100), (1, lambda p: p), (2, lambda p: 3 * p)])
def test_products_of_groups_of_warps(hopper, way, expected):
    generator = np.random.default_rng(1)
    a, b = (generator.integers(-3, 4, (64, 64)).astype(np.float16) for _ in range(2))
    c = np.zeros((64, 64), np.float32)
    acc_layout = ttgl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
    shared = ttgl.NVMMASharedLayout.get_default_for([64, 64], ttgl.float16)
    kernel = group_product[(1,)](hopper.put(a), hopper.put(b), hopper.put(c), shared, acc_layout, 64, way)
    # The unit itself leaves out the sums that do not count.
    assert kernel is None or "arith.select" not in kernel.asm["ttgir"]
    np.testing.assert_array_equal(hopper.get(c), expected(a.astype(np.float32) @ b.astype(np.float32)))


@gluon.jit
def turned_around(x):
    i = ttgl.arange(0, 128, layout=ttgl.BlockedLayout([1], [32], [4], [0]))
    ttgl.store(x + i, i)
    cluster.barrier()
    ttgl.store(x + 128 + i, ttgl.load(x + 127 - i))


def test_the_cluster_of_a_block(hopper):
    x = hopper.put(np.zeros(256, np.int32))
    turned_around[(1,)](x)
    np.testing.assert_array_equal(hopper.get(x)[128:], np.arange(128)[::-1])


def test_older_gpus_have_no_clusters():
    with pytest.raises(triton.CompilationError, match="needs an NVIDIA GPU of compute capability 9.0 or more"):
        triton.compile(gluon.GluonASTSource(turned_around, {"x": "*i32"}), target=GPUTarget("cuda", 80, 32))


@gluon.jit
def faulty_kernel(x, y, fault: ttgl.constexpr):
    i = ttgl.arange(0, 32, layout=ttgl.SliceLayout(1, LAYOUT))[:, None]
    j = ttgl.arange(0, 32, layout=ttgl.SliceLayout(0, LAYOUT))[None, :]
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=2)
    buffer = ttgl.allocate_shared_memory(ttgl.float32, [32, 32], SHARED)
    if fault == 0:
        mbarrier.arrive(bar, count=2)
        mbarrier.wait(bar, 0)
        odd = ttgl.load(x).to(ttgl.int32) + 1
        mbarrier.wait(bar, odd)  # a phase that cannot end
    elif fault == 1:
        for _ in range(ttgl.load(x).to(ttgl.int32) + 1):
            mbarrier.expect(bar, 0)
        mbarrier.wait(bar, 0)  # one arrival is missing
    elif fault == 2:
        ttgl.nvidia.ampere.async_copy.async_load(buffer, x + i * 32 + j)
        ttgl.nvidia.ampere.async_copy.commit_group()
        ttgl.store(y + i * 32 + j, buffer.load(LAYOUT))  # before the copy has arrived
    elif fault == 3:
        mbarrier.arrive(bar)
        mbarrier.arrive(bar, count=2)  # more than are missing
        mbarrier.wait(bar, 0)
    elif fault == 4:
        if ttgl.load(x) == 0:
            mbarrier.invalidate(bar)
        mbarrier.arrive(bar)  # no barrier any more
    elif fault == 5:
        zero = ttgl.zeros([64, 64], ttgl.float16, LAYOUT)
        tile = ttgl.allocate_shared_memory(ttgl.float16, [64, 64], ttgl.NVMMASharedLayout(128, 16), zero)
        sums: ttgl.constexpr = ttgl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
        acc = warpgroup_mma(tile, tile, ttgl.zeros([64, 64], ttgl.float32, sums), is_async=True)
        tile.store(zero + 1)  # while the product reads it
        ttgl.store(y, ttgl.sum(ttgl.sum(warpgroup_mma_wait(0, deps=[acc]), 1), 0))
    ttgl.store(y + i * 32 + j, ttgl.load(x + i * 32 + j))


@pytest.mark.parametrize(
    "fault, line, expected",
    [
        (0, "mbarrier.wait(bar, odd)", "waits for 2 of 2 arrivals"),
        (1, "mbarrier.wait(bar, 0)", "waits for 1 of 2 arrivals"),
        (2, "buffer.load(LAYOUT)", "to which an asynchronous copy has not ended"),
        (3, "mbarrier.arrive(bar, count=2)", "where 1 of 2 are missing in this phase"),
        (4, "mbarrier.arrive(bar)", "no mbarrier has been initialized"),
        (5, "tile.store(zero + 1)", "which an asynchronous operation reads that has not ended"),
    ],
)
def test_wrong_uses_are_reported(hopper, fault, line, expected):
    if hopper.name == "cuda":
        pytest.skip("the simulator reports them")
    x, y = np.zeros((32, 32), np.float32), np.zeros((32, 32), np.float32)
    with pytest.raises(SimulationError) as caught:
        faulty_kernel[(1,)](hopper.put(x), hopper.put(y), fault)
    message = str(caught.value)
    assert expected in message and line in message and "test_gluon_barriers.py:" in message


@gluon.jit
def too_few_arrivals(x, count: ttgl.constexpr):
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=count)
    mbarrier.arrive(bar, pred=ttgl.load(x) == 0)
    mbarrier.wait(bar, 1)
    mbarrier.wait(bar, 0)


def test_phases_for_which_too_few_arrive(hopper):
    too_few_arrivals.warmup(np.zeros(8, np.int32), 1, grid=(1,))
    with pytest.raises(triton.CompilationError, match="takes 2 arrivals, and the kernel has 1") as caught:
        too_few_arrivals.warmup(np.zeros(8, np.int32), 2, grid=(1,))
    assert "mbarrier.wait(bar, 0)" in str(caught.value)


@gluon.jit
def refused_kernel(x, acc_layout: ttgl.constexpr, shared: ttgl.constexpr, which: ttgl.constexpr):
    bar = mbarrier.allocate_mbarrier()
    block = ttgl.zeros([64, 64], ttgl.float16, LAYOUT)
    acc = ttgl.zeros([64, 64], ttgl.float32, acc_layout)
    buffer = ttgl.allocate_shared_memory(ttgl.float16, [64, 64], shared, block)
    other = ttgl.allocate_shared_memory(ttgl.float16, [64, 64], SHARED, block)
    tall = ttgl.allocate_shared_memory(ttgl.float16, [128, 64], shared)
    if which == 0:
        mbarrier.init(buffer, count=1)
    elif which == 1:
        mbarrier.init(bar, count=0)
    elif which == 2:
        mbarrier.arrive(bar, count=0)
    elif which == 3:
        mbarrier.wait(bar, 1.0)
    elif which == 4:
        mbarrier.expect(bar, -1)
    elif which == 5:
        warpgroup_mma(other, buffer, acc)
    elif which == 6:
        warpgroup_mma(buffer, block, acc)
    elif which == 7:
        warpgroup_mma(block, buffer, acc)
    elif which == 8:
        warpgroup_mma(buffer, tall, acc)
    elif which == 9:
        warpgroup_mma(buffer, buffer, acc.to(ttgl.int32))
    elif which == 10:
        warpgroup_mma(buffer, buffer, ttgl.zeros([64, 64], ttgl.float32, LAYOUT))
    elif which == 11:
        warpgroup_mma_wait(0)
    elif which == 12:
        warpgroup_mma_wait(-1, deps=[acc])
    elif which == 13:
        mbarrier.allocate_mbarrier(batch=0)
    elif which == 14:
        mbarrier.init(bar, count=1 << 20)
    elif which == 15:
        mbarrier.arrive(bar, count=1 << 20)
    elif which == 16:
        mbarrier.expect(bar, 1 << 20)
    elif which == 17:
        warpgroup_mma(buffer, buffer, acc, precision="tf32")
    elif which == 18:
        numbers = ttgl.allocate_shared_memory(ttgl.float32, [64, 64], ttgl.NVMMASharedLayout(128, 32))
        flat: ttgl.constexpr = ttgl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 8])
        turned = numbers.permute((1, 0))
        sums = warpgroup_mma(numbers, turned, ttgl.zeros([64, 64], ttgl.float32, flat), precision="tf32")
        warpgroup_mma(numbers, turned, sums, precision="ieee")
    elif which == 19:
        warpgroup_mma(buffer, buffer, acc, max_num_imprecise_acc=-1)


@pytest.mark.parametrize(
    "which, expected",
    [
        (0, "a barrier is needed here, a buffer of one int64"),
        (1, "cannot make a barrier at which 0 arrive"),
        (2, "cannot arrive 0 times"),
        (3, "is an integer scalar"),
        (4, "cannot announce -1 bytes"),
        (5, "the unit reads whole matrices with an `NVMMASharedLayout`"),
        (6, "`b` must be a buffer in shared memory"),
        (7, "a block `a` must have the layout `DotOperandLayout(0, layout of acc"),
        (8, "do not fit together"),
        (9, "the unit does not multiply"),
        (10, "must have an `NVMMADistributedLayout` of version [3, 0]"),
        (11, "needs the results of the products for which it waits"),
        (12, "cannot leave -1 products in flight"),
        (13, "cannot make 0 barriers; `batch` must be 1 to"),
        (14, "cannot make a barrier at which 1048576 arrive; `count` must be 1 to 1048575"),
        (15, "cannot arrive 1048576 times; `count` must be 1 to 1048575"),
        (16, "cannot announce 1048576 bytes; `bytes_per_cta` must be 0 to 1048575"),
        (17, "the unit has no `precision` for"),
        (18, 'the unit has only the `precision` "tf32" for'),
        (19, "cannot add -1 products with less precision; `max_num_imprecise_acc` must be 0 to"),
    ],
)
def test_wrong_calls_are_refused(hopper, which, expected):
    acc_layout = ttgl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
    with pytest.raises(triton.CompilationError) as caught:
        refused_kernel.warmup(np.zeros(8, np.int32), acc_layout, ttgl.NVMMASharedLayout(128, 16), which, grid=(1,))
    assert expected in str(caught.value) and "test_gluon_barriers.py:" in str(caught.value)


def test_other_gpus_lack_them(device):
    if device.name not in ("sim:cuda:80", "sim:hip:gfx942"):
        pytest.skip("has them, or has no Gluon")
    layout = LAYOUT if device.lanes == 32 else ttgl.BlockedLayout([1, 4], [8, 8], [4, 1], [1, 0])
    with pytest.raises(triton.CompilationError, match="needs an NVIDIA GPU of compute capability 9.0 or more"):
        refused_kernel.warmup(np.zeros(8, np.int32), layout, SHARED, 1, grid=(1,))


@gluon.jit
def summed_behind_copies(x, sums, N: ttgl.constexpr, COUNTED: ttgl.constexpr):
    i = ttgl.arange(0, 32, layout=ttgl.SliceLayout(1, LAYOUT))[:, None]
    j = ttgl.arange(0, 32, layout=ttgl.SliceLayout(0, LAYOUT))[None, :]
    ring = ttgl.allocate_shared_memory(ttgl.float32, [2, 32, 32], SHARED)
    bars = mbarrier.allocate_mbarrier(batch=2)
    for slot in ttgl.static_range(2):
        mbarrier.init(bars.index(slot), count=128 if COUNTED else 1)
    total = ttgl.zeros([32, 32], ttgl.float32, LAYOUT)
    for step in range(N):
        slot = step % 2
        async_copy.async_load(ring.index(slot), x + step * 1024 + i * 32 + j)
        async_copy.mbarrier_arrive(bars.index(slot), increment_count=not COUNTED)
        if not COUNTED:
            mbarrier.arrive(bars.index(slot))
        mbarrier.wait(bars.index(slot), step // 2 & 1)
        total += ring.index(slot).permute([1, 0]).load(LAYOUT)
    ttgl.store(sums + i * 32 + j, total)


@pytest.mark.parametrize("counted", [False, True])
def test_copies_arrive(hopper, counted):
    x = np.random.default_rng(0).standard_normal((5, 32, 32)).astype(np.float32)
    sums = np.zeros((32, 32), np.float32)
    summed_behind_copies[(1,)](hopper.put(x), hopper.put(sums), 5, counted)
    np.testing.assert_allclose(hopper.get(sums), x.sum(0).T, rtol=1e-4, atol=1e-6)


@gluon.jit
def load_for_others(x, buffer, bar):
    i = ttgl.arange(0, 128, layout=ttgl.BlockedLayout([1], [32], [ttgl.num_warps()], [0]))
    async_copy.async_load(buffer, x + i)
    async_copy.mbarrier_arrive(bar, increment_count=False)


@gluon.jit
def reverse(y, buffer, bar):
    i = ttgl.arange(0, 128, layout=ttgl.BlockedLayout([1], [32], [4], [0]))
    mbarrier.wait(bar, 0)
    ttgl.store(y + i, buffer.gather(127 - i, 0))


@gluon.jit
def loaded_by_others(x, y, WARPS: ttgl.constexpr):
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=32 * WARPS)
    buffer = ttgl.allocate_shared_memory(x.dtype.element_ty, [128], ttgl.SwizzledSharedLayout(1, 1, 1, [0]))
    ttgl.warp_specialize([(reverse, (y, buffer, bar)), (load_for_others, (x, buffer, bar))], [WARPS])


@pytest.mark.parametrize("dtype", [np.float32, np.float16])  # the latter are too narrow for the instruction
def test_copies_arrive_for_other_warps(hopper, dtype):
    x = np.arange(128).astype(dtype)
    y = np.zeros_like(x)
    loaded_by_others[(1,)](hopper.put(x), hopper.put(y), 2)
    np.testing.assert_array_equal(hopper.get(y), x[::-1])
