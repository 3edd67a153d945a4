import triton
import triton.language as tl


# lower: floats(*fp32, *fp16, *bf16, *fp64, *i8, *fp8e5)
@triton.jit
def floats(f, h, b, d, s, e):
    i = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    x = tl.load(f + i)
    y = tl.load(h + i)
    acc = tl.zeros((16, 16), tl.float32)
    acc = tl.dot(x, x, acc)
    acc += tl.dot(x, x, input_precision="tf32") + tl.dot(x, x, allow_tf32=False)
    acc = tl.dot(y, y.T, acc=acc, out_dtype=tl.float32)
    z = tl.dot(y, y, out_dtype=tl.float16) + tl.dot(y, y, acc=y)
    acc += tl.dot(tl.load(b + i), tl.load(b + i))
    tl.store(f + i, acc + z + tl.dot(tl.load(e + i), tl.load(e + i), max_num_imprecise_acc=8))
    tl.store(d + i, tl.dot(tl.load(d + i), tl.load(d + i)))
    tl.store(s + i, tl.dot(tl.load(s + i), tl.load(s + i)))


# lower: batches(*fp32)
@triton.jit
def batches(f):
    i = tl.arange(0, 1024)
    x = tl.load(f + i.reshape(4, 16, 16))
    tl.store(f + i.reshape(4, 16, 16), tl.dot(x, x))
    x = tl.load(f + i.reshape(2, 2, 16, 16))
    tl.store(f + i.reshape(2, 2, 16, 16), tl.dot(x, x))


# lower: scaled(*u8, *u8, *fp8e5, *fp32)
@triton.jit
def scaled(a, s, b, out):
    x = tl.load(a + tl.arange(0, 512).reshape(16, 32))
    scale = tl.load(s + tl.arange(0, 32).reshape(16, 2))
    y = tl.load(b + tl.arange(0, 1024).reshape(64, 16))
    z = tl.dot_scaled(x, scale, "e2m1", y, None, "e5m2")
    tl.store(out + tl.arange(0, 256).reshape(16, 16), z)
