# Calls that do not fit what they call.
from collections import namedtuple

import triton
import triton.language as tl

Pair = namedtuple("Pair", ["low", "high"])


@triton.jit
def scale(x, factor: tl.constexpr, offset=0):
    return x * factor + offset


# lower: missing(i32)
@triton.jit
def missing(n):
    scale(n)


# lower: doubled(i32)
@triton.jit
def doubled(n):
    scale(n, 2, x=n)


# lower: unknown(i32)
@triton.jit
def unknown(n):
    scale(n, 2, ofset=3)


# lower: surplus(i32)
@triton.jit
def surplus(n):
    scale(n, 2, 3, 4)


# lower: missing_field(i32)
@triton.jit
def missing_field(n):
    Pair(n)


# lower: dict_argument(i32)
@triton.jit
def dict_argument(n):
    scale(n, **n)


# lower: starred(i32)
@triton.jit
def starred(n):
    scale(*n)


@triton.jit
def keywords(x, **options):
    return x


# lower: dict_parameter(i32)
@triton.jit
def dict_parameter(n):
    keywords(n)


# lower: keywords(i32)
# lower: scale(i32)
# lower: scale(void, 1, 1)


@triton.jit
def forever(n):
    return forever(n + 1)


# lower: recursive(i32)
@triton.jit
def recursive(n):
    forever(n)


# lower: itself(i32)
@triton.jit
def itself(n):
    itself(n)


@triton.jit
def countdown(n: tl.constexpr):
    if n > 0:
        countdown(n - 1)


# lower: too_deep()
@triton.jit
def too_deep():
    countdown(100000)


@triton.jit(noinline=True)
def kept(x):
    return x


# lower: no_inline()
@triton.jit
def no_inline():
    kept(tl.arange(0, 16))


# lower: number(i32)
@triton.jit
def number(n):
    n(3)


# lower: dtype(i32)
@triton.jit
def dtype(n):
    tl.float32(n)


# lower: unused_result(*fp32)
@triton.jit
def unused_result(p):
    block = tl.make_block_ptr(p, (16, ), (1, ), (0, ), (16, ), (0, ))
    tl.advance(block, (4, ))


# lower: host_argument(i32)
@triton.jit
def host_argument(n):
    triton.cdiv(n, 2)


@triton.jit
def inner(x):
    return x + tl.arange(0, 3)


@triton.jit
def outer(x):
    return inner(x)


# The place comes first, then the calls that led there.
# lower: chain(i32)
@triton.jit
def chain(n):
    outer(n)


# An error found in a function of the prelude is shown at the call.
# lower: prelude(i32)
@triton.jit
def prelude(n):
    tl.softmax(n)


# lower: café(i32)
@triton.jit
def café(n):
    pass


@triton.jit
def tree(n: tl.constexpr, depth: tl.constexpr):
    if depth > 0:
        tree(n * 2, depth - 1)
        tree(n * 2 + 1, depth - 1)


# lower: too_many()
@triton.jit
def too_many():
    tree(1, 100)
