# ruff: noqa: F811
"""Products of AMD's matrix units in Gluon whose tiles kernels spread over warps and registers themselves."""

import numpy as np
import pytest
import triton
from gluon_devices import simulated  # noqa: F401
from gluon_units import multiply
from small_floats import Side, assert_product
from triton.backends.compiler import GPUTarget
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd import AMDMFMALayout, AMDWMMALayout, cdna3, cdna4, gfx1250
from triton.experimental.gluon.language.amd.gfx1250 import tdm

MFMA = AMDMFMALayout(4, [16, 16, 32], True, [2, 2], tiles_per_warp=[2, 2])
WMMA = AMDWMMALayout(3, True, [[1, 0], [0, 2]], [[0, 1]], [16, 16, 32])
#: Warps whose tiles lie apart along both dimensions, as in layouts for parts of shared memory.
MIXED = AMDWMMALayout(3, True, [[2, 1], [1, 0]], [[2, 0]], [16, 16, 32])
LANES_OF_ROWS = [[1, 0], [2, 0], [4, 0], [8, 0]]
LANES_OF_COLUMNS = [[0, 1], [0, 2], [0, 4], [0, 8]]


@gluon.jit
def has_bases(LAYOUT: gl.constexpr, EXPECTED: gl.constexpr):
    gl.static_assert(gl.to_linear_layout(LAYOUT, [128, 128]) == EXPECTED)


@pytest.mark.parametrize(
    "layout, registers, lanes, warps",
    [
        (
            MFMA,
            [[0, 1], [0, 2], [0, 16], [0, 64], [16, 0], [64, 0]],
            [*LANES_OF_ROWS, [0, 4], [0, 8]],
            [[0, 32], [32, 0]],
        ),
        (
            gl.DotOperandLayout(0, MFMA, 8),
            [[0, 1], [0, 2], [0, 4], [0, 32], [0, 64], [16, 0], [64, 0]],
            [*LANES_OF_ROWS, [0, 8], [0, 16]],
            [[0, 0], [32, 0]],
        ),
        (
            gl.DotOperandLayout(1, MFMA, 8),
            [[1, 0], [2, 0], [4, 0], [32, 0], [64, 0], [0, 16], [0, 64]],
            [*LANES_OF_COLUMNS, [8, 0], [16, 0]],
            [[0, 32], [0, 0]],
        ),
        (
            WMMA,
            [[0, 1], [0, 2], [0, 4], [0, 16], [0, 64], [32, 0], [64, 0]],
            [*LANES_OF_ROWS, [0, 8]],
            [[16, 0], [0, 32]],
        ),
        (
            gl.DotOperandLayout(0, WMMA, 8),
            [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64], [32, 0], [64, 0]],
            [*LANES_OF_ROWS, [0, 8]],
            [[16, 0], [0, 0]],
        ),
        (
            gl.DotOperandLayout(1, WMMA, 8),
            [[1, 0], [2, 0], [4, 0], [16, 0], [0, 16], [32, 0], [64, 0], [0, 64]],
            [*LANES_OF_COLUMNS, [8, 0]],
            [[0, 0], [0, 32]],
        ),
    ],
)
def test_bases_of_tiles(layout, registers, lanes, warps):
    """Those of Triton 3.9."""
    constants = {"LAYOUT": layout, "EXPECTED": gl.DistributedLinearLayout(registers, lanes, warps, [], [128, 128])}
    source = gluon.GluonASTSource(has_bases, dict.fromkeys(constants, "constexpr"), constants)
    wide = len(lanes) == 6
    triton.compile(source, target=GPUTarget("hip", "gfx950" if wide else "gfx1250", 64 if wide else 32))


