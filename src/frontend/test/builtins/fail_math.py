import triton
import triton.language as tl


# lower: integer_exp(i32)
@triton.jit
def integer_exp(p):
    x = tl.exp(p)


# lower: half_sqrt(fp16)
@triton.jit
def half_sqrt(p):
    x = tl.sqrt(p)


# lower: wide_root(fp64)
@triton.jit
def wide_root(p):
    x = tl.sqrt_rn(p)


# lower: integer_clamp(i32)
@triton.jit
def integer_clamp(p):
    x = tl.clamp(p, 1, 2)


# lower: narrow_product(i8)
@triton.jit
def narrow_product(p):
    x = tl.umulhi(p, p)


# lower: division_types(i32, i32)
@triton.jit
def division_types(p, q):
    x = tl.fdiv(p, q)


# lower: division_of_numbers(fp32)
@triton.jit
def division_of_numbers(p):
    x = tl.fdiv(1, 2)


# lower: division_rounding(fp32)
@triton.jit
def division_rounding(p):
    x = tl.fdiv(p, p, ieee_rounding=True, approx=True)


# lower: division_approximation(fp16, fp64)
@triton.jit
def division_approximation(p, q):
    x = tl.fdiv(p, q, approx=True)


# lower: absolute_pointer(*fp32)
@triton.jit
def absolute_pointer(p):
    x = tl.abs(p)


# lower: library_types(i32)
@triton.jit
def library_types(p):
    x = tl.extra.libdevice.tanh(p)


# lower: dot_types(*fp32, *fp16)
@triton.jit
def dot_types(p, q):
    x = tl.zeros((16, 16), tl.float32)
    y = tl.dot(x, x.to(tl.float16))


# lower: dot_unsigned(*u8)
@triton.jit
def dot_unsigned(p):
    x = tl.zeros((16, 16), tl.uint8)
    y = tl.dot(x, x)


# lower: dot_shapes(*fp32)
@triton.jit
def dot_shapes(p):
    x = tl.zeros((16, 32), tl.float32)
    y = tl.dot(x, x)


# lower: dot_precision(*fp32)
@triton.jit
def dot_precision(p):
    x = tl.zeros((16, 16), tl.float32)
    y = tl.dot(x, x, input_precision="half")


# lower: dot_precisions(*fp32)
@triton.jit
def dot_precisions(p):
    x = tl.zeros((16, 16), tl.float32)
    y = tl.dot(x, x, input_precision="ieee", allow_tf32=True)


# lower: dot_out(*fp16)
@triton.jit
def dot_out(p):
    x = tl.zeros((16, 16), tl.float16)
    y = tl.dot(x, x, out_dtype=tl.bfloat16)


# lower: dot_accumulator(*fp32)
@triton.jit
def dot_accumulator(p):
    x = tl.zeros((16, 16), tl.float32)
    y = tl.dot(x, x, x.to(tl.float16))


# lower: dot_steps(*fp8e5)
@triton.jit
def dot_steps(p):
    x = tl.zeros((16, 16), tl.float8e5)
    y = tl.dot(x, x, max_num_imprecise_acc=64)


# lower: scaled_storage(*fp32)
@triton.jit
def scaled_storage(p):
    x = tl.zeros((16, 16), tl.float32)
    y = tl.dot_scaled(x, None, "e4m3", x, None, "e4m3")


# lower: scaled_rank(*u8)
@triton.jit
def scaled_rank(p):
    x = tl.zeros((16,), tl.uint8)
    y = tl.dot_scaled(x, None, "e4m3", x, None, "e4m3")


# lower: scaled_packing(*u8)
@triton.jit
def scaled_packing(p):
    x = tl.zeros((16, 16), tl.uint8)
    y = tl.dot_scaled(x, None, "e4m3", x, None, "e4m3", lhs_k_pack=False)


# lower: scaled_scale(*u8)
@triton.jit
def scaled_scale(p):
    x = tl.zeros((16, 32), tl.uint8)
    s = tl.zeros((1, 16), tl.uint8)
    y = tl.dot_scaled(x, s, "e4m3", x.T, None, "e4m3")


# lower: scaled_groups(*u8)
@triton.jit
def scaled_groups(p):
    x = tl.zeros((16, 32), tl.uint8)
    s = tl.zeros((16, 1), tl.uint8)
    y = tl.dot_scaled(x, s, "e4m3", x.T, tl.join(s, s).reshape(16, 2), "e4m3")


# lower: scaled_out(*u8)
@triton.jit
def scaled_out(p):
    x = tl.zeros((16, 16), tl.uint8)
    y = tl.dot_scaled(x, None, "e4m3", x, None, "e4m3", out_dtype=tl.float16)
