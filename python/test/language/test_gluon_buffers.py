# ruff: noqa: F811
"""Buffers of Gluon with another shape, and with unused places between their elements."""

import numpy as np
import pytest
import triton
from gluon_devices import gpu  # noqa: F401
from triton.backends.compiler import GPUTarget
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl

SWIZZLED = ttgl.SwizzledSharedLayout(4, 1, 8, [1, 0])
BASES = ttgl.SharedLinearLayout([[0, 1], [1, 0], [0, 2], [2, 0], [0, 4], [4, 0], [0, 8], [8, 0], [0, 16], [16, 0]])
UNIT = ttgl.NVMMASharedLayout(64, 32)
PADDED = ttgl.PaddedSharedLayout.with_identity_for([[32, 4]], [32, 32], [1, 0])
TWICE = ttgl.PaddedSharedLayout([[8, 2], [256, 32]], BASES.offset_bases, [], [32, 32])


def distributed(device, rank):
    """A layout with `rank` dimensions, for blocks of any shape."""
    lanes = device.lanes
    threads, warps = [1] * (rank - 2) + [lanes // 8, 8], [1] * (rank - 2) + [4, 1]
    return ttgl.BlockedLayout([1] * (rank - 1) + [2], threads, warps, list(range(rank))[::-1])


@gluon.jit
def reshaped(x, y, z, layout: ttgl.constexpr, flat: ttgl.constexpr, cube: ttgl.constexpr, shared: ttgl.constexpr):
    i = ttgl.arange(0, 32, layout=ttgl.SliceLayout(1, layout))[:, None]
    j = ttgl.arange(0, 32, layout=ttgl.SliceLayout(0, layout))[None, :]
    buffers = ttgl.allocate_shared_memory(ttgl.float32, [3, 32, 32], shared)
    for k in ttgl.static_range(3):
        buffers.index(k).store(ttgl.load(x + k * 1024 + i * 32 + j))
    line = buffers.index(1).reshape([1024])
    k = ttgl.arange(0, 1024, layout=flat)
    ttgl.store(y + k, line.load(flat))
    split = buffers.index(2).reshape([4, 8, 32])
    ttgl.static_assert(split.shape == [4, 8, 32] and split.rank == 3)
    block = split.load(cube).reshape([32, 32])
    ttgl.store(z + i * 32 + j, ttgl.convert_layout(block, layout))
    part = split.permute([2, 0, 1]).reshape([32, 32])
    ttgl.store(z + 1024 + i * 32 + j, part.load(layout))


@pytest.mark.parametrize("shared", [SWIZZLED, BASES, UNIT, PADDED, TWICE])
def test_buffers_with_another_shape(gpu, shared):
    x = np.random.default_rng(0).standard_normal((3, 32, 32)).astype(np.float32)
    y, z = np.zeros(1024, np.float32), np.zeros((2, 32, 32), np.float32)
    if shared is UNIT and "cuda" not in gpu.name:
        pytest.skip("a layout of NVIDIA's units")
    layouts = distributed(gpu, 2), ttgl.BlockedLayout([2], [gpu.lanes], [4], [0]), distributed(gpu, 3)
    kernel = reshaped[(1,)](gpu.put(x), gpu.put(y), gpu.put(z), *layouts, shared)
    np.testing.assert_array_equal(gpu.get(y), x[1].ravel())
    np.testing.assert_array_equal(gpu.get(z), [x[2], x[2].reshape(4, 8, 32).transpose(2, 0, 1).reshape(32, 32)])
    unused = {PADDED: 32 * 4, TWICE: 128 * 2 + 4 * 32}.get(shared, 0)
    if "cuda" in gpu.name:  # elsewhere there are conversions, which need memory as well
        assert kernel.metadata.shared == 3 * 4 * (1024 + unused)


@gluon.jit
def kept(shared: ttgl.constexpr, shape: ttgl.constexpr, expected: ttgl.constexpr):
    buffer = ttgl.allocate_shared_memory(ttgl.float16, [64, 64], shared)
    ttgl.static_assert(buffer.reshape(shape).layout == expected, "the layout does not follow")


@pytest.mark.parametrize(
    "shared, shape, expected",
    [
        (ttgl.NVMMASharedLayout(128, 16), [4, 16, 64], ttgl.NVMMASharedLayout(128, 16, rank=3)),
        (ttgl.NVMMASharedLayout(128, 16), [64, 64], ttgl.NVMMASharedLayout(128, 16)),
        (
            ttgl.PaddedSharedLayout.with_identity_for([[64, 8]], [64, 64], [1, 0]),
            [4096],
            ttgl.PaddedSharedLayout.with_identity_for([[64, 8]], [4096], [0]),
        ),
        (
            ttgl.SwizzledSharedLayout(1, 1, 1, [1, 0]),
            [4096],
            ttgl.SharedLinearLayout([[1 << bit] for bit in range(12)]),
        ),
    ],
)
def test_layouts_follow_shapes(gpu, shared, shape, expected):
    kept.warmup(shared, shape, expected, grid=(1,))


@gluon.jit
def padded_views(x, y, z, layout: ttgl.constexpr, shared: ttgl.constexpr):
    i = ttgl.arange(0, 32, layout=ttgl.SliceLayout(1, layout))[:, None]
    j = ttgl.arange(0, 32, layout=ttgl.SliceLayout(0, layout))[None, :]
    block = ttgl.load(x + i * 32 + j)
    buffer = ttgl.allocate_shared_memory(ttgl.float32, [32, 32], shared, block)
    quarter = buffer.slice(16, 16).slice(8, 8, dim=1)
    quarter.store(quarter.load(layout) + 1)
    rows = (i * 5 + j * 0) % 32
    ttgl.store(y + i * 32 + j, buffer.gather(rows, axis=0))
    buffer.scatter(block, rows, axis=0)
    ttgl.store(z + i * 32 + j, buffer.permute([1, 0]).load(layout))


@pytest.mark.parametrize("shared", [PADDED, TWICE])
def test_views_of_padded_buffers(gpu, shared):
    x = np.random.default_rng(0).standard_normal((32, 32)).astype(np.float32)
    y, z = np.zeros_like(x), np.zeros_like(x)
    padded_views[(1,)](gpu.put(x), gpu.put(y), gpu.put(z), distributed(gpu, 2), shared)
    changed = x.copy()
    changed[16:, 8:16] += 1
    rows = np.arange(32) * 5 % 32
    np.testing.assert_array_equal(gpu.get(y), changed[rows])
    scattered = np.empty_like(x)
    scattered[rows] = x
    np.testing.assert_array_equal(gpu.get(z), scattered.T)


@gluon.jit
def parts_of_pattern(x, y, layout: ttgl.constexpr, shared: ttgl.constexpr):
    i = ttgl.arange(0, 32, layout=ttgl.SliceLayout(1, layout))[:, None]
    j = ttgl.arange(0, 32, layout=ttgl.SliceLayout(0, layout))[None, :]
    k = ttgl.arange(0, 8, layout=ttgl.SliceLayout(0, layout))[None, :]
    buffers = ttgl.allocate_shared_memory(ttgl.float32, [2, 32, 32], shared)
    buffer = buffers.index(1)
    buffer.store(ttgl.load(x + i * 32 + j))
    for start in ttgl.static_range(0, 32, 8):
        part = buffer.slice(start, 8, dim=1)
        ttgl.store(y + i * 32 + (start + k), part.load(layout))
    corner = buffer.slice(4, 4).slice(16, 16, dim=1).permute([1, 0])
    row = ttgl.arange(0, 16, layout=ttgl.SliceLayout(1, layout))[:, None]
    column = ttgl.arange(0, 4, layout=ttgl.SliceLayout(0, layout))[None, :]
    ttgl.store(y + 1024 + row * 4 + column, corner.load(layout))


def test_parts_that_cut_patterns(gpu):
    x = np.random.default_rng(3).standard_normal((32, 32)).astype(np.float32)
    y = np.zeros(1024 + 64, np.float32)
    shared = ttgl.SwizzledSharedLayout(4, 1, 8, [1, 0])
    parts_of_pattern[(1,)](gpu.put(x), gpu.put(y), distributed(gpu, 2), shared)
    result = gpu.get(y)
    np.testing.assert_array_equal(result[:1024].reshape(32, 32), x)
    np.testing.assert_array_equal(result[1024:].reshape(16, 4), x[4:8, 16:].T)


@gluon.jit
def wrong_view(shared: ttgl.constexpr, which: ttgl.constexpr):
    if which == 0:
        ttgl.allocate_shared_memory(ttgl.float16, [32, 32], shared).reshape([32, 16])
    elif which == 1:
        ttgl.allocate_shared_memory(ttgl.float16, [32, 32], shared).slice(0, 16).reshape([512])
    elif which == 2:
        ttgl.allocate_shared_memory(ttgl.float16, [64, 32], shared)
    elif which == 3:
        ttgl.allocate_shared_memory(ttgl.float16, [32, 32], shared).reinterpret(layout=SWIZZLED)
    elif which == 4:
        layout: ttgl.constexpr = ttgl.PaddedSharedLayout([[2048, 4]], shared.offset_bases, [], [32, 32])
        ttgl.allocate_shared_memory(ttgl.float16, [2, 32, 32], layout)
    elif which == 5:
        ttgl.allocate_shared_memory(ttgl.float16, [2, 2], ttgl.SharedLinearLayout([[0, 1], [0, 1]]))


@pytest.mark.parametrize(
    "which, expected",
    [
        (0, "gives the 1024 elements of fp16[32, 32"),
        (1, "takes whole buffers, not a part of one"),
        (2, "the encoding is for buffers of 32 x 32 elements"),
        (3, "which has other paddings"),
        (4, "each of several buffers has 1024 elements, and the interval of a padding 2048"),
        (5, "the bases of offset must reach each element once"),
    ],
)
def test_wrong_shapes_are_refused(gpu, which, expected):
    with pytest.raises(triton.CompilationError) as failure:
        wrong_view.warmup(PADDED, which, grid=(1,))
    assert expected in str(failure.value)


@pytest.mark.parametrize(
    "make, expected",
    [
        (lambda: ttgl.PaddedSharedLayout([[3, 1]], [[1]], [], [2]), "must be powers of two"),
        (lambda: ttgl.PaddedSharedLayout([], [[1]], [], [2]), "must have pairs"),
        (lambda: ttgl.PaddedSharedLayout([[4, 1], [4, 2]], [[1]], [], [2]), "must differ"),
        (lambda: ttgl.PaddedSharedLayout([[4, 1]], [[1, 0]], [], [2]), "a number for each dimension"),
        (lambda: ttgl.SharedLinearLayout([[1]], alignment=3), "must be a power of two, not 3"),
        (lambda: ttgl.SharedLinearLayout([]), "a number for each dimension"),
    ],
)
def test_wrong_layouts_are_values_errors(make, expected):
    with pytest.raises(ValueError, match=expected):
        make()


def test_layouts_of_buffers_are_values():
    padded = ttgl.PaddedSharedLayout([[8, 4]], [[1, 0], [0, 1]], [[1, 0]], [4, 2])
    assert padded.ir_text == "#ttg.padded_shared<[8:+4] {offset = [[1, 0], [0, 1]], block = [[2, 0]]}>"
    for layout in (padded, PADDED, TWICE, BASES, ttgl.SharedLinearLayout([[1], [2]], [[4]], 32)):
        assert type(layout).from_ir_text(layout.ir_text) == layout and hash(layout)
    assert ttgl.SharedLinearLayout([[0, 1], [1, 0]], [[2, 0]]).shape == (4, 2)


@gluon.jit
def numbered(x, layout: ttgl.constexpr):
    i = ttgl.arange(0, 128, layout=layout)
    buffers = ttgl.allocate_shared_memory(ttgl.int32, [256, 128], ttgl.SwizzledSharedLayout(1, 1, 1, [0]))
    ttgl.store(x + i, buffers.index(True).load(layout) + buffers.index(ttgl.full([], 200, ttgl.uint8)).load(layout))


def test_numbers_of_buffers_without_a_sign():
    types, constants = {"x": "*i32", "layout": "constexpr"}, {"layout": ttgl.BlockedLayout([1], [32], [4], [0])}
    kernel = triton.compile(gluon.GluonASTSource(numbered, types, constants), target=GPUTarget("cuda", 90, 32))
    assert "arith.constant 1 : i32" in kernel.asm["ttgir"] and "arith.constant 200 : i32" in kernel.asm["ttgir"]


@gluon.jit
def counted(x, counts, before, layout: ttgl.constexpr, shared: ttgl.constexpr):
    i = ttgl.arange(0, 256, layout=layout)
    bins = ttgl.load(x + i)
    zeros = ttgl.zeros([64], counts.dtype.element_ty, layout)
    buffer = ttgl.allocate_shared_memory(counts.dtype.element_ty, [64], shared, zeros)
    ones = ttgl.full([256], 1, counts.dtype.element_ty, layout)
    ttgl.store(before + i, buffer.atomic_scatter_add(ones, bins, 0, mask=bins < 48))
    buffer.atomic_scatter_add(2, bins, 0, mask=bins >= 48)
    ttgl.store(counts + ttgl.arange(0, 64, layout=layout), buffer.load(layout))


@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.float16, np.int64])
def test_atomic_additions_to_buffers(gpu, dtype):
    x = np.random.default_rng(0).integers(0, 64, 256).astype(np.int32)
    counts, before = np.zeros(64, dtype), np.zeros(256, dtype)
    layout = ttgl.BlockedLayout([1], [gpu.lanes], [4], [0])
    counted[(1,)](gpu.put(x), gpu.put(counts), gpu.put(before), layout, ttgl.SwizzledSharedLayout(1, 1, 1, [0]))
    total = np.bincount(x, minlength=64)
    np.testing.assert_array_equal(gpu.get(counts), np.where(np.arange(64) < 48, total, 2 * total))
    for place in range(48):  # each addition has seen another count
        np.testing.assert_array_equal(np.sort(gpu.get(before)[x == place]), np.arange(total[place]))


