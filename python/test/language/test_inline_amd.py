"""Inline assembly of AMD's GPUs: LLVM's assembler takes each text, and the simulator computes what NumPy does."""

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.backends.active import simulated_driver
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.runtime.driver import driver
from values import numbers_of_every_size, poisoned

COUNT = 256
LANES = {"gfx90a": 64, "gfx942": 64, "gfx950": 64, "gfx1100": 32, "gfx1201": 32, "gfx1250": 32}


@triton.jit
def apply(x, y, z, out, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr, PACK: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    values = [tl.load(x + i), tl.load(y + i), tl.load(z + i)]
    dtype: tl.constexpr = out.dtype.element_ty
    tl.store(out + i, tl.inline_asm_elementwise(ASM, CONSTRAINTS, values, dtype=dtype, is_pure=True, pack=PACK))


@pytest.fixture
def processor(request):
    driver.set_active(simulated_driver(request.param))
    yield request.param
    driver.set_active_to_cpu()


NAMES = {
    "f4": "fp32",
    "f2": "fp16",
    "f8": "fp64",
    "i4": "i32",
    "u4": "u32",
    "i8": "i64",
    "u8": "u64",
    "i2": "i16",
    "u2": "u16",
}


def assemble(arch, asm, constraints, pack, inputs, out):
    """The text as the assembler takes it, for this processor."""
    types = {name: f"*{NAMES[a.dtype.str[1:]]}" for name, a in zip("xyz", inputs, strict=True)}
    types["out"] = f"*{NAMES[out.dtype.str[1:]]}"
    constants = {"ASM": asm, "CONSTRAINTS": constraints, "PACK": pack, "BLOCK": COUNT}
    source = ASTSource(fn=apply, signature=types | dict.fromkeys(constants, "constexpr"), constexprs=constants)
    return triton.compile(source, target=GPUTarget("hip", arch, LANES[arch])).asm["amdgcn"]


def run(arch, asm, inputs, result, constraints="=v,v,v,v", pack=1):
    out = poisoned((COUNT,), result)
    assemble(arch, asm, constraints, pack, inputs, out)
    apply[(1,)](*inputs, out, ASM=asm, CONSTRAINTS=constraints, PACK=pack, BLOCK=COUNT)
    return np.array(out)


def numbers(rng, dtype, limit=None):
    values = numbers_of_every_size(rng, dtype, COUNT)
    return values if limit is None else np.where(np.abs(values) <= limit, values, 1).astype(dtype)


def shift(amount):
    return amount & np.uint32(31)


def bits_between(x, offset, width):
    return (x >> shift(offset)) & ((np.uint64(1) << shift(width).astype(np.uint64)) - np.uint64(1)).astype(np.uint32)


def permute(x, y, selectors):
    whole = x.astype(np.uint64) << np.uint64(32) | y
    out = np.zeros_like(x)
    for i in range(4):
        out |= (whole >> np.uint64(8) * ((selectors >> np.uint32(8 * i)) & np.uint32(7)) & np.uint64(0xFF)).astype(
            np.uint32
        ) << np.uint32(8 * i)
    return out


INTEGERS = {
    "v_and_b32 $0, $1, $2": lambda x, y, z: x & y,
    "v_or_b32 $0, $1, $2": lambda x, y, z: x | y,
    "v_xor_b32 $0, $1, $2": lambda x, y, z: x ^ y,
    "v_xnor_b32 $0, $1, $2": lambda x, y, z: ~(x ^ y),
    "v_not_b32 $0, $1": lambda x, y, z: ~x,
    "v_sub_u32 $0, $1, $2": lambda x, y, z: x - y,
    "v_subrev_u32 $0, $1, $2": lambda x, y, z: y - x,
    "v_mul_lo_u32 $0, $1, $2": lambda x, y, z: x * y,
    "v_mul_hi_u32 $0, $1, $2": lambda x, y, z: (x.astype(np.uint64) * y >> np.uint64(32)).astype(np.uint32),
    "v_mul_u32_u24 $0, $1, $2": lambda x, y, z: (x & np.uint32(0xFFFFFF)) * (y & np.uint32(0xFFFFFF)),
    "v_mad_u32_u24 $0, $1, $2, $3": lambda x, y, z: (x & np.uint32(0xFFFFFF)) * (y & np.uint32(0xFFFFFF)) + z,
    "v_min_u32 $0, $1, $2": lambda x, y, z: np.minimum(x, y),
    "v_max_u32 $0, $1, $2": lambda x, y, z: np.maximum(x, y),
    "v_min_i32 $0, $1, $2": lambda x, y, z: np.minimum(x.view("i4"), y.view("i4")).view("u4"),
    "v_max3_u32 $0, $1, $2, $3": lambda x, y, z: np.maximum(np.maximum(x, y), z),
    "v_med3_i32 $0, $1, $2, $3": lambda x, y, z: np.sort([x.view("i4"), y.view("i4"), z.view("i4")], 0)[1].view("u4"),
    "v_lshlrev_b32 $0, $1, $2": lambda x, y, z: y << shift(x),
    "v_lshrrev_b32 $0, $1, $2": lambda x, y, z: y >> shift(x),
    "v_ashrrev_i32 $0, $1, $2": lambda x, y, z: (y.view("i4") >> shift(x).view("i4")).view("u4"),
    "v_lshl_add_u32 $0, $1, $2, $3": lambda x, y, z: (x << shift(y)) + z,
    "v_add_lshl_u32 $0, $1, $2, $3": lambda x, y, z: (x + y) << shift(z),
    "v_lshl_or_b32 $0, $1, $2, $3": lambda x, y, z: (x << shift(y)) | z,
    "v_and_or_b32 $0, $1, $2, $3": lambda x, y, z: (x & y) | z,
    "v_or3_b32 $0, $1, $2, $3": lambda x, y, z: x | y | z,
    "v_add3_u32 $0, $1, $2, $3": lambda x, y, z: x + y + z,
    "v_xad_u32 $0, $1, $2, $3": lambda x, y, z: (x ^ y) + z,
    "v_bfe_u32 $0, $1, $2, $3": bits_between,
    "v_bfi_b32 $0, $1, $2, $3": lambda x, y, z: (x & y) | (~x & z),
    "v_alignbit_b32 $0, $1, $2, $3": lambda x, y, z: (
        (x.astype(np.uint64) << np.uint64(32) | y) >> shift(z).astype(np.uint64)
    ).astype(np.uint32),
    "v_and_b32 $0, 0x07070707, $3\nv_perm_b32 $0, $1, $2, $0": lambda x, y, z: permute(x, y, z),
    "v_bcnt_u32_b32 $0, $1, $2": lambda x, y, z: np.bitwise_count(x) + y,
    "v_cmp_gt_u32 vcc, $1, $2\nv_cndmask_b32 $0, $2, $3, vcc": lambda x, y, z: np.where(x > y, z, y),
}


@pytest.mark.parametrize("asm", INTEGERS)
@pytest.mark.parametrize("processor", ["gfx942"], indirect=True)
def test_integers(rng, processor, asm):
    inputs = [numbers(rng, np.uint32) for _ in range(3)]
    constraints = "=&v,v,v,v,~{vcc}"
    np.testing.assert_array_equal(run(processor, asm, inputs, np.uint32, constraints), INTEGERS[asm](*inputs))


@pytest.mark.parametrize("processor", ["gfx1100", "gfx1201", "gfx1250"], indirect=True)
def test_sums_without_carry(rng, processor):
    inputs = [numbers(rng, np.uint32) for _ in range(3)]
    text = "v_add_nc_u32 $0, $1, $2\nv_sub_nc_u32 $0, $0, $3"
    np.testing.assert_array_equal(
        run(processor, text, inputs, np.uint32, "=&v,v,v,v"), inputs[0] + inputs[1] - inputs[2]
    )


FLOATS = {
    "v_add_{t} $0, $1, $2": lambda x, y, z: x + y,
    "v_sub_{t} $0, $1, $2": lambda x, y, z: x - y,
    "v_subrev_{t} $0, $1, $2": lambda x, y, z: y - x,
    "v_mul_{t} $0, $1, $2": lambda x, y, z: x * y,
    "v_mul_{t} $0, -$1, |$2|": lambda x, y, z: -x * np.abs(y),
    "v_add_{t} $0, 0.5, $2": lambda x, y, z: x.dtype.type(0.5) + y,
    "v_add_{t} $0, $1, $2 clamp": lambda x, y, z: np.clip(x + y, 0, 1),
    "v_min_{t} $0, $1, $2": lambda x, y, z: np.fmin(x, y),
    "v_max_{t} $0, $1, $2": lambda x, y, z: np.fmax(x, y),
    "v_max3_{t} $0, $1, $2, $3": lambda x, y, z: np.fmax(np.fmax(x, y), z),
    "v_floor_{t} $0, $1": lambda x, y, z: np.floor(x),
    "v_ceil_{t} $0, $1": lambda x, y, z: np.ceil(x),
    "v_trunc_{t} $0, $1": lambda x, y, z: np.trunc(x),
    "v_rndne_{t} $0, $1": lambda x, y, z: np.rint(x),
    "v_sqrt_{t} $0, $1": lambda x, y, z: np.sqrt(x),
    "v_rcp_{t} $0, $1": lambda x, y, z: 1 / x.astype(np.float64),
    "v_rsq_{t} $0, $1": lambda x, y, z: 1 / np.sqrt(x.astype(np.float64)),
    "v_exp_{t} $0, $1": lambda x, y, z: np.exp2(x.astype(np.float64)),
    "v_log_{t} $0, $1": lambda x, y, z: np.log2(x.astype(np.float64)),
}


@pytest.mark.parametrize("asm", FLOATS)
@pytest.mark.parametrize("name,dtype", [("f32", np.float32), ("f16", np.float16)])
@pytest.mark.parametrize("processor", ["gfx942"], indirect=True)
def test_floats(rng, processor, name, dtype, asm):
    inputs = [numbers(rng, dtype, limit=64) for _ in range(3)]
    if any(word in asm for word in ("sqrt", "rsq", "log")):
        inputs[0] = np.abs(inputs[0]) + dtype(0.125)
    if "rcp" in asm:
        inputs[0] = np.where(np.abs(inputs[0]) < 2.0**-10, 1, inputs[0]).astype(dtype)
    with np.errstate(invalid="ignore", over="ignore"):
        expected = FLOATS[asm](*inputs).astype(dtype)
    got = run(processor, asm.format(t=name), inputs, dtype)
    np.testing.assert_allclose(got, expected, rtol=4 * np.finfo(dtype).eps, atol=np.finfo(dtype).tiny)


@pytest.mark.parametrize("processor", ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"], indirect=True)
def test_fused_sums(rng, processor):
    inputs = [rng.standard_normal(COUNT).astype(np.float32) for _ in range(3)]
    expected = (inputs[0].astype(np.float64) * inputs[1] + inputs[2]).astype(np.float32)
    np.testing.assert_array_equal(run(processor, "v_fma_f32 $0, $1, $2, $3", inputs, np.float32), expected)
    text = "v_mov_b32 $0, $3\nv_fmac_f32 $0, $1, $2"
    np.testing.assert_array_equal(run(processor, text, inputs, np.float32, "=&v,v,v,v"), expected)


@pytest.mark.parametrize("processor", ["gfx90a", "gfx942", "gfx950"], indirect=True)
def test_pairs_of_f32(rng, processor):
    inputs = [rng.standard_normal((COUNT, 2)).astype(np.float32) for _ in range(3)]
    pairs = [np.ascontiguousarray(x).view(np.uint64)[:, 0] for x in inputs]
    x, y, _ = inputs
    for text, expected in (
        ("v_pk_mul_f32 $0, $1, $2", x * y),
        ("v_pk_add_f32 $0, $1, $2 neg_lo:[0,1] neg_hi:[0,1]", x - y),
        ("v_pk_mul_f32 $0, $1, $2 op_sel_hi:[1,0]", x * y[:, :1]),
        ("v_pk_mul_f32 $0, $1, $2 op_sel:[0,1]", x * y[:, 1:]),
    ):
        got = run(processor, text, pairs, np.uint64)
        np.testing.assert_array_equal(got.view(np.float32).reshape(COUNT, 2), expected)


@pytest.mark.parametrize("name,dtype", [("f16", np.float16), ("u16", np.uint16), ("i16", np.int16)])
@pytest.mark.parametrize("processor", ["gfx942", "gfx1100"], indirect=True)
def test_packed_halves(rng, processor, name, dtype):
    inputs = [numbers(rng, dtype, limit=100) for _ in range(3)]
    x, y, z = inputs
    cases = {f"v_pk_max_{name} $0, $1, $2": np.maximum(x, y)}
    if name == "f16":
        fused = (x.astype(np.float64) * y + z).astype(np.float16)
        cases |= {"v_pk_mul_f16 $0, $1, $2": x * y, "v_pk_fma_f16 $0, $1, $2, $3": fused}
        inputs = [np.where(np.isnan(values), 1, values) for values in inputs]
    else:
        cases |= {f"v_pk_sub_{name} $0, $1, $2": x - y, f"v_pk_mad_{name} $0, $1, $2, $3": x * y + z}
    for text, expected in cases.items():
        np.testing.assert_array_equal(run(processor, text, inputs, dtype, pack=2), expected)


@pytest.mark.parametrize("processor", ["gfx942"], indirect=True)
def test_conversions(rng, processor):
    floats, words = numbers(rng, np.float32, limit=2.0**30), numbers(rng, np.uint32)
    floats = np.where(np.isnan(floats), 1, floats).astype(np.float32)
    small = np.where(np.abs(floats) < 6e4, floats, 1).astype(np.float32)
    nibbles = (words.view(np.int32) << 28) >> 28
    cases = [
        ("v_cvt_i32_f32 $0, $1", floats, np.int32, np.trunc(floats).astype(np.int32)),
        ("v_cvt_flr_i32_f32 $0, $1", floats, np.int32, np.floor(floats).astype(np.int32)),
        ("v_cvt_f32_u32 $0, $1", words, np.float32, words.astype(np.float32)),
        ("v_cvt_f32_i32 $0, $1", words, np.float32, words.view(np.int32).astype(np.float32)),
        ("v_cvt_f32_ubyte2 $0, $1", words, np.float32, (words >> 16 & 255).astype(np.float32)),
        ("v_cvt_off_f32_i4 $0, $1", words, np.float32, nibbles.astype(np.float32) / 16),
        ("v_cvt_f16_f32 $0, $1", small, np.float16, small.astype(np.float16)),
        ("v_cvt_f32_f16 $0, $1", small.astype(np.float16), np.float32, small.astype(np.float16).astype(np.float32)),
        ("v_cvt_f64_f32 $0, $1", small, np.float64, small.astype(np.float64)),
    ]
    for text, source, result, expected in cases:
        np.testing.assert_array_equal(run(processor, text, [source] * 3, result), expected, err_msg=text)


FP8 = {"gfx942": 8, "gfx950": 7, "gfx1201": 7}


@pytest.mark.parametrize("processor", FP8, indirect=True)
def test_8_bit_floats(rng, processor):
    """1.5 and -0.25 as e4m3, whose bias depends on the processor, and back."""
    x, y = np.full(COUNT, 1.5, np.float32), np.full(COUNT, -0.25, np.float32)
    bias = FP8[processor]
    code = (bias << 3 | 4) | (0x80 | (bias - 2) << 3) << 8
    text = "v_mov_b32 $0, 0\nv_cvt_pk_fp8_f32 $0, $1, $2 op_sel:[0,0,1]"
    packed = run(processor, text, [x, y, x], np.uint32, "=&v,v,v,v")
    np.testing.assert_array_equal(packed, np.full(COUNT, code << 16, np.uint32))
    low = packed >> np.uint32(16)
    np.testing.assert_array_equal(run(processor, "v_cvt_f32_fp8 $0, $1", [low] * 3, np.float32), x)
    pairs = run(processor, "v_cvt_pk_f32_fp8 $0, $1", [low] * 3, np.uint64).view(np.float32).reshape(COUNT, 2)
    np.testing.assert_array_equal(pairs, np.stack([x, y], 1))


@pytest.mark.parametrize("processor", ["gfx942"], indirect=True)
def test_dot_products(rng, processor):
    x, y, z = (rng.integers(0, 2**32, COUNT, dtype=np.uint32) for _ in range(3))

    def elements(words, dtype):
        return words.view(dtype).reshape(COUNT, -1).astype(np.int64)

    for text, dtype in (("v_dot4_i32_i8", np.int8), ("v_dot4_u32_u8", np.uint8), ("v_dot2_i32_i16", np.int16)):
        expected = ((elements(x, dtype) * elements(y, dtype)).sum(1) + z).astype(np.uint32)
        np.testing.assert_array_equal(run(processor, f"{text} $0, $1, $2, $3", [x, y, z], np.uint32), expected)
    a, b = (rng.integers(-8, 8, (COUNT, 2)).astype(np.float16) for _ in range(2))
    words = [a.view(np.uint32)[:, 0], b.view(np.uint32)[:, 0], np.float32(np.arange(COUNT)).view(np.uint32)]
    got = run(processor, "v_dot2_f32_f16 $0, $1, $2, $3", words, np.uint32).view(np.float32)
    np.testing.assert_array_equal(got, (a.astype(np.float32) * b).sum(1) + np.arange(COUNT, dtype=np.float32))


@pytest.mark.parametrize("processor", ["gfx942"], indirect=True)
def test_waits_and_hints(rng, processor):
    inputs = [numbers(rng, np.uint32) for _ in range(3)]
    text = "s_setprio 2\ns_nop 3\ns_waitcnt vmcnt(0) lgkmcnt(0)\ns_sleep 1\nv_mov_b32 $0, $1 ; a comment\ns_setprio 0"
    np.testing.assert_array_equal(run(processor, text, inputs, np.uint32), inputs[0])


@pytest.mark.parametrize("processor", ["gfx942"], indirect=True)
def test_what_is_not_known_is_named_with_its_place(rng, processor):
    inputs = [numbers(rng, np.uint32) for _ in range(3)]
    with pytest.raises(
        Exception, match=r"test_inline_amd\.py:\d+(.|\n)*`v_sad_hi_u8 \$0, \$1, \$2, \$3` in inline assembly"
    ):
        run(processor, "v_sad_hi_u8 $0, $1, $2, $3", inputs, np.uint32)
