import triton
import triton.language as tl


# lower cuda-80: unknown_float8(*fp8e4nv)
@triton.jit
def unknown_float8(p):
    x = tl.load(p).to(tl.float32)


# lower: rounding(fp32)
@triton.jit
def rounding(p):
    x = p.to(tl.float64, fp_downcast_rounding="rtz")


# lower: rounding_mode(fp32)
@triton.jit
def rounding_mode(p):
    x = p.to(tl.float16, fp_downcast_rounding="up")


# lower: float8_integer(*fp8e5)
@triton.jit
def float8_integer(p):
    x = tl.load(p).to(tl.int32)


# lower: pointer_width(*fp32)
@triton.jit
def pointer_width(p):
    x = p.to(tl.int32)


# lower: void(fp32)
@triton.jit
def void(p):
    x = p.to(tl.void)


# lower: bitcast_width(fp32)
@triton.jit
def bitcast_width(p):
    x = p.to(tl.int64, bitcast=True)


# lower: no_dtype(fp32)
@triton.jit
def no_dtype(p):
    x = p.to(3)


# lower: custom_float8(fp32)
@triton.jit
def custom_float8(p):
    x = tl.extra.cuda.convert_custom_float8_sm80(p, tl.float16)
