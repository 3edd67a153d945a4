# Names and attributes that are not there.
from collections import namedtuple

import triton
import triton.language as tl

LIMIT = 4
TABLE = [1, 2, 3]
Pair = namedtuple("Pair", ["low", "high"])


# lower: undefined(*i32)
@triton.jit
def undefined(out):
    tl.store(out, zebra)


# lower: misspelled(*i32, i32)
@triton.jit
def misspelled(out, count):
    tl.store(out, coutn)


# lower: python_builtin(*i32)
@triton.jit
def python_builtin(out):
    tl.store(out, sorted((1, 2)))


# lower: plain_global(*i32)
@triton.jit
def plain_global(out):
    tl.store(out, LIMIT)


# lower: list_global(*i32)
@triton.jit
def list_global(out):
    tl.store(out, TABLE[0])


# lower: one_branch(*i32, i32)
@triton.jit
def one_branch(out, n):
    if n > 3:
        value = 1
    tl.store(out, value)


# lower: of_loop(*i32, i32)
@triton.jit
def of_loop(out, n):
    for i in range(n):
        value = i
    tl.store(out, value)


# lower: replaced_by_loop(*i32, i32)
@triton.jit
def replaced_by_loop(out, n):
    i = tl.arange(0, 16)
    for i in range(n):
        tl.store(out + i, i)
    tl.store(out + i, i)


# lower: declared(*i32)
@triton.jit
def declared(out):
    size: tl.constexpr
    tl.store(out, size)


# lower: module_attribute(*i32)
@triton.jit
def module_attribute(out):
    tl.laod(out)


# lower: unknown_attribute(*i32)
@triton.jit
def unknown_attribute(out):
    tl.load(out).flux_capacitor()


# lower: field(i32)
@triton.jit
def field(n):
    pair = Pair(n, n)
    pair.hihg


# lower: attribute_by_name(*i32)
@triton.jit
def attribute_by_name(out):
    getattr(out, "nothing")


# lower: runtime_name(*i32, i32)
@triton.jit
def runtime_name(out, n):
    getattr(out, n)


import numpy as np  # noqa: E402


# lower: foreign_function(*i32)
@triton.jit
def foreign_function(out):
    tl.store(out, np.sin(1.0))


import math  # noqa: E402

from numpy import cos  # noqa: E402


# lower: foreign_function_in_package(*i32)
@triton.jit
def foreign_function_in_package(out):
    tl.store(out, np.nn.functional.softmax(tl.load(out)))


# lower: foreign_type(*i32)
@triton.jit
def foreign_type(out):
    tl.store(out, tl.load(out).to(np.float16))


# lower: foreign_function_of_device_library(*i32)
@triton.jit
def foreign_function_of_device_library(out):
    tl.store(out, np.tanh(1.0))


# lower: foreign_function_without_counterpart(*i32)
@triton.jit
def foreign_function_without_counterpart(out):
    tl.store(out, np.einsum("i->", tl.load(out)))


# lower: foreign_function_by_its_name(*i32)
@triton.jit
def foreign_function_by_its_name(out):
    tl.store(out, cos(tl.load(out)))


# lower: function_of_the_host(*fp32)
@triton.jit
def function_of_the_host(out):
    tl.store(out, math.sqrt(tl.load(out)))


# lower: counterpart_of_nothing(*fp32)
@triton.jit
def counterpart_of_nothing(out):
    tl.store(out, abs(tl.load(out)))


# lower: member_of_an_object(*i32)
@triton.jit
def member_of_an_object(out):
    tl.store(out, TABLE.max)


# lower: function_of_device_library(*fp32)
@triton.jit
def function_of_device_library(out):
    tl.store(out, tl.tanh(tl.load(out)))


# lower: function_as_method(*fp32)
@triton.jit
def function_as_method(out):
    tl.store(out, tl.load(out).maximum(1.0))
