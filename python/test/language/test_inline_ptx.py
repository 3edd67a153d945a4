"""Inline PTX gives the same on every device: where PTX is not the assembly, it is translated. The expected values are
those of the simulated NVIDIA GPU, whose instructions were compared with a real one."""

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.backends.nvidia.driver import SimulatedDriver
from triton.runtime.driver import driver
from values import numbers_of_every_size, poisoned

COUNT = 256


@triton.jit
def ptx_kernel(x, y, z, out, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr, PACK: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    values = [tl.load(x + i), tl.load(y + i), tl.load(z + i)]
    dtype: tl.constexpr = out.dtype.element_ty
    tl.store(out + i, tl.inline_asm_elementwise(ASM, CONSTRAINTS, values, dtype=dtype, is_pure=True, pack=PACK))


def run(device, inputs, dtype, asm, constraints, pack):
    out = device.put(poisoned((COUNT,), dtype))
    given = [device.put(values) for values in inputs]
    ptx_kernel[(1,)](*given, out, ASM=asm, CONSTRAINTS=constraints, PACK=pack, BLOCK=COUNT)
    return np.array(device.get(out))


def compare(device, rng, asm, constraints, source, result, pack=1, tolerance=0.0, limit=None):
    inputs = [numbers_of_every_size(rng, source, COUNT) for _ in range(3)]
    if limit is not None:
        inputs = [np.where(np.abs(values) <= limit, values, 1).astype(source) for values in inputs]
    got = run(device, inputs, result, asm, constraints, pack)
    driver.set_active(SimulatedDriver(90))
    inputs = [values.copy() for values in inputs]
    expected = np.array(poisoned((COUNT,), result))
    ptx_kernel[(1,)](*inputs, expected, ASM=asm, CONSTRAINTS=constraints, PACK=pack, BLOCK=COUNT)
    if tolerance:
        np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)
    else:
        np.testing.assert_array_equal(got, expected)


INTEGERS = [
    "add.u32 $0, $1, $2;",
    "sub.s32 $0, $1, $2;",
    "mul.lo.u32 $0, $1, $2;",
    "mul.hi.u32 $0, $1, $2;",
    "mul.hi.s32 $0, $1, $2;",
    "mad.lo.s32 $0, $1, $2, $3;",
    "{ .reg .s64 w; mul.wide.s32 w, $1, $2; shr.s64 w, w, 13; cvt.u32.s64 $0, w; }",
    "and.b32 $0, $1, $2; or.b32 $0, $0, $3; xor.b32 $0, $0, 0x55; not.b32 $0, $0;",
    "shl.b32 $0, $1, $2;",
    "shr.u32 $0, $1, $2;",
    "shr.s32 $0, $1, $2;",
    "neg.s32 $0, $1;",
    "abs.s32 $0, $1;",
    "popc.b32 $0, $1;",
    "clz.b32 $0, $1;",
    "brev.b32 $0, $1;",
    "{ .reg .b64 w; .reg .b32 t; mov.b64 w, {$1, $2}; brev.b64 w, w; mov.b64 {$0, t}, w; }",
    "bfind.u32 $0, $1;",
    "bfind.shiftamt.u32 $0, $1;",
    "fns.b32 $0, $1, $2, $3;",
    "{ .reg .b32 base, n; and.b32 base, $2, 31; and.b32 n, $3, 15; sub.s32 n, n, 7; fns.b32 $0, $1, base, n; }",
    "min.s32 $0, $1, $2; max.u32 $0, $0, $3;",
    "{ .reg .b32 d; or.b32 d, $2, 1; div.u32 $0, $1, d; rem.u32 d, $3, d; add.u32 $0, $0, d; }",
    "prmt.b32 $0, $1, $2, 0x9640;",
    "prmt.b32 $0, $1, $2, $3;",
    "lop3.b32 $0, $1, $2, $3, 0xe8;",
    "shf.r.wrap.b32 $0, $1, $2, $3;",
    "shf.l.wrap.b32 $0, $1, $1, 7; and.b32 $0, $0, 0b1010101010101010101010101;",
    "{ .reg .pred p; setp.lt.s32 p, $1, $2; selp.b32 $0, $3, -5, p; }",
    "{ .reg .pred p; setp.hi.u32 p, $1, $2; mov.u32 $0, 3; @p add.u32 $0, $1, 9; @!p mov.u32 $0, $2; }",
    "{ .reg .b16 t<2>; mov.b32 {t0, t1}, $1; mov.b32 $0, {t1, t0}; }",
    "{ .reg .b8 t; .reg .b16 a, b; mov.b32 {a, b}, $1; cvt.s32.s16 $0, b; /* the high half */ }",
    "{ .reg .u64 w; mov.b64 w, {$1, $2}; // both\n shr.u64 w, w, 20; cvt.u32.u64 $0, w; }",
    "{ .reg .f32 f; cvt.rn.f32.s32 f, $1; mov.b32 $0, f; }",
    "{ .reg .f32 f; cvt.rn.f32.u32 f, $1; mov.b32 $0, f; }",
    "cvt.u32.u8 $0, $1;",
    "cvt.s8.s32 $0, $1;",
]


