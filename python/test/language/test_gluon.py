# ruff: noqa: F811
"""Kernels in Gluon, on simulated GPUs: all layouts are chosen here."""

import numpy as np
import pytest
import triton
import triton.language as tl
from gluon_devices import gpu  # noqa: F401
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language import BlockedLayout, SliceLayout
from triton.experimental.gluon.language.nvidia.ampere import mma_v2


@pytest.fixture
def gpu32(gpu):
    if gpu.lanes != 32:
        pytest.skip("the layouts are for warps of 32")
    return gpu


def row_layout(device, warps=4):
    """Lanes along rows of a matrix, whatever a warp's size is."""
    lanes = device.lanes
    return BlockedLayout([1, 2], [lanes // 8, 8], [warps, 1], [1, 0])


@gluon.jit
def scaled(x, factor):
    return x * factor


@triton.jit
def rounded_up(x, BLOCK: ttgl.constexpr):
    return (x + BLOCK - 1) // BLOCK


@gluon.jit
def copy_kernel(x, y, n, layout: ttgl.constexpr, BLOCK: ttgl.constexpr):
    index = ttgl.program_id(0) * BLOCK + ttgl.arange(0, BLOCK, layout=layout)
    mask = index < n
    ttgl.store(y + index, scaled(ttgl.load(x + index, mask=mask, other=0), 2) + rounded_up(n, BLOCK), mask=mask)


def test_a_copy_has_the_layout_that_the_user_chose(gpu):
    x = np.arange(1000, dtype=np.float32)
    y = np.zeros_like(x)
    layout = BlockedLayout([2], [gpu.lanes], [4], [0])
    kernel = copy_kernel[(4,)](gpu.put(x), gpu.put(y), 1000, layout, 256)
    np.testing.assert_array_equal(gpu.get(y), 2 * x + 4)
    if kernel is None:  # interpreted
        return
    assert f"sizePerThread = [2], threadsPerWarp = [{gpu.lanes}], warpsPerCTA = [4]" in kernel.asm["ttgir"]
    assert "ttg.convert_layout" not in kernel.asm["ttgir"] and "ttir" not in kernel.asm


def test_an_invariant_kernel_has_one_variant(gpu):
    layout = BlockedLayout([2], [gpu.lanes], [4], [0])
    for kernel, number in ((gluon.jit(copy_kernel.fn, invariant=True), 1), (copy_kernel, 3)):
        hashes = set()
        for n in (1, 48, 50):
            x, y = np.arange(256, dtype=np.float32), np.zeros(256, np.float32)
            hashes.add(kernel[(1,)](gpu.put(x), (out := gpu.put(y)), n, layout, 256).hash)
            np.testing.assert_array_equal(gpu.get(out), np.where(np.arange(256) < n, 2 * x + 1, 0))
        assert len(hashes) == number


@gluon.jit
def matrix_kernel(x, rows, columns, M: ttgl.constexpr, N: ttgl.constexpr, layout: ttgl.constexpr):
    i = ttgl.arange(0, M, layout=ttgl.SliceLayout(1, layout))
    j = ttgl.arange(0, N, layout=SliceLayout(0, layout))
    block = ttgl.load(x + i[:, None] * N + ttgl.expand_dims(j, 0))
    ttgl.store(rows + i, ttgl.sum(block, 1))
    centred = ttgl.where(block > 8, block - ttgl.max(block, axis=0)[None, :], ttgl.full_like(block, 0))
    ttgl.store(columns + j, ttgl.sum(centred.to(ttgl.float64), axis=0).to(ttgl.float32))


def test_slices_reductions_and_broadcasts(gpu):
    x = np.random.default_rng(0).integers(0, 16, (32, 64)).astype(np.float32)
    rows, columns = np.zeros(32, np.float32), np.zeros(64, np.float32)
    matrix_kernel[(1,)](gpu.put(x), gpu.put(rows), gpu.put(columns), 32, 64, row_layout(gpu))
    np.testing.assert_array_equal(rows, x.sum(1))
    np.testing.assert_array_equal(columns, np.where(x > 8, x - x.max(0), 0).sum(0))


@gluon.jit
def shape_kernel(x, y, z, layout: ttgl.constexpr, other: ttgl.constexpr):
    i = ttgl.arange(0, 32, layout=ttgl.SliceLayout(1, layout))[:, None]
    j = ttgl.arange(0, 64, layout=ttgl.SliceLayout(0, layout))[None, :]
    block = ttgl.load(x + i * 64 + j)
    a, b = ttgl.split(ttgl.reshape(ttgl.join(block, -block).permute(1, 0, 2), 64, 32, 2))
    both = ttgl.convert_layout(a - b, other)
    k = ttgl.arange(0, 64, layout=ttgl.SliceLayout(1, other))[:, None]
    l = ttgl.arange(0, 32, layout=ttgl.SliceLayout(0, other))[None, :]
    total = ttgl.zeros([64, 32], ttgl.float32, other)
    for step in range(3):
        total += both * step
    ttgl.store(y + k * 32 + l, total)
    ttgl.static_assert(a.type.layout != other and both.layout == other)
    ttgl.static_assert(ttgl.sum(block, 1).layout == ttgl.SliceLayout(1, block.layout))
    ttgl.store(z + k * 32 + l, ttgl.load(x + l * 64 + k) + ttgl.sum(ttgl.ravel(block)))


def test_shapes_conversions_and_loops(gpu):
    x = np.arange(32 * 64, dtype=np.float32).reshape(32, 64) % 37
    y, z = np.zeros((64, 32), np.float32), np.zeros((64, 32), np.float32)
    other = BlockedLayout([2, 1], [2, gpu.lanes // 2], [1, 4], [0, 1])
    kernel = shape_kernel[(1,)](gpu.put(x), gpu.put(y), gpu.put(z), row_layout(gpu), other)
    np.testing.assert_array_equal(y, 6 * x.T)
    np.testing.assert_array_equal(z, x.T + x.sum())
    assert kernel is None or kernel.asm["ttgir"].count("ttg.convert_layout") == 1


@gluon.jit
def returning_kernel(x, layout: ttgl.constexpr):
    i = ttgl.arange(0, 32, layout=ttgl.SliceLayout(1, layout))[:, None]
    j = ttgl.arange(0, 32, layout=ttgl.SliceLayout(0, layout))[None, :]
    block = i * 32 + j
    first, second = ttgl.split(ttgl.join(block, block))
    ttgl.store(x + block, ttgl.convert_layout(block.T.T + 1, layout) + ttgl.convert_layout(first + second, layout))


def test_blocks_that_come_back_in_another_spelling_of_their_layout(gpu):
    for layout in (
        row_layout(gpu),
        [layout for name, layout in UNITS.values() if (name == "cuda") == (gpu.lanes == 32)][0],
    ):
        x = np.zeros((32, 32), np.int32)
        returning_kernel[(1,)](gpu.put(x), layout)
        np.testing.assert_array_equal(gpu.get(x), 3 * np.arange(1024).reshape(32, 32) + 1)


BLOCKED = BlockedLayout([1], [32], [4], [0])
SWIZZLED = ttgl.SwizzledSharedLayout(1, 1, 8, [1, 0])
OTHER = ttgl.constexpr(BlockedLayout([2], [32], [4], [0]))


@gluon.jit
def mismatch_kernel(x):
    a = ttgl.arange(0, 256, layout=BLOCKED)
    b = ttgl.arange(0, 256, layout=OTHER)
    ttgl.store(x + a, a + b)


@gluon.jit
def wrong_kernel(x, layout: ttgl.constexpr, which: ttgl.constexpr):
    if which == 0:
        a = ttgl.arange(0, 256)
        ttgl.device_print("a", a)
    elif which == 1:
        a = ttgl.arange(0, 256, layout=layout)
    elif which == 2:
        a = ttgl.arange(0, 256, layout=layout)[:, None]
    elif which == 3:
        a = ttgl.full([16, 16], 0, ttgl.int32, layout)
    elif which == 4:
        a = ttgl.convert_layout(ttgl.arange(0, 256, layout=layout), BLOCKED, assert_trivial=True)
    elif which == 6:
        ttgl.split(ttgl.full([64, 2], 0, ttgl.int32, layout))
    elif which == 7:
        ttgl.set_auto_layout(ttgl.arange(0, 256, layout=layout), layout)
    elif which == 8:
        a = ttgl.arange(0, 256)
        ttgl.store(x + ttgl.arange(0, 256, layout=layout), a)
        ttgl.store(x + ttgl.arange(0, 256, layout=BLOCKED), a)
    elif which == 9:
        ttgl.allocate_shared_memory(ttgl.int32, [256], ttgl.SwizzledSharedLayout(1, 1, 1, [0])).load(layout)
    elif which == 10:
        tl.dot(ttgl.zeros([16, 16], ttgl.float16), ttgl.zeros([16, 16], ttgl.float16))
    else:
        a = ttgl.arange(0, 256, layout=layout)
        for _ in range(4):
            a = ttgl.convert_layout(a, BLOCKED)


def refused(kernel, *arguments, **options):
    with pytest.raises(triton.CompilationError) as caught:
        kernel.warmup(*arguments, grid=(1,), **options)
    return str(caught.value)


def test_different_layouts_are_an_error_that_shows_both(gpu32):
    message = refused(mismatch_kernel, np.zeros(256, np.int32))
    assert "test_gluon.py:" in message and "a + b" in message
    assert "sizePerThread = [1]" in message and "sizePerThread = [2]" in message
    assert "ttgl.convert_layout(x, layout)" in message


@pytest.mark.parametrize(
    "which, layout, expected",
    [
        (0, BLOCKED, "no layout follows for this block"),
        (1, BlockedLayout([1], [32], [8], [0]), "is over 8 warps of 32 threads, but the program has 4 of 32"),
        (1, ttgl.SwizzledSharedLayout(1, 1, 1, [0]), "a layout over threads is needed here"),
        (1, 3, "a layout is needed here, not the constant 3"),
        (1, BlockedLayout([3], [32], [4], [0]), "cannot exist"),
        (2, BLOCKED, "a dimension 1 of size 1 cannot be inserted"),
        (3, BLOCKED, "is for 1 dimensions, but the block has 2"),
        (4, OTHER.value, "threads or registers exchange elements"),
        (5, OTHER.value, "sizePerThread = [1]"),
        (6, BlockedLayout([1, 1], [16, 2], [4, 1], [1, 0]), "without moving elements between threads"),
        (7, BLOCKED, "has a layout already, and only one that is to be inferred can be set"),
        (8, OTHER.value, "this block, which names no layout, would need two of them"),
        (9, ttgl.AutoLayout(), "a layout over threads is needed here"),
        (10, BLOCKED, "leaves the choice of a unit to the compiler"),
    ],
)
def test_wrong_layouts_are_refused(gpu32, which, layout, expected):
    assert expected in refused(wrong_kernel, np.zeros(256, np.int32), layout, which)


@triton.jit
def masked_columns(x, n, N: tl.constexpr):
    """A helper of another language, whose blocks name no layout."""
    columns = tl.arange(0, N)
    return tl.where(columns[None, :] < n, x, tl.zeros([1, N], tl.float32))


@gluon.jit
def auto_kernel(x, y, counts, n, N: ttgl.constexpr, layout: ttgl.constexpr):
    rows = ttgl.arange(0, N)
    columns = ttgl.arange(0, N)
    block = ttgl.load(x + ttgl.set_auto_layout(rows[:, None] * N + columns[None, :], layout))
    total = ttgl.zeros([N, N], ttgl.float32)
    for _ in range(2):
        total += ttgl.full([N, N], 1.0, ttgl.float32)
    total = masked_columns(ttgl.set_auto_layout(total, layout) + block, n, N)
    places = ttgl.arange(0, N * N, layout=ttgl.CoalescedLayout()).reshape(N * N)
    flat = ttgl.convert_layout(total.reshape(N * N), ttgl.CoalescedLayout())
    ttgl.store(y + places, flat + ttgl.zeros([N * N], ttgl.float32))
    bins = ttgl.histogram(ttgl.convert_layout(places, ttgl.SliceLayout(0, layout)), 8)
    ttgl.store(counts + ttgl.arange(0, 8, layout=ttgl.CoalescedLayout()), bins)
    ttgl.static_assert(rows.layout == ttgl.AutoLayout() and places.layout == ttgl.CoalescedLayout())


def test_layouts_are_inferred(gpu):
    x = np.random.default_rng(3).standard_normal((32, 32)).astype(np.float32)
    y, counts = np.zeros_like(x), np.zeros(8, np.int32)
    layout = row_layout(gpu)
    kernel = auto_kernel[(1,)](gpu.put(x), gpu.put(y), gpu.put(counts), 20, 32, layout)
    np.testing.assert_array_equal(gpu.get(y), np.where(np.arange(32) < 20, x + 2, 0))
    np.testing.assert_array_equal(gpu.get(counts), np.ones(8))
    text = "sizePerThread = [4]" if kernel is None else kernel.asm["ttgir"]
    assert "#ttg.auto" not in text and "#ttg.coalesced" not in text and "sizePerThread = [4]" in text


def test_the_default_of_shared_layouts():
    default = ttgl.NVMMASharedLayout.get_default_for
    assert default([64, 64], ttgl.float16) == ttgl.NVMMASharedLayout(128, 16)
    assert default([64, 16], ttgl.float32) == ttgl.NVMMASharedLayout(64, 32)
    assert default([4, 64], ttgl.float16).swizzle_byte_width == 0
    assert default([16, 128], ttgl.float16, transposed=True) == ttgl.NVMMASharedLayout(32, 16, transposed=True)


@gluon.jit
def missing_kernel(x, which: ttgl.constexpr):
    if which == 0:
        ttgl.nvidia.rubin.add4(x)
    elif which == 1:
        ttgl.nvidia.hopper.tma.async_copy_shared_to_global(x)
    else:
        ttgl.nvidia.hopper.tma.tensor_descriptor_im2col(x)


@pytest.mark.parametrize(
    "which, expected",
    [
        (0, "`ttgl.nvidia.rubin.add4` is not implemented yet; it is for NVIDIA's GPUs of compute capability 10.7"),
        (1, "`ttgl.nvidia.hopper.tma.async_copy_shared_to_global` does not exist any more; its name is `ttgl.nvidia."),
        (2, "`ttgl.nvidia.hopper.tma.tensor_descriptor_im2col` is not implemented yet; it is for NVIDIA's GPUs from "),
    ],
)
def test_what_is_missing_is_an_error_at_its_line(gpu32, which, expected):
    message = refused(missing_kernel, np.zeros(8, np.int32), which)
    assert expected in message and "test_gluon.py:" in message
    assert which == 1 or ("docs/gluon.md" in message and "and the target is cuda:" in message)


def test_layouts_are_values():
    parent = BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
    assert parent == BlockedLayout((1, 4), (8, 4), (4, 1), (1, 0)) and hash(parent) == hash(
        BlockedLayout(*[(1, 4), (8, 4), (4, 1), (1, 0)])
    )
    assert SliceLayout(1, parent) != SliceLayout(0, parent) and SliceLayout(1, parent).rank == 1
    assert ttgl.DotOperandLayout(0, parent, 0).ir_text.startswith("#ttg.dot_op<{opIdx = 0, parent = #ttg.blocked<")
    products = ttgl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8])
    linear = ttgl.DistributedLinearLayout([[0, 1]], [[0, 2], [1, 0]], [[2, 0]], [], [4, 4])
    for layout in (
        SliceLayout(0, parent),
        ttgl.DotOperandLayout(1, products, 2),
        UNITS[4][1],
        linear,
        ttgl.SwizzledSharedLayout(8, 1, 8, [1, 0]),
        ttgl.NVMMASharedLayout(128, 16),
    ):
        assert (
            type(layout).from_ir_text(layout.ir_text) == layout
            and eval(repr(layout), vars(ttgl) | vars(ttgl.amd)) == layout
        )
    with pytest.raises(ValueError, match="must have one number for each dimension"):
        BlockedLayout([1], [32, 1], [4], [0])


def test_layouts_are_over_the_blocks_of_the_program(gpu32):
    if gpu32.name != "sim:cuda:90":
        pytest.skip("has no clusters of blocks at all")
    message = refused(wrong_kernel, np.zeros(256, np.int32), BLOCKED, 1, num_ctas=2)
    assert "is over 1 blocks of a cluster, and the program has 2" in message


def test_other_targets_say_which_have_gluon():
    message = refused(copy_kernel, np.zeros(8, np.float32), np.zeros(8, np.float32), 8, BLOCKED, 128)
    assert "kernels in Gluon run on GPUs" in message and "the target is cpu" in message


@gluon.jit
def shared_kernel(x, y, layout: ttgl.constexpr, shared: ttgl.constexpr):
    i = ttgl.arange(0, 32, layout=ttgl.SliceLayout(1, layout))[:, None]
    j = ttgl.arange(0, 32, layout=ttgl.SliceLayout(0, layout))[None, :]
    buffers = ttgl.allocate_shared_memory(ttgl.float32, [3, 32, 32], shared)
    ttgl.static_assert(buffers.shape[0] == 3 and buffers.layout == shared and buffers.dtype == ttgl.float32)
    total = ttgl.zeros([32, 32], ttgl.float32, layout)
    for step in range(4):
        buffer = buffers.index(step % 3)
        buffer.store(ttgl.load(x + step * 1024 + i * 32 + j))
        total += buffer.permute((1, 0)).load(layout)
    filled = ttgl.allocate_shared_memory(ttgl.float32, (32, 32), shared, total)
    ttgl.barrier()
    ttgl.store(y + i * 32 + j, filled.load(layout))
    buffers._keep_alive()


@pytest.mark.parametrize(
    "shared", [ttgl.SwizzledSharedLayout(1, 1, 1, [1, 0]), ttgl.SwizzledSharedLayout(4, 1, 8, [1, 0])]
)
def test_buffers_in_shared_memory(gpu, shared):
    x = np.random.default_rng(1).standard_normal((4, 32, 32)).astype(np.float32)
    y = np.zeros((32, 32), np.float32)
    kernel = shared_kernel[(1,)](gpu.put(x), gpu.put(y), row_layout(gpu), shared)
    np.testing.assert_allclose(gpu.get(y), x.transpose(0, 2, 1).sum(0), rtol=1e-5)
    assert kernel is None or kernel.metadata.shared == 4 * 4096 and "ttg.memdesc_trans" in kernel.asm["ttgir"]


@gluon.jit
def views_kernel(x, y, z, layout: ttgl.constexpr, shared: ttgl.constexpr):
    i = ttgl.arange(0, 32, layout=ttgl.SliceLayout(1, layout))[:, None]
    j = ttgl.arange(0, 32, layout=ttgl.SliceLayout(0, layout))[None, :]
    buffer = ttgl.allocate_shared_memory(ttgl.float32, [32, 32], shared, ttgl.load(x + i * 32 + j))
    ttgl.static_assert(buffer.nbytes_per_cta == 4096)
    lower = buffer.slice(16, 16)
    quarter = lower.slice(16, 16, dim=1)
    half_i = ttgl.arange(0, 16, layout=ttgl.SliceLayout(1, layout))[:, None]
    half_j = ttgl.arange(0, 16, layout=ttgl.SliceLayout(0, layout))[None, :]
    ttgl.store(y + half_i * 16 + half_j, quarter.permute([1, 0]).load(layout))
    quarter.store(ttgl.full([16, 16], 7.0, ttgl.float32, layout))
    rows = (i + j) % 32
    gathered = buffer.gather(rows, 0)
    buffer.scatter(gathered, (31 - i) + 0 * j, 0)
    words = buffer.reinterpret(ttgl.int32, [16, 64])
    wide = ttgl.arange(0, 64, layout=ttgl.SliceLayout(0, layout))[None, :]
    ttgl.store(z + half_i * 64 + wide, words.load(layout))


@pytest.mark.parametrize(
    "shared", [ttgl.SwizzledSharedLayout(1, 1, 1, [1, 0]), ttgl.SwizzledSharedLayout(4, 1, 4, [1, 0])]
)
def test_views_of_buffers(gpu, shared):
    x = np.random.default_rng(4).standard_normal((32, 32)).astype(np.float32)
    y, z = np.zeros((16, 16), np.float32), np.zeros((16, 64), np.int32)
    plain = shared.max_phase == 1
    kernel = views_kernel[(1,)](gpu.put(x), gpu.put(y), gpu.put(z), row_layout(gpu), shared)
    np.testing.assert_array_equal(gpu.get(y), x[16:, 16:].T)
    changed = x.copy()
    changed[16:, 16:] = 7
    i, j = np.indices((32, 32))
    expected = changed[(i + j) % 32, j][::-1]
    if not plain:
        expected = np.stack([row.reshape(8, 4)[np.arange(8) ^ (r % 4)].ravel() for r, row in enumerate(expected)])
        wide = gpu.get(z).view(np.float32)
        wide = np.stack([row.reshape(16, 4)[np.arange(16) ^ (r % 4)].ravel() for r, row in enumerate(wide)])
        np.testing.assert_array_equal(wide.reshape(32, 32), expected)
    else:
        np.testing.assert_array_equal(gpu.get(z).view(np.float32).reshape(32, 32), expected)
    text = "ttg.memdesc_subslice, ttg.local_scatter" if kernel is None else kernel.asm["ttgir"]
    assert "ttg.memdesc_subslice" in text and "ttg.local_scatter" in text


@gluon.jit
def copies_kernel(x, y, n, layout: ttgl.constexpr, shared: ttgl.constexpr, N: ttgl.constexpr):
    copies: ttgl.constexpr = ttgl.nvidia.ampere.async_copy
    i = ttgl.arange(0, 32, layout=ttgl.SliceLayout(1, layout))[:, None]
    j = ttgl.arange(0, 32, layout=ttgl.SliceLayout(0, layout))[None, :]
    buffers = ttgl.allocate_shared_memory(ttgl.float32, [2, 32, 32], shared)
    total = ttgl.zeros([32, 32], ttgl.float32, layout)
    copies.async_load(buffers.index(0), x + i * 32 + j, mask=j < n)
    copies.commit_group()
    for step in range(N):
        if step + 1 < N:
            copies.async_load(buffers.index((step + 1) % 2), x + (step + 1) * 1024 + i * 32 + j, mask=j < n)
        copies.commit_group()
        copies.wait_group(1)
        total += buffers.index(step % 2).permute([1, 0]).load(layout)
        ttgl.barrier()
    ttgl.store(y + i * 32 + j, total)


def test_asynchronous_copies(gpu32):
    x = np.random.default_rng(5).standard_normal((5, 32, 32)).astype(np.float32)
    y = np.zeros((32, 32), np.float32)
    shared = ttgl.SwizzledSharedLayout(4, 1, 8, [1, 0])
    layout = BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    kernel = copies_kernel[(1,)](gpu32.put(x), gpu32.put(y), 20, layout, shared, 5)
    masked = np.where(np.arange(32) < 20, x, 0)
    np.testing.assert_allclose(gpu32.get(y), masked.sum(0).T, rtol=1e-5)
    if gpu32.is_simulated:
        assert "cp.async" in str(kernel.asm["llir"])


@gluon.jit
def product_kernel(
    a, b, c, layout: ttgl.constexpr, acc_layout: ttgl.constexpr, width: ttgl.constexpr, N: ttgl.constexpr
):
    i = ttgl.arange(0, N, layout=ttgl.SliceLayout(1, layout))[:, None]
    j = ttgl.arange(0, N, layout=ttgl.SliceLayout(0, layout))[None, :]
    shared: ttgl.constexpr = ttgl.SwizzledSharedLayout(8, 2, 4, [1, 0])
    left = ttgl.allocate_shared_memory(a.dtype.element_ty, [N, N], shared, ttgl.load(a + i * N + j))
    right = ttgl.convert_layout(ttgl.load(b + i * N + j), ttgl.DotOperandLayout(1, acc_layout, width))
    acc = ttgl.zeros([N, N], ttgl.float32, acc_layout)
    if width == 0:
        acc = ttgl.dot_fma(left.load(ttgl.DotOperandLayout(0, acc_layout, width)), right, acc)
    elif width == 2:
        acc = mma_v2(left.load(ttgl.DotOperandLayout(0, acc_layout, width)), right, acc)
    else:
        acc = ttgl.amd.cdna3.mfma(left.load(ttgl.DotOperandLayout(0, acc_layout, width)), right, acc)
    ttgl.store(c + i * N + j, ttgl.convert_layout(acc, layout))


#: Layouts of accumulators by the width of operands that the unit takes.
UNITS = {
    2: ("cuda", ttgl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])),
    4: ("gfx942", ttgl.amd.AMDMFMALayout(3, [16, 16, 16], True, [2, 2])),
}


