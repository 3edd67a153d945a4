import triton
import triton.language as tl


# lower: unary(*fp32, *fp64)
@triton.jit
def unary(p, q):
    x = tl.load(p + tl.arange(0, 16))
    x = tl.exp(x) + tl.exp2(x) + tl.log(x) + tl.log2(x) + tl.sin(x) + tl.cos(x)
    x = tl.sqrt(x) + tl.sqrt_rn(x) + tl.rsqrt(x) + tl.erf(x) + tl.floor(x) + tl.ceil(x)
    tl.store(p + tl.arange(0, 16), tl.abs(x) + tl.math.exp(x) + x.sqrt() + tl.exp(1.0))
    tl.store(q, tl.exp(tl.load(q)))


# lower: whole(*i32, *u32)
@triton.jit
def whole(p, q):
    x = tl.load(p)
    y = tl.load(q)
    tl.store(p, tl.abs(x) + tl.cdiv(x, 4) + x.cdiv(x))
    tl.store(q, tl.abs(y) + tl.umulhi(y, 0xD2511F53) + tl.maximum(y, 3) + tl.minimum(y, y))


# lower: several(*fp32, *bf16, *i32)
@triton.jit
def several(p, h, k):
    x = tl.load(p)
    y = tl.load(h)
    z = tl.load(k)
    x = tl.fdiv(x, x + 1) + tl.fdiv(x, 2.0, ieee_rounding=True) + tl.div_rn(x, 3.0) + tl.fma(x, y, z)
    x = tl.maximum(x, 0) + tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL) + tl.maximum(y, y)
    x = tl.maximum(x, 0.0, propagate_nan=tl.PropagateNan.ALL) + tl.minimum(x, z)
    x = tl.clamp(x, 0, 1.0) + tl.clamp(y, y, x, tl.PropagateNan.ALL)
    tl.store(p, tl.add(x, 1) + tl.sub(x, 1) + tl.mul(x, 1, sanitize_overflow=False) + tl.expect_zero(x, x > 1))
    tl.store(k, tl.fma(z, z, 3) + tl.maximum(z, 3) - tl.minimum(z, 4))


# lower: selection(*fp32, *fp16, i32)
@triton.jit
def selection(p, h, n):
    i = tl.arange(0, 16)
    x = tl.load(p + i)
    x = tl.where(i < n, x, 0) + tl.where(n > 3, x, tl.load(h + i)) + tl.where(n > 3, 1.0, 2.0)
    tl.store(tl.where(i < n, p + i, p), x, mask=tl.logical_and(i < n, i > 2) & tl.logical_or(i < n, i > 2))


# lower: derived(*fp32)
@triton.jit
def derived(p):
    x = tl.load(p + tl.arange(0, 16))
    y = tl.sigmoid(x) + tl.softmax(x) + x.softmax().sigmoid()
    tl.store(p + tl.arange(0, 16).reshape(4, 4), tl.softmax(y.reshape(4, 4), dim=1, keep_dims=True))


# lower: library(*fp32, *fp64, *i32, *i64)
@triton.jit
def library(p, q, k, m):
    x = tl.load(p)
    z = tl.load(k)
    x = tl.extra.libdevice.tanh(x) + tl.extra.cuda.libdevice.pow(x, 2.0) + tl.extra.libdevice.j0(x)
    x += tl.extra.libdevice.pow(x, z) + tl.extra.libdevice.fma(x, x, x) + tl.extra.libdevice.atan2(x, x)
    x += tl.extra.libdevice.fast_dividef(x, x) + tl.extra.libdevice.add_rz(x, x)
    tl.store(p, tl.where(tl.extra.libdevice.isnan(x), 0, x))
    tl.store(q, tl.extra.libdevice.tanh(tl.load(q)) + tl.extra.libdevice.signbit(tl.load(q)))
    tl.store(k, tl.extra.libdevice.clz(z) + tl.extra.libdevice.popc(tl.load(m)) + tl.extra.libdevice.abs(z))
    tl.store(k, tl.extra.libdevice.float_as_int(tl.extra.libdevice.abs(x)) + tl.extra.libdevice.signbit(x))
    tl.store(p, tl.extra.libdevice.tanh(x.to(tl.float16)))
