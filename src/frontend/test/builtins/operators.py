import triton
import triton.language as tl


# lower: arithmetic(*fp32, *i32, *u8, *fp16)
@triton.jit
def arithmetic(p, k, u, h):
    x = tl.load(p)
    i = tl.load(k)
    y = tl.load(u)
    z = tl.load(h)
    tl.store(p, x + 1 - i * 2 + 3.5 / x - x % 2)
    tl.store(k, i // 3 % 5 - i + (i << 2) + (i >> 1) - (7 >> i))
    tl.store(u, y // 3 % 5 + (y >> 1) + (~y & 3 | 4 ^ y))
    tl.store(p, i / i + z / 2 + z % z)
    tl.store(h, -z + z * 3)
    tl.store(k, -i + ~i + (i + y))


# lower: comparisons(*fp64, *i32, *u32)
@triton.jit
def comparisons(p, k, u):
    x = tl.load(p)
    i = tl.load(k)
    y = tl.load(u)
    a = (x == 0.1) & (x != x) & (x < i) & (i <= y) & (y > 1) & (2 >= i)
    b = (i > 3) and (i < 5) or not (i == 4)
    tl.store(k, a ^ b)


# lower: pointers(*fp32, *i32, *u32, *u64)
@triton.jit
def pointers(p, k, u, w):
    tl.store(p + 1, 1)
    tl.store(2 + p, 1)
    tl.store(p - tl.load(k), 1)
    tl.store(p + tl.load(u), 1)
    tl.store(p + tl.load(w), 1)
    tl.store(p + tl.arange(0, 4)[:, None] + tl.arange(0, 4)[None, :], 1)


# lower debug: overflow(*i32)
@triton.jit
def overflow(p):
    tl.store(p, tl.load(p) + 1)


# lower: warnings(*i32, *fp32)
@triton.jit
def warnings(p, f):
    i = tl.load(p + tl.arange(0, 4))
    one = tl.load(p + tl.arange(0, 1))
    tl.store(p + tl.arange(0, 4), i << 32, mask=(i > 1) and (i < 3))
    tl.store(f + tl.arange(0, 4), tl.where(i, 1.0, 2.0))
    if one == 1:
        tl.store(p, 1)
