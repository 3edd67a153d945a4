# What follows a branch that may return on some of its paths is lowered once.
import triton
import triton.language as tl


# lower: partly_returning(*i32, i32)
@triton.jit
def partly_returning(p, n):
    x = 0
    if n > 0:
        x = 1
        if n > 100:
            return
    if n > 1:
        if n > 101:
            return
        x += 2
    else:
        if n > -5:
            return
    tl.store(p, x)


@triton.jit
def chosen(x, n):
    if n > 0:
        if n > 100:
            return x + 1
        n = 5
    else:
        if n < -7:
            return x
    return x * n


# lower: values(*i32, i32)
@triton.jit
def values(p, n):
    tl.store(p, chosen(n, tl.load(p)))


# One branch ends in every case: what follows is part of the other one.
# lower: known(*i32, i32)
@triton.jit
def known(p, n):
    if n > 0:
        if 1 < 2:
            return
    else:
        if n < -7:
            return
    tl.store(p, n)
