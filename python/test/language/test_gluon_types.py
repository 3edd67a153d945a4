"""Types of Gluon's values, which are values themselves, the classes of values in kernels, and what clusters of one
block do."""

import pytest
import triton
from triton.backends.compiler import GPUTarget
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language.amd.cdna5 import cluster, tdm
from triton.experimental.gluon.language.nvidia import blackwell, hopper, rubin

TILE = ttgl.NVMMASharedLayout(128, 16)
BLOCK = ttgl.distributed_type(ttgl.float32, [64, 64], ttgl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]))


def test_types_are_values():
    block = triton.language.block_type(ttgl.float16, [64, 64])
    for module, layout in ((hopper.tma, TILE), (tdm, ttgl.SwizzledSharedLayout(1, 1, 1, [1, 0]))):
        one = module.tensor_descriptor_type(block, (ttgl.int32,) * 2, (ttgl.int64,) * 2, layout)
        assert one == module.tensor_descriptor_type(block, (ttgl.int32,) * 2, (ttgl.int64,) * 2, layout)
        assert one.nbytes_per_cta == 8192 and one.mangle().isidentifier() and hash(one)
        with pytest.raises(ValueError, match="needs the layout of a buffer in shared memory, not BlockedLayout"):
            module.tensor_descriptor_type(block, (), (), BLOCK.layout)
    assert blackwell.tma.tensor_descriptor_type is hopper.tma.tensor_descriptor_type
    accumulator = hopper.warpgroup_mma_accumulator_type
    assert accumulator(BLOCK) == accumulator(BLOCK) and accumulator(BLOCK).tensor_type is BLOCK
    with pytest.raises(ValueError, match="needs the type of a block, not 'float32'"):
        accumulator("float32")
    assert blackwell.clc.clc_result_type() == blackwell.clc.clc_result_type()


@gluon.jit
def types_of_values(x):
    i = ttgl.arange(0, 64, layout=ttgl.SliceLayout(1, BLOCK.layout))[:, None]
    block = ttgl.load(x + i * 64 + ttgl.arange(0, 64, layout=ttgl.SliceLayout(0, BLOCK.layout))[None, :])
    ttgl.static_assert(isinstance(block.type, ttgl.distributed_type) and block.type == BLOCK)
    ttgl.static_assert(block.to(ttgl.float16).type != BLOCK and BLOCK != i.type)
    ttgl.static_assert(not isinstance(x.type, ttgl.distributed_type))
    buffer = ttgl.allocate_shared_memory(ttgl.float32, [64, 64], ttgl.SwizzledSharedLayout(1, 1, 1, [1, 0]), block)
    ttgl.static_assert(isinstance(buffer.type, ttgl.shared_memory_descriptor_type))
    ttgl.static_assert(not isinstance(buffer.type, ttgl.distributed_type))
    ttgl.static_assert(isinstance(block.type.layout, ttgl.BlockedLayout))
    ttgl.store(x + i * 64, ttgl.sum(block, 1)[:, None])


def test_types_of_values():
    triton.compile(gluon.GluonASTSource(types_of_values, {"x": "*fp32"}), target=GPUTarget("hip", "gfx1250", 32))


@gluon.jit
def classes(desc, out):
    ttgl.static_assert(isinstance(desc, hopper.tma.tensor_descriptor))
    ttgl.static_assert(isinstance(desc, blackwell.tma.tensor_descriptor))
    ttgl.static_assert(not isinstance(desc, hopper.warpgroup_mma_accumulator))
    unit: ttgl.constexpr = ttgl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
    left = ttgl.allocate_shared_memory(ttgl.float16, [64, 64], TILE, ttgl.zeros([64, 64], ttgl.float16, BLOCK.layout))
    acc = hopper.warpgroup_mma(left, left, ttgl.zeros([64, 64], ttgl.float32, unit), is_async=True)
    ttgl.static_assert(isinstance(acc, hopper.warpgroup_mma_accumulator))
    ttgl.store(out, ttgl.sum(ttgl.sum(hopper.warpgroup_mma_wait(0, deps=[acc]), 1), 0))


def test_classes_in_kernels():
    source = gluon.GluonASTSource(classes, {"desc": f"tensordesc<fp16[64,64],{TILE!r}>", "out": "*fp32"})
    assert triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 4}).asm["ptx"]


SMEM = ttgl.shared_memory_descriptor


@gluon.jit
def kinds(out, layout: ttgl.constexpr):
    buffer = ttgl.allocate_shared_memory(ttgl.float32, [128], ttgl.SwizzledSharedLayout(1, 1, 1, [0]))
    x = ttgl.arange(0, 128, layout=layout)
    ttgl.static_assert(isinstance(buffer, ttgl.shared_memory_descriptor) and isinstance(buffer, (SMEM, ttgl.tensor)))
    ttgl.static_assert(not isinstance(buffer, blackwell.tensor_memory_descriptor))
    ttgl.static_assert(not isinstance(x, SMEM) and isinstance(x, ttgl.tensor) and not isinstance(layout, SMEM))
    ttgl.static_assert(isinstance(layout, ttgl.BlockedLayout) and isinstance(x.layout, ttgl.DistributedLayout))
    ttgl.static_assert(isinstance(buffer.layout, ttgl.SharedLayout) and not isinstance(layout, ttgl.SliceLayout))
    ttgl.store(out + x, x)


def test_kinds_of_values_and_layouts():
    source = gluon.GluonASTSource(
        kinds, {"out": "*i32", "layout": "constexpr"}, {"layout": ttgl.BlockedLayout([1], [32], [4], [0])}
    )
    assert triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 4}).asm["ttgir"]


@gluon.jit
def meets(out):
    cluster.arrive()
    ttgl.store(out, 1)
    cluster.wait()


@gluon.jit
def arrives(out, OTHERS: ttgl.constexpr):
    bar = rubin.mbarrier.allocate_mbarrier()
    rubin.mbarrier.init(bar, count=2)
    rubin.mbarrier.arrive(bar, count=2, multicast_cta=OTHERS)
    rubin.mbarrier.wait(bar, 0)
    ttgl.store(out, 1)


def test_clusters_of_one_block():
    def compiled(kernel, target, **constants):
        source = gluon.GluonASTSource(kernel, {"out": "*i32"} | dict.fromkeys(constants, "constexpr"), constants)
        return triton.compile(source, target=target, options={"num_warps": 4}).asm

    assert compiled(meets, GPUTarget("hip", "gfx1250", 32))["ttgir"].count("local_barrier") == 1
    with pytest.raises(triton.CompilationError, match="`cluster.arrive` needs AMD's gfx1250"):
        compiled(meets, GPUTarget("hip", "gfx942", 64))
    assert "mbarrier.arrive.shared::cta.b64 _, [%r" in compiled(arrives, GPUTarget("cuda", 100, 32), OTHERS=0)["ptx"]
    with pytest.raises(triton.CompilationError, match="`multicast_cta`, which must be 0"):
        compiled(arrives, GPUTarget("cuda", 100, 32), OTHERS=1)
