"""Code that a kernel brings along: assembly of the target, and scalar functions for each element."""

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from values import poisoned


def on_processor(device):
    return device.name == "cpu"


@triton.jit
def difference_kernel(x_ptr, y_ptr, out_ptr, ASM: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    args = [tl.load(x_ptr + i), tl.load(y_ptr + i)]
    total, difference = tl.inline_asm_elementwise(
        ASM, "=&r,=&r,r,r", args, dtype=(tl.int32, tl.int32), is_pure=True, pack=1
    )
    tl.store(out_ptr + i, total)
    tl.store(out_ptr + BLOCK + i, difference)


@pytest.mark.parametrize("block", [1, 4, 64])
def test_several_results(device, rng, block):
    x, y = rng.integers(-1000, 1000, (2, block), np.int32)
    if on_processor(device):
        asm = "movl $2, $0; addl $3, $0; movl $2, $1; subl $3, $1"
    else:
        asm = "add.s32 $0, $2, $3; sub.s32 $1, $2, $3;"
    out = device.put(poisoned((2, block), "int32"))
    difference_kernel[(1,)](device.put(x), device.put(y), out, ASM=asm, BLOCK=block)
    np.testing.assert_array_equal(device.get(out), [x + y, x - y])


@triton.jit
def constant_kernel(out_ptr, ASM: tl.constexpr):
    number = tl.inline_asm_elementwise(ASM, "=r", [], dtype=tl.int32, is_pure=False, pack=1)
    tl.store(out_ptr + tl.arange(0, 4), number + tl.arange(0, 4))


def test_no_operands(device):
    """The result is a scalar."""
    out = device.put(poisoned((4,), "int32"))
    asm = "movl $$42, $0" if on_processor(device) else "mov.b32 $0, 42;"
    constant_kernel[(1,)](out, ASM=asm)
    np.testing.assert_array_equal(device.get(out), [42, 43, 44, 45])


@triton.jit
def root_kernel(x_ptr, out_ptr, n, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr, BLOCK: tl.constexpr):
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)[:, None] * 2 + tl.arange(0, 2)[None, :]
        x = tl.load(x_ptr + i) + 1.0
        root = tl.inline_asm_elementwise(ASM, CONSTRAINTS, [x], dtype=tl.float32, is_pure=True, pack=1)
        scalar = tl.inline_asm_elementwise(
            ASM, CONSTRAINTS, [tl.load(x_ptr + start)], dtype=tl.float32, is_pure=True, pack=1
        )
        tl.store(out_ptr + i, root + scalar)


def test_floats_and_scalars_in_a_loop(device, rng):
    x = rng.uniform(0, 4, 64).astype(np.float32)
    out = device.put(poisoned((64,), "float32"))
    asm, constraints = ("vsqrtss $1, $1, $0", "=x,x") if on_processor(device) else ("sqrt.rn.f32 $0, $1;", "=f,f")
    root_kernel[(1,)](device.put(x), out, 48, ASM=asm, CONSTRAINTS=constraints, BLOCK=16)
    got = device.get(out)
    for start in (0, 16, 32):
        rows = slice(start, start + 32)
        expected = np.sqrt(x[rows] + np.float32(1)) + np.sqrt(x[start])
        np.testing.assert_array_equal(got[rows][:16], expected[:16])


