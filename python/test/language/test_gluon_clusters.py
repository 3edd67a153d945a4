# ruff: noqa: F811
"""Gluon kernels whose programs are clusters of several blocks."""

import numpy as np
import pytest
import triton
from gluon_devices import blackwell, gpu, hopper  # noqa: F401
from triton.backends.compiler import GPUTarget
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language.nvidia.blackwell import TensorMemoryLayout, allocate_tensor_memory, tcgen05_mma
from triton.experimental.gluon.language.nvidia.blackwell import tma as blackwell_tma
from triton.experimental.gluon.language.nvidia.hopper import async_store, cluster, mbarrier, tma, warpgroup_mma
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor
from values import aligned


@gluon.jit
def doubled(x, y, count, layout: ttgl.constexpr, N: ttgl.constexpr):
    at = ttgl.program_id(0) * N + ttgl.arange(0, N, layout=layout)
    ttgl.static_assert(ttgl.num_ctas() == 2)
    ttgl.atomic_add(y + at, ttgl.load(x + at, mask=at < count) * 2, mask=at < count)
    if ttgl.program_id(0) == 0:
        ttgl.atomic_add(y + count, ttgl.num_programs(0))  # once, not in each block


@pytest.mark.parametrize("bases", [[[1]], [[0]], None])
def test_blocks_have_parts_of_a_line(hopper, bases):
    layout = ttgl.BlockedLayout([2], [32], [4], [0], cga_layout=bases) if bases else ttgl.CoalescedLayout()
    x, y = hopper.put(np.arange(1000, dtype=np.int32)), hopper.put(np.zeros(1001, np.int32))
    doubled[(2,)](x, y, 1000, layout, 512, num_ctas=2)
    np.testing.assert_array_equal(hopper.get(y), [*range(0, 2000, 2), 2])


@gluon.jit
def copied_tiles(source, target, multicast: ttgl.constexpr):
    buffer = ttgl.allocate_shared_memory(source.dtype, source.block_shape, source.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    row = ttgl.program_id(0) * source.block_shape[0]
    mbarrier.expect(bar, source.nbytes_per_cta)
    tma.async_load(source, [row, 0], bar, buffer, multicast=multicast)
    mbarrier.wait(bar, 0)
    mbarrier.invalidate(bar)
    tma.async_store(target, [row, 0], buffer)
    tma.store_wait(0)


@pytest.mark.parametrize(
    "bases, multicast",
    [
        ([[1, 0]], False),
        ([[0, 1]], False),
        ([[0, 0]], True),
        ([[0, 0], [1, 0]], True),
        ([[1, 0], [0, 1]], False),
        ([[1, 0], [0, 0]], True),
    ],
)
def test_copies_of_parts(hopper, bases, multicast):
    layout = ttgl.NVMMASharedLayout.get_default_for([64, 64], ttgl.float16, cga_layout=bases)
    values = np.random.default_rng(0).integers(-9, 9, (192, 64)).astype(np.float16)
    source, target = (hopper.put(aligned(array)) for array in (values, np.zeros_like(values)))
    described = [TensorDescriptor.from_tensor(array, [64, 64], layout) for array in (source, target)]
    compiled = copied_tiles[(3,)](*described, multicast, num_ctas=1 << len(bases))
    np.testing.assert_array_equal(hopper.get(target), values)
    if hopper.name != "interpret":
        assert ("multicast = " in compiled.asm["ttgir"]) == multicast


FOUR_NUMBERS = ttgl.BlockedLayout([1, 4], [32, 1], [1, 4], [1, 0], cga_layout=[[0, 0]])


@gluon.jit
def gathered_rows(source, out, layout: ttgl.constexpr, two_ctas: ttgl.constexpr):
    buffer = ttgl.allocate_shared_memory(source.dtype, [32, 64], source.layout)
    bar = mbarrier.allocate_mbarrier(two_ctas=two_ctas)
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, buffer.nbytes_per_cta)
    numbers = ttgl.arange(0, 32, layout=ttgl.SliceLayout(0, FOUR_NUMBERS)) * 2
    blackwell_tma.async_gather(source, numbers, 0, bar, buffer, multicast=True)
    mbarrier.wait(bar, 0)
    rows = ttgl.arange(0, 32, layout=ttgl.SliceLayout(1, layout))[:, None]
    columns = ttgl.arange(0, 64, layout=ttgl.SliceLayout(0, layout))[None, :]
    ttgl.atomic_add(out + (ttgl.program_id(0) * 32 + rows) * 64 + columns, buffer.load(layout))


