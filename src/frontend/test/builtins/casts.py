import triton
import triton.language as tl


# lower: floats(*fp32, *fp16, *bf16, *fp64)
@triton.jit
def floats(f, h, b, d):
    x = tl.load(f)
    tl.store(h, x.to(tl.float16))
    tl.store(b, x.to(tl.bfloat16, fp_downcast_rounding="rtz"))
    tl.store(d, tl.cast(x, tl.float64))
    tl.store(b, tl.load(h).to(tl.bfloat16))
    tl.store(h, tl.load(d))


# lower: eights(*fp8e5, *fp8e4nv, *fp32)
@triton.jit
def eights(a, b, f):
    tl.store(f, tl.load(a).to(tl.float32) + tl.load(b).to(tl.float32))
    tl.store(a, tl.load(f).to(tl.float8e5))
    tl.store(b, tl.load(a))


# lower: integers(*i8, *u8, *i64, *i1, *fp32)
@triton.jit
def integers(a, b, c, flag, f):
    x = tl.load(a)
    y = tl.load(b)
    tl.store(c, x)
    tl.store(c, y)
    tl.store(a, tl.load(c))
    tl.store(flag, x)
    tl.store(c, tl.load(flag))
    tl.store(f, x)
    tl.store(f, y)
    tl.store(f, tl.load(flag))
    tl.store(a, tl.load(f))
    tl.store(b, tl.load(f))
    tl.store(flag, tl.load(f))
    tl.store(b, x.to(tl.uint8))


# lower: bits(*fp32, *i32, *u32)
@triton.jit
def bits(f, i, u):
    tl.store(i, tl.load(f).to(tl.int32, bitcast=True))
    tl.store(f, tl.load(u).to(tl.float32, bitcast=True))
    tl.store(u, tl.load(i).to(tl.uint32, bitcast=True))


# lower: pointers(*fp32, *i64)
@triton.jit
def pointers(f, addresses):
    tl.store(addresses, f.to(tl.int64))
    g = tl.load(addresses).to(tl.pointer_type(tl.float32))
    tl.store(g, 1)
    h = f.to(tl.pointer_type(tl.int32), bitcast=True)
    tl.store(h + 1, f.to(tl.int1))


# lower: attributes(*fp16, 16)
@triton.jit
def attributes(p, N: tl.constexpr):
    x = tl.load(p + tl.arange(0, N))
    tl.static_print(p.dtype, p.type.element_ty, p.dtype.element_ty, p.dtype.is_ptr(), x.dtype, x.shape, x.numel)
    tl.static_print(x.type == (x + 1).type, x.type == (x > 1).type, isinstance(x, tl.tensor))
    tl.static_print(x.type.scalar, x.type.element_ty, x.type.is_block(), x.type.shape, x.type.numel)
    tl.static_print(x.dtype.name, x.dtype.primitive_bitwidth, x.dtype.itemsize, x.dtype.is_fp16(), x.dtype.is_int())
    tl.static_print(tl.float32.fp_mantissa_width, tl.bfloat16.exponent_bias, tl.int8.get_int_max_value(),
                    tl.uint8.get_int_min_value(), tl.int32.int_bitwidth, tl.int32.int_signedness, tl.int1.kind())
    tl.static_print(tl.float8e5.is_fp8(), tl.float8e5.is_standard_floating(), tl.float16.is_floating(),
                    tl.int1.is_bool(), tl.int32.is_int_signed(), tl.uint32.is_int_unsigned(), p.dtype.is_const(),
                    x.dtype.is_block(), p.dtype.address_space, tl.core.get_int_dtype(16, False), tl.pi32_t)
