"""Floats of 4 and 8 bits in Gluon, with their scales."""

import numpy as np
import pytest
import triton
from small_floats import DECODED, pack, random_codes
from triton.backends.amd.driver import SimulatedHIPDriver
from triton.backends.compiler import GPUTarget
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd import AMDMFMALayout, cdna3, cdna4, cdna5, hint
from triton.runtime import driver

LANES = {"gfx942": 64, "gfx950": 64, "gfx1250": 32}


@pytest.fixture(params=LANES)
def lanes(request):
    driver.set_active(SimulatedHIPDriver(request.param))
    yield LANES[request.param]
    driver.set_active_to_cpu()


@gluon.jit
def places(M: gl.constexpr, N: gl.constexpr, layout: gl.constexpr):
    i = gl.arange(0, M, layout=gl.SliceLayout(1, layout))[:, None]
    return i * N + gl.arange(0, N, layout=gl.SliceLayout(0, layout))[None, :]


@gluon.jit
def unpack(x, scale, plain, scaled, AXIS: gl.constexpr, TYPE: gl.constexpr, LAYOUT: gl.constexpr, WIDE: gl.constexpr):
    packed = gl.load(x + places(32, 64, LAYOUT))
    values = gl.fp4_to_fp(packed, TYPE, AXIS)
    gl.static_assert(values.type.layout == WIDE)
    gl.store(plain + places(values.shape[0], values.shape[1], values.type.layout), values.to(gl.float32))
    scales: gl.constexpr = cdna4.get_scaled_upcast_fp4_scale_layout(packed, 16, TYPE, AXIS)
    ROWS: gl.constexpr = 4 if AXIS == 0 else 32
    COLUMNS: gl.constexpr = 64 if AXIS == 0 else 8
    result = cdna3.scaled_upcast(packed, gl.load(scale + places(ROWS, COLUMNS, scales)), TYPE, AXIS)
    hint.sched_barrier()
    gl.store(scaled + places(values.shape[0], values.shape[1], result.type.layout), result.to(gl.float32))


