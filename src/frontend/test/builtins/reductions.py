import triton
import triton.language as tl


@triton.jit
def largest_absolute(a, b):
    return tl.maximum(tl.abs(a), tl.abs(b))


@triton.jit
def welford(mean1, count1, mean2, count2):
    count = count1 + count2
    return mean1 + (mean2 - mean1) * (count2 / count), count


# lower: sums(*fp32, *i8, *u8, *fp16)
@triton.jit
def sums(p, s, u, h):
    i = tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :]
    tl.store(p, tl.sum(tl.load(p + i)))
    tl.store(p + tl.arange(0, 4), tl.sum(tl.load(p + i), 1))
    tl.store(p + tl.arange(0, 8), tl.load(p + i).sum(axis=0))
    tl.store(p + tl.arange(0, 8)[None, :], tl.sum(tl.load(h + i), 0, keep_dims=True))
    tl.store(s, tl.sum(tl.sum(tl.load(s + i), -1)))
    tl.store(u, tl.sum(tl.load(u + i), dtype=tl.int64))
    tl.store(u, tl.xor_sum(tl.load(u + i)) + tl.reduce_or(tl.load(u), None))


# lower: extremes(*fp32, *bf16, *i16)
@triton.jit
def extremes(p, b, s):
    i = tl.arange(0, 32).reshape(4, 8)
    x = tl.load(p + i)
    tl.store(p, tl.max(x) + tl.min(x.ravel(), 0) + tl.max(tl.load(b + i)) + tl.max(tl.load(s + i)))
    value, index = tl.max(tl.load(b + i), 1, return_indices=True)
    tl.store(p + index, value)
    value, index = tl.min(x, 1, return_indices=True, return_indices_tie_break_left=False)
    tl.store(p + index, value)
    tl.store(s + tl.arange(0, 4), tl.argmax(x, 1) + x.argmin(axis=1, tie_break_left=False))


# lower: own(*fp32)
@triton.jit
def own(p):
    i = tl.arange(0, 8)
    x = tl.load(p + i)
    mean, count = tl.reduce((x, tl.full((8,), 1.0, tl.float32)), 0, welford)
    tl.store(p, tl.reduce(x, 0, largest_absolute) + mean + count + tl.reduce(1.0, None, largest_absolute))


# lower: scans(*fp32, *i8, *bf16)
@triton.jit
def scans(p, s, b):
    i = tl.arange(0, 32).reshape(4, 8)
    x = tl.load(p + i)
    tl.store(p + i, tl.cumsum(x, 1) + tl.cumprod(x, 0, reverse=True) + x.cumsum(axis=-1))
    tl.store(s + i, tl.cumsum(tl.load(s + i)))
    tl.store(b + i, tl.cumsum(tl.load(b + i), dtype=tl.float32))
    mean, count = tl.associative_scan((x, tl.full((4, 8), 1.0, tl.float32)), 1, welford)
    tl.store(p + i, mean + count)


# lower: choosing(*fp32, *i32, i32)
@triton.jit
def choosing(p, k, n):
    i = tl.arange(0, 8)
    x = tl.load(p + i)
    tl.store(k + tl.arange(0, 4), tl.histogram(tl.load(k + i), 4))
    tl.store(k + tl.arange(0, 4), tl.histogram(tl.load(k + i), 4, mask=i < n))
    tl.store(p + tl.arange(0, 2), tl.gather(x, tl.load(k + tl.arange(0, 2)), 0))


# lower: sorting(*fp32, *i32)
@triton.jit
def sorting(p, k):
    i = tl.arange(0, 4)
    x = tl.load(p + i)
    tl.store(p + i, tl.sort(x))
    tl.store(p + i, tl.sort(x, descending=True))
    tl.store(k + tl.arange(0, 2), tl.topk(tl.load(k + i), 2))
    tl.store(p + i, tl.bitonic_merge(x, dim=0))
