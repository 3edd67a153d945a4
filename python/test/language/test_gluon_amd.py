"""What Gluon has for AMD's GPUs."""

import numpy as np
import pytest
import triton
from triton.backends.compiler import GPUTarget
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language.amd import AMDWMMALayout, cdna3, gfx1250, rdna3, rdna4
from triton.experimental.gluon.language.amd.cdna3 import buffer_load, buffer_store
from triton.experimental.gluon.language.amd.cdna4 import async_copy


@pytest.fixture
def amd_device(device):
    if "hip" not in device.name:
        pytest.skip("is for AMD's GPUs")
    return device


@gluon.jit
def buffered(x, y, flags, n, layout: ttgl.constexpr):
    rows = ttgl.arange(0, 32, layout=ttgl.SliceLayout(1, layout))[:, None]
    columns = ttgl.arange(0, 64, layout=ttgl.SliceLayout(0, layout))[None, :]
    offsets = rows * 64 + columns
    block = buffer_load(x, offsets, mask=columns < n, other=7, cache=".cg")
    block += buffer_load(x, offsets.to(ttgl.uint32))
    ttgl.static_assert(block.layout == layout)
    buffer_store(block, y, offsets, mask=rows < 20)
    buffer_store(True, flags, offsets, mask=buffer_load(flags, offsets) == (columns > 3))


def test_accesses_by_offsets(amd_device):
    x = np.random.default_rng(0).integers(0, 99, (32, 64)).astype(np.float16)
    y, flags = np.zeros((32, 64), np.float16), np.zeros((32, 64), bool)
    layout = ttgl.BlockedLayout([1, 4], [amd_device.lanes // 16, 16], [4, 1], [1, 0])
    buffered[(1,)](amd_device.put(x), amd_device.put(y), amd_device.put(flags), 40, layout)
    expected = np.where(np.arange(64) < 40, x, 7) + x
    np.testing.assert_array_equal(amd_device.get(y), np.where(np.arange(32)[:, None] < 20, expected, 0))
    np.testing.assert_array_equal(amd_device.get(flags), np.broadcast_to(np.arange(64) <= 3, (32, 64)))


@gluon.jit
def counted(x, counts, old, layout: ttgl.constexpr):
    i = ttgl.arange(0, 256, layout=layout)
    value = ttgl.load(x + i)
    before = cdna3.buffer_atomic_add(counts, value, 1, mask=i < 200, sem="relaxed")
    ttgl.store(old + i, before, mask=i < 200)
    cdna3.buffer_atomic_max(counts + 8, 0 * i, value)
    cdna3.buffer_atomic_min(counts + 9, 0 * i, value)
    cdna3.buffer_atomic_or(counts + 10, 0 * i, 1 << value, scope="cta")
    cdna3.buffer_atomic_and(counts + 11, 0 * i, value | 8)
    cdna3.buffer_atomic_xor(counts + 12, 0 * i, value)
    cdna3.buffer_atomic_xchg(counts + 13, 0 * i, 77)


def test_atomic_operations_by_offsets(amd_device):
    x = np.random.default_rng(1).integers(1, 8, 256).astype(np.int32)
    counts, old = np.array([0] * 8 + [0, 99, 0, -1, 0, 0], np.int32), np.zeros(256, np.int32)
    layout = ttgl.BlockedLayout([1], [amd_device.lanes], [4], [0])
    counted[(1,)](*(amd_device.put(array) for array in (x, counts, old)), layout)
    found = amd_device.get(counts)
    np.testing.assert_array_equal(found[:8], np.bincount(x[:200], minlength=8))
    combined = [x.max(), x.min(), np.bitwise_or.reduce(1 << x), np.bitwise_and.reduce(x | 8), np.bitwise_xor.reduce(x)]
    np.testing.assert_array_equal(found[8:], [*combined, 77])
    for value in range(1, 8):
        np.testing.assert_array_equal(np.sort(amd_device.get(old)[:200][x[:200] == value]), np.arange(found[value]))


@gluon.jit
def small_product(a, b, c, layout: ttgl.constexpr, acc_layout: ttgl.constexpr, width: ttgl.constexpr):
    i = ttgl.arange(0, 64, layout=ttgl.SliceLayout(1, layout))[:, None]
    j = ttgl.arange(0, 64, layout=ttgl.SliceLayout(0, layout))[None, :]
    left = ttgl.convert_layout(ttgl.load(a + i * 64 + j), ttgl.DotOperandLayout(0, acc_layout, width))
    right = ttgl.convert_layout(ttgl.load(b + i * 64 + j), ttgl.DotOperandLayout(1, acc_layout, width))
    acc = ttgl.full([64, 64], 1.0, ttgl.float32, acc_layout)
    ttgl.static_assert(acc.layout == acc_layout)
    if acc_layout.version == 1:
        acc = rdna3.wmma(left, right, acc)
    elif acc_layout.version == 2:
        acc = rdna4.wmma(left, right, acc)
    else:
        acc = gfx1250.wmma(left, right, acc)
    ttgl.store(c + i * 64 + j, ttgl.convert_layout(acc, layout))


WMMA = {
    "gfx1100": (AMDWMMALayout(1, True, [[0, 1], [1, 0]]), 16),
    "gfx1201": (AMDWMMALayout(2, True, [[0, 1], [1, 0]], []), 8),
    "gfx1250": (AMDWMMALayout(3, True, [[0, 1], [1, 0]], [], [16, 16, 32]), 8),
}


@pytest.mark.parametrize("arch", WMMA)
def test_products_of_rdna(arch):
    layout = ttgl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    types = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "layout": "constexpr", "acc_layout": "constexpr"}
    constants = {"layout": layout, "acc_layout": WMMA[arch][0], "width": WMMA[arch][1]}
    source = gluon.GluonASTSource(small_product, {**types, "width": "constexpr"}, constants)
    kernel = triton.compile(source, target=GPUTarget("hip", arch, 32), options={"num_warps": 4})
    assert "v_wmma_f32_16x16x" in kernel.asm["amdgcn"] and len(kernel.asm["hsaco"]) > 0


@pytest.mark.parametrize("arch, made_for", [("gfx1201", "gfx1100"), ("gfx1100", "gfx1201")])
def test_products_of_another_generation_are_refused(arch, made_for):
    layout = ttgl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    types = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "layout": "constexpr", "acc_layout": "constexpr"}
    constants = {"layout": layout, "acc_layout": WMMA[made_for][0], "width": WMMA[made_for][1]}
    source = gluon.GluonASTSource(small_product, {**types, "width": "constexpr"}, constants)
    with pytest.raises(triton.CompilationError, match=rf"wmma` needs an AMD GPU of .*, but the target is .*{arch}"):
        triton.compile(source, target=GPUTarget("hip", arch, 32), options={"num_warps": 4})


