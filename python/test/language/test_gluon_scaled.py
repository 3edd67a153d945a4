"""Products with scales in Gluon, by the matrix units of gfx950 and gfx1250."""

import numpy as np
import pytest
import triton
from small_floats import Side, assert_product
from triton.backends.amd.driver import SimulatedHIPDriver
from triton.backends.compiler import GPUTarget
from triton.compiler.errors import InternalError
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd import AMDMFMALayout, AMDWMMALayout, cdna4, cdna5
from triton.language.target_info import current_target
from triton.runtime import driver

DEEP = AMDWMMALayout(3, True, [[0, 1], [1, 0]], [], [16, 16, 128])
#: A warp and its registers have tiles that other warps have too.
APART = AMDWMMALayout(3, True, [[2, 1], [1, 0]], [[2, 0]], [16, 16, 128])
#: (architecture, layout of sums)
UNITS = {
    "gfx950 of 16 rows": ("gfx950", AMDMFMALayout(4, [16, 16, 128], True, [2, 2])),
    "gfx950 of 32 rows": ("gfx950", AMDMFMALayout(4, [32, 32, 64], False, [4, 1])),
    "gfx1250": ("gfx1250", DEEP),
    "gfx1250 with tiles of registers": ("gfx1250", APART),
}


@gluon.jit
def load_block(start, M: gl.constexpr, N: gl.constexpr, layout: gl.constexpr):
    i = gl.arange(0, M, layout=gl.SliceLayout(1, layout))[:, None]
    return gl.load(start + i * N + gl.arange(0, N, layout=gl.SliceLayout(0, layout))[None, :])