@gluon.jit
def changed_words(x, y, olds, OPERATION: ttgl.constexpr, layout: ttgl.constexpr, shared: ttgl.constexpr):
    i = ttgl.arange(0, 16, layout=ttgl.SliceLayout(1, layout))[:, None]
    j = ttgl.arange(0, 32, layout=ttgl.SliceLayout(0, layout))[None, :]
    buffer = ttgl.allocate_shared_memory(x.dtype.element_ty, [16, 32], shared, ttgl.load(x + i * 32 + j))
    row = ttgl.arange(0, 1, layout=ttgl.SliceLayout(1, layout))[:, None]
    values = (row * 0 + j * 3 - 40).to(x.dtype.element_ty)
    rows = (row + j) % 16
    if OPERATION == "max":
        old = buffer.atomic_scatter_max(values, rows, 0)
    elif OPERATION == "min":
        old = buffer.atomic_scatter_min(values, rows, 0)
    elif OPERATION == "and":
        old = buffer.atomic_scatter_and(values, rows, 0)
    elif OPERATION == "or":
        old = buffer.atomic_scatter_or(values, rows, 0)
    elif OPERATION == "xor":
        old = buffer.atomic_scatter_xor(values, rows, 0)
    else:
        old = buffer.atomic_scatter_xchg(values, rows, 0)
    ttgl.store(olds + row + j, old)
    ttgl.store(y + i * 32 + j, buffer.load(layout))


CHANGES = {
    "max": np.maximum,
    "min": np.minimum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "xchg": lambda old, new: new,
}


@pytest.mark.parametrize("dtype", [np.int32, np.uint32])
@pytest.mark.parametrize("operation", CHANGES)
def test_atomic_changes_of_buffers(gpu, operation, dtype):
    x = np.random.default_rng(0).integers(0, 100, (16, 32)).astype(dtype)
    y, olds = np.zeros_like(x), np.zeros(32, dtype)
    changed_words[(1,)](gpu.put(x), gpu.put(y), gpu.put(olds), operation, distributed(gpu, 2), SWIZZLED)
    columns = np.arange(32)
    expected = x.copy()
    values = (columns * 3 - 40).astype(np.int32).astype(dtype)
    expected[columns % 16, columns] = CHANGES[operation](x[columns % 16, columns], values)
    np.testing.assert_array_equal(gpu.get(y), expected)
    np.testing.assert_array_equal(gpu.get(olds), x[columns % 16, columns])
