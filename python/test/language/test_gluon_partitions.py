# ruff: noqa: F811
"""Groups of warps that do different things, in Gluon."""

import re

import numpy as np
import pytest
import triton
from gluon_devices import described, hopper  # noqa: F401
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared,
    mbarrier,
    tma,
    warpgroup_mma,
    warpgroup_mma_wait,
)
from triton.runtime.errors import SimulationError
from values import aligned

LAYOUT = ttgl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])


@gluon.jit
def _load_blocks(a, b, a_ring, b_ring, full, free, N: ttgl.constexpr, STAGES: ttgl.constexpr):
    ttgl.static_assert(ttgl.num_warps() == 1)
    for step in range(N):
        slot = step % STAGES
        mbarrier.wait(free.index(slot), ((step // STAGES) & 1) ^ 1)
        bar = full.index(slot)
        mbarrier.expect(bar, a.nbytes_per_cta + b.nbytes_per_cta)
        tma.async_load(a, [ttgl.program_id(0) * a.block_shape[0], step * a.block_shape[1]], bar, a_ring.index(slot))
        tma.async_load(b, [step * a.block_shape[1], 0], bar, b_ring.index(slot))


@gluon.jit
def _multiply(c, a_ring, b_ring, full, free, N: ttgl.constexpr, STAGES: ttgl.constexpr):
    layout: ttgl.constexpr = ttgl.NVMMADistributedLayout([3, 0], [ttgl.num_warps(), 1], [16, c.block_shape[1], 16])
    acc = ttgl.zeros(c.block_shape, ttgl.float32, layout)
    for step in range(N):
        slot = step % STAGES
        mbarrier.wait(full.index(slot), (step // STAGES) & 1)
        acc = warpgroup_mma(a_ring.index(slot), b_ring.index(slot), acc, is_async=True)
        acc = warpgroup_mma_wait(0, deps=[acc])
        mbarrier.arrive(free.index(slot))
    return acc


@gluon.jit
def specialized_product(a, b, c, N: ttgl.constexpr, STAGES: ttgl.constexpr, REGISTERS: ttgl.constexpr):
    a_ring = ttgl.allocate_shared_memory(a.dtype, [STAGES] + a.block_shape, a.layout)
    b_ring = ttgl.allocate_shared_memory(b.dtype, [STAGES] + b.block_shape, b.layout)
    full = mbarrier.allocate_mbarrier(batch=STAGES)
    free = mbarrier.allocate_mbarrier(batch=STAGES)
    for slot in ttgl.static_range(STAGES):
        mbarrier.init(full.index(slot), count=1)
        mbarrier.init(free.index(slot), count=1)
    acc = ttgl.warp_specialize(
        [
            (_multiply, (c, a_ring, b_ring, full, free, N, STAGES)),
            (_load_blocks, (a, b, a_ring, b_ring, full, free, N, STAGES)),
        ],
        [1],
        REGISTERS,
    )
    buffer = ttgl.allocate_shared_memory(c.dtype, c.block_shape, c.layout)
    buffer.store(acc.to(c.dtype))
    tma.async_store(c, [ttgl.program_id(0) * c.block_shape[0], 0], buffer)
    tma.store_wait(0)


@pytest.mark.parametrize("stages, registers", [(2, None), (3, [24])])
def test_a_warp_loads_for_a_product(hopper, stages, registers):
    generator = np.random.default_rng(1)
    a, b = (aligned(generator.integers(-3, 4, shape).astype(np.float16)) for shape in ((128, 160), (160, 64)))
    arrays = [hopper.put(array) for array in (a, b, aligned(np.zeros((128, 64), np.float16)))]
    blocks = ([64, 32], [32, 64], [64, 64])
    descriptors = (described(array, block) for array, block in zip(arrays, blocks, strict=True))
    kernel = specialized_product[(2,)](*descriptors, 5, stages, registers)
    np.testing.assert_array_equal(hopper.get(arrays[2]), a.astype(np.float32) @ b.astype(np.float32))
    assert kernel is None or ("setmaxnreg" in str(kernel.asm["llir"])) == (registers is not None)


@gluon.aggregate
class Counter:
    """The slot of a ring, and the parity of its phase."""

    index: ttgl.tensor
    phase: ttgl.tensor

    def __init__(self, index, phase):
        self.index = index
        self.phase = phase

    @gluon.jit
    def next(self, n: ttgl.constexpr):
        roll = self.index + 1 == n
        return Counter(ttgl.where(roll, 0, self.index + 1), ttgl.where(roll, self.phase ^ 1, self.phase))


@gluon.jit
def _load_tiles(
    a: tma.tensor_descriptor, b, a_ring: ttgl.shared_memory_descriptor, b_ring, full, free, tiles, K: ttgl.constexpr
):
    S: ttgl.constexpr = a_ring.shape[0]
    state = Counter(ttgl.to_tensor(0), ttgl.to_tensor(1))
    for tile in range(ttgl.program_id(0), tiles, ttgl.num_programs(0)):
        for k in range(K):
            mbarrier.wait(free.index(state.index), state.phase)
            bar = full.index(state.index)
            mbarrier.expect(bar, a.nbytes_per_cta + b.nbytes_per_cta)
            tma.async_load(a, [tile * a.block_shape[0], k * a.block_shape[1]], bar, a_ring.index(state.index))
            tma.async_load(b, [k * b.block_shape[0], 0], bar, b_ring.index(state.index))
            state = state.next(S)


@gluon.jit
def _multiply_tiles(out, a_ring, b_ring, full, free, done, taken, tiles, K: ttgl.constexpr, S: ttgl.constexpr):
    M: ttgl.constexpr = out.shape[0]
    N: ttgl.constexpr = out.shape[1]
    layout: ttgl.constexpr = ttgl.NVMMADistributedLayout([3, 0], [ttgl.num_warps(), 1], [16, N, 16])
    state = Counter(ttgl.to_tensor(0), ttgl.to_tensor(0))
    phase = 1
    for _tile in range(ttgl.program_id(0), tiles, ttgl.num_programs(0)):
        acc = ttgl.zeros([M, N], ttgl.float32, layout)
        for k in range(K):
            mbarrier.wait(full.index(state.index), state.phase)
            acc = warpgroup_mma(a_ring.index(state.index), b_ring.index(state.index), acc, use_acc=k > 0)
            mbarrier.arrive(free.index(state.index), count=1)
            state = state.next(S)
        mbarrier.wait(taken, phase)
        out.store(acc.to(out.dtype))
        fence_async_shared()
        mbarrier.arrive(done)
        phase ^= 1


@gluon.jit
def _store_tiles(c, out, done, taken, tiles):
    phase = 0
    for tile in range(ttgl.program_id(0), tiles, ttgl.num_programs(0)):
        mbarrier.wait(done, phase)
        tma.async_store(c, [tile * c.block_shape[0], 0], out)
        tma.store_wait(0)
        mbarrier.arrive(taken)
        phase ^= 1


@gluon.jit
def persistent_product(a, b, c, tiles, K: ttgl.constexpr, S: ttgl.constexpr):
    a_ring = ttgl.allocate_shared_memory(a.dtype, [S] + a.block_type.shape, a.layout)
    b_ring = ttgl.allocate_shared_memory(b.dtype, [S] + b.block_type.shape, b.layout)
    out = ttgl.allocate_shared_memory(c.dtype, c.block_type.shape, c.layout)
    done = ttgl.allocate_shared_memory(ttgl.int64, [1], mbarrier.MBarrierLayout())
    taken = ttgl.allocate_shared_memory(ttgl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(done, count=1)
    mbarrier.init(taken, count=1)
    full = ttgl.allocate_shared_memory(ttgl.int64, [S, 1], mbarrier.MBarrierLayout())
    free = ttgl.allocate_shared_memory(ttgl.int64, [S, 1], mbarrier.MBarrierLayout())
    for i in ttgl.static_range(S):
        mbarrier.init(full.index(i), count=1)
        mbarrier.init(free.index(i), count=1)
    ttgl.warp_specialize(
        [
            (_store_tiles, (c, out, done, taken, tiles)),
            (_multiply_tiles, (out, a_ring, b_ring, full, free, done, taken, tiles, K, S)),
            (_load_tiles, (a, b, a_ring, b_ring, full, free, tiles, K)),
        ],
        [4, 1],
        [232, 24],
    )


def test_programs_that_go_on(hopper):
    generator = np.random.default_rng(3)
    a, b = (aligned(generator.integers(-3, 4, shape).astype(np.float16)) for shape in ((320, 160), (160, 64)))
    arrays = [hopper.put(array) for array in (a, b, aligned(np.zeros((320, 64), np.float16)))]
    blocks = ([64, 32], [32, 64], [64, 64])
    descriptors = (described(array, block) for array, block in zip(arrays, blocks, strict=True))
    persistent_product[(2,)](*descriptors, 5, 5, 3)
    np.testing.assert_array_equal(hopper.get(arrays[2]), a.astype(np.float32) @ b.astype(np.float32))


@gluon.jit
def _fill(buffer, x, bar, places, layout: ttgl.constexpr):
    rows = ttgl.arange(0, 32, layout=ttgl.SliceLayout(1, layout))[:, None]
    columns = ttgl.arange(0, 32, layout=ttgl.SliceLayout(0, layout))[None, :]
    block = ttgl.load(x + rows * 32 + columns)
    block = block - ttgl.max(block, axis=1)[:, None]  # with scratch of the partition's own
    buffer.store(block.permute([1, 0]).permute([1, 0]))
    mbarrier.arrive(bar)
    ttgl.atomic_add(places, ttgl.num_warps())


@gluon.jit
def _add(buffers, bar, y, layout: ttgl.constexpr):
    rows = ttgl.arange(0, 32, layout=ttgl.SliceLayout(1, layout))[:, None]
    columns = ttgl.arange(0, 32, layout=ttgl.SliceLayout(0, layout))[None, :]
    mbarrier.wait(bar, 0)
    total = buffers.index(0).permute([1, 0]).load(layout) + buffers.index(1).load(layout)
    ttgl.store(y + rows * 32 + columns, total)
    return ttgl.sum(ttgl.sum(total, 1), 0)


@gluon.jit
def three_groups(x, y, z, places, n):
    narrow: ttgl.constexpr = ttgl.BlockedLayout([1, 4], [4, 8], [1, 1], [1, 0])
    pair: ttgl.constexpr = ttgl.BlockedLayout([1, 4], [4, 8], [2, 1], [1, 0])
    buffers = ttgl.allocate_shared_memory(ttgl.float32, [2, 32, 32], ttgl.SwizzledSharedLayout(4, 1, 8, [1, 0]))
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=2)
    second = x + n * 1024
    total = ttgl.warp_specialize(
        [
            (_add, (buffers, bar, y, LAYOUT)),
            (_fill, (buffers.index(0), x, bar, places, narrow)),
            (_fill, (buffers.index(1), second, bar, places + 1, pair)),
        ],
        [1, 2],
    )
    ttgl.store(z, total)


def test_groups_have_their_own_layouts(hopper):
    x = np.random.default_rng(2).integers(0, 50, (2, 32, 32)).astype(np.float32)
    y, z, places = np.zeros((32, 32), np.float32), np.zeros(1, np.float32), np.zeros(2, np.int32)
    three_groups[(1,)](*(hopper.put(array) for array in (x, y, z, places)), 1)
    left, right = x - x.max(2, keepdims=True)
    np.testing.assert_array_equal(hopper.get(y), left.T + right)
    np.testing.assert_array_equal(hopper.get(z), (left.T + right).sum())
    np.testing.assert_array_equal(hopper.get(places), [1, 2])


@gluon.jit
def _wait(bar, phase):
    mbarrier.wait(bar, phase)


@gluon.jit
def _wait_and_arrive(bar, phase, other):
    mbarrier.wait(bar, phase)
    mbarrier.arrive(other)


@gluon.jit
def _nothing():
    pass


@gluon.jit
def _keep(x):
    ttgl.store(x + ttgl.arange(0, 128, layout=ttgl.BlockedLayout([4], [32], [1], [0])), 1)


@gluon.jit
def faulty_groups(x, fault: ttgl.constexpr):
    bar = mbarrier.allocate_mbarrier(batch=2)
    mbarrier.init(bar.index(0), count=1)
    mbarrier.init(bar.index(1), count=1)
    if fault == 0:
        bars = bar.index(0), bar.index(1)
        first, second = (bars[0], 0, bars[1]), (bars[1], 0, bars[0])
        ttgl.warp_specialize([(_wait_and_arrive, first), (_wait_and_arrive, second)], [1])
    elif fault == 1:
        ttgl.warp_specialize([(_keep, (x,)), (_keep, (x,))], [1])
    elif fault == 2:
        block = ttgl.arange(0, 128, layout=ttgl.BlockedLayout([1], [32], [4], [0]))
        ttgl.warp_specialize([(_nothing, ()), (_keep, (x + block,))], [1])
    elif fault == 3:
        ttgl.warp_specialize([(_nothing, ()), (_nothing, ())], [3])
    elif fault == 4:
        ttgl.warp_specialize([(_nothing, ()), (_nothing, ())], [1, 1])
    elif fault == 5:
        ttgl.warp_specialize([(_nothing, ()), (_keep, x)], [1])
    elif fault == 6:
        for _ in range(2):
            ttgl.warp_specialize([(_nothing, ()), (_wait, (bar.index(0), 1))], [1])
    elif fault == 7:
        mbarrier.arrive(bar.index(0))
        ttgl.warp_specialize([(_nothing, ()), (_wait, (bar.index(0), ttgl.load(x)))], [1])
    elif fault == 8:
        waits = (_wait, (bar.index(0), 1))
        ttgl.warp_specialize([(_nothing, ()), waits, waits], [4, 4], [248, 248])
    elif fault == 9:
        ttgl.warp_specialize([(_nothing, ()), (_wait, (bar.index(0), 1))], [32])
    elif fault == 10:
        ttgl.warp_specialize([(_nothing, ()), (_nothing, ())], None)
    elif fault == 11:
        ttgl.warp_specialize([(_nothing, ()), (_nothing, ())], [1 << 32])
    elif fault == 12:
        ttgl.warp_specialize([(_nothing, ()), (_nothing, ())], [4], [16])
    elif fault == 13:
        ttgl.warp_specialize([(_nothing, ()), (_nothing, ())], [4], [(1 << 32) + 24])
    elif fault == 14:
        ttgl.warp_specialize([(_nothing, ()), (_wait, (bar.index(0), 1))], [2], [24])


def test_groups_that_wait_for_each_other(hopper):
    if hopper.name == "cuda":
        pytest.skip("the simulator reports it")
    with pytest.raises(SimulationError) as caught:
        faulty_groups[(1,)](np.zeros(128, np.int32), 0)
    message = str(caught.value)
    assert "deadlock" in message and "mbarrier.wait(bar, phase)" in message and "test_gluon_partitions.py:" in message
    assert "at shared byte 0 waits for 1 of 1 arrivals" in message
    assert re.search(r"byte 8 waits for 1 of 1 arrivals, and warps? [0-9 to]+ waits? for it in line \d+", message)


@pytest.mark.parametrize(
    "fault, expected",
    [
        (1, "1 warps"),
        (2, "which lies in the registers of other threads"),
        (3, "needs powers of two up to 32 as numbers of warps, not 3"),
        (4, "needs 1 numbers, one for each function but the first, not 2"),
        (5, "needs a function and the tuple of its arguments"),
        (6, "neither in a loop nor in a branch"),
        (7, "which its warps cannot compute for themselves"),
        (8, "which leaves the first one too few"),
        (9, "these are 36 warps in 2 groups, and a program has at most 32 in 15"),
        (10, "`worker_num_warps` of `ttgl.warp_specialize` must be ints, not "),
        (11, "needs powers of two up to 32 as numbers of warps, not 4294967296"),
        (12, "needs 24 to 256 registers for a thread, not 16"),
        (13, "needs 24 to 256 registers for a thread, not 4294967320"),
        (14, "needs a multiple of four as the kernel's `num_warps` for `worker_num_regs`, not 2"),
    ],
)
def test_wrong_partitions_are_refused(hopper, fault, expected):
    with pytest.raises(triton.CompilationError) as caught:
        faulty_groups.warmup(np.zeros(128, np.int32), fault, grid=(1,), num_warps=2 if fault == 14 else 4)
    assert expected in str(caught.value) and "test_gluon_partitions.py:" in str(caught.value)