@pytest.mark.parametrize("dtype, width", [(np.float16, 2), (np.float16, 4), (np.float32, 0), (np.float16, 0)])
def test_products(gpu, dtype, width):
    if width and UNITS[width][0] not in gpu.name and gpu.name != "interpret":
        pytest.skip("a unit of other GPUs")
    generator = np.random.default_rng(2)
    a, b = (generator.integers(-4, 5, (32, 32)).astype(dtype) for _ in range(2))
    c = np.zeros((32, 32), np.float32)
    layout = row_layout(gpu)
    acc_layout = UNITS[width][1] if width else layout
    kernel = product_kernel[(1,)](gpu.put(a), gpu.put(b), gpu.put(c), layout, acc_layout, width, 32)
    np.testing.assert_array_equal(gpu.get(c), a.astype(np.float32) @ b.astype(np.float32))
    if width and gpu.is_simulated:
        assert ("mma" if width == 2 else "mfma") in str(kernel.asm["llir"])


@gluon.jit
def typed_product_kernel(
    x, dtype: ttgl.constexpr, sums: ttgl.constexpr, layout: ttgl.constexpr, width: ttgl.constexpr, way: ttgl.constexpr
):
    a = ttgl.zeros([64, 64], ttgl.float32, ttgl.DotOperandLayout(0, layout, width)).to(dtype)
    b = ttgl.zeros([64, 64], ttgl.float32, ttgl.DotOperandLayout(1, layout, width)).to(dtype)
    acc = ttgl.full([64, 64], 3, sums, layout)
    if way == 0:
        acc = mma_v2(a, b, acc)
    else:
        acc = ttgl.amd.cdna3.mfma(a, b, acc)
    ttgl.store(x, ttgl.max(ttgl.max(acc.to(ttgl.float32), 1), 0))


