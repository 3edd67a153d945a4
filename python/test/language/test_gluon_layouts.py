# ruff: noqa: F811
"""Layouts of Gluon that are inferred, where blocks meet, and buffers that copies fill."""

import os
import subprocess
import sys

import numpy as np
import pytest
import triton
from gluon_devices import gpu  # noqa: F401
from triton.backends.compiler import GPUTarget
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language._layouts import bases_per_dim, warps_per_cta
from triton.experimental.gluon.language.amd.gfx1250 import PartitionedSharedLayout
from triton.experimental.gluon.language.nvidia import blackwell, rubin
from triton.experimental.gluon.language.nvidia.blackwell._arrivals import _arriving_blocks

FLAT = ttgl.BlockedLayout([1], [32], [4], [0])
OTHER = ttgl.BlockedLayout([2], [32], [4], [0])
PAIRS = ttgl.BlockedLayout([1, 1], [16, 2], [4, 1], [1, 0])
SHARED = ttgl.SwizzledSharedLayout(1, 1, 1, [0])


def test_integers_of_numpy_are_constants():
    layout = ttgl.BlockedLayout([np.int64(1)], [np.int32(32)], [np.uint8(4)], [np.int64(0)])
    assert layout == FLAT and layout.ir_text == FLAT.ir_text and type(layout.order[0]) is int
    with pytest.raises(TypeError, match="must be known at compile time, not np.float64"):
        ttgl.BlockedLayout([np.float64(1)], [32], [4], [0])


@pytest.mark.parametrize(
    "layout, warps",
    [
        (PAIRS, [4, 1]),
        (ttgl.SliceLayout(1, PAIRS), [4, 1]),
        (ttgl.DotOperandLayout(0, ttgl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]), 2), [2, 2]),
        (ttgl.amd.AMDWMMALayout(1, True, [[0, 1], [1, 0]]), [2, 2]),
        (ttgl.DistributedLinearLayout([[0, 1]], [[1, 0]] * 5, [[8, 0], [0, 0]], [], [16, 2]), [2, 1]),
    ],
)
def test_warps_along_dimensions(layout, warps):
    """As Triton 3.9 counts them."""
    assert warps_per_cta(layout, [64, 64]) == warps
    bases = [[0, 1], [0, 2], [0, 0], [1, 0]]
    assert bases_per_dim(bases, 2) == [2, 4] and bases_per_dim(bases, 2, skip_broadcast=False) == [2, 8]


@gluon.jit
def conflicts(x, EXPECTED: ttgl.constexpr, BLOCKS: ttgl.constexpr, BUFFERS: ttgl.constexpr):
    for i in ttgl.static_range(len(BLOCKS)):
        block = ttgl.full([64, 32], 0, x.dtype.element_ty, BLOCKS[i])
        for j in ttgl.static_range(len(BUFFERS)):
            buffer = ttgl.allocate_shared_memory(block.dtype, [64, 32], BUFFERS[j], block)
            ttgl.static_assert(ttgl.bank_conflicts(block.type, buffer.type) == EXPECTED[i][j])


BLOCKS = (
    ttgl.BlockedLayout([2, 4], [8, 4], [4, 1], [1, 0]),
    ttgl.BlockedLayout([1, 1], [32, 1], [4, 1], [1, 0]),
    ttgl.BlockedLayout([1, 8], [8, 4], [4, 1], [1, 0]),
)
BUFFERS = tuple(
    ttgl.SwizzledSharedLayout(*numbers)
    for numbers in ((1, 1, 1, [1, 0]), (1, 1, 1, [0, 1]), (4, 1, 8, [1, 0]), (8, 2, 4, [1, 0]))
)