@pytest.mark.parametrize("warps, slice_m", [(4, None), (8, 64), (8, None)])
def test_layouts_for_parts_of_shared_memory(warps, slice_m):
    inner = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    a, b, unit = gfx1250.make_partitioned_dot_layouts(
        128, 64, inner, inner, warps, [16, 16, 32], b_transposed=True, slice_m=slice_m
    )
    assert a == gfx1250.PartitionedSharedLayout(2, 1 if slice_m is None else 2, 0, inner)
    assert b == gfx1250.PartitionedSharedLayout(2, 1, 0, inner)
    rows = (slice_m or 128) // 16
    tiles = {(0, 0)}
    for basis in unit.warp_bases + unit.reg_bases:
        tiles |= {(row ^ basis[0], column ^ basis[1]) for row, column in tiles}
    assert len(unit.warp_bases) == warps.bit_length() - 1 and len(tiles) == rows * 4
    # Warps that differ in their lowest bit read other halves of both operands.
    assert unit.warp_bases[0] == (rows // 2, 2) and all(basis[0] < rows and basis[1] < 4 for basis in unit.warp_bases)


def test_wrong_parts_of_shared_memory():
    inner = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    for arguments, expected in (((128, 64, inner, inner, 2), "num_warps"), ((128, 16, inner, inner, 4), "slice_n")):
        with pytest.raises(ValueError, match=f"{expected} must be"):
            gfx1250.make_partitioned_dot_layouts(*arguments, [16, 16, 32])


def scales_of(layout, index):
    of_unit = cdna4.get_mfma_scale_layout if isinstance(layout, AMDMFMALayout) else gfx1250.get_wmma_scale_layout
    return of_unit(gl.DotOperandLayout(index, layout, 16), [256, 8])


DEEP = [16, 16, 128]


@pytest.mark.parametrize(
    "layout, index, registers, lanes, warps",
    [
        (
            AMDMFMALayout(4, DEEP, True, [2, 2], tiles_per_warp=[1, 2]),
            index,
            [[0, 4], free, [64, 0], [128, 0]],
            [*LANES_OF_ROWS, [0, 1], [0, 2]],
            warps,
        )
        for index, free, warps in ((0, [32, 0], [[0, 0], [16, 0]]), (1, [16, 0], [[32, 0], [0, 0]]))
    ]
    + [
        (
            AMDWMMALayout(3, True, [[1, 0], [0, 2]], [[0, 1]], DEEP),
            index,
            [[0, 1], [0, 2], [0, 4], [64, 0], [128, 0]],
            [*LANES_OF_ROWS, half],
            warps,
        )
        for index, half, warps in ((0, [32, 0], [[16, 0], [0, 0]]), (1, [16, 0], [[0, 0], [32, 0]]))
    ],
)
def test_layouts_of_scales(layout, index, registers, lanes, warps):
    """Those of Triton 3.9."""
    assert scales_of(layout, index) == gl.DistributedLinearLayout(registers, lanes, warps, [], [256, 8])


@gluon.jit
def places(M: gl.constexpr, N: gl.constexpr, LAYOUT: gl.constexpr):
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, LAYOUT))
    return rows[:, None] * N + gl.arange(0, N, layout=gl.SliceLayout(0, LAYOUT))[None, :]


@gluon.jit
def product(a, b, c, N: gl.constexpr, LAYOUT: gl.constexpr, WIDTH: gl.constexpr):
    left = cdna3.buffer_load(a, places(N, 64, gl.DotOperandLayout(0, LAYOUT, WIDTH)))
    right = cdna3.buffer_load(b, places(64, N, gl.DotOperandLayout(1, LAYOUT, WIDTH)))
    acc = multiply(left, right, gl.zeros([N, N], gl.float32, LAYOUT))
    cdna3.buffer_store(acc, c, places(N, N, LAYOUT))


@pytest.mark.parametrize(
    "arch, layout, width",
    [
        ("gfx950", MFMA, 8),
        ("gfx942", AMDMFMALayout(3, [32, 32, 8], False, [1, 4], tiles_per_warp=[2, 1]), 4),
        ("gfx1250", WMMA, 8),
        ("gfx1250", MIXED, 8),
    ],
)
@pytest.mark.parametrize("size", [32, 128])
def test_products(simulated, arch, layout, width, size):
    """Also of blocks that are smaller than the tiles of the warps."""
    simulated(arch)
    generator = np.random.default_rng(1)
    a, b = (generator.integers(-4, 5, shape).astype(np.float16) for shape in ((size, 64), (64, size)))
    c = np.zeros((size, size), np.float32)
    product[(1,)](a, b, c, size, layout, width)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


