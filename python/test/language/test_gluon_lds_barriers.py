"""Barriers in shared memory on gfx1250, at which each thread arrives, and what is said of wrong uses."""

import numpy as np
import pytest
import triton
from gluon_devices import simulated  # noqa: F401
from triton.backends.compiler import GPUTarget
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language.amd.gfx1250 import async_copy, mbarrier, tdm
from triton.runtime.errors import SimulationError

FLAT = ttgl.BlockedLayout([1], [32], [4], [0])
ROWS = ttgl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
SHARED = ttgl.SwizzledSharedLayout(1, 1, 1, [0])
PADDED = ttgl.PaddedSharedLayout.with_identity_for([[32, 8]], [64, 64], [1, 0])


@pytest.fixture
def gfx1250(simulated):  # noqa: F811
    simulated("gfx1250")


@gluon.jit
def reversed_sums(x, y, phases, N: ttgl.constexpr):
    i = ttgl.arange(0, 128, layout=FLAT)
    bars = ttgl.allocate_shared_memory(ttgl.int64, [2, 1], mbarrier.MBarrierLayout())
    for k in ttgl.static_range(2):
        mbarrier.init(bars.index(k), 128 * (k + 1))
    buffer = ttgl.allocate_shared_memory(ttgl.float32, [128], SHARED)
    total = ttgl.zeros([128], ttgl.float32, FLAT)
    for step in range(N):
        async_copy.global_to_shared(buffer, x + step * 128 + i)
        async_copy.mbarrier_arrive(bars.index(0))
        mbarrier.wait(bars.index(0), step & 1)
        total += buffer.gather(127 - i, 0)
        before = mbarrier.arrive(bars.index(1), count=2)
        mbarrier.wait(bars.index(1), before)
        ttgl.store(phases + step, before)
    ttgl.store(y + i, total)


def test_phases(gfx1250):
    x = np.random.default_rng(0).integers(-3, 4, (5, 128)).astype(np.float32)
    y, phases = np.zeros(128, np.float32), np.zeros(5, np.int32)
    reversed_sums[(1,)](x, y, phases, 5)
    np.testing.assert_array_equal(y, x.sum(0)[::-1])
    assert phases.tolist() == [0, 1, 0, 1, 0]


def test_instructions():
    source = gluon.GluonASTSource(reversed_sums, {"x": "*fp32", "y": "*fp32", "phases": "*i32"}, {"N": 5})
    assembly = triton.compile(source, target=GPUTarget("hip", "gfx1250", 32)).asm["amdgcn"]
    assert assembly.count("ds_atomic_barrier_arrive_rtn_b64") == 2 and assembly.count("s_sleep 1\n") == 2
    with pytest.raises(triton.CompilationError, match="needs .*gfx1250.*, but the target is hip:gfx1201"):
        triton.compile(source, target=GPUTarget("hip", "gfx1201", 32))


@gluon.jit
def transposed_blocks(x, y, HINT: ttgl.constexpr):
    """Copies of the engine arrive once for each warp that it has for them."""
    bar = ttgl.allocate_shared_memory(ttgl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, 4 if HINT is None else 2)
    buffer = ttgl.allocate_shared_memory(ttgl.float32, [64, 64], PADDED)
    desc = tdm.make_tensor_descriptor(x, [64, 256], [256, 1], [64, 64], PADDED)
    i = ttgl.arange(0, 64, layout=ttgl.SliceLayout(1, ROWS))[:, None]
    j = ttgl.arange(0, 64, layout=ttgl.SliceLayout(0, ROWS))[None, :]
    for step in range(4):
        tdm.async_load(desc, [0, 64 * step], buffer, mbarrier=bar, warp_used_hint=HINT)
        mbarrier.wait(bar, step & 1)
        ttgl.store(y + (64 * step + i) * 64 + j, buffer.permute([1, 0]).load(ROWS))


@pytest.mark.parametrize("hint", [None, 0b0101])
def test_copies_arrive(gfx1250, hint):
    x, y = np.random.default_rng(1).random((64, 256), np.float32), np.zeros((256, 64), np.float32)
    transposed_blocks[(1,)](x, y, hint)
    np.testing.assert_array_equal(y, x.T)


@gluon.jit
def faulty(x, FAULT: ttgl.constexpr):
    i = ttgl.arange(0, 128, layout=FLAT)
    bar = ttgl.allocate_shared_memory(ttgl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, 192)
    buffer = ttgl.allocate_shared_memory(ttgl.float32, [128], SHARED)
    desc = tdm.make_tensor_descriptor(x, [128], [1], [128], SHARED)
    number = ttgl.load(x).to(ttgl.int32)
    if FAULT == "phase":
        mbarrier.arrive(bar)
        for _ in range(number):
            mbarrier.arrive(bar)
        mbarrier.wait(bar, 0)
    elif FAULT == "count":
        mbarrier.arrive(bar)
        tdm.async_load(desc, [0], buffer, mbarrier=bar, warp_used_hint=(1 << 63) - 1)
        tdm.async_load(desc, [0], buffer, mbarrier=bar, warp_used_hint=0b11)
    elif FAULT == "race":
        async_copy.global_to_shared(buffer, x + i)
        ttgl.store(x + i, buffer.load(FLAT))
    elif FAULT == "wait":
        mbarrier.arrive(bar)
        mbarrier.wait(bar, 0)
    elif FAULT == "many":
        mbarrier.arrive(bar, count=2)
    elif FAULT == "kind":
        mbarrier.arrive(ttgl.allocate_shared_memory(ttgl.int32, [1], SHARED))
    elif FAULT == "parity":
        mbarrier.wait(bar, 2)


@pytest.mark.parametrize(
    "fault, expected",
    [
        ("phase", r"deadlock.*phase 0 of the mbarrier at shared byte .* waits for 64 of 192 arrivals"),
        ("count", r"2 arrivals at the mbarrier at shared byte \d+, where 1 of 192 are missing in this phase"),
    ],
)
def test_the_simulator_reports(gfx1250, fault, expected):
    with pytest.raises(SimulationError, match=expected) as caught:
        faulty[(1,)](np.zeros(128, np.float32), fault)
    assert "test_gluon_lds_barriers.py:" in str(caught.value)


@pytest.mark.parametrize(
    "fault, expected",
    [
        ("wait", "this wait cannot end: a phase of the barrier takes 192 arrivals, and the kernel has 128"),
        ("many", "this arrives 256 times at once, for each thread, and a phase of the barrier takes 192 arrivals"),
        ("kind", "a barrier is needed here, a buffer of one int64, not a buffer of int32"),
        ("parity", "waits for the end of an even phase, 0, or an odd one, 1, not 2"),
        ("race", "nothing waits for the copy before"),
    ],
)
def test_the_compiler_reports(gfx1250, fault, expected):
    with pytest.raises(triton.CompilationError, match=expected) as caught:
        faulty[(1,)](np.zeros(128, np.float32), fault)
    assert "test_gluon_lds_barriers.py:" in str(caught.value)