@pytest.mark.parametrize("two_ctas", [False, True])
def test_each_block_gathers_its_rows(blackwell, two_ctas):
    """Also where it is said that the copy is for all blocks that have these rows."""
    tile = ttgl.NVMMASharedLayout(128, 16, cga_layout=[[0, 0]])
    lanes = ttgl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0], cga_layout=[[0, 0]])
    values = aligned(np.random.default_rng(0).integers(-9, 9, (64, 64)).astype(np.float16))
    source, out = TensorDescriptor.from_tensor(values, [1, 64], tile), np.zeros((32, 64), np.float16)
    if two_ctas:
        with pytest.raises(triton.CompilationError, match="copies of rows whose bytes the first block of a pair"):
            gathered_rows.warmup(source, out, lanes, two_ctas, num_ctas=2, grid=(1,))
        return
    gathered_rows[(1,)](source, out, lanes, two_ctas, num_ctas=2)
    np.testing.assert_array_equal(out, values[::2])


@gluon.jit
def exchanged(x, y, N: ttgl.constexpr, source: ttgl.constexpr, target: ttgl.constexpr, place: ttgl.constexpr):
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    buffer = ttgl.allocate_shared_memory(x.dtype.element_ty, [N], place)
    mbarrier.expect(bar, buffer.nbytes_per_cta)
    at = ttgl.arange(0, N, layout=source)
    async_store(buffer, ttgl.load(x + at), bar)
    mbarrier.wait(bar, 0)
    at = ttgl.arange(0, N, layout=target)
    ttgl.store(y + at, buffer.load(target))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("bases", [[[1], [2]], [[2], [1]], [[0], [1]]])
def test_elements_go_to_other_blocks(hopper, dtype, bases):
    def layout(bases):
        return ttgl.BlockedLayout([2], [32], [4], [0], cga_layout=bases)

    values = np.random.default_rng(1).integers(0, 99, 1024).astype(dtype)
    x, y = hopper.put(values), hopper.put(np.zeros_like(values))
    place = ttgl.SwizzledSharedLayout(1, 1, 1, [0], cga_layout=bases)
    exchanged[(1,)](x, y, 1024, layout([[1], [2]]), layout(bases), place, num_ctas=4)
    np.testing.assert_array_equal(hopper.get(y), values)


@gluon.jit
def turned_and_exchanged(x, y, N: ttgl.constexpr, line: ttgl.constexpr, other: ttgl.constexpr, place: ttgl.constexpr):
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    value = ttgl.load(x + ttgl.arange(0, N, layout=line))
    turned = ttgl.convert_layout(value, other) * 2  # through shared memory, before there is a buffer
    buffer = ttgl.allocate_shared_memory(value.dtype, [N], place)
    mbarrier.expect(bar, buffer.nbytes_per_cta)
    async_store(buffer, value, bar)
    mbarrier.wait(bar, 0)
    ttgl.store(y + ttgl.arange(0, N, layout=other), turned + buffer.load(other))


def test_a_buffer_that_others_write_has_its_place_alone(hopper):
    line, other = (ttgl.BlockedLayout([k], [32], [4], [0], cga_layout=[[1]]) for k in (2, 1))
    values = np.arange(1024, dtype=np.int32)
    x, y = hopper.put(values), hopper.put(np.zeros_like(values))
    place = ttgl.SwizzledSharedLayout(1, 1, 1, [0], cga_layout=[[1]])
    turned_and_exchanged[(1,)](x, y, 1024, line, other, place, num_ctas=2)
    np.testing.assert_array_equal(hopper.get(y), values * 3)


@gluon.jit
def passed_on(y, from_cta: ttgl.constexpr, count: ttgl.constexpr):
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=count)
    mbarrier.arrive(bar, count=count, from_cta=from_cta)
    mbarrier.wait(bar, 0)
    cluster.barrier()
    at = ttgl.arange(0, 256, layout=LINE_OF_FOUR)
    ttgl.store(y + at, at)
    ttgl.barrier(cluster=True)
    cluster.barrier(relaxed=True)