@gluon.jit
def product(
    a, b, a_scale, b_scale, out, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr,
    A_FORMAT: gl.constexpr, B_FORMAT: gl.constexpr,
    A_LAYOUT: gl.constexpr, B_LAYOUT: gl.constexpr, LAYOUT: gl.constexpr,
):  # fmt: skip
    A_BYTES: gl.constexpr = K // 2 if A_FORMAT == "e2m1" else K
    B_BYTES: gl.constexpr = K // 2 if B_FORMAT == "e2m1" else K
    left = load_block(a, M, A_BYTES, A_LAYOUT)
    right = load_block(b, B_BYTES, N, B_LAYOUT)
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, LAYOUT))[:, None]
    places = rows * N + gl.arange(0, N, layout=gl.SliceLayout(0, LAYOUT))[None, :]
    acc = gl.load(out + places)
    IS_MFMA: gl.constexpr = current_target().arch == "gfx950"
    left_scale: gl.constexpr = None
    if a_scale is not None:
        if IS_MFMA:
            left_scale = load_block(a_scale, M, K // 32, cdna4.get_mfma_scale_layout(A_LAYOUT, [M, K // 32]))
        else:
            left_scale = load_block(a_scale, M, K // 32, cdna5.get_wmma_scale_layout(A_LAYOUT, [M, K // 32]))
    if IS_MFMA:
        right_scale = load_block(b_scale, N, K // 32, cdna4.get_mfma_scale_layout(B_LAYOUT, [N, K // 32]))
        acc = cdna4.mfma_scaled(left, left_scale, A_FORMAT, right, right_scale, B_FORMAT, acc)
    else:
        right_scale = load_block(b_scale, N, K // 32, cdna5.get_wmma_scale_layout(B_LAYOUT, [N, K // 32]))
        acc = cdna5.wmma_scaled(left, left_scale, A_FORMAT, right, right_scale, B_FORMAT, acc)
    gl.store(out + places, acc)


@pytest.fixture(params=UNITS)
def layout(request):
    arch, layout = UNITS[request.param]
    driver.set_active(SimulatedHIPDriver(arch))
    yield layout
    driver.set_active_to_cpu()


def operand_layout(index, layout, format):
    """That of an operand of 4 bits counts bytes on gfx1250."""
    if format == "e2m1" and isinstance(layout, AMDWMMALayout):
        layout = AMDWMMALayout(3, True, layout.warp_bases, layout.reg_bases, [16, 16, 64])
    return gl.DotOperandLayout(index, layout, 16)


@pytest.mark.parametrize("formats", [("e4m3", "e5m2"), ("e2m1", "e2m1"), ("e5m2", "e2m1")])
@pytest.mark.parametrize("scaled", [True, False])
def test_products(layout, formats, scaled):
    rng = np.random.default_rng(len(formats[0] + formats[1]) + scaled)
    M, N, K = 128, 64, 256
    a = Side(rng, formats[0], M, K, 32, scaled, True, True)
    b = Side(rng, formats[1], N, K, 32, True, True, False)
    out = rng.standard_normal((M, N)).astype(np.float32)
    initial = out.astype(np.float64)
    layouts = [operand_layout(index, layout, format) for index, format in enumerate(formats)]
    product[(1,)](a.stored, b.stored, a.scale, b.scale, out, M, N, K, *formats, *layouts, layout)
    assert_product(out, a.numbers, b.numbers.T, initial)


@gluon.jit
def scaled_by_numbers(a, b, out, exponent, LAYOUT: gl.constexpr):
    left = load_block(a, 32, 128, gl.DotOperandLayout(0, LAYOUT, 16))
    right = load_block(b, 128, 32, gl.DotOperandLayout(1, LAYOUT, 16))
    acc = gl.zeros([32, 32], gl.float32, LAYOUT)
    if current_target().arch == "gfx950":
        acc = cdna4.mfma_scaled(left, 130, "e4m3", right, exponent, "e4m3", acc, cd_regclass="v")
    else:
        acc = cdna5.wmma_scaled(left, 130, "e4m3", right, exponent, "e4m3", acc)
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, LAYOUT))[:, None]
    gl.store(out + rows * 32 + gl.arange(0, 32, layout=gl.SliceLayout(0, LAYOUT))[None, :], acc)


def test_one_number_for_all_scales(layout):
    rng = np.random.default_rng(5)
    a, b = (Side(rng, "e4m3", 32, 128, 32, False, True, is_left) for is_left in (True, False))
    out = np.zeros((32, 32), np.float32)
    scaled_by_numbers[(1,)](a.stored, b.stored, out, 125, layout)
    assert_product(out, 8 * a.numbers, b.numbers.T / 4)


def operand_of(layout, index):
    return gl.DotOperandLayout(index, layout, 16)


@pytest.mark.parametrize(
    "make, expected",
    [
        (
            lambda: cdna4.get_mfma_scale_layout(operand_of(UNITS["gfx950 of 16 rows"][1], 0), [64, 8]),
            gl.DistributedLinearLayout(
                [[0, 4], [32, 0]], [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], [[0, 0], [16, 0]], [], [64, 8]
            ),
        ),
        (
            lambda: cdna4.get_mfma_scale_layout(operand_of(UNITS["gfx950 of 32 rows"][1], 1), [32, 4]),
            gl.DistributedLinearLayout(
                [[0, 2]], [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1]], [[0, 0], [0, 0]], [], [32, 4]
            ),
        ),
        (
            lambda: cdna5.get_wmma_scale_layout(operand_of(DEEP, 0), [128, 4]),
            gl.DistributedLinearLayout(
                [[0, 1], [0, 2], [64, 0]],
                [[1, 0], [2, 0], [4, 0], [8, 0], [32, 0]],
                [[0, 0], [16, 0]],
                [],
                [128, 4],
            ),
        ),
        (
            lambda: cdna5.get_wmma_scale_layout(operand_of(APART, 0), [128, 4]),
            gl.DistributedLinearLayout(
                [[0, 1], [0, 2], [32, 0]],
                [[1, 0], [2, 0], [4, 0], [8, 0], [64, 0]],
                [[32, 0], [16, 0]],
                [],
                [128, 4],
            ),
        ),
        (
            lambda: cdna5.get_wmma_scale_layout(operand_of(DEEP, 1), [32, 4], 16),
            gl.DistributedLinearLayout(
                [[0, 1], [0, 2], [0, 0]],
                [[1, 0], [2, 0], [4, 0], [8, 0], [0, 0]],
                [[16, 0], [0, 0]],
                [],
                [32, 4],
            ),
        ),
    ],
)
def test_layouts_of_scales(make, expected):
    """Those of Triton 3.9."""
    assert make() == expected


@gluon.jit
def wrong_product(
    a, b, scale, out,
    K: gl.constexpr, LAYOUT: gl.constexpr, WIDTH: gl.constexpr, ROWS: gl.constexpr, SCALE: gl.constexpr,
):  # fmt: skip
    left = load_block(a, 64, K, gl.DotOperandLayout(0, LAYOUT, WIDTH))
    right = load_block(b, K, 64, gl.DotOperandLayout(1, LAYOUT, WIDTH))
    acc = gl.zeros([64, 64], gl.float32, LAYOUT)
    scales = load_block(scale, ROWS, K // 32, SCALE)
    acc = cdna4.mfma_scaled(left, scales, "e4m3", right, None, "e4m3", acc)
    gl.store(out + gl.arange(0, 64, layout=gl.SliceLayout(1, LAYOUT))[:, None], acc)


MFMA = UNITS["gfx950 of 16 rows"][1]
PLAIN = gl.BlockedLayout([1, 1], [16, 4], [4, 1], [1, 0])
SCALES = cdna4.get_mfma_scale_layout(operand_of(MFMA, 0), [64, 4])
WRONG = {
    "layout of scales": ({"SCALE": PLAIN}, r"lie as `(.|\n)*get_mfma_scale_layout\(a"),
    "rows of scales": ({"ROWS": 32}, r"must be a block \[64, 4\] of uint8"),
    "floats for scales": ({"scale": "*fp16"}, r"must be a block \[64, 4\] of uint8"),
    "neighbours": ({"WIDTH": 8}, "have the `k_width` 16"),
    "instruction": ({"LAYOUT": AMDMFMALayout(4, [16, 16, 32], True, [2, 2])}, "no matrix instruction"),
    "depth": ({"K": 64}, "adds 128 products at once"),
    "storage": ({"a": "*fp16"}, "in the format e4m3 must be stored as uint8 or"),
    "architecture": ({"arch": "gfx942"}, "needs an AMD GPU of the kind gfx950"),
    "unit": ({"LAYOUT": PLAIN, "WIDTH": 0}, "the layout is of another unit"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_products(case):
    changes, expected = WRONG[case]
    types = {"a": "*fp8e4nv", "b": "*fp8e4nv", "scale": "*u8", "out": "*fp32"}
    constants = {"K": 128, "LAYOUT": MFMA, "WIDTH": 16, "ROWS": 64, "SCALE": SCALES}
    types |= {name: value for name, value in changes.items() if name in types}
    constants |= {name: value for name, value in changes.items() if name in constants}
    source = gluon.GluonASTSource(wrong_product, {**types, **dict.fromkeys(constants, "constexpr")}, constants)
    with pytest.raises(triton.CompilationError, match=expected):
        triton.compile(source, target=GPUTarget("hip", changes.get("arch", "gfx950"), 64), options={"num_warps": 4})


@gluon.jit
def product_of_words(
    a, b, scale, out, K: gl.constexpr, LAYOUT: gl.constexpr, SCALE: gl.constexpr, NUMBER: gl.constexpr
):
    left = load_block(a, 16, K, gl.DotOperandLayout(0, LAYOUT, 16))
    right = load_block(b, K, 16, gl.DotOperandLayout(1, LAYOUT, 16))
    acc = gl.zeros([16, 16], gl.float32, LAYOUT)
    if NUMBER is not None:
        scales: gl.constexpr = NUMBER
    else:
        scales = load_block(scale, 16, K // 32, SCALE)
    if current_target().arch == "gfx950":
        acc = cdna4.mfma_scaled(left, scales, "e4m3", right, None, "e4m3", acc)
    else:
        acc = cdna5.wmma_scaled(left, scales, "e4m3", right, None, "e4m3", acc)
    gl.store(out + gl.arange(0, 16, layout=gl.SliceLayout(1, LAYOUT))[:, None], acc)


#: (architecture, lanes, layout of sums) of one warp
SINGLE = {
    "gfx950": (64, AMDMFMALayout(4, [16, 16, 128], True, [1, 1])),
    "gfx1250": (32, AMDWMMALayout(3, True, [], [], [16, 16, 128])),
}


def compile_words(arch, **changes):
    lanes, layout = SINGLE[arch]
    constants = {"K": 128, "LAYOUT": layout, "SCALE": None, "NUMBER": None, **changes}
    types = {"a": "*fp8e4nv", "b": "*fp8e4nv", "scale": "*u8", "out": "*fp32"}
    source = gluon.GluonASTSource(product_of_words, {**types, **dict.fromkeys(constants, "constexpr")}, constants)
    return triton.compile(source, target=GPUTarget("hip", arch, lanes), options={"num_warps": 1})


def word_layout(registers, half, groups):
    lanes = [[1, 0], [2, 0], [4, 0], [8, 0], half]
    return gl.DistributedLinearLayout(registers, lanes, [], [], [16, groups])


@pytest.mark.parametrize(
    "registers, half, groups",
    [
        ([[0, 2], [0, 1]], [0, 0], 4),
        ([[0, 1]], [0, 2], 4),
        ([[0, 2], [0, 1], [0, 4]], [0, 0], 8),
    ],
)
def test_scales_out_of_order(registers, half, groups):
    """The unit of gfx1250 reads a word, whose bytes are the scales of consecutive groups."""
    with pytest.raises(triton.CompilationError, match=r"lie as `(.|\n)*get_wmma_scale_layout\(a"):
        compile_words("gfx1250", K=32 * groups, SCALE=word_layout(registers, half, groups))


def test_scales_of_another_word(tmp_path, monkeypatch):
    """The backend checks the order too."""
    text = compile_words("gfx1250", SCALE=word_layout([[0, 1], [0, 2]], [0, 0], 4)).asm["ttgir"]
    assert text.count("register = [[0, 1], [0, 2]]") == 1
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # for the reproducer of the error
    path = tmp_path / "swapped.ttgir"
    path.write_text(text.replace("register = [[0, 1], [0, 2]]", "register = [[0, 2], [0, 1]]"))
    with pytest.raises(InternalError, match="are not the fragments"):
        triton.compile(str(path), target=GPUTarget("hip", "gfx1250", 32), options={"num_warps": 1})


@pytest.mark.parametrize("arch", SINGLE)
@pytest.mark.parametrize("depth", [16, 32])
def test_shallow_products_with_a_number(arch, depth):
    with pytest.raises(triton.CompilationError, match=f"adds 128 products at once(.|\n)* {depth} elements along"):
        compile_words(arch, K=depth, NUMBER=127)


@pytest.mark.parametrize("number", [300, -1, 1 << 40])
def test_numbers_that_are_no_scales(number):
    with pytest.raises(triton.CompilationError, match=f"one integer of 0 to 255, not {number}"):
        compile_words("gfx1250", NUMBER=number)


@pytest.mark.parametrize("number", [0, 255])
def test_outermost_scales(number):
    compile_words("gfx1250", NUMBER=number)
