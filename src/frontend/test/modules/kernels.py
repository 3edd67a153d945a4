"""A file with everything around kernels that such files hold."""
import os
import sys

import numpy as np
import torch
import triton as t
import triton.language as tl
from triton import jit as compiled, next_power_of_2
from triton.language import constexpr as ce, float16
from collections import namedtuple
from typing import TYPE_CHECKING, NamedTuple

import constants
import package.inner as inner
from constants import SIZE, UNCHECKED, scale as rescale
from package import helper, inner as again
from package.inner import *
from .constants import SIZE as RELATIVE

try:
    import missing_module
    HAS_MISSING = tl.constexpr(1)
except ImportError:
    missing_module = None
    FALLBACK = 3

if TYPE_CHECKING:
    from nowhere import Nothing
    SIZE = "wrong"

FOUR = tl.constexpr(4)
EIGHT = ce(value=FOUR * 2)
BIG = tl.constexpr(2 ** 100 // 3)
NEGATIVE = tl.constexpr(-7 // 2)
REMAINDER = tl.constexpr(-7 % 3)
HALF = tl.constexpr(1 / 2)
NAME = tl.constexpr("a" + "b")
PAIR = tl.constexpr((1, 2.5))
SECOND = tl.constexpr(PAIR[-1])
ROUNDED = tl.constexpr(next_power_of_2(100))
DTYPE = tl.float32
LOW = dtype = float16
FIRST, (LAST, *REST) = tl.constexpr(1), (tl.constexpr(2), 3)
COUNT = 1
COUNT = COUNT + 1
PLAIN = 3
ANNOTATED: tl.constexpr = 4
TEXT = "text"
LIST = [1, 2]
TABLE = {}
FUNCTION = lambda: 0
COMPUTED = np.array(1)
ITSELF = ITSELF + 1
NOTHING = None
AUGMENTED = tl.constexpr(1)
AUGMENTED += 1
UNKNOWN = tl.constexpr(os.cpu_count())

if os.environ.get("FAST"):
    BRANCHED = tl.constexpr(1)
    ONLY_FAST = tl.constexpr(1)
else:
    BRANCHED = tl.constexpr(2)

for looped in range(3):
    pass


class Point(NamedTuple):
    x: int
    y: int = 0


Size = namedtuple("Size", ["rows", "columns"])
Shape = namedtuple("Shape", "rows, columns")
ORIGIN = tl.constexpr(Point(1, y=2))


class Plain:
    @t.jit
    def method(self):
        pass


@t.jit
def first(x, BLOCK: tl.constexpr = FOUR, width=PLAIN):
    pass


@t.autotune(configs=[t.Config({"BLOCK": 64})], key=["n"])
@t.heuristics({"EVEN": lambda args: True})
@t.jit
def second(x):
    pass


@compiled(noinline=True)
def third(x):
    pass


def plain(x):
    return x


wrapped = t.jit(plain)


@t.constexpr_function
def host(x):
    return x


@torch.compile
def other(x):
    pass


if __name__ == "__main__":
    FOUR = "wrong"
    first[(1,)](torch.zeros(3))
