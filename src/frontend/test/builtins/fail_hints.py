import triton
import triton.language as tl


# lower: hint_count(i32)
@triton.jit
def hint_count(p):
    x = tl.multiple_of(p, [2, 2])


# lower: hint_scalar(i32)
@triton.jit
def hint_scalar(p):
    x = tl.max_contiguous(p, 2)


# lower: assertion(i32, 16)
@triton.jit
def assertion(p, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK == 32, "the block must have 32 elements")


# lower: bare_assertion(i32, 16)
@triton.jit
def bare_assertion(p, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK == 32)


# lower: runtime_assertion(i32)
@triton.jit
def runtime_assertion(p):
    tl.static_assert(p == 32)


# lower: prefix(i32)
@triton.jit
def prefix(p):
    tl.device_print(p)


# lower: characters(i32)
@triton.jit
def characters(p):
    tl.device_print("\n", p)


# lower: operand(i32)
@triton.jit
def operand(p):
    tl.device_print("x", None)


# lower: pack(i32)
@triton.jit
def pack(p):
    x = tl.inline_asm_elementwise("", "=r,r", [p], tl.int32, True, 3)


# lower: outputs(i32)
@triton.jit
def outputs(p):
    x = tl.inline_asm_elementwise("", "=r,r", [p], (), True, 1)


@triton.jit
def three(a, b):
    return a, b, a


# lower: packed_results(i32)
@triton.jit
def packed_results(p):
    x = tl.map_elementwise(three, tl.arange(0, 4), pack=2)


# lower: external(i32)
@triton.jit
def external(p):
    x = tl.core.extern_elementwise("", "", [p], (), True)


# lower: type_call(i32)
@triton.jit
def type_call(p):
    x = tl.tensor()


# lower: integer_width(i32)
@triton.jit
def integer_width(p):
    x = tl.core.get_int_dtype(24, True)