@pytest.mark.parametrize(
    "dtype, expected",
    [
        ("fp32", ((1, 3, 1, 1), (7, 0, 0, 1), (1, 3, 0, 1))),
        ("fp16", ((3, 3, 1, 1), (3, 0, 1, 0), (0, 3, 1, 0))),
        ("u8", ((3, 3, 1, 1), (1, 0, 3, 1), (0, 3, 1, 0))),
    ],
)
def test_conflicts_of_banks(dtype, expected):
    """As Triton 3.9 counts them."""
    constants = {"EXPECTED": expected, "BLOCKS": BLOCKS, "BUFFERS": BUFFERS}
    types = {"x": f"*{dtype}", **dict.fromkeys(constants, "constexpr")}
    triton.compile(gluon.GluonASTSource(conflicts, types, constants), target=GPUTarget("cuda", 90, 32))
    if dtype == "fp32":
        constants["EXPECTED"] = ((0,) * 4,) * 3
        with pytest.raises(triton.CompilationError, match="bank_conflicts"):
            triton.compile(gluon.GluonASTSource(conflicts, types, constants), target=GPUTarget("cuda", 90, 32))


def test_conflicts_of_banks_with_paddings():
    """Are not counted, which is said where the kernel asks for them."""
    padded = ttgl.PaddedSharedLayout.with_identity_for([[32, 8]], [64, 32], [1, 0])
    constants = {"EXPECTED": ((0,),), "BLOCKS": BLOCKS[:1], "BUFFERS": (padded,)}
    types = {"x": "*fp16", **dict.fromkeys(constants, "constexpr")}
    with pytest.raises(triton.CompilationError, match="with a PaddedSharedLayout; give it one of another") as error:
        triton.compile(gluon.GluonASTSource(conflicts, types, constants), target=GPUTarget("hip", "gfx1250", 32))
    assert f"{__file__}:" in str(error.value)


@pytest.fixture
def nvidia(gpu):
    if "cuda" not in gpu.name:
        pytest.skip("copies of this kind are NVIDIA's")
    return gpu


@gluon.jit
def widened(x, flags, y, z, N: ttgl.constexpr):
    i = ttgl.arange(0, N, layout=ttgl.CoalescedLayout())
    block = ttgl.load(x + i, mask=ttgl.load(flags + i) != 0, other=0)
    ttgl.store(y + i, block.to(ttgl.float32))
    ttgl.store(z + ttgl.arange(0, N, layout=ttgl.CoalescedLayout()), ttgl.load(z + i) + 1)


def test_accesses_of_one_block_agree(gpu):
    x, flags = np.arange(2048).astype(np.float16), np.arange(2048).astype(np.int8) % 3
    y, z = np.zeros(2048, np.float32), np.arange(2048).astype(np.int32)
    kernel = widened[(1,)](*(gpu.put(array) for array in (x, flags, y, z)), 2048)
    np.testing.assert_array_equal(gpu.get(y), np.where(flags != 0, x, 0))
    np.testing.assert_array_equal(gpu.get(z), np.arange(2048) + 1)
    assert "sizePerThread = [4]" in kernel.asm["ttgir"] and "convert_layout" not in kernel.asm["ttgir"]


@gluon.jit
def copied(x, y, n, N: ttgl.constexpr, M: ttgl.constexpr):
    copies: ttgl.constexpr = ttgl.nvidia.ampere.async_copy
    buffer = ttgl.allocate_shared_memory(ttgl.float32, [N], SHARED)
    copies.async_load(buffer, x + ttgl.arange(0, N, layout=ttgl.CoalescedLayout()))
    layout: ttgl.constexpr = ttgl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    block = ttgl.allocate_shared_memory(ttgl.float32, [M, M], ttgl.SwizzledSharedLayout(4, 1, 1, [1, 0]))
    rows = ttgl.arange(0, M, layout=ttgl.SliceLayout(1, layout))[:, None]
    columns = ttgl.arange(0, M, layout=ttgl.SliceLayout(0, layout))[None, :]
    copies.async_load(block, x + columns, mask=rows < n)
    copies.commit_group()
    copies.wait_group(0)
    i = ttgl.arange(0, N, layout=FLAT)
    ttgl.store(y + i, buffer.load(FLAT))
    ttgl.store(y + N + rows * M + columns, block.load(layout))