LINE_OF_FOUR = ttgl.BlockedLayout([2], [32], [4], [0], cga_layout=[[1], [2]])


@pytest.mark.parametrize("from_cta", [0, 1, 2, 3, None])
def test_arrivals_of_other_blocks(hopper, from_cta):
    y = hopper.put(np.zeros(256, np.int32))
    passed_on[(1,)](y, from_cta, 2, num_ctas=4)
    np.testing.assert_array_equal(hopper.get(y), np.arange(256))


@gluon.jit
def multiplied(a, b, c, acc_layout: ttgl.constexpr, M: ttgl.constexpr, N: ttgl.constexpr):
    left = ttgl.allocate_shared_memory(a.dtype, a.block_shape, a.layout)
    right = ttgl.allocate_shared_memory(b.dtype, b.block_shape, b.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, a.nbytes_per_cta + b.nbytes_per_cta)
    tma.async_load(a, [0, 0], bar, left)
    tma.async_load(b, [0, 0], bar, right, multicast=True)
    mbarrier.wait(bar, 0)
    acc = warpgroup_mma(left, right, ttgl.zeros([M, N], ttgl.float32, acc_layout))
    i = ttgl.arange(0, M, layout=ttgl.SliceLayout(1, acc_layout))[:, None]
    j = ttgl.arange(0, N, layout=ttgl.SliceLayout(0, acc_layout))[None, :]
    ttgl.store(c + i * N + j, acc)


def test_a_product_whose_second_factor_both_blocks_read(hopper):
    random = np.random.default_rng(2)
    a, b = (random.integers(-4, 5, shape).astype(np.float16) for shape in ((128, 64), (64, 64)))
    acc = ttgl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16], cga_layout=[[1, 0]])
    c = hopper.put(np.zeros((128, 64), np.float32))
    layouts = [
        ttgl.NVMMASharedLayout.get_default_for(list(array.shape), ttgl.float16, cga_layout=[bases])
        for array, bases in ((a, [1, 0]), (b, [0, 0]))
    ]
    described = [
        TensorDescriptor.from_tensor(hopper.put(aligned(array)), list(array.shape), layout)
        for array, layout in zip((a, b), layouts, strict=True)
    ]
    multiplied[(1,)](*described, c, acc, 128, 64, num_ctas=2)
    np.testing.assert_array_equal(hopper.get(c), a.astype(np.float32) @ b.astype(np.float32))


@gluon.jit
def load_partition(source, ring, full, tiles: ttgl.constexpr):
    for tile in range(tiles):
        mbarrier.expect(full.index(tile), source.nbytes_per_cta)
        tma.async_load(source, [tile * source.block_shape[0], 0], full.index(tile), ring.index(tile), multicast=True)


@gluon.jit
def sum_partition(target, ring, full, tiles: ttgl.constexpr, layout: ttgl.constexpr):
    total = ttgl.zeros([32, 64], ttgl.int32, layout)
    for tile in range(tiles):
        mbarrier.wait(full.index(tile), 0)
        total += ring.index(tile).load(layout)
    rows = ttgl.arange(0, 32, layout=ttgl.SliceLayout(1, layout))[:, None]
    columns = ttgl.arange(0, 64, layout=ttgl.SliceLayout(0, layout))[None, :]
    ttgl.store(target + rows * 64 + columns, total)


@gluon.jit
def summed(source, target, tiles: ttgl.constexpr, layout: ttgl.constexpr):
    ring = ttgl.allocate_shared_memory(source.dtype, [tiles] + source.block_shape, source.layout)
    full = mbarrier.allocate_mbarrier(batch=tiles)
    for tile in ttgl.static_range(tiles):
        mbarrier.init(full.index(tile), count=1)
    ttgl.warp_specialize(
        [(sum_partition, (target, ring, full, tiles, layout)), (load_partition, (source, ring, full, tiles))], [1]
    )