@pytest.mark.parametrize(
    "dtype, sums, expected",
    [
        (ttgl.float16, ttgl.float16, {0: None, 1: "products of fp16 are not added to fp16"}),
        (ttgl.int8, ttgl.int32, {0: None, 1: "no matrix instruction multiplies"}),
        (
            ttgl.int8,
            ttgl.float32,
            {0: "products of i8 are not added to fp32", 1: "products of i8 are not added to"},
        ),
        (ttgl.float8e5, ttgl.float32, {0: None, 1: "no matrix instruction multiplies"}),
        (ttgl.bfloat16, ttgl.bfloat16, {0: "no matrix instruction multiplies", 1: "products of bf16 are not added to"}),
    ],
)
def test_types_of_products(gpu, dtype, sums, expected):
    way = 0 if "cuda" in gpu.name else 1
    layout = list(UNITS.values())[way][1]
    width = (32 if way == 0 else 64) // dtype.primitive_bitwidth
    x = np.zeros(1, np.float32)
    if expected[way] is None:
        typed_product_kernel[(1,)](gpu.put(x), dtype, sums, layout, width, way)
        np.testing.assert_array_equal(gpu.get(x), [3])
    else:
        assert expected[way] in refused(typed_product_kernel, x, dtype, sums, layout, width, way)


