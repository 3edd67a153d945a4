import triton
import triton.language as tl


# lower: not_numeric(i32)
@triton.jit
def not_numeric(p):
    tl.store(p + None, 1)


# lower: string_operand(i32)
@triton.jit
def string_operand(p):
    x = p * "text"


# lower: pointer_product(*fp32)
@triton.jit
def pointer_product(p):
    x = p * 2


# lower: pointer_comparison(*fp32)
@triton.jit
def pointer_comparison(p):
    x = p == 0


# lower: pointer_sum(*fp32, *fp32)
@triton.jit
def pointer_sum(p, q):
    x = p + q


# lower: float_offset(*fp32)
@triton.jit
def float_offset(p):
    x = p + 1.5


# lower: negative_number(u32)
@triton.jit
def negative_number(p):
    x = p + -1


# lower: large_number(i8)
@triton.jit
def large_number(p):
    x = p + 200


# lower: huge_number(fp32)
@triton.jit
def huge_number(p):
    x = p + 2**64


# lower: mixed_signedness(i32, u32)
@triton.jit
def mixed_signedness(p, q):
    x = p // q


# lower: float8_number(*fp8e5, i32)
@triton.jit
def float8_number(p, q):
    x = tl.load(p) + q


# lower: power(fp32)
@triton.jit
def power(p):
    x = p ** 2


# lower: matrix(*fp32)
@triton.jit
def matrix(p):
    x = tl.load(p + tl.arange(0, 16)) @ 3


# lower: float_floor(fp32)
@triton.jit
def float_floor(p):
    x = p // 2


# lower: float_shift(fp32)
@triton.jit
def float_shift(p):
    x = p << 2


# lower: float_invert(fp32)
@triton.jit
def float_invert(p):
    x = ~p


# lower: negated_pointer(*fp32)
@triton.jit
def negated_pointer(p):
    x = -p


# lower: wide_logic(i32)
@triton.jit
def wide_logic(p):
    x = (p > 1) and p


# lower: wide_not(i32)
@triton.jit
def wide_not(p):
    x = not p


# lower: block_condition(i32)
@triton.jit
def block_condition(p):
    if tl.arange(0, 4) > p:
        tl.device_print("x")


# lower: not_a_tensor(i32)
@triton.jit
def not_a_tensor(p):
    x = tl.inline_asm_elementwise("", "=r,r", [None], tl.int32, True, 1)


# lower: compared_with_large(i8)
@triton.jit
def compared_with_large(k):
    x = k > 200


# lower: compared_with_negative(u32)
@triton.jit
def compared_with_negative(k):
    x = tl.minimum(k, -1)