def test_groups_of_warps_in_each_block(hopper):
    if hopper.name == "interpret":
        pytest.skip("there is one block")
    values = np.random.default_rng(3).integers(-9, 9, (96, 64)).astype(np.int32)
    source, target = hopper.put(aligned(values)), hopper.put(np.zeros((32, 64), np.int32))
    place = ttgl.NVMMASharedLayout.get_default_for([32, 64], ttgl.int32, cga_layout=[[0, 0]])
    layout = ttgl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0], cga_layout=[[0, 0]])
    summed[(1,)](TensorDescriptor.from_tensor(source, [32, 64], place), target, 3, layout, num_ctas=2)
    np.testing.assert_array_equal(hopper.get(target), values.reshape(3, 32, 64).sum(0))


@gluon.jit
def pairs(a, b, c, acc_layout: ttgl.constexpr, N: ttgl.constexpr, names_barriers: ttgl.constexpr):
    left = ttgl.allocate_shared_memory(a.dtype, a.block_shape, a.layout)
    right = ttgl.allocate_shared_memory(b.dtype, b.block_shape, b.layout)
    loaded = mbarrier.allocate_mbarrier(two_ctas=True)
    done = mbarrier.allocate_mbarrier()
    mbarrier.init(loaded, count=1)
    mbarrier.init(done, count=1)
    mbarrier.expect(loaded, a.nbytes_per_cta + b.nbytes_per_cta)
    tma.async_load(a, [0, 0], loaded, left)
    tma.async_load(b, [0, 0], loaded, right)
    mbarrier.wait(loaded, 0)
    acc = allocate_tensor_memory(ttgl.float32, [a.block_shape[0], N], acc_layout)
    if names_barriers:
        tcgen05_mma(left, right, acc, use_acc=False, mbarriers=[done])
        mbarrier.wait(done, 0)
    else:
        tcgen05_mma(left, right, acc, use_acc=False)
    layout: ttgl.constexpr = acc.get_reg_layout()
    rows = ttgl.arange(0, a.block_shape[0], layout=ttgl.SliceLayout(1, layout))[:, None]
    columns = ttgl.arange(0, N, layout=ttgl.SliceLayout(0, layout))[None, :]
    ttgl.store(c + rows * N + columns, acc.load(layout))


