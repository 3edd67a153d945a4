import triton
import triton.language as tl


# lower: uniform(*fp32, i32)
@triton.jit
def uniform(p, seed):
    i = tl.arange(0, 16)
    tl.store(p + i, tl.rand(seed, i))


# lower: normal(*fp32, i32)
@triton.jit
def normal(p, seed):
    i = tl.arange(0, 16)
    tl.store(p + i, tl.randn(seed, i, n_rounds=7))


# lower: integers(*u32, i64, i64)
@triton.jit
def integers(p, seed, offset):
    a, b, c, d = tl.randint4x(seed, offset + tl.arange(0, 4), n_rounds=1)
    tl.store(p + tl.arange(0, 4), a ^ b ^ c ^ d ^ tl.randint(42, tl.arange(0, 4), 1))


# lower: wide(*u64, i64)
@triton.jit
def wide(p, seed):
    c = tl.arange(0, 4).to(tl.uint64)
    a, b, c, d = tl.philox(seed, c, c, c, c, n_rounds=1)
    tl.store(p + tl.arange(0, 4), a ^ b ^ c ^ d)
    tl.store(p + tl.arange(0, 4), tl.uint_to_uniform_float(a))
