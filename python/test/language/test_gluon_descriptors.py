# ruff: noqa: F811
"""Descriptors that kernels in Gluon make for copies of blocks."""

import numpy as np
import pytest
import triton
from gluon_devices import blackwell, described, hopper  # noqa: F401
from triton.backends.compiler import GPUTarget
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language.nvidia.blackwell import tma as blackwell_tma
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma
from triton.runtime.errors import SimulationError
from values import aligned

LAYOUT = ttgl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
TILE = ttgl.NVMMASharedLayout.get_default_for([32, 64], ttgl.float16)


@gluon.jit
def _load(desc, row, column, bar, buffer):
    mbarrier.expect(bar, desc.nbytes_per_cta)
    tma.async_load(desc, [row, column], bar, buffer)


@gluon.jit
def doubled(x, y, M, N, row, column, layout: ttgl.constexpr, block: ttgl.constexpr, padding: ttgl.constexpr):
    source = tma.make_tensor_descriptor(x + 8, [M - 1, N], [N + 8, 1], block, layout, padding_option=padding)
    target = tma.make_tensor_descriptor(y, [M, N], [N, 1], block, layout)
    ttgl.static_assert(source.layout == layout and source.block_shape == block and source.dtype == y.dtype.element_ty)
    buffer = ttgl.allocate_shared_memory(source.dtype, source.block_shape, source.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    _load(source, row, column, bar, buffer)
    mbarrier.wait(bar, 0)
    values = buffer.load(LAYOUT)
    buffer.store(values + values)
    tma.async_store(target, [row, column], buffer)
    tma.store_wait(0)


@pytest.mark.parametrize("row, column", [(0, 0), (24, 64), (-8, -16)])
@pytest.mark.parametrize("dtype, block, padding", [("float16", [32, 128], "nan"), ("int32", [16, 32], "zero")])
def test_descriptors_that_the_kernel_makes(hopper, dtype, block, padding, row, column):
    values = np.random.default_rng(0).integers(1, 100, (40, 104)).astype(dtype)
    source, target = (hopper.put(aligned(array)) for array in (values, np.zeros((40, 96), dtype)))
    layout = ttgl.NVMMASharedLayout.get_default_for(block, ttgl.float16 if dtype == "float16" else ttgl.int32)
    doubled[(1,)](source, target, 40, 96, row, column, layout, block, padding)
    inside = values[:, 8:].copy()
    inside[39] = np.nan if padding == "nan" else 0  # behind the array, which the kernel says is a row shorter
    expected = np.zeros((40, 96), dtype)
    part = (slice(max(row, 0), min(row + block[0], 40)), slice(max(column, 0), min(column + block[1], 96)))
    expected[part] = 2 * inside[part]
    np.testing.assert_array_equal(hopper.get(target), expected)


@gluon.jit
def _load_all(desc, ring, full, N: ttgl.constexpr):
    for step in range(N):
        _load(desc, 0, step * 64, full.index(step), ring.index(step))


@gluon.jit
def _add_all(y, ring, full, N: ttgl.constexpr):
    total = ttgl.zeros([32, 64], ttgl.float32, LAYOUT)
    for step in range(N):
        mbarrier.wait(full.index(step), 0)
        total += ring.index(step).load(LAYOUT).to(ttgl.float32)
    i = ttgl.arange(0, 32, layout=ttgl.SliceLayout(1, LAYOUT))
    ttgl.store(y + i, ttgl.sum(total, axis=1))


@gluon.jit
def summed_in_groups(x, y, stride, N: ttgl.constexpr):
    desc = tma.make_tensor_descriptor(x, (32, stride), (stride, 1), [32, 64], TILE)
    ring = ttgl.allocate_shared_memory(ttgl.float16, [N, 32, 64], TILE)
    full = mbarrier.allocate_mbarrier(batch=N)
    for step in ttgl.static_range(N):
        mbarrier.init(full.index(step), count=1)
    ttgl.warp_specialize([(_add_all, (y, ring, full, N)), (_load_all, (desc, ring, full, N))], [1], [24])


def test_a_group_of_warps_copies_through_it(hopper):
    x = np.random.default_rng(0).integers(0, 9, (32, 200)).astype(np.float16)
    y = hopper.put(np.zeros(32, np.float32))
    summed_in_groups[(1,)](hopper.put(aligned(x)), y, 200, 4)
    np.testing.assert_array_equal(hopper.get(y), x.astype(np.float32).sum(axis=1))


@gluon.jit
def refused(x, other, n, which: ttgl.constexpr, layout: ttgl.constexpr):
    base = x
    if which == 0:
        base += ttgl.load(other)
    elif which == 1:
        base += ttgl.program_id(0) * n
    desc = tma.make_tensor_descriptor(base, [n, n], [n, 1], [32, 64], layout)
    if which == 2:
        if ttgl.load(other) > 0:
            desc = tma.make_tensor_descriptor(x, [n, 64], [n, 1], [32, 64], layout)
    buffer = ttgl.allocate_shared_memory(ttgl.float16, [32, 64], TILE)
    tma.async_store(desc, [0, 0], buffer)


@pytest.mark.parametrize(
    "which, layout, line, expected",
    [
        (0, TILE, "desc = tma.make_tensor_descriptor(base", "the address of its array does not follow from arguments"),
        (1, TILE, "desc = tma.make_tensor_descriptor(base", "the address of its array does not follow from arguments"),
        (2, TILE, "tma.async_store(desc", "chosen by the running kernel, but the launch makes its map"),
        (3, LAYOUT, "desc = tma", "needs the `NVMMASharedLayout` of their buffers"),
        (3, ttgl.NVMMASharedLayout(128, 32), "desc = tma", "needs the `NVMMASharedLayout` of their buffers"),
        (3, ttgl.NVMMASharedLayout(128, 16, transposed=True), "desc = tma", "needs the `NVMMASharedLayout`"),
        (3, ttgl.NVMMASharedLayout(64, 16), "tma.async_store(desc", "copies blocks of fp16[32, 64]"),
    ],
)
def test_wrong_descriptors_are_refused(hopper, which, layout, line, expected):
    x, other = aligned(np.zeros((64, 64), np.float16)), np.zeros(1, np.int32)
    with pytest.raises(triton.CompilationError) as caught:
        refused.warmup(x, other, 64, which, layout, grid=(1,))
    message = str(caught.value)
    assert expected in message and line in message and "test_gluon_descriptors.py:" in message


@gluon.jit
def moved_rows(source, target, numbers, column, N: ttgl.constexpr, rows_layout: ttgl.constexpr, made: ttgl.constexpr):
    if made:
        source = blackwell_tma.make_tensor_descriptor(source, [40, 200], [200, 1], [1, 128], TILE)
    buffer = ttgl.allocate_shared_memory(source.dtype, [N, 128], source.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    rows = ttgl.load(numbers + ttgl.arange(0, N, layout=rows_layout))
    mbarrier.expect(bar, N * source.nbytes_per_cta)
    blackwell_tma.async_gather(source, rows, column, bar, buffer)
    mbarrier.wait(bar, 0)
    block = buffer.load(LAYOUT)
    buffer.store(block + block)
    blackwell_tma.async_scatter(target, rows, column, buffer)
    tma.store_wait(0)


def rows_layout(warps=4):
    return ttgl.SliceLayout(0, ttgl.BlockedLayout([1, 4], [32, 1], [1, warps], [1, 0]))


@pytest.mark.parametrize("count, column, made", [(8, 0, False), (32, 64, True), (64, -64, False)])
def test_rows_are_gathered_and_scattered(blackwell, count, column, made):
    generator = np.random.default_rng(0)
    values = generator.integers(1, 100, (40, 200)).astype(np.float16)
    numbers = generator.permutation(64)[:count].astype(np.int32)  # those from 40 on are behind the array
    source, target = aligned(values), aligned(np.zeros_like(values))
    passed = (described(array, [1, 128], 128) for array in (source, target))
    first = source if made else next(passed)
    if column < 0:  # which a copy out of a buffer cannot have
        with pytest.raises(SimulationError, match="begins at coordinate -64"):
            moved_rows[(1,)](first, next(passed), numbers, column, count, rows_layout(), made)
        return
    moved_rows[(1,)](first, list(passed)[-1], numbers, column, count, rows_layout(), made)
    expected = np.zeros_like(values)
    inside = numbers[numbers < 40]
    expected[inside, column : column + 128] = 2 * values[inside, column : column + 128]
    np.testing.assert_array_equal(target, expected)


def test_instructions_for_rows():
    """Those of Triton 3.9 for an equal kernel."""
    described = f"tensordesc<fp16[1,128],{TILE!r}>"
    types = {"source": described, "target": described, "numbers": "*i32", "column": "i32"}
    source = gluon.GluonASTSource(
        moved_rows,
        types | {"N": "constexpr", "rows_layout": "constexpr", "made": "constexpr"},
        {"N": 32, "rows_layout": rows_layout(), "made": False},
    )
    kernel = triton.compile(source, target=GPUTarget("cuda", 100, 32), options={"num_warps": 4})
    ptx = kernel.asm["ptx"]
    assert ptx.count("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes") == 4
    assert ptx.count("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group") == 4
    assert kernel.asm["cubin"]


@gluon.jit
def refused_rows(source, x, numbers, which: ttgl.constexpr, layout: ttgl.constexpr):
    buffer = ttgl.allocate_shared_memory(ttgl.float16, [32, 128], TILE)
    rows = ttgl.load(numbers + ttgl.arange(0, 32, layout=layout))
    if which == 0:
        blackwell_tma.async_scatter(source, rows, 0, buffer)
    elif which == 1:
        blackwell_tma.async_scatter(source, rows.to(ttgl.int64), 0, buffer)
    elif which == 2:
        desc = blackwell_tma.make_tensor_descriptor(x, [40, 200], [200, 1], [2, 128], TILE)
        blackwell_tma.async_scatter(desc, rows, 0, buffer)
    elif which == 3:
        part = ttgl.allocate_shared_memory(ttgl.float16, [16, 128], TILE)
        blackwell_tma.async_scatter(source, rows, 0, part)
    elif which == 4:
        blackwell_tma.async_gather(source, rows, 0, buffer, buffer)


@pytest.mark.parametrize(
    "arch, which, layout, expected",
    [
        (90, 0, rows_layout(), "needs an NVIDIA GPU of compute capability 10.0 to 11.0"),
        (100, 0, ttgl.SliceLayout(1, LAYOUT), "needs in each thread the numbers of four rows"),
        (100, 1, rows_layout(), "must be a block of int32"),
        (100, 2, rows_layout(), "must have one row, not be fp16[2, 128]"),
        (100, 3, rows_layout(), "copies blocks of fp16[32, 128]"),
        (100, 4, rows_layout(), "a barrier is needed here"),
    ],
)
def test_wrong_copies_of_rows_are_refused(arch, which, layout, expected):
    types = {"source": f"tensordesc<fp16[1,128],{TILE!r}>", "x": "*fp16", "numbers": "*i32"}
    source = gluon.GluonASTSource(
        refused_rows, types | {"which": "constexpr", "layout": "constexpr"}, {"which": which, "layout": layout}
    )
    with pytest.raises(triton.CompilationError) as caught:
        triton.compile(source, target=GPUTarget("cuda", arch, 32), options={"num_warps": 4})
    assert expected in str(caught.value) and "test_gluon_descriptors.py:" in str(caught.value)