def test_products_of_rdna_are_right(device):
    found = [name for name in WMMA if name in device.name]
    if not found:
        pytest.skip("other matrix units")
    generator = np.random.default_rng(2)
    a, b = (generator.integers(-4, 5, (64, 64)).astype(np.float16) for _ in range(2))
    c = np.zeros((64, 64), np.float32)
    layout = ttgl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    small_product[(1,)](*(device.put(array) for array in (a, b, c)), layout, *WMMA[found[0]])
    np.testing.assert_array_equal(device.get(c), a.astype(np.float32) @ b.astype(np.float32) + 1)


@pytest.mark.parametrize(
    "make, expected",
    [
        (lambda: AMDWMMALayout(4, True, [[0, 1]]), "must be 1, 2 or 3, not 4"),
        (lambda: AMDWMMALayout(1, True, [[1]]), "must have 2 numbers"),
        (lambda: AMDWMMALayout(3, True, [[0, 1]]), "with more in 3"),
    ],
)
def test_wrong_layouts_of_rdna(make, expected):
    with pytest.raises(ValueError, match=expected):
        make()


@gluon.jit
def ring_of_copies(x, y, n, layout: ttgl.constexpr, shared: ttgl.constexpr, N: ttgl.constexpr):
    rows = ttgl.arange(0, 32, layout=ttgl.SliceLayout(1, layout))[:, None]
    columns = ttgl.arange(0, 64, layout=ttgl.SliceLayout(0, layout))[None, :]
    offsets = rows * 64 + columns
    ring = ttgl.allocate_shared_memory(ttgl.float32, [3, 32, 64], shared)
    async_copy.buffer_load_to_shared(ring.index(0), x, offsets)
    async_copy.commit_group()
    async_copy.global_load_to_shared(ring.index(1), x + 2048 + offsets, mask=rows < n)
    async_copy.commit_group()
    total = ttgl.zeros([32, 64], ttgl.float32, layout)
    for step in ttgl.static_range(N):
        async_copy.wait_group(1)
        total += async_copy.load_shared_relaxed(ring.index(step % 3), layout)
        if step + 2 < N:
            async_copy.buffer_load_to_shared(ring.index((step + 2) % 3), x + (step + 2) * 2048, offsets)
        async_copy.commit_group()
    async_copy.wait_group(0)
    spare = ring.index(0)
    async_copy.global_load_to_shared(spare, x + offsets, mask=columns < n, other=5)
    async_copy.commit_group()
    async_copy.wait_group(0)
    ttgl.store(y + offsets, total + spare.load(layout))


