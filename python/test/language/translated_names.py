"""Kernels whose names are also those of other things, which test_gluon_translator.py writes in Gluon."""

import triton
import triton.language
import triton.language as lang
from triton.language import constexpr, load, math

DTYPE = lang.float16
WIDE = lang.constexpr(lang.float32)
LOWEST = float("-inf")
SHAPES = [(1, DTYPE), [float("nan"), "x"]]
first = object()
helpers = 3


@triton.jit
def round(x):
    return lang.floor(x + 0.5)


@triton.jit
def stepped(x, y, K, N: constexpr, BK: lang.constexpr = 16):
    first = lang.arange(0, BK)
    total = lang.full([BK], LOWEST, WIDE)
    for k in lang.range(0, K, step=BK, num_stages=2):
        total = lang.maximum(total, load(x + k + first).to(DTYPE).to(WIDE))
    for k in lang.range(arg1=N, step=BK):
        total += k
    for _ in triton.language.range(2, None, None, 3):
        total += 1
    triton.language.store(y + first, math.exp2(round(total)))


@triton.jit
def products(a, b, c, N: lang.constexpr):
    row = lang.arange(0, N)
    place = row[:, None] * N + row[None, :]
    lang.store(c + place, lang.dot(load(a + place), load(b + place)))


@triton.jit
def through_helpers(x):
    lang.store(x, helpers)