@pytest.mark.parametrize("asm", INTEGERS)
def test_integers(device, rng, asm):
    compare(device, rng, asm, "=r,r,r,r", "int32", "int32")


FLOATS = [
    "add.rn.f32 $0, $1, $2;",
    "sub.rn.f32 $0, $1, $2;",
    "mul.rn.f32 $0, $1, $2;",
    "mul.rn.f32 $0, $1, $2; add.rn.f32 $0, $0, $3;",
    "fma.rn.f32 $0, $1, $2, $3;",
    "div.rn.f32 $0, $1, $2;",
    "sqrt.rn.f32 $0, $1;",
    "rcp.rn.f32 $0, $1;",
    "min.f32 $0, $1, $2;",
    "max.NaN.f32 $0, $1, $2;",
    "min.xorsign.abs.f32 $0, $1, $2;",
    "max.xorsign.abs.f32 $0, $1, $2;",
    "min.NaN.xorsign.abs.f32 $0, $1, $2;",
    "max.NaN.xorsign.abs.f32 $0, $1, $2;",
    "neg.f32 $0, $1;",
    "abs.f32 $0, $1;",
    "add.f32 $0, $1, 0f3F800000;",
    "{ .reg .pred p; setp.gtu.f32 p, $1, $2; selp.f32 $0, $1, $3, p; }",
    "cvt.rni.f32.f32 $0, $1;",
    "{ .reg .s32 i; cvt.rzi.s32.f32 i, $1; mov.b32 $0, i; }",
    "{ .reg .u32 i; cvt.rni.u32.f32 i, $1; mov.b32 $0, i; }",
    "{ .reg .b32 w; .reg .b16 a, b; cvt.rn.f16x2.f32 w, $1, $2; mov.b32 {a, b}, w; cvt.f32.f16 $0, a; }",
    "{ .reg .b32 w; .reg .b16 a, b; cvt.rn.relu.f16x2.f32 w, $1, $2; mov.b32 {a, b}, w; cvt.f32.f16 $0, b; }",
    "{ .reg .b32 w; cvt.rn.bf16x2.f32 w, $1, $2; shl.b32 w, w, 16; mov.b32 $0, w; }",
    "{ .reg .b32 w; cvt.rz.bf16x2.f32 w, $1, $2; and.b32 w, w, 0xffff0000; mov.b32 $0, w; }",
    "{ .reg .b16 h; .reg .b32 w; cvt.rn.satfinite.e4m3x2.f32 h, $1, $2; cvt.u32.u16 w, h; mov.b32 $0, w; }",
    "{ .reg .b16 h; .reg .b32 w; cvt.rn.satfinite.e5m2x2.f32 h, $1, $2; cvt.u32.u16 w, h; mov.b32 $0, w; }",
    "{ .reg .b8 b; cvt.rn.satfinite.relu.e2m1x2.f32 b, $1, $2; mov.b32 $0, {b, 0, 2, b}; }",
]