def test_pointers_of_copies(nvidia):
    x = np.arange(1024).astype(np.float32)
    y = np.zeros(2048, np.float32)
    copied[(1,)](nvidia.put(x), nvidia.put(y), 20, 1024, 32)
    expected = np.where(np.arange(32)[:, None] < 20, x[:32], 0)
    np.testing.assert_array_equal(nvidia.get(y), np.concatenate([x, expected.ravel()]))


@gluon.jit
def dropped_copy(x, y, WAITS: ttgl.constexpr):
    copies: ttgl.constexpr = ttgl.nvidia.ampere.async_copy
    i = ttgl.arange(0, 128, layout=FLAT)
    first = ttgl.allocate_shared_memory(ttgl.float32, [128], SHARED)
    copies.async_load(first, x + i)
    copies.commit_group()
    if WAITS:
        copies.wait_group(0)
    second = ttgl.allocate_shared_memory(ttgl.float32, [128], SHARED, (i + 1).to(ttgl.float32))
    copies.wait_group(0)
    ttgl.store(y + i, second.gather(127 - i, 0))


@pytest.mark.parametrize("waits, bytes", [(False, 1024), (True, 512)])
def test_a_buffer_keeps_its_place_while_it_is_filled(nvidia, waits, bytes):
    x, y = np.zeros(128, np.float32), np.zeros(128, np.float32)
    kernel = dropped_copy[(1,)](nvidia.put(x), nvidia.put(y), waits)
    np.testing.assert_array_equal(nvidia.get(y), np.arange(128, 0, -1))
    assert f"ttg.shared = {bytes} " in kernel.asm["ttgir"]


@gluon.jit
def conflicting(x, which: ttgl.constexpr):
    i = ttgl.arange(0, 256, layout=FLAT)
    block = ttgl.full([128], 1, ttgl.int32)
    if which == 0:
        ttgl.set_auto_layout(x, FLAT)
    elif which == 1:
        flat = ttgl.full([256], 1, ttgl.int32)
        ttgl.store(x + ttgl.arange(0, 256, layout=OTHER), ttgl.set_auto_layout(flat, OTHER))
        pairs = ttgl.set_auto_layout(flat.reshape([128, 2]), PAIRS)
        ttgl.store(x + 0 * pairs, pairs)
    elif which == 2:
        ttgl.store(x + ttgl.arange(0, 128, layout=OTHER), ttgl.set_auto_layout(block, OTHER))
        pairs = ttgl.set_auto_layout(ttgl.join(block, block), PAIRS)
        ttgl.store(x + 0 * pairs, pairs)
    elif which == 3:
        square = ttgl.full([16, 16], 1, ttgl.int32)
        ttgl.store(x + 0 * ttgl.set_auto_layout(square, PAIRS), 1)
        ttgl.store(x + 0 * ttgl.set_auto_layout(square.permute([1, 0]), PAIRS), 2)
    ttgl.store(x + i, i)


@pytest.mark.parametrize(
    "which, expected",
    [
        (0, "pointer<int32> is a scalar, and only blocks have layouts"),
        (1, "does not give the layout"),
        (2, "does not give the layout"),
        (3, "does not give the layout"),
    ],
)
def test_conflicts_are_errors(nvidia, which, expected):
    with pytest.raises(triton.CompilationError) as caught:
        conflicting.warmup(np.zeros(256, np.int32), which, grid=(1,))
    message = str(caught.value)
    assert expected in message and "test_gluon_layouts.py:" in message


@gluon.jit
def by_bases(N: ttgl.constexpr):
    ttgl.static_assert(ttgl.num_ctas() == 1)
    linear: ttgl.constexpr = ttgl.to_linear_layout(PAIRS, [32, 4])
    ttgl.static_assert(linear.shape == (32, 4) and linear.lane_bases == ((0, 1), (1, 0), (2, 0), (4, 0), (8, 0)))
    ttgl.static_assert(ttgl.to_linear_layout(SHARED, [N]).offset_bases == ((1,), (2,), (4,)))
    ttgl.static_assert(ttgl.to_linear_layout(ttgl.AutoLayout(), [N]) == ttgl.AutoLayout())


@gluon.jit
def no_bases(layout: ttgl.constexpr):
    ttgl.to_linear_layout(layout, [32])