@pytest.mark.parametrize("axis, dtype", [(0, gl.float16), (1, gl.bfloat16), (1, gl.float16)])
def test_floats_of_4_bits(lanes, axis, dtype):
    generator = np.random.default_rng(3)
    shape = (64, 64) if axis == 0 else (32, 128)
    codes = random_codes(generator, "e2m1", shape)
    scale = generator.integers(118, 134, (4, 64) if axis == 0 else (32, 8)).astype(np.uint8)
    plain, scaled = np.zeros((2, *shape), np.float32)
    threads = [lanes // 8, 8], [2, 2], [axis, 1 - axis]
    layouts = [gl.BlockedLayout([count, 1] if axis == 0 else [1, count], *threads) for count in (4, 8)]
    unpack[(1,)](pack(codes, axis), scale, plain, scaled, axis, dtype, *layouts)
    expected = DECODED["e2m1"](codes)
    np.testing.assert_array_equal(plain, expected)
    powers = np.repeat(np.ldexp(1.0, scale.astype(int) - 127), 16, axis=axis)
    np.testing.assert_array_equal(scaled, expected * powers)


@gluon.jit
def layout_of_scales(x, LAYOUT: gl.constexpr, EXPECTED: gl.constexpr):
    block = gl.load(x + places(64, 64, LAYOUT))
    gl.static_assert(cdna4.get_scaled_upcast_fp4_scale_layout(block, 32, gl.bfloat16, -1) == EXPECTED)


def test_layout_of_scales():
    """That of Triton 3.9."""
    lanes = [[0, 0], [0, 0], [0, 1], [0, 2], [1, 0], [2, 0]]
    expected = gl.DistributedLinearLayout([[16, 0], [32, 0]], lanes, [[4, 0], [8, 0]], [], [64, 4])
    constants = {"LAYOUT": gl.BlockedLayout([1, 4], [4, 16], [4, 1], [1, 0]), "EXPECTED": expected}
    source = gluon.GluonASTSource(layout_of_scales, {"x": "*u8", **dict.fromkeys(constants, "constexpr")}, constants)
    triton.compile(source, target=GPUTarget("hip", "gfx950", 64))


@gluon.jit
def rescale(x, scale, wide, back, FORMAT: gl.constexpr, LAYOUT: gl.constexpr):
    at = places(32, 64, LAYOUT)
    scales = gl.load(scale + at)
    values = cdna5.scaled_upcast(gl.load(x + at), scales, gl.bfloat16)
    gl.store(wide + at, values.to(gl.float32))
    gl.store(back + at, cdna5.scaled_downcast(values, scales, FORMAT).to(gl.uint8, bitcast=True))


@pytest.mark.parametrize("format", ["e4m3", "e5m2"])
def test_floats_of_8_bits(format):
    driver.set_active(SimulatedHIPDriver("gfx950"))
    generator = np.random.default_rng(4)
    codes = random_codes(generator, format, (32, 64))
    scale = generator.integers(120, 134, (32, 64)).astype(np.uint8)
    wide, back = np.zeros((32, 64), np.float32), np.zeros((32, 64), np.uint8)
    layout = gl.BlockedLayout([1, 8], [8, 8], [4, 1], [1, 0])
    dtype = {"e4m3": triton.language.float8e4nv, "e5m2": triton.language.float8e5}[format]
    rescale[(1,)](triton.reinterpret(codes, dtype), scale, wide, back, format, layout)
    np.testing.assert_array_equal(wide, DECODED[format](codes) * np.ldexp(1.0, scale.astype(int) - 127))
    np.testing.assert_array_equal(back, codes)


@gluon.jit
def pack_rows(x, scale, y, LAYOUT: gl.constexpr):
    values = gl.load(x + places(32, 64, LAYOUT))
    narrow = gl.load(scale + places(32, 4, LAYOUT))
    packed = cdna4.scaled_downcast(values, narrow, "e2m1")
    gl.store(y + places(32, 32, packed.type.layout), packed)


def test_to_floats_of_4_bits():
    """Every number between two codes, also the middle, of which the even code is nearer."""
    driver.set_active(SimulatedHIPDriver("gfx950"))
    codes = np.arange(8, dtype=np.uint8)
    exact = DECODED["e2m1"](codes)
    middles = (exact[1:] + exact[:-1]) / 2
    cases = [*zip(exact, codes, strict=True), *zip(middles, codes[:-1] + codes[:-1] % 2, strict=True)]
    cases += [(middle + 0.01, code + 1) for middle, code in zip(middles, codes, strict=False)] + [(9.0, 7)]
    cases += [(-value, code | 8) for value, code in cases if value]
    numbers, wanted = (np.resize(np.array(column), (32, 64)) for column in zip(*cases, strict=True))
    scale = np.random.default_rng(5).integers(124, 131, (32, 4)).astype(np.uint8)
    x = (numbers * np.repeat(np.ldexp(1.0, scale.astype(int) - 127), 16, axis=1)).astype(np.float32)
    y = np.zeros((32, 32), np.uint8)
    pack_rows[(1,)](x, scale, y, gl.BlockedLayout([1, 8], [8, 8], [4, 1], [1, 0]))
    np.testing.assert_array_equal(y, pack(wanted.astype(np.uint8), 1))


@gluon.jit
def repack(x, y, OPERAND: gl.constexpr, SHARED: gl.constexpr, LAYOUT: gl.constexpr, BLOCKED: gl.constexpr):
    ROWS: gl.constexpr = 32 if OPERAND == 0 else 128
    COLUMNS: gl.constexpr = 128 if OPERAND == 0 else 32
    packed = gl.load(x + places(ROWS, COLUMNS, BLOCKED))
    buffer = gl.allocate_shared_memory(gl.uint8, [ROWS, COLUMNS], SHARED, packed)
    operand: gl.constexpr = gl.DotOperandLayout(OPERAND, LAYOUT, 16)
    result = cdna4.load_shared_fp4_repacked(buffer, operand)
    gl.static_assert(result.type.layout == operand)
    gl.store(y + places(result.shape[0], result.shape[1], operand), result)


@pytest.mark.parametrize("operand", [0, 1])
def test_bytes_along_rows_as_operands(operand):
    driver.set_active(SimulatedHIPDriver("gfx950"))
    codes = random_codes(np.random.default_rng(6), "e2m1", (64, 128) if operand == 0 else (128, 64))
    y = np.zeros((64, 64), np.uint8)
    layout = AMDMFMALayout(4, [16, 16, 128], True, [2, 2])
    blocked = gl.BlockedLayout([1, 4], [8, 8], [4, 1], [1, 0])
    shared = gl.SwizzledSharedLayout(1, 1, 1, [operand, 1 - operand])
    repack[(1,)](pack(codes, operand), y, operand, shared, layout, blocked)
    np.testing.assert_array_equal(y, pack(codes, 1 - operand))


@gluon.jit
def wrong(x, y, CASE: gl.constexpr, LAYOUT: gl.constexpr):
    block = gl.load(x + places(32, 64, LAYOUT))
    if CASE == "type":
        gl.fp4_to_fp(block, gl.float32, 1)
    elif CASE == "bytes":
        gl.fp4_to_fp(block.to(gl.float16), gl.float16, 1)
    elif CASE == "dimension":
        gl.fp4_to_fp(block, gl.float16, 2)
    elif CASE == "axis":
        cdna4.scaled_upcast(block, block, gl.float16)
    elif CASE == "scales":
        cdna4.scaled_upcast(block, gl.load(x + places(16, 64, LAYOUT)), gl.float16, 1)
    elif CASE == "format":
        cdna4.scaled_downcast(block.to(gl.float32), block, "e3m2")
    else:
        hint.sched_barrier("alu")


@pytest.mark.parametrize(
    "case, expected",
    [
        ("type", "`elem_type` must be float16 or bfloat16"),
        ("bytes", "`src` must have bytes"),
        ("dimension", "`axis` must be a dimension of `src`"),
        ("axis", "name the `axis`"),
        ("scales", "for a whole number of elements"),
        ("format", "must be 'e4m3', 'e5m2' or 'e2m1'"),
        ("barrier", "takes no `allow`"),
    ],
)
def test_wrong_uses(case, expected):
    constants = {"CASE": case, "LAYOUT": gl.BlockedLayout([1, 8], [8, 8], [4, 1], [1, 0])}
    types = {"x": "*u8", "y": "*u8", **dict.fromkeys(constants, "constexpr")}
    with pytest.raises(triton.CompilationError, match=expected):
        triton.compile(gluon.GluonASTSource(wrong, types, constants), target=GPUTarget("hip", "gfx950", 64))
