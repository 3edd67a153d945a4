# ruff: noqa: F811
"""Copies of blocks through descriptors, in Gluon, and what the simulator says of wrong uses."""

import dataclasses

import numpy as np
import pytest
import triton
import triton.tools.tensor_descriptor
from gluon_devices import described, hopper  # noqa: F401
from triton.backends.compiler import GPUTarget
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma, warpgroup_mma, warpgroup_mma_wait
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor
from triton.runtime.errors import SimulationError
from values import aligned

LAYOUT = ttgl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])


@gluon.jit
def doubled_block(source, target, row, column):
    ttgl.static_assert(source.layout == target.layout and source.block_shape[0] == source.block_type.shape[0])
    buffer = ttgl.allocate_shared_memory(source.dtype, source.block_shape, source.layout)
    bar = ttgl.allocate_shared_memory(ttgl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, source.nbytes_per_cta)
    tma.async_load(source, [row, column], bar, buffer)
    mbarrier.wait(bar, 0)
    mbarrier.invalidate(bar)
    block = buffer.load(LAYOUT)
    buffer.store(block + block)
    tma.async_store(target, [row, column], buffer)
    tma.store_wait(0)


@pytest.mark.parametrize("dtype, width", [("float16", None), ("float32", 64), ("int32", 32), ("float16", 0)])
@pytest.mark.parametrize("row, column", [(0, 0), (24, 64), (-8, -16)])
def test_blocks_come_and_go(hopper, dtype, width, row, column):
    values = np.random.default_rng(0).integers(1, 100, (40, 96)).astype(dtype)
    source, target = aligned(values), aligned(np.zeros_like(values))
    arrays = [hopper.put(array) for array in (source, target)]
    doubled_block[(1,)](*(described(array, [32, 64], width) for array in arrays), row, column)
    expected = np.zeros_like(values)
    part = (slice(max(row, 0), min(row + 32, 40)), slice(max(column, 0), min(column + 64, 96)))
    expected[part] = 2 * values[part]
    np.testing.assert_array_equal(hopper.get(arrays[1]), expected)


def test_descriptors_in_signatures():
    layout = ttgl.NVMMASharedLayout.get_default_for([32, 64], ttgl.float16)
    for text in (repr(layout), repr(layout).replace("()", "[]")):
        types = dict.fromkeys(("source", "target"), f"tensordesc<fp16[32,64],{text}>")
        source = gluon.GluonASTSource(doubled_block, {**types, "row": "i32", "column": "i32"}, {})
        kernel = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 4})
        assert "tensor.2d" in kernel.asm["ptx"]


