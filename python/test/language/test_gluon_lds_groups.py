"""Groups of warps on gfx1250, which pass blocks to one another at barriers in shared memory."""

import numpy as np
import pytest
import triton
from gluon_devices import simulated  # noqa: F401
from triton.backends.compiler import GPUTarget
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language.amd import AMDWMMALayout, gfx1250
from triton.experimental.gluon.language.amd.gfx1250 import mbarrier, tdm
from triton.runtime.errors import SimulationError

PADDED = ttgl.PaddedSharedLayout.with_identity_for([[64, 8]], [64, 64], [1, 0])
UNIT = AMDWMMALayout(3, True, [[0, 1], [1, 0]], [], [16, 16, 32])


@gluon.jit
def copy_tiles(a, b, left, right, ready, free, steps, SLOTS: ttgl.constexpr):
    for step in range(steps):
        slot = step % SLOTS
        mbarrier.wait(free.index(slot), step // SLOTS & 1 ^ 1)
        tdm.async_load(a, [0, step * 64], left.index(slot), mbarrier=ready.index(slot))
        tdm.async_load(b, [step * 64, 0], right.index(slot), mbarrier=ready.index(slot))


@gluon.jit
def multiply_tiles(left, right, ready, free, c, steps, SLOTS: ttgl.constexpr, FAULT: ttgl.constexpr):
    acc = ttgl.zeros([64, 64], ttgl.float32, UNIT)
    for step in range(steps):
        slot = step % SLOTS
        if FAULT != "early":
            mbarrier.wait(ready.index(slot), step // SLOTS & 1)
        x = left.index(slot).load(ttgl.DotOperandLayout(0, UNIT, 8))
        y = right.index(slot).load(ttgl.DotOperandLayout(1, UNIT, 8))
        if FAULT != "full":
            mbarrier.arrive(free.index(slot))
        acc = gfx1250.wmma(x, y, acc)
    i = ttgl.arange(0, 64, layout=ttgl.SliceLayout(1, UNIT))
    j = ttgl.arange(0, 64, layout=ttgl.SliceLayout(0, UNIT))
    ttgl.store(c + i[:, None] * 64 + j[None, :], acc)


@gluon.jit
def product(a, b, c, steps, SLOTS: ttgl.constexpr, MOVERS: ttgl.constexpr, FAULT: ttgl.constexpr):
    left = ttgl.allocate_shared_memory(ttgl.float16, [SLOTS, 64, 64], PADDED)
    right = ttgl.allocate_shared_memory(ttgl.float16, [SLOTS, 64, 64], PADDED)
    ready = ttgl.allocate_shared_memory(ttgl.int64, [SLOTS, 1], mbarrier.MBarrierLayout())
    free = ttgl.allocate_shared_memory(ttgl.int64, [SLOTS, 1], mbarrier.MBarrierLayout())
    for slot in ttgl.static_range(SLOTS):
        mbarrier.init(ready.index(slot), 2 * MOVERS)
        mbarrier.init(free.index(slot), 32 * ttgl.num_warps())
    K = steps * 64
    of_a = tdm.make_tensor_descriptor(a, [64, K], [K, 1], [64, 64], PADDED)
    of_b = tdm.make_tensor_descriptor(b, [K, 64], [64, 1], [64, 64], PADDED)
    ttgl.warp_specialize(
        [
            (multiply_tiles, (left, right, ready, free, c, steps, SLOTS, FAULT)),
            (copy_tiles, (of_a, of_b, left, right, ready, free, steps, SLOTS)),
        ],
        [MOVERS],
    )


def run(movers, fault):
    generator = np.random.default_rng(0)
    a, b = (generator.integers(-3, 4, shape).astype(np.float16) for shape in ((64, 320), (320, 64)))
    c = np.zeros((64, 64), np.float32)
    product[(1,)](a, b, c, 5, 2, movers, fault)
    return c, a.astype(np.float32) @ b.astype(np.float32)


@pytest.mark.parametrize("movers", [1, 4])
def test_product_in_groups(simulated, movers):  # noqa: F811
    simulated("gfx1250")
    np.testing.assert_array_equal(*run(movers, "none"))


@pytest.mark.parametrize(
    "fault, expected",
    [
        ("early", "(race on|read of uninitialized) shared memory"),
        ("full", r"deadlock.*phase 0 of the mbarrier at shared byte \d+ waits for 128 of 128 arrivals"),
    ],
)
def test_groups_that_do_not_wait(simulated, fault, expected):  # noqa: F811
    simulated("gfx1250")
    with pytest.raises(SimulationError, match=expected):
        run(4, fault)


def test_instructions():
    types = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "steps": "i32"}
    source = gluon.GluonASTSource(product, types, {"SLOTS": 2, "MOVERS": 4, "FAULT": "none"})
    assembly = triton.compile(source, target=GPUTarget("hip", "gfx1250", 32)).asm
    assert "s_barrier_join" in assembly["amdgcn"] and ".amdhsa_named_barrier_count 1" in assembly["amdgcn"]
    assert assembly["hsaco"]