@pytest.mark.parametrize("rows, names_barriers", [(256, True), (128, False)])
def test_pairs_of_blocks_multiply(rows, names_barriers):
    def place(shape, basis):
        return repr(ttgl.NVMMASharedLayout.get_default_for(shape, ttgl.float16, cga_layout=[basis]))

    signature = {
        "a": f"tensordesc<fp16[{rows}, 64], {place([rows, 64], [1, 0])}>",
        "b": f"tensordesc<fp16[64, 128], {place([64, 128], [0, 1])}>",
        "c": "*fp32",
    }
    layout = TensorMemoryLayout([rows // 2, 128], col_stride=1, cga_layout=[[1, 0]], two_ctas=True)
    constants = {"acc_layout": layout, "N": 128, "names_barriers": names_barriers}
    signature |= dict.fromkeys(constants, "constexpr")
    source = gluon.GluonASTSource(pairs, signature, constants)
    compiled = triton.compile(source, target=GPUTarget("cuda", 100, 32), options={"num_ctas": 2})
    ptx = compiled.asm["ptx"]
    assert "tcgen05.mma.cta_group::2" in ptx and ".cta_group::1" not in ptx and compiled.asm["cubin"]
    assert "multicast::cluster.b64" in ptx and str(0x10210010 if rows == 256 else 0x08210010) in ptx


@gluon.jit
def wrong(x, layout: ttgl.constexpr, other: ttgl.constexpr, tile: ttgl.constexpr, kind: ttgl.constexpr):
    block = ttgl.load(x + ttgl.arange(0, 256, layout=layout))
    if kind == "convert":
        block = ttgl.convert_layout(ttgl.convert_layout(block, other), layout)
    elif kind == "reduce":
        ttgl.store(x, ttgl.sum(block, axis=0))
    elif kind == "atomic":
        block += ttgl.atomic_add(x, 1)
    elif kind == "buffer":
        block = ttgl.allocate_shared_memory(ttgl.int32, [256], tile, block).load(layout)
    elif kind == "from_cta":
        bar = mbarrier.allocate_mbarrier()
        mbarrier.init(bar, count=1)
        mbarrier.arrive(bar, from_cta=2)
    ttgl.store(x + ttgl.arange(0, 256, layout=layout), block)


@pytest.mark.parametrize(
    "kind, words",
    [
        ("convert", "elements that move between the blocks of a cluster"),
        ("reduce", "`tt.reduce` along dimension 0 of .*, of which each block of the cluster has a part"),
        ("atomic", "the result of an atomic operation that several blocks of a cluster would repeat"),
        ("buffer", "elements that move between the blocks of a cluster"),
        ("from_cta", "is 2, and must be a mask of the numbers of the program's blocks, 0 to 1"),
    ],
)
def test_what_blocks_cannot_do_is_said(kind, words):
    def layout(bases):
        return ttgl.BlockedLayout([2], [32], [4], [0], cga_layout=bases)

    constants = {
        "layout": layout([[1]]),
        "other": layout([[0]]),
        "tile": ttgl.SwizzledSharedLayout(1, 1, 1, [0], cga_layout=[[0]]),
        "kind": kind,
    }
    signature = {"x": "*i32"} | dict.fromkeys(constants, "constexpr")
    with pytest.raises(triton.CompilationError, match=words):
        triton.compile(
            gluon.GluonASTSource(wrong, signature, constants),
            target=GPUTarget("sim:cuda", 90, 32),
            options={"num_ctas": 2},
        )


@gluon.jit
def reads_too_early(x, y, layout: ttgl.constexpr, place: ttgl.constexpr):
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    buffer = ttgl.allocate_shared_memory(ttgl.int32, [256], place)
    mbarrier.expect(bar, buffer.nbytes_per_cta)
    async_store(buffer, ttgl.load(x + ttgl.arange(0, 256, layout=layout)), bar)
    ttgl.store(y + ttgl.arange(0, 256, layout=layout), buffer.load(layout))  # EARLY
    mbarrier.wait(bar, 0)


def test_a_read_before_elements_have_come_is_reported(hopper):
    if hopper.name != "sim:cuda:90":
        pytest.skip("only the simulator reports it")
    layout = ttgl.BlockedLayout([2], [32], [4], [0], cga_layout=[[1]])
    place = ttgl.SwizzledSharedLayout(1, 1, 1, [0], cga_layout=[[1]])
    x, y = (hopper.put(np.zeros(256, np.int32)) for _ in range(2))
    with pytest.raises(triton.TritonError, match="asynchronous"):
        reads_too_early[(1,)](x, y, layout, place, num_ctas=2)


def test_instructions_are_those_of_clusters():
    """What the simulator runs, NVIDIA's assembler takes as well."""
    line = ttgl.BlockedLayout([2], [32], [4], [0], cga_layout=[[1], [2]])
    place = ttgl.SwizzledSharedLayout(1, 1, 1, [0], cga_layout=[[2], [1]])
    constants = {"N": 1024, "source": line, "target": line, "place": place}
    constants["target"] = ttgl.BlockedLayout([2], [32], [4], [0], cga_layout=[[2], [1]])
    signature = {"x": "*fp16", "y": "*fp16"} | dict.fromkeys(constants, "constexpr")
    options = {"num_ctas": 4}
    source = gluon.GluonASTSource(exchanged, signature, constants)
    compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)
    assert "st.async.weak.shared::cluster" in compiled.asm["ptx"] and compiled.asm["cubin"]
    constants = {"from_cta": 1, "count": 2}
    source = gluon.GluonASTSource(passed_on, {"y": "*i32"} | dict.fromkeys(constants, "constexpr"), constants)
    compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)
    assert "mbarrier.arrive.release.cluster.shared::cluster" in compiled.asm["ptx"] and compiled.asm["cubin"]
    place = ttgl.NVMMASharedLayout.get_default_for([64, 64], ttgl.float16, cga_layout=[[1, 0], [0, 0]])
    described = f"tensordesc<fp16[64, 64], {place}>"
    signature = {"source": described, "target": described, "multicast": "constexpr"}
    source = gluon.GluonASTSource(copied_tiles, signature, {"multicast": True})
    compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)
    assert ".multicast::cluster" in compiled.asm["ptx"] and compiled.asm["cubin"]
