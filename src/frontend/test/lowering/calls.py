# Calls of other kernels: one function for each combination of argument types and constants.
from collections import namedtuple

import triton
import triton.language as tl

Pair = namedtuple("Pair", ["low", "high"])


@triton.jit
def scale(x, factor: tl.constexpr = 2):
    return x * factor


# lower: specialized(*fp32, *i32, i32)
@triton.jit
def specialized(floats, ints, n):
    tl.store(ints, scale(n) + scale(n + 1))
    tl.store(ints, scale(n, 3))
    tl.store(floats, scale(tl.load(floats), factor=2))


@triton.jit
def ordered(a, b):
    if a < b:
        return Pair(a, high=b)
    return Pair(b, a)


# lower: named_tuples(*i32, i32, i32)
@triton.jit
def named_tuples(out, a, b):
    pair = ordered(a, b)
    low, high = pair
    tl.store(out + low, pair.high - high)


# lower: tuple_argument(*i32, (i32, 5, i32))
@triton.jit
def tuple_argument(out, numbers):
    tl.store(out, numbers[0] + numbers[1] + numbers[-1])


@triton.jit
def total(first, *rest, factor=1):
    for i in tl.static_range(len(rest)):
        first += rest[i]
    return first * factor


# lower: variadic(*i32, i32)
@triton.jit
def variadic(out, n):
    tl.store(out, total(n, *(n, 2), factor=n))


@triton.jit
def apply(function: tl.constexpr, x):
    return function(x)


# lower: function_argument(*i32, i32)
@triton.jit
def function_argument(out, n):
    tl.store(out, apply(scale, n))


@triton.jit(noinline=True)
def kept(a, b):
    return a + b


# lower: no_inline(*i32, i32)
@triton.jit
def no_inline(out, n):
    tl.store(out, kept(n, 4))


@triton.jit
def power(x, n: tl.constexpr):
    if n == 0:
        return 1
    return x * power(x, n - 1)


# lower: recursion(*i32, i32)
@triton.jit
def recursion(out, n):
    tl.store(out, power(n, 2))


# lower: method(*i32, i32)
@triton.jit
def method(out, n):
    block = tl.arange(0, 4) + n
    tl.store(out + block, block.to(tl.int64).to(tl.int32))


# lower: carried_tuple(*i32, i32, i32)
@triton.jit
def carried_tuple(out, a, b):
    pair = Pair(a, b)
    for i in range(b):
        pair = ordered(pair.low + i, pair.high)
    tl.static_assert(isinstance(pair, Pair) and not isinstance(a, Pair))
    tl.store(out, pair.low)