def test_layouts_by_their_bases(nvidia):
    by_bases.warmup(8, grid=(1,))
    with pytest.raises(triton.CompilationError, match="is for 2 dimensions, but the block has 1"):
        no_bases.warmup(PAIRS, grid=(1,))
    with pytest.raises(triton.CompilationError, match="a layout without paddings"):
        no_bases.warmup(ttgl.PaddedSharedLayout.with_identity_for([[4, 2]], [32], [0]), grid=(1,))


EXITS = """
from triton.backends.compiler import GPUTarget
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
import triton

LAYOUT = ttgl.BlockedLayout([1], [32], [4], [0])


@gluon.jit
def kernel(p):
    x = ttgl.arange(0, 128, layout=LAYOUT)
    ttgl.store(p + x, ttgl.full([128], 1, ttgl.int32, x.type.layout))


triton.compile(gluon.GluonASTSource(kernel, {"p": "*i32"}, {}), target=GPUTarget("cuda", 90, 32))
"""


def test_types_with_layouts_outlive_python(tmp_path):
    (tmp_path / "exits.py").write_text(EXITS)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TRITON_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, tmp_path / "exits.py"], check=True, env=environment)


PARTS = "#ttg.partitioned_shared<{numPartitions = 2, numGroups = 4, partitionDim = 0, partitionLayout = "
MEMORY = "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1"
#: {case: (class, arguments, text)}
OF_UNITS = {
    "memory": (blackwell.TensorMemoryLayout, ([128, 64], 1), f"{MEMORY}>"),
    "pairs": (
        blackwell.TensorMemoryLayout,
        ([128, 64], 1, [[1, 0]], True, True),
        f"{MEMORY}, CGALayout = [[1, 0]], twoCTAs = true, fp4Padded = true>",
    ),
    "scales": (blackwell.TensorMemoryScalesLayout, (), "#ttng.tensor_memory_scales_encoding<>"),
    "order": (
        rubin.TensorMemoryScalesLayout,
        ([], "kThenMn"),
        "#ttng.tensor_memory_scales_encoding<blockRepOrder = kThenMn>",
    ),
    "parts": (PartitionedSharedLayout, (2, 4, 0, SHARED), f"{PARTS}{SHARED.ir_text}}}>"),
}


@pytest.mark.parametrize("name", OF_UNITS)
def test_layouts_of_few_units_are_values(name):
    """Their texts are those of Triton 3.9, which does not write the order of scales."""
    cls, arguments, text = OF_UNITS[name]
    layout = cls(*arguments)
    assert layout == cls(*arguments) and hash(layout) == hash(cls(*arguments)) and layout.ir_text == text
    assert layout != SHARED and layout.mangle().isidentifier()
    assert eval(repr(layout), vars(ttgl) | {cls.__name__: cls}) == layout


@pytest.mark.parametrize(
    "make, expected",
    [
        (lambda: OF_UNITS["memory"][0]([128], 1), "must have rows and columns, not 1 numbers"),
        (lambda: OF_UNITS["memory"][0]([128, 64], 3), "TensorMemoryLayout must be a power of two, not 3"),
        (lambda: OF_UNITS["memory"][0]([128, 64], 1, [[1]]), "must have 2 numbers"),
        (lambda: OF_UNITS["order"][0]([], "mThenK"), "must be 'mnThenK' or 'kThenMn', not 'mThenK'"),
        (lambda: OF_UNITS["parts"][0](3, 1, 0, SHARED), "num_partitions of PartitionedSharedLayout must be a power"),
        (lambda: OF_UNITS["parts"][0](2, 1, -1, SHARED), "must not be negative, as -1 is"),
        (lambda: OF_UNITS["parts"][0](2, 1, 0, FLAT), "must be a SharedLayout, not BlockedLayout"),
    ],
)
def test_wrong_layouts_of_few_units(make, expected):
    with pytest.raises(ValueError, match=expected):
        make()


