import triton
import triton.language as tl


# lower: facts(*fp32, i32)
@triton.jit
def facts(p, n):
    n = tl.multiple_of(n, 8)
    i = tl.program_id(0) * 16 + tl.arange(0, 16)
    i = tl.max_contiguous(tl.multiple_of(i, 16), 16)
    j = tl.max_constancy(i // 4, [4])
    p = tl.multiple_of(p, 16)
    tl.assume(n > 0)
    tl.assume(True)
    tl.store(p + i, tl.load(p + j) + tl.multiple_of(4, 4))


# lower debug: checks(*fp32, i32)
@triton.jit
def checks(p, n):
    i = tl.arange(0, 16)
    tl.device_assert(i < n, "too small")
    tl.device_assert(n > 0)
    tl.device_assert(i < n, "masked", mask=i > 3)
    tl.expect_zero(i, i > n)


# lower: silent(i32)
@triton.jit
def silent(n):
    tl.device_assert(n > 0, "not compiled without debug")
    tl.debug_barrier()


# lower: prints(*fp32, i32, u8)
@triton.jit
def prints(p, n, u):
    tl.device_print("nothing")
    tl.device_print("x", tl.load(p + tl.arange(0, 4)), n)
    tl.device_print("hexadecimal: ", n, u, hex=True)
    print("python", p)
    tl.static_print("compile time", n, 3, "a", None, (1, 2.0), tl.float32, sep="|", end="!\n")
    tl.static_print()
    tl.static_assert(True)
    tl.static_assert(tl.float32.primitive_bitwidth == 32, "unused")


@triton.jit
def scalar_function(a, b):
    return a + b


@triton.jit
def two_results(a):
    return a + 1, a * 2.0


# lower: inline_code(*i32)
@triton.jit
def inline_code(p):
    i = tl.arange(0, 16)
    x = tl.load(p + i)
    y = tl.inline_asm_elementwise("add.s32 $0, $1, $2;", "=r,r,r", [x, 3], dtype=tl.int32, is_pure=True, pack=1)
    a, b = tl.inline_asm_elementwise("mov $0, $2; mov $1, $2;", "=r,=r,r", [x], dtype=(tl.int32, tl.float32),
                                     is_pure=False, pack=1)
    m, n = tl.map_elementwise(two_results, x)
    tl.store(p + i, y + a + b + tl.map_elementwise(scalar_function, x, 4) + m + n)


# lower: types(*i32)
@triton.jit
def types(p):
    for i in tl.range(0, 4, num_stages=2):
        tl.store(p, i)
    for i in tl.static_range(2):
        tl.store(p, i)
    pair = tl.tuple((1, 2))
    tl.static_print(pair, tl.constexpr(3), tl.pointer_type(tl.float16), tl.TRITON_MAX_TENSOR_NUMEL, tl.int8 == tl.int8)
    tl.static_print(triton.cdiv(7, 2), triton.next_power_of_2(100))


# lower: carried(*fp32, i32, i32)
@triton.jit
def carried(p, first, n):
    q = p + tl.arange(0, 16) * n
    for i in range(first, n, 16):
        i = tl.multiple_of(i, 16)
        tl.multiple_of(q, [16])
        tl.store(q, i)
        q += n


# lower: repeated(*fp32, i32)
@triton.jit
def repeated(p, n):
    q = p + n
    while n > 0:
        tl.multiple_of(q, 16)
        tl.multiple_of(n, 8)
        tl.store(q, n)
        q += n
        n -= 1
        for j in range(n):
            tl.multiple_of(n, 32)
            q += j