@triton.jit
def reversed_kernel(x_ptr, out_ptr, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    turned = tl.inline_asm_elementwise(ASM, CONSTRAINTS, [tl.load(x_ptr + i)], dtype=tl.uint8, is_pure=True, pack=4)
    tl.store(out_ptr + i, turned)


def test_small_elements_share_a_register(device, rng):
    x = rng.integers(0, 256, 2048, np.uint8)
    out = device.put(poisoned((2048,), "uint8"))
    asm, constraints = ("bswapl $0", "=r,0") if on_processor(device) else ("prmt.b32 $0, $1, $1, 0x0123;", "=r,r")
    reversed_kernel[(1,)](device.put(x), out, ASM=asm, CONSTRAINTS=constraints, BLOCK=2048)
    np.testing.assert_array_equal(device.get(out), x.reshape(-1, 4)[:, ::-1].reshape(-1))


@triton.jit
def pairs_kernel(x_ptr, out_ptr, flag_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    sums = tl.inline_asm_elementwise(
        "leal ($2,$3), $0; leal ($2,$3), $1", "=&r,=&r,r,r", [x], dtype=tl.int32, is_pure=True, pack=2
    )
    tl.store(out_ptr + i, sums)
    is_less, byte = tl.inline_asm_elementwise(
        "cmpl $3, $2; setl $0; movb $$7, $1", "=&q,=q,r,r", [x, sums], dtype=(tl.int1, tl.int8), is_pure=True, pack=1
    )
    tl.store(flag_ptr + i, tl.where(is_less, byte, 0))


def test_packs_and_booleans_on_the_processor(rng):
    x = rng.integers(-1000, 1000, 32, np.int32)
    out, flags = poisoned((32,), "int32"), poisoned((32,), "int8")
    pairs_kernel[(1,)](x, out, flags, BLOCK=32)
    sums = np.repeat(x.reshape(-1, 2).sum(1), 2)
    np.testing.assert_array_equal(out, sums)
    np.testing.assert_array_equal(flags, np.where(x < sums, 7, 0))


@triton.jit
def storing_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    before = tl.load(x_ptr + i)
    tl.inline_asm_elementwise(
        "movl $2, ($1); movl $2, $0", "=&r,r,r,~{memory}", [x_ptr + i, i], dtype=tl.int32, is_pure=False, pack=1
    )
    tl.store(out_ptr + i, before)
    tl.store(out_ptr + BLOCK + i, tl.load(x_ptr + i))


def test_assembly_with_effects_stays_in_order():
    x, out = np.full(64, 7, np.int32), poisoned((2, 32), "int32")
    storing_kernel[(1,)](x, out, BLOCK=32)
    np.testing.assert_array_equal(x, [*range(32), *[7] * 32])
    np.testing.assert_array_equal(out, [np.full(32, 7), np.arange(32)])


@triton.jit
def assembly_kernel(x_ptr, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    x = tl.inline_asm_elementwise(ASM, CONSTRAINTS, [x], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(x_ptr + i, x)


@pytest.mark.parametrize(
    "asm,constraints,words",
    [
        ("atom.add.s32 $0, [$1], 1;", "=r,r", "atom.add.s32.*the text is PTX.*compile for `cuda`"),
        ("add.rz.f32 $0, $1, 1;", "=f,f", "the text is PTX.*compile for `cuda`"),
        ("frobnicate $0, $1", "=r,r", "frobnicate.*AT&T"),
        ("movl $1, $0", "=r,r,r", "constraints"),
        ("movl $1, $0", "r", "constraints"),
        ("movl $1, $0", "=m,r", "pass memory or labels"),
        ("movl $1, $0", "=r,*r", "pass memory or labels"),
        ("movl $1, $0", "=r,{", "cannot be read"),
    ],
)
def test_assembly_of_another_target(asm, constraints, words):
    with pytest.raises(triton.CompilationError, match=words) as caught:
        assembly_kernel[(1,)](np.zeros(16, np.int32), ASM=asm, CONSTRAINTS=constraints, BLOCK=16)
    assert "not supported on " in str(caught.value) and "x = tl.inline_asm_elementwise(ASM" in str(caught.value)


@pytest.mark.parametrize(
    "constraints, words",
    [
        ("", "`` name 0 results and 0 operands, but the assembly has 1 result and 1 operand"),
        ("=r,@", "cannot be read"),
        ("=r,^W", "cannot be read"),
        ("=^R,r", "cannot be read"),
        ("=@2R,r", "cannot be read"),
        ("r", "name 0 results and 1 operand, but the assembly has 1 result and 1 operand"),
        ("=r,r,r", "name 1 result and 2 operands, but the assembly has 1 result and 1 operand"),
        ("=r,!i", "pass memory or labels"),
        ("=*r,r", "pass memory or labels"),
        ("=m,r", "pass memory or labels"),
        ("=r,m", "pass memory or labels"),
        ("=r,p", "pass memory or labels"),
        ("r,=r", "another order"),
    ],
)
@pytest.mark.parametrize("target", [GPUTarget("cuda", 90, 32), GPUTarget("hip", "gfx942", 64)], ids=str)
def test_wrong_constraints_on_gpus(constraints, words, target):
    text = "mov.b32 $0, $1;" if target.backend == "cuda" else "v_mov_b32 $0, $1"
    constants = {"ASM": text, "CONSTRAINTS": constraints, "BLOCK": 16}
    signature = {"x_ptr": "*i32"} | dict.fromkeys(constants, "constexpr")
    with pytest.raises(triton.CompilationError, match=words) as caught:
        triton.compile(ASTSource(assembly_kernel, signature, constants), target=target)
    assert "x = tl.inline_asm_elementwise(ASM" in str(caught.value)


@pytest.mark.parametrize("constraints", ["=r,0", "={s1},0", "=v,{s3}", "=v,{vcc}"])
@pytest.mark.parametrize("arch,lanes", [("gfx942", 64), ("gfx1100", 32)])
def test_registers_without_a_way_between_them(constraints, arch, lanes):
    constants = {"ASM": "v_mov_b32 $0, $1", "CONSTRAINTS": constraints, "BLOCK": 256}
    signature = {"x_ptr": "*i32"} | dict.fromkeys(constants, "constexpr")
    words = f"inline assembly with the constraints `{constraints}`, where `v` is a vector register"
    with pytest.raises(triton.CompilationError, match=words) as caught:
        triton.compile(ASTSource(assembly_kernel, signature, constants), target=GPUTarget("hip", arch, lanes))
    assert "x = tl.inline_asm_elementwise(ASM" in str(caught.value)


@triton.jit
def chained_assembly(x_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    x = tl.inline_asm_elementwise("v_mov_b32 $0, $1", "=v,v", [x], dtype=tl.int32, is_pure=True, pack=1)
    x = tl.inline_asm_elementwise("v_mov_b32 $0, $1", "=r,0", [x], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(x_ptr + tl.arange(0, BLOCK), x)


def test_the_assembly_that_is_wrong_is_named(monkeypatch):
    """Where line information leads to it; without it, none of several."""
    source = ASTSource(chained_assembly, {"x_ptr": "*i32", "BLOCK": "constexpr"}, {"BLOCK": 64})
    target = GPUTarget("hip", "gfx942", 64)
    with pytest.raises(triton.CompilationError, match="with the constraints `=r,0`") as caught:
        triton.compile(source, target=target)
    assert '"=r,0", [x]' in str(caught.value)
    monkeypatch.setenv("TRITON_DISABLE_LINE_INFO", "1")
    with pytest.raises(triton.compiler.InternalError, match="illegal VGPR to SGPR copy"):
        triton.compile(source, target=target)


@triton.jit
def collatz(x, limit):
    steps = 0
    while (x != 1) & (steps < limit):
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        steps += 1
    return steps


@triton.jit
def steps_kernel(x_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    i = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    tl.store(out_ptr + i, tl.map_elementwise(collatz, tl.load(x_ptr + i), 100))


@pytest.mark.parametrize("rows,columns", [(1, 1), (2, 16), (32, 8)])
def test_scalar_code_with_loops_and_branches(device, rows, columns):
    x = np.arange(1, rows * columns + 1, dtype=np.int32)
    out = device.put(poisoned((rows, columns), "int32"))
    steps_kernel[(1,)](device.put(x), out, ROWS=rows, COLUMNS=columns)

    def steps(value):
        count = 0
        while value != 1 and count < 100:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            count += 1
        return count

    np.testing.assert_array_equal(device.get(out).ravel(), [steps(int(value)) for value in x])


@triton.jit
def ordered(a, b, c, d):
    low = a
    high = b
    if a > b:
        low = b
        high = a
    return low, high, (low + c).to(tl.float32), (high * d).to(tl.float32)


@triton.jit
def ordered_kernel(x_ptr, y_ptr, out_ptr, real_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    pairs, reals = tl.map_elementwise(ordered, tl.load(x_ptr + i), tl.load(y_ptr + i), pack=2)
    tl.store(out_ptr + i, pairs)
    tl.store(real_ptr + i, reals)


@pytest.mark.parametrize("dtype", ["int8", "int64", "float16"])
def test_scalar_code_on_pairs_on_the_processor(rng, dtype):
    """Pairs are neighbours in the order of memory here; on GPUs they are neighbours in a thread's registers."""
    x, y = rng.integers(-5, 5, (2, 32)).astype(dtype)
    out, reals = poisoned((32,), dtype), poisoned((32,), "float32")
    ordered_kernel[(1,)](x, y, out, reals, BLOCK=32)
    pairs, others = x.reshape(-1, 2), y.reshape(-1, 2)
    low, high = pairs.min(1), pairs.max(1)
    np.testing.assert_array_equal(out, np.stack([low, high], 1).ravel())
    np.testing.assert_array_equal(reals, np.stack([low + others[:, 0], high * others[:, 1]], 1).ravel())


@triton.jit
def first_positive(a, b):
    if a > 0:
        return a
    else:
        return b


@triton.jit
def reducing_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    total = 0.0
    for start in range(0, n, BLOCK):
        x = tl.load(x_ptr + start + tl.arange(0, BLOCK))
        total += tl.sum(tl.map_elementwise(first_positive, x, x * 0.5))
    tl.store(out_ptr, total)


def test_scalar_code_inside_a_reduction(device, rng):
    x = rng.integers(-8, 8, 256).astype(np.float32)
    out = device.put(poisoned((1,), "float32"))
    reducing_kernel[(1,)](device.put(x), out, 256, BLOCK=64)
    assert device.get(out)[0] == np.where(x > 0, x, x / 2).sum()


@triton.jit
def doubled_bytes_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    asm: tl.constexpr = "{ and.b32 $0, $1, 0x7F7F7F7F; shl.b32 $0, $0, 1; }"
    y = tl.inline_asm_elementwise(asm, "=r,r", [tl.load(x_ptr + i)], dtype=tl.uint8, is_pure=True, pack=4)
    tl.store(out_ptr + i, y)


@pytest.mark.parametrize("num_warps", [1, 4])
@pytest.mark.parametrize("block", [1, 2, 4, 256])
def test_blocks_smaller_than_a_pack(device, rng, block, num_warps):
    x = rng.integers(0, 256, block, np.uint8)
    out = device.put(poisoned((block,), "uint8"))
    doubled_bytes_kernel[(1,)](device.put(x), out, BLOCK=block, num_warps=num_warps)
    np.testing.assert_array_equal(device.get(out), (x & 0x7F) << 1)
