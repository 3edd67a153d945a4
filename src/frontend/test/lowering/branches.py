# `if` and conditional expressions: constants decide while lowering, scalars become scf.if.
import triton
import triton.language as tl


# lower: pruned(*i32, None, 3)
@triton.jit
def pruned(out, maybe, mode: tl.constexpr):
    if maybe is not None:
        tl.store(maybe, undefined_name)
    elif mode == 3:
        tl.store(out, mode)
    else:
        tl.store(out, undefined_name)


# lower: merged(*i32, i32)
@triton.jit
def merged(out, n):
    kept = n
    if n > 3:
        x = n
        y = 1
    else:
        y = 2
        x = n * 2
    tl.store(out + kept, x + y)


# lower: one_sided(*i32, i32)
@triton.jit
def one_sided(out, n):
    x = 1
    if n > 3:
        x = n
    tl.store(out, x)


# lower: chain(*i32, i32)
@triton.jit
def chain(out, n):
    if n == 1:
        tl.store(out, 1)
    elif n == 2:
        tl.store(out, 2)


# A number adapts to the type that the other branch gives.
# lower: adapted(*i64, i64)
@triton.jit
def adapted(out, n):
    tl.store(out, n if n > 3 else 0)


# lower: tuples(*i32, i32)
@triton.jit
def tuples(out, n):
    pair = (n, None) if n > 3 else (1, None)
    tl.store(out, pair[0])


# lower: integer_condition(*i32, i32)
@triton.jit
def integer_condition(out, n):
    if n:
        tl.store(out, n)


# lower: logic(*i32, i32, True)
@triton.jit
def logic(out, n, flag: tl.constexpr):
    if flag and n > 3 and (n < 9 or not flag):
        tl.store(out, 1)
    if 0 < n < 5:
        tl.store(out, 2)
    if flag or undefined_name:
        tl.store(out, 3)
