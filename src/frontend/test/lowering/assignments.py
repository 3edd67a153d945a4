# What assignments store: numbers become runtime scalars, the rest stays as it is.
import triton
import triton.language as tl


# lower: plain(*i32)
@triton.jit
def plain(out):
    x = 3
    tl.store(out, x)


# lower: constexpr(*i32)
@triton.jit
def constexpr(out):
    size: tl.constexpr = 4
    later: tl.constexpr
    later = size * 2
    tl.store(out + tl.arange(0, later), size)


# lower: swapped(*i32, i32, i32)
@triton.jit
def swapped(out, a, b):
    a, b = b, a
    tl.store(out, a - b)


# lower: nested(*i32, i32)
@triton.jit
def nested(out, a):
    (x, [y, z]), w = (a, (1, 2)), 3
    tl.store(out, x + y + z + w)


# lower: chained(*i32)
@triton.jit
def chained(out):
    a = b = 7
    tl.store(out + a, b)


# lower: augmented(*i32, i32)
@triton.jit
def augmented(out, a):
    out += a
    a <<= 2
    tl.store(out, a)


# lower: walrus(*i32, i32)
@triton.jit
def walrus(out, a):
    tl.store(out, (b := a + 1) * b)


# lower: annotated(*i32)
@triton.jit
def annotated(out):
    x: tl.int64 = 3
    tl.store(out, x)