@gluon.jit
def wrong_shared_kernel(x, layout: ttgl.constexpr, shared: ttgl.constexpr, which: ttgl.constexpr):
    block = ttgl.arange(0, 256, layout=layout)
    if which == 0:
        ttgl.allocate_shared_memory(ttgl.int32, [256], layout)
    elif which == 1:
        ttgl.allocate_shared_memory(ttgl.int32, [48], shared)
    elif which == 2:
        ttgl.allocate_shared_memory(ttgl.int32, [128], shared, block)
    elif which == 3:
        ttgl.allocate_shared_memory(ttgl.int32, [256], shared).index(0)
    elif which == 4:
        ttgl.allocate_shared_memory(ttgl.int32, [256], shared).load(shared)
    elif which == 5:
        ttgl.dot_fma(block, block, block)
    elif which == 6:
        ttgl.amd.cdna3.mfma(block, block, block)
    elif which == 7:
        ttgl.allocate_shared_memory(ttgl.int1, [256], shared)
    elif which == 8:
        ttgl.allocate_shared_memory(ttgl.int32, [2, 256], shared).index(1.5)
    elif which == 9:
        mma_v2(block, block, block)
    elif which == 10:
        ttgl.allocate_shared_memory(ttgl.int32, [256], shared).slice(16, 64)
    elif which == 11:
        part = ttgl.allocate_shared_memory(ttgl.int32, [8, 8], SWIZZLED).slice(4, 4)
        part.store(ttgl.full([4, 8], 0, ttgl.int32, ttgl.BlockedLayout([1, 1], [4, 8], [4, 1], [1, 0])))
    elif which == 12:
        ttgl.allocate_shared_memory(ttgl.int32, [256], shared).reinterpret(ttgl.int64)
    elif which == 13:
        ttgl.allocate_shared_memory(ttgl.int32, [8, 8], SWIZZLED).gather(block, 0)
    elif which == 14:
        ttgl.allocate_shared_memory(ttgl.int32, [256], shared).scatter(block.to(ttgl.float32), block, 0)
    elif which == 15:
        ttgl.nvidia.ampere.async_copy.async_load(ttgl.allocate_shared_memory(ttgl.int32, [128], shared), x + block)
    elif which == 16:
        ttgl.nvidia.ampere.async_copy.async_load(block, x + block)
    elif which == 17:
        ttgl.nvidia.ampere.async_copy.wait_group(-1)
    elif which == 18:
        buffer = ttgl.allocate_shared_memory(ttgl.int32, [256], shared)
        ttgl.nvidia.ampere.async_copy.async_load(buffer, x + block, cache_policy="first")
    elif which == 19:
        ttgl.allocate_shared_memory(ttgl.int32, [256], shared).slice(0, 0)
    elif which == 20:
        ttgl.allocate_shared_memory(ttgl.int32, [256], shared).slice(0, -1)
    elif which == 21:
        ttgl.allocate_shared_memory(ttgl.int32, [256], shared).slice(0, 48)
    elif which == 22:
        ttgl.allocate_shared_memory(ttgl.int32, [256], shared).slice(2**32, 16)