@pytest.mark.parametrize("asm", FLOATS)
def test_floats(device, rng, asm):
    compare(device, rng, asm, "=f,f,f,f", "float32", "float32")


FUNCTIONS = [
    ("ex2.approx.ftz.f32 $0, $1;", 100),
    ("{ abs.f32 $0, $1; lg2.approx.f32 $0, $0; }", None),
    ("rcp.approx.ftz.f32 $0, $1;", 1e30),
    ("rsqrt.approx.f32 $0, $1;", None),
    ("sqrt.approx.f32 $0, $1;", None),
    ("div.full.f32 $0, $1, $2;", 1e10),
    ("tanh.approx.f32 $0, $1;", None),
    ("sin.approx.f32 $0, $1;", 3),
    ("cos.approx.f32 $0, $1;", 3),
]


@pytest.mark.parametrize("asm,limit", FUNCTIONS)
def test_functions(device, rng, asm, limit):
    compare(device, rng, asm, "=f,f,f,f", "float32", "float32", tolerance=1e-3 if "tanh" in asm else 2e-6, limit=limit)


HALVES = [
    ("{ add.rn.f16x2 $0, $1, $2; }", "=r,r,r,r"),
    ("{ fma.rn.relu.f16x2 $0, $1, $2, $3; }", "=r,r,r,r"),
    ("{ .reg .b16 a; cvt.rn.satfinite.e4m3x2.f16x2 a, $1; cvt.rn.f16x2.e4m3x2 $0, a; }", "=r,r,r,r"),
    ("{ .reg .b16 a; cvt.rn.satfinite.e5m2x2.f16x2 a, $1; cvt.rn.f16x2.e5m2x2 $0, a; }", "=r,r,r,r"),
]


@pytest.mark.parametrize("asm,constraints", HALVES)
def test_pairs_in_a_register(device, rng, asm, constraints):
    compare(device, rng, asm, constraints, "float16", "float16", pack=2, tolerance=1e-3 if "fma" in asm else 0.0)


