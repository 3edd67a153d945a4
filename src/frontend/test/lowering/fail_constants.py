# Constants that cannot be evaluated.
import triton
import triton.language as tl


# lower: division(*i32)
@triton.jit
def division(out):
    tl.store(out, 1 // 0)


# lower: float_modulo(*i32)
@triton.jit
def float_modulo(out):
    tl.store(out, 1.5 % 0)


# lower: negative_shift(*i32)
@triton.jit
def negative_shift(out):
    tl.store(out, 1 << -1)


# lower: huge_power(*i32)
@triton.jit
def huge_power(out):
    tl.store(out, 10 ** 10 ** 10)


# lower: huge_shift(*i32)
@triton.jit
def huge_shift(out):
    tl.store(out, 1 << 10 ** 12)


# lower: huge_tuple(*i32)
@triton.jit
def huge_tuple(out):
    tl.store(out, ((1, ) * 10 ** 9)[0])


# lower: operands(*i32)
@triton.jit
def operands(out):
    tl.store(out, "text" - 1)


# lower: unary_operand(*i32)
@triton.jit
def unary_operand(out):
    tl.store(out, -"text")


# lower: order(*i32)
@triton.jit
def order(out):
    tl.store(out, "text" < 1)


# lower: containment(*i32)
@triton.jit
def containment(out):
    tl.store(out, 1 in 1)


# lower: tensor_containment(*i32, i32)
@triton.jit
def tensor_containment(out, n):
    tl.store(out, n in (1, 2))


# lower: index_range(*i32)
@triton.jit
def index_range(out):
    tl.store(out, (1, 2)[2])


# lower: runtime_index(*i32, i32)
@triton.jit
def runtime_index(out, n):
    tl.store(out, (1, 2)[n])


# lower: slice_step()
@triton.jit
def slice_step():
    (1, 2)[::0]


# lower: indexed_number()
@triton.jit
def indexed_number():
    (3)[0]


# lower: length(i32)
@triton.jit
def length(n):
    len(n)


# lower: runtime_conversion(i32)
@triton.jit
def runtime_conversion(n):
    float(n)


# lower: conversion()
@triton.jit
def conversion():
    int("text")


# lower: empty_minimum()
@triton.jit
def empty_minimum():
    min()


# lower: nan_maximum()
@triton.jit
def nan_maximum():
    max(1.0, float("nan"))


# lower: not_a_type(i32)
@triton.jit
def not_a_type(n):
    isinstance(n, 3)


# lower: formatted(i32)
@triton.jit
def formatted(n):
    tl.static_print(f"{n}")


# lower: comprehension(i32)
@triton.jit
def comprehension(n):
    [i for i in range(n)]


# lower: filtered(i32)
@triton.jit
def filtered(n):
    [i for i in (1, 2) if n > i]


# lower: runtime_list(i32)
@triton.jit
def runtime_list(n):
    list(range(n))


# lower: list_of_number()
@triton.jit
def list_of_number():
    list(3)


# lower: host_function()
@triton.jit
def host_function():
    triton.cdiv(1, 0)


# lower: huge_sum()
@triton.jit
def huge_sum():
    a: tl.constexpr = (1, ) * 40000
    a + a