@gluon.jit
def split_product(
    a, b, c, a_scales, b_scales, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr, LAYOUT: gl.constexpr
):  # fmt: skip
    """Factors of 4 bits; programs add parts of K of their own."""
    part = gl.program_id(0)
    left_layout: gl.constexpr = gl.DotOperandLayout(0, LAYOUT, 16)
    right_layout: gl.constexpr = gl.DotOperandLayout(1, LAYOUT, 16)
    left_scales: gl.constexpr = cdna4.get_mfma_scale_layout(left_layout, [M, K // 32])
    right_scales: gl.constexpr = cdna4.get_mfma_scale_layout(right_layout, [N, K // 32])
    blocked: gl.constexpr = gl.BlockedLayout([1, 16], [8, 8], [4, 1], [1, 0])
    buffer = gl.allocate_shared_memory(gl.uint8, [M, K // 2], gl.SwizzledSharedLayout(16, 1, 8, [1, 0]))
    buffer.store(cdna4.buffer_load(ptr=a + part * (M * K // 2), offsets=places(M, K // 2, blocked), cache=".cg"))
    acc = cdna4.mfma_scaled(
        a=buffer.load(left_layout),
        a_scale=cdna4.buffer_load(a_scales + part * (M * K // 32), places(M, K // 32, left_scales)),
        a_format="e2m1",
        b=cdna4.buffer_load(b + part * (N * K // 2), places(K // 2, N, right_layout)),
        b_scale=cdna4.buffer_load(b_scales + part * (N * K // 32), places(N, K // 32, right_scales)),
        b_format="e2m1",
        acc=gl.zeros([M, N], gl.float32, LAYOUT),
    )
    gl.atomic_add(c + places(M, N, LAYOUT), acc)


@pytest.mark.parametrize("shape, tiles", [(DEEP, [2, 2]), ([32, 32, 64], [1, 2])])
def test_products_with_scales(simulated, shape, tiles):
    simulated("gfx950")
    generator = np.random.default_rng(2)
    M, N, K = 64, 128, 256
    left = [Side(generator, "e2m1", M, K, 32, True, True, True) for _ in range(2)]
    right = [Side(generator, "e2m1", N, K, 32, True, True, False) for _ in range(2)]
    c = np.zeros((M, N), np.float32)
    sides = [(name, both) for name in ("stored", "scale") for both in (left, right)]
    stacked = [np.stack([getattr(side, name) for side in both]) for name, both in sides]
    layout = AMDMFMALayout(4, shape, True, [2, 2], tiles_per_warp=tiles)
    split_product[(2,)](*stacked[:2], c, *stacked[2:], M, N, K, layout)
    numbers = [np.concatenate([side.numbers for side in sides], 1) for sides in (left, right)]
    assert_product(c, numbers[0], numbers[1].T)


@gluon.aggregate
class Plan:
    """What the parts of a product have in common."""

    BM: gl.constexpr
    BN: gl.constexpr
    BK: gl.constexpr
    STAGES: gl.constexpr
    unit: gl.constexpr
    left: gl.constexpr
    right: gl.constexpr

    @gluon.constexpr_function
    def __init__(self, BM, BN, BK, STAGES, WARPS):
        self.BM = gl.constexpr(BM)
        self.BN = gl.constexpr(BN)
        self.BK = gl.constexpr(BK)
        self.STAGES = gl.constexpr(STAGES)
        warp_bases = [(0, 2), (2, 0), (4, 0)][: WARPS.bit_length() - 1]
        self.unit = gl.constexpr(AMDWMMALayout(3, True, warp_bases, [(0, 1), (1, 0)], [16, 16, 32]))
        self.left = gl.constexpr(gl.PaddedSharedLayout.with_identity_for([[BK, 8]], [BM, BK], [1, 0]))
        self.right = gl.constexpr(gl.PaddedSharedLayout.with_identity_for([[BK, 8]], [BN, BK], [1, 0]))


@gluon.jit
def start(number, a, b, row, column, left, right, plan):
    slot = number % plan.STAGES
    tdm.async_load(a, [row, number * plan.BK], left.index(slot), pred=1)
    tdm.async_load(b, [column, number * plan.BK], right.index(slot), pred=1)
    return number + 1


@gluon.jit
def add(number, left, right, acc, pending: gl.constexpr, plan):
    tdm.async_wait(pending)
    slot = number % plan.STAGES
    x = left.index(slot).load(layout=gl.DotOperandLayout(0, plan.unit, 8))
    y = right.index(slot).permute([1, 0]).load(layout=gl.DotOperandLayout(1, plan.unit, 8))
    return number + 1, gfx1250.wmma(x, y, acc)


@gluon.jit
def pipelined(
    a, b, c, M, N, K, BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr, STAGES: gl.constexpr
):  # fmt: skip
    plan = Plan(BM, BN, BK, STAGES, gl.num_warps())
    row, column = gl.program_id(0) * BM, gl.program_id(1) * BN
    a_desc = tdm.make_tensor_descriptor(base=a, shape=(M, K), strides=(K, 1), block_shape=(BM, BK), layout=plan.left)
    b_desc = tdm.make_tensor_descriptor(base=b, shape=(N, K), strides=(K, 1), block_shape=(BN, BK), layout=plan.right)
    left = gl.allocate_shared_memory(a_desc.dtype, shape=[STAGES] + a_desc.block_shape, layout=a_desc.layout)
    right = gl.allocate_shared_memory(b_desc.dtype, shape=[STAGES] + b_desc.block_shape, layout=b_desc.layout)
    started, added = 0, 0
    acc = gl.zeros((BM, BN), dtype=gl.float32, layout=plan.unit)
    for _ in gl.static_range(STAGES - 1):
        started = start(started, a_desc, b_desc, row, column, left, right, plan)
    for _ in range(gl.cdiv(K, BK) - (STAGES - 1)):
        started = start(started, a_desc, b_desc, row, column, left, right, plan)
        added, acc = add(added, left, right, acc, (STAGES - 1) * 2, plan)
    for i in gl.static_range(STAGES - 1):
        added, acc = add(added, left, right, acc, (STAGES - 2 - i) * 2, plan)
    i = row + gl.arange(0, BM, layout=gl.SliceLayout(1, plan.unit))[:, None]
    j = column + gl.arange(0, BN, layout=gl.SliceLayout(0, plan.unit))[None, :]
    gl.store(c + i * N + j, acc, mask=(i < M) & (j < N))


@pytest.mark.parametrize("warps", [4, 8])
def test_a_product_in_stages(simulated, warps):
    simulated("gfx1250")
    generator = np.random.default_rng(3)
    M, N, K = 100, 60, 200
    a, b = (generator.integers(-4, 5, shape).astype(np.float16) for shape in ((M, K), (N, K)))
    c = np.zeros((M, N), np.float32)
    pipelined[(1, 1)](a, b, c, M, N, K, 128, 64, 64, 3, num_warps=warps)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32).T)


@pytest.mark.parametrize("layout", [MFMA, WMMA, MIXED, AMDWMMALayout(1, False, [], rank=3)])
def test_texts_of_tiles(layout):
    assert type(layout).from_ir_text(layout.ir_text) == layout
    assert eval(repr(layout), vars(gl.amd)) == layout


@gluon.jit
def uses(x, LAYOUT: gl.constexpr):
    gl.store(x, gl.max(gl.max(gl.zeros([128, 128], gl.float32, LAYOUT), 1), 0))


@pytest.mark.parametrize(
    "arch, layout, expected",
    [
        ("gfx950", AMDMFMALayout(4, [16, 16, 32], True, [2, 2], tiles_per_warp=[3, 1]), "tilesPerWarp must have"),
        ("gfx1250", AMDWMMALayout(3, True, [[0, 2], [1, 0]], [], [16, 16, 32]), "must reach every tile"),
        ("gfx1250", AMDWMMALayout(3, True, [[1, 0]] * 2, [[1, 1]], [16, 16, 32]), "a power of two in one dimension"),
        ("gfx1250", AMDWMMALayout(3, True, [[1, 0]] * 2, [[0, 1]] * 2, [16, 16, 32]), "differ from the others"),
        ("gfx1250", AMDWMMALayout(3, True, [[1, 0]], [[0, 1]], [16, 16, 32]), "over 2 warps of 32 threads"),
    ],
)
def test_wrong_tiles(arch, layout, expected):
    source = gluon.GluonASTSource(uses, {"x": "*fp32", "LAYOUT": "constexpr"}, {"LAYOUT": layout})
    target = GPUTarget("hip", arch, 64 if arch == "gfx950" else 32)
    with pytest.raises(triton.CompilationError, match=expected):
        triton.compile(source, target=target, options={"num_warps": 4})


def test_tiles_of_other_ranks():
    with pytest.raises(ValueError, match="must have one number for each dimension"):
        AMDMFMALayout(4, [16, 16, 32], True, [2, 2], tiles_per_warp=[2])
    with pytest.raises(ValueError, match="each basis in reg_bases of AMDWMMALayout must have 2 numbers"):
        AMDWMMALayout(3, True, [[0, 1]], [[1]], [16, 16, 32])
    with pytest.raises(ValueError, match="rank of AMDWMMALayout must be 2 or 3, not 1000000000"):
        AMDWMMALayout(3, True, [], [], [16, 16, 32], rank=1000000000)