@pytest.mark.parametrize("interval", [None, 256, 64])
def test_copies_beside_the_program(amd_device, interval):
    x = np.random.default_rng(0).integers(0, 99, (5, 32, 64)).astype(np.float32)
    y = np.zeros((32, 64), np.float32)
    layout = ttgl.BlockedLayout([1, 4], [amd_device.lanes // 16, 16], [4, 1], [1, 0])
    shared = ttgl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    if interval:  # A warp copies 256 elements at once, with no padding between them.
        shared = ttgl.PaddedSharedLayout.with_identity_for([[interval, 4]], [32, 64], [1, 0])
    kernel = ring_of_copies[(1,)](amd_device.put(x), amd_device.put(y), 20, layout, shared, 5)
    masked = x.copy()
    masked[1, 20:] = 0
    np.testing.assert_array_equal(amd_device.get(y), masked.sum(0) + np.where(np.arange(64) < 20, x[0], 5))
    if "gfx950" in amd_device.name:
        text = str(kernel.asm["llir"])
        assert ("load.lds" in text or "async.lds" in text) == (interval != 64)


@gluon.jit
def refused_access(x, layout: ttgl.constexpr, which: ttgl.constexpr):
    i = ttgl.arange(0, 256, layout=layout)
    if which == 0:
        buffer_load(x + i, i)
    elif which == 1:
        buffer_load(x, i.to(ttgl.int64))
    elif which == 2:
        buffer_store(i, x, ttgl.full([1], 0, ttgl.int32, layout))
    elif which == 3:
        buffer_load(x, i, other=0)
    elif which == 4:
        cdna3.buffer_atomic_and(x.to(ttgl.pointer_type(ttgl.float32)), i, 1)
    elif which == 5:
        async_copy.buffer_load_to_shared(i, x, i)
    elif which == 6:
        buffer = ttgl.allocate_shared_memory(ttgl.int32, [256], ttgl.SwizzledSharedLayout(1, 1, 1, [0]))
        async_copy.buffer_load_to_shared(buffer, x, i, other=1)
    elif which == 7:
        async_copy.wait_group(-1)


@pytest.mark.parametrize(
    "which, expected",
    [
        (0, "a pointer to one element"),
        (1, "must be a block of int32 or uint32"),
        (2, "with the shape of the access"),
        (3, "mask"),
        (4, "buffer_atomic_and"),
        (5, "a buffer in shared memory is needed here, not"),
        (6, "mask"),
        (7, "cannot leave -1 groups of copies in flight"),
    ],
)
def test_wrong_accesses_are_refused(device, which, expected):
    if device.name not in ("sim:hip:gfx942", "sim:cuda:90"):
        pytest.skip("one GPU of each kind")
    layout = ttgl.BlockedLayout([1], [device.lanes], [4], [0])
    with pytest.raises(triton.CompilationError) as caught:
        refused_access.warmup(np.zeros(256, np.int32), layout, which, grid=(1,))
    assert (expected if "hip" in device.name else "needs an AMD GPU") in str(caught.value)


@gluon.jit
def parts(x, y, layout: ttgl.constexpr, ROW: ttgl.constexpr, COLUMN: ttgl.constexpr, ROWS: ttgl.constexpr):
    i = ttgl.arange(0, 64, layout=ttgl.SliceLayout(1, layout))[:, None]
    block = ttgl.load(x + i * 128 + ttgl.arange(0, 128, layout=ttgl.SliceLayout(0, layout))[None, :])
    part = ttgl.amd.slice(block, [ROWS, 32], [ROW, COLUMN])
    ttgl.static_assert(part.type.layout == layout)
    i = ttgl.arange(0, ROWS, layout=ttgl.SliceLayout(1, layout))[:, None]
    ttgl.store(y + i * 32 + ttgl.arange(0, 32, layout=ttgl.SliceLayout(0, layout))[None, :], part)


@pytest.mark.parametrize("row, column", [(0, 96), (32, 32), (32, 0)])
def test_parts_of_blocks(amd_device, row, column):
    x, y = np.arange(64 * 128, dtype=np.int32).reshape(64, 128), np.zeros((32, 32), np.int32)
    layout = ttgl.BlockedLayout([1, 4], [amd_device.lanes // 8, 8], [4, 1], [1, 0])
    parts[(1,)](amd_device.put(x), amd_device.put(y), layout, row, column, 32)
    np.testing.assert_array_equal(amd_device.get(y), x[row : row + 32, column : column + 32])


@pytest.mark.parametrize(
    "row, rows, expected",
    [
        (16, 32, "dimension 0, a part must be one of equal parts of .*, not 32 from 16 on"),
        (0, 16, "without moving elements between threads"),
        (64, 32, "from 64 on"),
    ],
)
def test_wrong_parts_of_blocks(row, rows, expected):
    constants = {"layout": ttgl.BlockedLayout([1, 4], [8, 8], [4, 1], [1, 0]), "ROW": row, "COLUMN": 0, "ROWS": rows}
    types = {"x": "*i32", "y": "*i32", **dict.fromkeys(constants, "constexpr")}
    with pytest.raises(triton.CompilationError, match=expected):
        triton.compile(gluon.GluonASTSource(parts, types, constants), target=GPUTarget("hip", "gfx942", 64))


@gluon.jit
def staged(x, y, n, priority: ttgl.constexpr, layout: ttgl.constexpr):
    i = ttgl.arange(0, 256, layout=layout)
    sums = ttgl.zeros([256], ttgl.int32, layout)
    buffer = ttgl.allocate_shared_memory(ttgl.int32, [256], ttgl.SwizzledSharedLayout(1, 1, 1, [0]))
    for step in range(n):
        with ttgl.amd.warp_pipeline_stage("load", priority=priority):
            buffer.store(ttgl.load(x + step * 256 + i))
        with ttgl.amd.warp_pipeline_stage():
            sums += buffer.load(layout)
    ttgl.store(y + i, sums)


def test_stages_of_loops(amd_device):
    x, y = np.arange(1024, dtype=np.int32), np.zeros(256, np.int32)
    staged[(1,)](amd_device.put(x), amd_device.put(y), 4, 1, ttgl.BlockedLayout([1], [amd_device.lanes], [4], [0]))
    np.testing.assert_array_equal(y, x.reshape(4, 256).sum(0))


@pytest.mark.parametrize(
    "target, priority, reason",
    [
        (GPUTarget("hip", "gfx942", 64), 4, "cannot give its warps the priority 4; `priority` must be 0 to 3"),
        (GPUTarget("cuda", 90, 32), 1, "needs an AMD GPU, but the target is cuda:90"),
    ],
)
def test_wrong_stages(target, priority, reason):
    constants = {"priority": priority, "layout": ttgl.BlockedLayout([1], [target.warp_size], [4], [0])}
    types = {"x": "*i32", "y": "*i32", "n": "i32"} | dict.fromkeys(constants, "constexpr")
    with pytest.raises(triton.CompilationError, match=reason):
        triton.compile(gluon.GluonASTSource(staged, types, constants), target=target)
