import triton
import triton.language as tl


# lower: programs(*i32)
@triton.jit
def programs(out):
    tl.store(out, tl.program_id(0) + tl.num_programs(1) * tl.program_id(axis=2))


# lower: ranges(*i32)
@triton.jit
def ranges(out):
    tl.store(out + tl.arange(0, 16), tl.arange(start=5, end=21))


# lower: fills(*fp16, *fp32)
@triton.jit
def fills(halves, floats):
    i = tl.arange(0, 8)[:, None] * 4 + tl.arange(0, 4)[None, :]
    tl.store(halves + i, tl.full((8, 4), 1.5, tl.float16))
    tl.store(floats + i, tl.zeros([8, 4], dtype=tl.float32))
    tl.store(floats + i, tl.zeros_like(i))
    tl.store(floats, tl.full((), 3, tl.float32))
    tl.store(floats + i, tl.full((8, 4), tl.load(floats), tl.int64))


# lower: concatenation(*i32, *i32)
@triton.jit
def concatenation(a, b):
    x = tl.load(a + tl.arange(0, 8))
    y = tl.load(b + tl.arange(0, 8))
    tl.store(a + tl.arange(0, 16), tl.cat(x, y))
    tl.store(b + tl.arange(0, 16), tl.cat(x, y, can_reorder=True))


# lower: numbers(*fp32)
@triton.jit
def numbers(out):
    tl.store(out, tl.to_tensor(3))
    tl.store(out, tl.to_tensor(2.5) + tl.constexpr(1))