@gluon.jit
def counts_arrivals(x):
    first = ttgl.allocate_shared_memory(ttgl.int32, [256], SHARED)
    second = ttgl.allocate_shared_memory(ttgl.int32, [64], SHARED)
    count: ttgl.constexpr = blackwell.tcgen05_mma_barrier_count((first, second), True, False)
    ttgl.static_assert(count == 1 and rubin.tcgen05_mma_barrier_count((), False, True) == 1)


def test_arrivals_of_products():
    def of(*bases):
        return ttgl.NVMMASharedLayout(128, 16, cga_layout=bases)

    rows, columns, same = of([1, 0], [0, 0]), of([0, 0], [0, 1]), of([0, 0], [0, 0])
    counts = [
        _arriving_blocks((rows, columns), True, False),
        _arriving_blocks((rows,), True, True),
        _arriving_blocks((same, rows), True, True),
        _arriving_blocks((same,), True, False),
        _arriving_blocks((rows, columns), False, False),
    ]
    assert counts == [3, 2, 2, 4, 1]
    triton.compile(gluon.GluonASTSource(counts_arrivals, {"x": "*i32"}), target=GPUTarget("cuda", 90, 32))


@gluon.jit
def copied_across(x, y, layout: ttgl.constexpr):
    i = ttgl.arange(0, 64, layout=ttgl.SliceLayout(1, layout))[:, None]
    j = ttgl.arange(0, 64, layout=ttgl.SliceLayout(0, layout))[None, :]
    buffer = ttgl.allocate_shared_memory(ttgl.float32, [64, 64], ttgl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
    ttgl.nvidia.ampere.async_copy.async_load(buffer, x + i + j * 64)  # narrow
    ttgl.nvidia.ampere.async_copy.commit_group()
    ttgl.nvidia.ampere.async_copy.wait_group(0)
    ttgl.store(y + i + j * 64, buffer.load(layout))  # spread


def test_remarks_name_accesses_that_layouts_make_slow(capfd, monkeypatch):
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    monkeypatch.setenv("MLIR_ENABLE_REMARK", "1")
    along = ttgl.BlockedLayout([4, 1], [16, 2], [1, 4], [0, 1])
    across = ttgl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    aligned = {(0,): [["tt.divisibility", 16]], (1,): [["tt.divisibility", 16]]}
    for layout in (along, across):
        types = {"x": "*fp32", "y": "*fp32"}
        source = gluon.GluonASTSource(copied_across, types, {"layout": layout}, attrs=aligned)
        triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 4})
        told = capfd.readouterr().err
        if layout is along:
            assert "remark" not in told
    for kind, mark in (("copy", "# narrow"), ("store", "# spread")):
        (line,) = (n for n, text in enumerate(copied_across.raw_src, copied_across._first_line) if mark in text)
        assert f"test_gluon_layouts.py:{line}:5: remark: the {kind} " in told
    assert "moves 4 bytes of a thread at once where 16 are possible" in told
    assert "uses 25 % of the memory that it touches: the elements of a warp lie in 16 sectors" in told
    assert told.count("use `ttgl.CoalescedLayout()`") == 2


@gluon.jit
def blocks_in_rows(x, rows: ttgl.constexpr, turned: ttgl.constexpr):
    plain: ttgl.constexpr = ttgl.NVMMASharedLayout(0, 16, rank=3)
    ttgl.static_assert(ttgl.to_linear_layout(plain, [2, 4, 32]).offset_bases == rows)
    columns: ttgl.constexpr = ttgl.NVMMASharedLayout(0, 16, rank=3, transposed=True)
    ttgl.static_assert(ttgl.to_linear_layout(columns, [2, 32, 4]).offset_bases == turned)


def test_blocks_that_are_not_swizzled_lie_row_by_row():
    rows = (*((0, 0, 1 << bit) for bit in range(5)), (0, 1, 0), (0, 2, 0), (1, 0, 0))
    turned = tuple((plane, column, row) for plane, row, column in rows)
    types = {"x": "*i32", "rows": "constexpr", "turned": "constexpr"}
    source = gluon.GluonASTSource(blocks_in_rows, types, {"rows": rows, "turned": turned})
    assert triton.compile(source, target=GPUTarget("cuda", 90, 32)).asm["ptx"]