@triton.jit
def four_bits_kernel(x, codes, back, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    narrow: tl.constexpr = """{
        .reg .b8 code; .reg .b16 wide;
        cvt.rn.satfinite.e2m1x2.f32 code, $2, $1;
        mov.b16 wide, {code, 0};
        cvt.u32.u16 $0, wide;
    }"""
    low, high = tl.load(x + 2 * i), tl.load(x + 2 * i + 1)
    pairs = tl.inline_asm_elementwise(narrow, "=r,f,f", [low, high], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(codes + i, pairs)
    widen: tl.constexpr = "{ .reg .b8 a, b, c, d; mov.b32 {a, b, c, d}, $1; cvt.rn.f16x2.e2m1x2 $0, a; }"
    halves = tl.inline_asm_elementwise(widen, "=r,r", [pairs], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(back + i, halves)


def test_numbers_of_four_bits(device):
    """All of them, what lies half way between two and beside it, what is too large, and NaN."""
    numbers = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float32)
    middles = (numbers[1:] + numbers[:-1]) / 2
    beside = [np.nextafter(middles, np.float32(bound)) for bound in (0, 9)]
    magnitudes = np.concatenate([numbers, middles, *beside, [7, np.inf, 1e-40]]).astype(np.float32)
    codes = np.concatenate([np.arange(8), [0, 2, 2, 4, 4, 6, 6], np.arange(7), np.arange(1, 8), [7, 7, 0]])
    x = np.concatenate([magnitudes, -magnitudes])
    x, codes = np.append(x, [np.nan] * (128 - len(x))).astype(np.float32), np.concatenate([codes, codes + 8])
    codes = np.append(codes, [7] * (128 - len(codes)))
    pairs, back = device.put(poisoned((64,), "int32")), device.put(poisoned((64,), "int32"))
    four_bits_kernel[(1,)](device.put(x), pairs, back, BLOCK=64)
    np.testing.assert_array_equal(device.get(pairs), codes[::2] + 16 * codes[1::2])
    signed = np.concatenate([numbers, -numbers]).astype(np.float16)
    found = np.array(device.get(back)).view(np.int16)  # bits, so that zeros have signs
    np.testing.assert_array_equal(found, signed[codes].view(np.int16))


def test_one_half(device, rng):
    asm = "{ .reg .f32 a, b; cvt.f32.f16 a, $1; cvt.f32.f16 b, $2; mul.f32 a, a, b; cvt.rn.f16.f32 $0, a; }"
    compare(device, rng, asm, "=h,h,h,h", "float16", "float16")


def test_bytes_become_halves(device, rng):
    """Four bytes in one register become four numbers in two."""
    asm = """{
        .reg .b16 low, high;   // as kernels for 8-bit weights do it
        mov.b32 {low, high}, $2;
        cvt.rn.f16x2.e5m2x2 $0, low;
        cvt.rn.f16x2.e5m2x2 $1, high;
    }"""
    compare(device, rng, asm, "=r,=r,r,r,r", "int8", "float16", pack=4)


def test_saturated_integers_in_one_register(device, rng):
    """As kernels that quantize pack four numbers."""
    x, y = (np.concatenate([rng.integers(-400, 400, COUNT - 4), [2**31 - 1, -(2**31), 255, -129]]) for _ in range(2))
    for kind, least, most in (("u8", 0, 255), ("s8", -128, 127)):
        asm = "{ .reg .b32 w; cvt.pack.sat.T.s32.b32 w, $2, $1, 0; cvt.pack.sat.T.s32.b32 $0, $1, $2, w; }"
        got = run(
            device,
            [x.astype(np.int32), y.astype(np.int32), y.astype(np.int32)],
            "int32",
            asm.replace("T", kind),
            "=r,r,r,r",
            1,
        )
        a, b = (np.clip(values, least, most).astype(np.int64) & 255 for values in (x, y))
        np.testing.assert_array_equal(got, (b | a << 8 | a << 16 | b << 24).astype(np.uint32).view(np.int32))
    got = run(device, [x.astype(np.int32)] * 3, "int32", "cvt.pack.sat.s16.s32 $0, $1, 70000;", "=r,r,r,r", 1)
    high = np.clip(x, -(2**15), 2**15 - 1) & 0xFFFF
    np.testing.assert_array_equal(got, (32767 | high << 16).astype(np.uint32).view(np.int32))


@triton.jit
def constants_kernel(x, out, MASK: tl.constexpr, TABLE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    asm: tl.constexpr = "{ .reg .b32 w; lop3.b32 w, $2, $3, $4, $5; mov.b32 {$0, $1}, w; }"
    low, high = tl.inline_asm_elementwise(
        asm, "=h,=h,r,n,n,n", [tl.load(x + i), MASK, 0x6400, TABLE], dtype=(tl.int16, tl.int16), is_pure=True, pack=1
    )
    tl.store(out + i, low)
    tl.store(out + BLOCK + i, high)


def test_constants_as_operands(device, rng):
    """As kernels for 4-bit weights spell the table of lop3."""
    x = numbers_of_every_size(rng, "int32", COUNT)
    out = device.put(poisoned((2, COUNT), "int16"))
    constants_kernel[(1,)](device.put(x), out, MASK=0xFF00FF, TABLE=(0xF0 & 0xCC) | 0xAA, BLOCK=COUNT)
    expected = (x & 0xFF00FF | 0x6400).view(np.int16).reshape(COUNT, 2).T
    np.testing.assert_array_equal(device.get(out), expected)


@triton.jit
def fused_kernel(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    product = tl.inline_asm_elementwise(
        "mul.rn.f32 $0, $1, $2;", "=f,f,f", [tl.load(x + i), tl.load(y + i)], dtype=tl.float32, is_pure=True, pack=1
    )
    tl.store(out + i, product - (1 + 2.0**-11))


def test_a_rounded_product_is_not_fused(device):
    """Without its rounding, the product would leave a difference."""
    x = np.full(16, 1 + 2.0**-12, np.float32)
    out = device.put(poisoned((16,), "float32"))
    fused_kernel[(1,)](device.put(x), device.put(x), out, BLOCK=16)
    np.testing.assert_array_equal(device.get(out), np.zeros(16))


@triton.jit
def barrier_kernel(x, WAIT: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, i)
    tl.inline_asm_elementwise("bar.sync 0;", "=r", [], dtype=tl.int32, is_pure=False, pack=1)
    if WAIT:
        tl.inline_asm_elementwise("griddepcontrol.wait; // $0", "=r", [], dtype=tl.int32, is_pure=False, pack=1)
    tl.store(x + BLOCK + i, tl.load(x + BLOCK - 1 - i))


def test_barriers(device):
    x = device.put(poisoned((512,), "int32"))
    target = device.driver().get_current_target()
    barrier_kernel[(1,)](x, WAIT="cuda" not in target.backend or target.arch >= 90, BLOCK=256)
    np.testing.assert_array_equal(device.get(x), [*range(256), *range(255, -1, -1)])


@triton.jit
def access_kernel(x, y, out, n, BLOCK: tl.constexpr, ASM: tl.constexpr):
    """`$0` is a result, `$1` and `$2` are addresses, `$3` an index."""
    i = tl.arange(0, BLOCK)
    values = tl.inline_asm_elementwise(ASM, "=r,l,l,r", [x + i, y + i, i], dtype=tl.int32, is_pure=False, pack=1)
    tl.store(out + i, values)


#: What each does to x, y and the results, from what x and y were.
ACCESSES = {
    "ld.global.b32 $0, [$1];": lambda x, y, i: (x, y, x),
    "ld.relaxed.gpu.global.b32 $0, [$1+4];": lambda x, y, i: (x, y, np.append(x[1:], 0)),
    "{ .reg .b32 a; ld.acquire.sys.b32 a, [$1]; st.release.sys.b32 [$2], a; mov.b32 $0, a; }": (
        lambda x, y, i: (x, x, x)
    ),
    "{ .reg .u16 h; ld.volatile.global.u8 h, [$1]; cvt.u32.u16 $0, h; }": lambda x, y, i: (x, y, x & 255),
    "ld.global.s8 $0, [$1];": lambda x, y, i: (x, y, x.astype(np.int8)),
    "atom.global.add.u32 $0, [$2], 5;": lambda x, y, i: (x, y + 5, y),
    "{ .reg .b32 a; ld.global.ca.b32 a, [$1]; atom.relaxed.gpu.global.max.s32 $0, [$2], a; }": (
        lambda x, y, i: (x, np.maximum(x, y), y)
    ),
    "{ red.global.xor.b32 [$2], $3; mov.b32 $0, 1; }": lambda x, y, i: (x, y ^ i, np.ones_like(x)),
    """{ .reg .pred p; .reg .b64 a, o; .reg .f32 f; setp.lt.s32 p, $3, 32; mul.wide.s32 o, $3, 4; add.s64 a, $2, o;
    cvt.rn.f32.s32 f, $3; add.f32 f, f, 0f3F800000; @p red.relaxed.gpu.global.add.v2.f32 [a], {f, 0f41000000};
    mov.b32 $0, 1; }""": (lambda x, y, i: (x, np.where(i % 2 == 0, i // 2 + 1.0, 8), np.ones_like(x))),
    "{ atom.global.exch.b32 $0, [$1], 7; fence.acq_rel.gpu; membar.sys; }": lambda x, y, i: (x * 0 + 7, y, x),
    "atom.acq_rel.sys.global.cas.b32 $0, [$1], 3, 9;": lambda x, y, i: (np.where(x == 3, 9, x), y, x),
    "{ .reg .pred p; mov.b32 $0, -1; setp.ge.s32 p, $3, 40; @p ld.global.b32 $0, [$1]; @!p st.global.b32 [$2], $3; }": (
        lambda x, y, i: (x, np.where(i < 40, i, y), np.where(i < 40, -1, x))
    ),
    """{ .reg .pred p; setp.lt.s32 p, $3, 10; mov.b32 $0, 1; @p bra skip; mov.b32 $0, 2; st.global.b32 [$1], 8;
    setp.lt.s32 p, $3, 20; @p bra end; skip: add.u32 $0, $0, 10; end: }""": (
        lambda x, y, i: (np.where(i < 10, x, 8), y, np.select([i < 10, i < 20], [11, 2], 12))
    ),
}


@pytest.mark.parametrize("asm", ACCESSES)
def test_accesses_of_memory(device, rng, asm):
    if "cuda" in device.name and "v2" in asm:
        pytest.skip("the simulator knows no atomic operations on vectors in inline PTX")
    x, y = (rng.integers(0, 6, 64).astype(np.int32) for _ in range(2))
    given = [device.put(np.append(values, 0).astype(np.int32)) for values in (x, y)]
    out = device.put(poisoned((64,), "int32"))
    access_kernel[(1,)](*given, out, 64, BLOCK=64, ASM=asm, num_warps=2)  # each element in one thread of NVIDIA's
    expected = ACCESSES[asm](x, y, np.arange(64, dtype=np.int32))
    for array, values in zip((*given, out), expected, strict=True):
        found = np.array(device.get(array))[:64]
        np.testing.assert_array_equal(found if values.dtype.kind != "f" else found.view(np.float32), values)


@triton.jit
def pair_kernel(x, out, BLOCK: tl.constexpr, ASM: tl.constexpr):
    i = tl.arange(0, BLOCK)
    first, second = tl.inline_asm_elementwise(
        ASM, "=r,=r,l", [x + 2 * i], dtype=(tl.int32, tl.int32), is_pure=False, pack=1
    )
    tl.store(out + i, first)
    tl.store(out + BLOCK + i, second)


#: Loads of registers that are in another order, or wider than the elements. What each gives from x.
PAIRS = {
    "ld.global.v2.b32 {$1, $0}, [$2];": lambda x: (x[1::2], x[::2]),
    "ld.global.v2.b16 {$0, $1}, [$2];": lambda x: (x[::2] & 65535, x[::2] >> 16),
}


@pytest.mark.parametrize("asm", PAIRS)
def test_loads_of_pairs(device, rng, asm):
    x = rng.integers(0, 2**30, 128).astype(np.int32)
    out = device.put(poisoned((128,), "int32"))
    pair_kernel[(1,)](device.put(x), out, BLOCK=64, ASM=asm, num_warps=2)
    np.testing.assert_array_equal(device.get(out), np.concatenate(PAIRS[asm](x)))


@triton.jit
def publish_kernel(flag, data, out, SEND: tl.constexpr, RECEIVE: tl.constexpr):
    if tl.program_id(0) == 0:
        tl.store(data, 7)
        tl.inline_asm_elementwise(SEND, "=r,l", [flag], dtype=tl.int32, is_pure=False, pack=1)
    else:
        seen = tl.inline_asm_elementwise(RECEIVE, "=r,l", [flag], dtype=tl.int32, is_pure=False, pack=1)
        if seen == 1:
            tl.store(out, tl.load(data))


def test_guarded_accesses_have_an_order(device):
    """Otherwise the simulator would report races with them."""
    send = """{ .reg .pred p; .reg .b32 v; mov.b32 v, 1; setp.eq.s32 p, v, 1; mov.b32 $0, 0;
    @p st.release.gpu.global.b32 [$1], v; }"""
    receive = "{ .reg .pred p; setp.ne.s64 p, $1, 0; mov.b32 $0, 0; @p ld.acquire.gpu.global.b32 $0, [$1]; }"
    flag, data, out = (device.put(np.zeros(1, np.int32)) for _ in range(3))
    publish_kernel[(2,)](flag, data, out, SEND=send, RECEIVE=receive, num_warps=1)
    assert device.get(out)[0] in (0, 7)


@triton.jit
def packed_access_kernel(x, y, out, BLOCK: tl.constexpr, ASM: tl.constexpr, TYPES: tl.constexpr, PACK: tl.constexpr):
    """First the results, then the addresses in x, those in y, and the indices."""
    i = tl.arange(0, BLOCK)
    shape: tl.constexpr = (8, BLOCK // 8)
    given = [(x + i).reshape(shape), (y + i).reshape(shape), i.reshape(shape)]
    values = tl.inline_asm_elementwise(ASM, TYPES, given, dtype=tl.int32, is_pure=False, pack=PACK)
    tl.store(out + i, values.reshape(BLOCK))


@pytest.mark.parametrize("pack", [2, 4])
def test_accesses_of_several_elements(device, rng, pack):
    """Each instruction accesses what its own element points to, and only where its guard says so."""
    steps = """{{ .reg .pred p{0}; setp.lt.s32 p{0}, ${3}, 100; mov.b32 ${0}, -1; @p{0} ld.global.ca.b32 ${0}, [${1}];
    @!p{0} st.global.b32 [${2}], ${3}; @!p{0} ld.volatile.global.s8 ${0}, [${1}+1]; }}"""
    asm = "".join(steps.format(*(group * pack + i for group in range(4))) for i in range(pack))
    types = ",".join(["=&r"] * pack + ["l"] * 2 * pack + ["r"] * pack)
    x, y = (rng.integers(-1000, 1000, 1024).astype(np.int32) for _ in range(2))
    given = [device.put(values) for values in (x, y)]
    out = device.put(poisoned((1024,), "int32"))
    packed_access_kernel[(1,)](*given, out, BLOCK=1024, ASM=asm, TYPES=types, PACK=pack)
    i = np.arange(1024)
    np.testing.assert_array_equal(device.get(out), np.where(i < 100, x, (x >> 8).astype(np.int8)))
    np.testing.assert_array_equal(device.get(given[1]), np.where(i < 100, y, i))


@triton.jit
def chain_kernel(flags, data, BLOCK: tl.constexpr, WAIT: tl.constexpr):
    """Each program waits for the one before it, and tells the next one."""
    program = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    tl.inline_asm_elementwise(WAIT, "=r,l", [flags + program], dtype=tl.int32, is_pure=False, pack=1)
    before = tl.load(data + program * BLOCK + i)
    tl.store(data + (program + 1) * BLOCK + i, before + i)
    signal: tl.constexpr = """{
        .reg .u32 %old<1>; .reg .pred %p<1>;
        send: atom.global.release.sys.cas.b32 %old0, [$1], 0, 1;
        setp.eq.u32 %p0, %old0, 0;
        @!%p0 bra send;
    }"""
    tl.debug_barrier()
    tl.inline_asm_elementwise(signal, "=r, l", [flags + program + 1], dtype=tl.int32, is_pure=False, pack=1)


WAITS = [
    "{ .reg .u32 t; .reg .pred p; w: atom.global.sys.acquire.cas.b32 t, [$1], 1, 0; setp.eq.u32 p, t, 1; @!p bra w; }",
    "{ .reg .u32 t; .reg .pred p; w: ld.acquire.sys.b32 t, [$1]; setp.eq.u32 p, t, 1; @p bra go; bra w; go: }",
    "{ .reg .u32 t; .reg .pred p; w: ld.relaxed.gpu.b32 t, [$1]; setp.ne.u32 p, t, 1; @p bra w; fence.acq_rel.gpu; }",
]


@pytest.mark.parametrize("wait", WAITS)
def test_programs_wait_in_loops(device, rng, wait):
    if "cuda" in device.name:
        pytest.skip("each thread of the program would exchange the one flag")
    x = rng.integers(0, 1000, 64).astype(np.int32)
    data = np.full((9, 64), -1, np.int32)
    data[0] = x
    flags = np.zeros(9, np.int32)
    flags[0] = 1
    chain_kernel[(8,)](flags, data, BLOCK=64, WAIT=wait)
    np.testing.assert_array_equal(data, x + np.arange(9)[:, None] * np.arange(64))
    assert flags[8] == 1 and flags[1:8].all() == ("cas" not in wait)


@triton.jit
def count_kernel(x, out):
    asm: tl.constexpr = """{ // the length of the Collatz sequence
        .reg .u32 n, odd; .reg .pred p;
        mov.u32 n, $1;
        mov.u32 $0, 0;
        next: setp.eq.u32 p, n, 1;
        @p bra done;
        add.u32 $0, $0, 1;
        and.b32 odd, n, 1;
        shr.u32 n, n, 1;
        setp.eq.u32 p, odd, 0;
        @p bra next;
        mad.lo.u32 n, n, 6, 4;
        bra next;
        done: shl.b32 $0, $0, 1;
    }"""
    steps = tl.inline_asm_elementwise(
        asm, "=r,r", [tl.load(x + tl.program_id(0))], dtype=tl.int32, is_pure=True, pack=1
    )
    tl.store(out + tl.program_id(0), steps)


def test_loops_of_scalars(device):
    def steps(n):
        return 0 if n == 1 else 1 + steps(n // 2 if n % 2 == 0 else 3 * n + 1)

    x = np.arange(1, 17, dtype=np.int32)
    out = device.put(poisoned((16,), "int32"))
    count_kernel[(16,)](device.put(x), out)
    np.testing.assert_array_equal(device.get(out), [2 * steps(n) for n in x])


@triton.jit
def thread_number():
    return tl.inline_asm_elementwise("mov.u32 $0, %tid.x;", "=r", [], dtype=tl.int32, is_pure=True, pack=1)


@triton.jit
def thread_kernel(x):
    tl.store(x, thread_number())


def test_the_place_in_a_called_function_is_shown(device):
    if "cuda" in device.name:
        pytest.skip("PTX is the assembly")
    with pytest.raises(triton.CompilationError, match="`mov.u32 .0, %tid.x` of .* has no translation") as error:
        thread_kernel[(1,)](device.put(np.zeros(1, np.int32)))
    text = str(error.value)
    assert '    return tl.inline_asm_elementwise("mov.u32' in text and "    tl.store(x, thread_number())" in text


def test_what_has_no_translation_is_named(device):
    if "cuda" in device.name:
        pytest.skip("PTX is the assembly")
    x = device.put(np.zeros(256, np.int32))
    with pytest.raises(triton.CompilationError, match="`mov.u32 .0, %laneid` of .* has no translation") as error:
        ptx_kernel[(1,)](x, x, x, x, ASM="mov.u32 $0, %laneid;", CONSTRAINTS="=r,r,r,r", PACK=1, BLOCK=256)
    assert "tl.inline_asm_elementwise(ASM" in str(error.value)


@triton.jit
def reverse_groups(x, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row, column = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    y = tl.load(x + row[:, None] + column[None, :] * ROWS).trans()  # COLUMNS by ROWS
    y = tl.inline_asm_elementwise("prmt.b32 $0, $1, 0, 0x0123;", "=r,r", [y], tl.uint8, is_pure=True, pack=4)
    y = y.reshape(COLUMNS // 4, 4, ROWS // 8, 2, 4).trans(0, 2, 1, 4, 3).reshape(COLUMNS, ROWS).trans()
    tl.store(out + row[:, None] * COLUMNS + column[None, :], y)


@pytest.mark.parametrize("rows, columns, warps", [(128, 32, 4), (32, 32, 1)])
def test_groups_are_neighbours_in_memory_whatever_follows(device, rng, rows, columns, warps):
    """The layout that the store would have, before the reshapes, has other elements in a group."""
    x = rng.integers(0, 256, (columns, rows)).astype(np.uint8)
    out = device.put(np.zeros((rows, columns), np.uint8))
    reverse_groups[(1,)](device.put(x), out, rows, columns, num_warps=warps)
    reversed_groups = x.reshape(columns, rows // 4, 4)[:, :, ::-1]
    moved = reversed_groups.reshape(columns // 4, 4, rows // 8, 2, 4).transpose(0, 2, 1, 4, 3)
    np.testing.assert_array_equal(device.get(out), moved.reshape(columns, rows).T)