@pytest.mark.parametrize(
    "which, expected",
    [
        (0, "a layout of shared memory is needed here"),
        (1, "must be powers of two, not 48"),
        (2, "shape and dtype must be equal"),
        (3, "only a dimension in front of those of the layout counts buffers"),
        (4, "a layout over threads is needed here"),
        (5, "`a` of `ttgl.dot_fma` must have the layout `DotOperandLayout(0, parent, ...)`"),
        (6, "`ttgl.mfma` needs an AMD GPU, but the target is cuda"),
        (7, "buffers in shared memory hold whole bytes, not"),
        (8, "the number of a buffer is an integer scalar, not"),
        (9, "the layout is of another unit"),
        (10, "takes 64 of 256 elements from 16 on, but a part must lie inside and start at a multiple of its extent"),
        (11, "cuts the pattern by which the elements"),
        (12, "`.reinterpret` gives the 1024 bytes of"),
        (13, "must be a block of integers with as many dimensions as the buffer"),
        (14, "shape and dtype must be equal"),
        (15, "cannot be copied to a buffer of"),
        (16, "a buffer in shared memory is needed here, not"),
        (17, "cannot leave -1 groups of copies in flight"),
        (18, "`cache_policy` of `ttgl.nvidia.ampere.async_copy.async_load` must be a `CachePolicy`, not"),
        (19, "its extents must be positive"),
        (20, "its extents must be positive"),
        (21, "the extents of a part must be powers of two, not 48"),
        (22, "but a part must lie inside"),
    ],
)
def test_wrong_buffers_and_products_are_refused(gpu32, which, expected):
    shared = ttgl.SwizzledSharedLayout(1, 1, 1, [0])
    assert expected in refused(wrong_shared_kernel, np.zeros(256, np.int32), BLOCKED, shared, which)