@gluon.jit
def moved_row(source, target, at, N: ttgl.constexpr):
    buffer = ttgl.allocate_shared_memory(source.dtype, source.block_shape, source.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    for step in range(2):
        mbarrier.expect(bar, source.nbytes_per_cta)
        tma.async_load(source, [at + step * N], bar, buffer)
        mbarrier.wait(bar, step)
        tma.async_store(target, [at + step * N], buffer)
        tma.store_wait(0)


@pytest.mark.parametrize("dtype, size, at", [("float32", 512, 0), ("float16", 64, 96), ("int32", 512, -256)])
def test_rows_come_and_go(hopper, dtype, size, at):
    values = np.arange(1, 1301).astype(dtype)
    source, target = (hopper.put(aligned(array)) for array in (values, np.zeros_like(values)))
    moved_row[(1,)](described(source, [size]), described(target, [size]), at, size)
    part = slice(max(at, 0), min(at + 2 * size, 1300))
    expected = np.zeros_like(values)
    expected[part] = values[part]
    np.testing.assert_array_equal(hopper.get(target), expected)


@gluon.jit
def moved_block(source, target, at: ttgl.constexpr, shape: ttgl.constexpr, layout: ttgl.constexpr):
    buffer = ttgl.allocate_shared_memory(source.dtype, shape, layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, source.nbytes_per_cta)
    tma.async_load(source, at, bar, buffer)
    mbarrier.wait(bar, 0)
    rows: ttgl.constexpr = source.nbytes_per_cta // (shape[len(shape) - 1] * source.dtype.primitive_bitwidth // 8)
    matrix = buffer.reshape([rows, shape[len(shape) - 1]])
    block = matrix.load(LAYOUT)
    matrix.store(block + block)
    tma.async_store(target, at, buffer)
    tma.store_wait(0)


@pytest.mark.parametrize(
    "shape, block, at, width",
    [
        ((3, 20, 72), [2, 16, 64], [1, 8, 16], None),
        ((3, 20, 72), [2, 16, 64], [2, -8, 16], 64),
        ((2, 300, 40), [2, 512, 32], [0, 0, 8], 32),  # boxes have at most 256 rows
        ((3, 4, 5, 64), [2, 2, 4, 64], [1, 2, 2, 0], None),
        ((2, 3, 4, 5, 64), [1, 2, 2, 8, 32], [1, 1, 2, -2, 16], None),
        ((5, 40, 64), [1, 32, 64], [3, 8, 0], None),  # to a buffer with two dimensions
        ((3, 20, 72), [2, 16, 64], [1, 8, 16], 0),  # one row after the other
        ((2, 3, 3, 2, 256), [1, 1, 2, 2, 256], [1, 1, 1, 0, 0], 0),
    ],
)
def test_blocks_with_more_dimensions(hopper, shape, block, at, width):
    values = np.random.default_rng(0).integers(1, 100, shape).astype(np.float16)
    source, target = (hopper.put(aligned(array)) for array in (values, np.zeros_like(values)))
    layout = ttgl.NVMMASharedLayout.get_default_for(block, ttgl.float16)
    if width is not None:
        layout = ttgl.NVMMASharedLayout(width, 16, rank=len(block))
    own = block[1:] if block[0] == 1 and len(block) == 3 else block
    own_layout = ttgl.NVMMASharedLayout(layout.swizzle_byte_width, 16, rank=len(own))
    descriptors = (TensorDescriptor.from_tensor(array, block, layout) for array in (source, target))
    moved_block[(1,)](*descriptors, at, own, own_layout)
    places = zip(at, block, shape, strict=True)
    part = tuple(slice(max(start, 0), min(start + extent, whole)) for start, extent, whole in places)
    expected = np.zeros_like(values)
    expected[part] = 2 * values[part]
    np.testing.assert_array_equal(hopper.get(target), expected)


@gluon.jit
def reused_place(source, y, SCRATCH: ttgl.constexpr):
    i = ttgl.arange(0, 32, layout=ttgl.SliceLayout(1, LAYOUT))[:, None]
    j = ttgl.arange(0, 64, layout=ttgl.SliceLayout(0, LAYOUT))[None, :]
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    block = (i * 64 + j).to(ttgl.float32)
    if SCRATCH:
        other: ttgl.constexpr = ttgl.BlockedLayout([4, 1], [8, 4], [1, 4], [0, 1])
        block = ttgl.convert_layout(ttgl.convert_layout(block, other) * 2, LAYOUT)
    else:
        first = ttgl.allocate_shared_memory(ttgl.float32, [64, 32], ttgl.SwizzledSharedLayout(4, 1, 8, [1, 0]))
        first.permute([1, 0]).store(block)
        block = first.permute([1, 0]).load(LAYOUT) * 2
    second = ttgl.allocate_shared_memory(source.dtype, source.block_shape, source.layout)
    mbarrier.expect(bar, source.nbytes_per_cta)
    tma.async_load(source, [0, 0], bar, second)
    mbarrier.wait(bar, 0)
    ttgl.store(y + i * 64 + j, second.load(LAYOUT) + block)


@pytest.mark.parametrize("scratch", [False, True])
def test_a_copy_to_a_place_that_threads_had_written(hopper, scratch):
    source, y = hopper.put(aligned(np.ones((32, 64), np.float32))), np.zeros((32, 64), np.float32)
    kernel = reused_place[(1,)](described(source, [32, 64]), hopper.put(y), scratch)
    np.testing.assert_array_equal(hopper.get(y), 1 + 2 * np.arange(2048).reshape(32, 64))
    assert kernel is None or "ttg.shared = 8200 " in kernel.asm["ttgir"]


@gluon.jit
def summed_blocks(source, target, N: ttgl.constexpr):
    buffer = ttgl.allocate_shared_memory(source.dtype, source.block_shape, source.layout)
    block = ttgl.full(source.block_shape, ttgl.program_id(0) + 1, source.dtype, LAYOUT)
    for step in range(N):
        buffer.store(block + step.to(source.dtype))
        tma.async_atomic_add(target, [0, 0], buffer)
        tma.store_wait(0)


def test_blocks_are_added(hopper):
    target = hopper.put(aligned(np.zeros((32, 64), np.int32)))
    summed_blocks[(3,)](described(target, [32, 64]), described(target, [32, 64]), 2)
    np.testing.assert_array_equal(hopper.get(target), 2 * (1 + 2 + 3) + 3)


@gluon.jit
def _load_slot(a, b, bars, a_ring, b_ring, step, N: ttgl.constexpr, STAGES: ttgl.constexpr):
    slot = step % STAGES
    at: ttgl.constexpr = a.block_shape[1]
    bar = bars.index(slot)
    is_left = step < N
    mbarrier.expect(bar, a.nbytes_per_cta + b.nbytes_per_cta, pred=is_left)
    tma.async_load(a, [ttgl.program_id(0) * a.block_shape[0], step * at], bar, a_ring.index(slot), pred=is_left)
    tma.async_load(b, [step * at, 0], bar, b_ring.index(slot), pred=is_left)


@gluon.jit
def pipelined_product(a, b, c, N: ttgl.constexpr, STAGES: ttgl.constexpr, PENDING: ttgl.constexpr):
    ahead: ttgl.constexpr = STAGES - 1 - PENDING  # blocks, beside those that products in flight read
    a_ring = ttgl.allocate_shared_memory(a.dtype, [STAGES] + a.block_shape, a.layout)
    b_ring = ttgl.allocate_shared_memory(b.dtype, [STAGES] + b.block_shape, b.layout)
    bars = mbarrier.allocate_mbarrier(batch=STAGES)
    for slot in ttgl.static_range(STAGES):
        mbarrier.init(bars.index(slot), count=1)
    for step in ttgl.static_range(ahead):
        _load_slot(a, b, bars, a_ring, b_ring, step, N, STAGES)
    acc_layout: ttgl.constexpr = ttgl.NVMMADistributedLayout([3, 0], [4, 1], [16, c.block_shape[1], 16])
    acc = ttgl.zeros(c.block_shape, ttgl.float32, acc_layout)
    for step in range(N):
        slot = step % STAGES
        mbarrier.wait(bars.index(slot), (step // STAGES) & 1)
        acc = warpgroup_mma(a_ring.index(slot), b_ring.index(slot), acc, is_async=True)
        acc = warpgroup_mma_wait(PENDING, deps=[acc])
        _load_slot(a, b, bars, a_ring, b_ring, step + ahead, N, STAGES)
    acc = warpgroup_mma_wait(0, deps=[acc])
    buffer = ttgl.allocate_shared_memory(c.dtype, c.block_shape, c.layout)
    buffer.store(acc.to(c.dtype))
    tma.async_store(c, [ttgl.program_id(0) * c.block_shape[0], 0], buffer)
    tma.store_wait(0)


@pytest.mark.parametrize("stages, pending", [(2, 0), (3, 0), (3, 1)])
def test_a_pipelined_product(hopper, stages, pending):
    generator = np.random.default_rng(1)
    a, b = (aligned(generator.integers(-3, 4, shape).astype(np.float16)) for shape in ((128, 160), (160, 64)))
    arrays = [hopper.put(array) for array in (a, b, aligned(np.zeros((128, 64), np.float16)))]
    blocks = ([64, 32], [32, 64], [64, 64])
    descriptors = (described(array, block) for array, block in zip(arrays, blocks, strict=True))
    pipelined_product[(2,)](*descriptors, 5, stages, pending)
    np.testing.assert_array_equal(hopper.get(arrays[2]), a.astype(np.float32) @ b.astype(np.float32))


@gluon.jit
def faulty_copy(source, y, fault: ttgl.constexpr):
    i = ttgl.arange(0, 32, layout=ttgl.SliceLayout(1, LAYOUT))[:, None]
    j = ttgl.arange(0, 64, layout=ttgl.SliceLayout(0, LAYOUT))[None, :]
    buffer = ttgl.allocate_shared_memory(source.dtype, source.block_shape, source.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    bytes: ttgl.constexpr = source.nbytes_per_cta
    if fault == 0:
        mbarrier.expect(bar, bytes)
    elif fault == 1:
        mbarrier.expect(bar, 2 * bytes, pred=ttgl.load(y) == 0)
    elif fault == 2:
        mbarrier.expect(bar, bytes // 4, pred=ttgl.load(y) == 0)
    else:
        mbarrier.expect(bar, bytes)
    tma.async_load(source, [0, 0], bar, buffer)
    if fault == 0:
        ttgl.store(y + i * 64 + j, buffer.load(LAYOUT))  # before it has come
    mbarrier.wait(bar, 0)
    if fault == 3:
        buffer.store(buffer.load(LAYOUT))
        tma.async_store(source, [0, 0], buffer)
        buffer.store(ttgl.zeros([32, 64], ttgl.float32, LAYOUT))  # while the copy reads it
        tma.store_wait(0)
    ttgl.store(y + i * 64 + j, buffer.load(LAYOUT))


@pytest.mark.parametrize(
    "fault, line, expected",
    [
        (0, "buffer.load(LAYOUT))  # before", "to which an asynchronous copy has not ended"),
        (1, "mbarrier.wait(bar, 0)", "waits for 0 of 1 arrivals and for 8192 bytes"),
        (2, "tma.async_load(source", "which waits for 2048 bytes"),
        (3, "buffer.store(ttgl.zeros", "which an asynchronous operation reads"),
    ],
)
def test_wrong_uses_are_reported(hopper, fault, line, expected):
    if hopper.name == "cuda":
        pytest.skip("the simulator reports them")
    source, y = aligned(np.zeros((32, 64), np.float32)), np.zeros((32, 64), np.float32)
    with pytest.raises(SimulationError) as caught:
        faulty_copy[(1,)](described(source, [32, 64]), y, fault)
    message = str(caught.value)
    assert expected in message and line in message and "test_gluon_copies.py:" in message


@gluon.jit
def announced_copies(source, bytes: ttgl.constexpr):
    buffers = ttgl.allocate_shared_memory(source.dtype, [2, 32, 64], source.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    for step in range(3):
        if bytes > 0:
            mbarrier.expect(bar, bytes)
        else:
            mbarrier.arrive(bar)
        for part in ttgl.static_range(2):
            tma.async_load(source, [0, 0], bar, buffers.index(part))
        mbarrier.wait(bar, step & 1)


@pytest.mark.parametrize(
    "bytes, line, expected",
    [
        (8192, "mbarrier.expect(bar, bytes)", "announces 8192 bytes at this barrier, and its copies bring 16384"),
        (0, "tma.async_load(source", "nothing announces the bytes of this copy"),
    ],
)
def test_other_bytes_than_copies_bring_are_refused(hopper, bytes, line, expected):
    source = described(aligned(np.zeros((32, 64), np.float32)), [32, 64])
    announced_copies.warmup(source, 16384, grid=(1,))
    with pytest.raises(triton.CompilationError) as caught:
        announced_copies.warmup(source, bytes, grid=(1,))
    assert expected in str(caught.value) and line in str(caught.value)


@gluon.jit
def refused_copy(source, x, which: ttgl.constexpr):
    buffer = ttgl.allocate_shared_memory(source.dtype, source.block_shape, source.layout)
    half = ttgl.allocate_shared_memory(source.dtype, [16, 64], source.layout)
    bar = mbarrier.allocate_mbarrier()
    if which == 0:
        tma.async_load(x, [0, 0], bar, buffer)
    elif which == 1:
        tma.async_load(source, [0], bar, buffer)
    elif which == 2:
        tma.async_load(source, [0, 0], bar, half)
    elif which == 3:
        tma.async_load(source, [0, 0], buffer, buffer)
    elif which == 4:
        tma.async_store(source, [0, 0], x)
    elif which == 5:
        tma.store_wait(-1)
    elif which == 6:
        tma.async_atomic_and(source, [0, 0], buffer)


@pytest.mark.parametrize(
    "which, expected",
    [
        (0, "needs a descriptor of an array"),
        (1, "both counts must agree"),
        (2, "copies blocks of fp32[32, 64]"),
        (3, "a barrier is needed here"),
        (4, "copies blocks of fp32[32, 64]"),
        (5, "cannot leave -1 groups"),
        (6, "async_atomic_and"),
    ],
)
def test_wrong_calls_are_refused(hopper, which, expected):
    x = aligned(np.zeros((32, 64), np.float32))
    with pytest.raises(triton.CompilationError) as caught:
        refused_copy.warmup(described(x, [32, 64]), x, which, grid=(1,))
    assert expected in str(caught.value) and "test_gluon_copies.py:" in str(caught.value)


def test_descriptors_need_their_gpu_and_layout(device):
    if device.name not in ("sim:cuda:80", "sim:cuda:90"):
        pytest.skip("one GPU of each kind")
    x = aligned(np.zeros((32, 64), np.float32))
    if device.name == "sim:cuda:80":
        with pytest.raises(triton.CompilationError, match="needs an NVIDIA GPU of compute capability 9.0"):
            refused_copy.warmup(described(x, [32, 64]), x, 0, grid=(1,))
        return
    plain = triton.tools.tensor_descriptor.TensorDescriptor.from_tensor(x, [32, 64])
    with pytest.raises(triton.CompilationError, match="need a descriptor with the layout of its buffers"):
        refused_copy.warmup(plain, x, 0, grid=(1,))


@pytest.mark.parametrize(
    "block, layout, expected",
    [
        ([32, 64], LAYOUT, "must be an NVMMASharedLayout"),
        ([32, 64], ttgl.NVMMASharedLayout(128, 16), "for elements of 16 bits"),
        ([32, 16], ttgl.NVMMASharedLayout(128, 32), "a row of a block's part has 64 bytes"),
        ([64], ttgl.NVMMASharedLayout(128, 32), "for 2 dimensions, but the block has 1"),
    ],
)
def test_wrong_descriptors(block, layout, expected):
    with pytest.raises(AssertionError, match=expected):
        TensorDescriptor(aligned(np.zeros((32, 64), np.float32)), [32, 64], [64, 1], block, layout)


def test_sources_for_other_machines():
    sizes = "swizzle_byte_width=128, element_bitwidth=16, rank=2"
    layout = f"NVMMASharedLayout({sizes}, transposed=False, fp4_padded=False, cga_layout=[])"
    described = f"tensordesc<fp16[32,64],{layout}>"
    source = gluon.GluonASTSource(
        doubled_block, {"source": described, "target": described, "row": "i32", "column": "i32"}
    )
    kernel = triton.compile(source, target=triton.backends.compiler.GPUTarget("cuda", 90, 32), options={"num_warps": 4})
    assert "cp.async.bulk.tensor" in kernel.asm["ptx"]
    with pytest.raises(TypeError, match="is for kernels in Gluon"):
        gluon.GluonASTSource(aligned, {})


def test_descriptors_can_be_replaced():
    """Programs do so for another array."""
    x, y = (aligned(np.zeros((64, 32), np.float16)) for _ in range(2))
    layout = ttgl.NVMMASharedLayout.get_default_for([64, 32], ttgl.float16)
    descriptor = TensorDescriptor.from_tensor(x, [64, 32], layout, padding="nan")
    other = dataclasses.replace(descriptor, base=y)
    assert other.base is y and other.layout is layout and other.padding == "nan"
    assert repr(layout) in repr(other)
