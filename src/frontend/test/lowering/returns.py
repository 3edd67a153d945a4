# Early returns become structured control flow: what follows moves into the branch that goes on.
import triton
import triton.language as tl


# lower: guard(*i32, i32)
@triton.jit
def guard(out, n):
    if n > 3:
        return
    tl.store(out, n)


@triton.jit
def sign(n):
    if n < 0:
        return -1
    if n == 0:
        return 0
    return n // n


# lower: values(*i32, i32)
@triton.jit
def values(out, n):
    tl.store(out, sign(n))


# Both branches may go on, so what follows is in both.
# lower: partly(*i32, i32)
@triton.jit
def partly(out, n):
    if n > 3:
        tl.store(out, 1)
        if n > 9:
            return
    tl.store(out, 2)


# lower: constant(*i32, 4)
@triton.jit
def constant(out, size: tl.constexpr):
    if size == 4:
        tl.store(out, 1)
        return
    tl.store(out, undefined_name)


@triton.jit
def half_open(n):
    if n > 3:
        return n + 1


# lower: undefined(*i32, i32)
@triton.jit
def undefined(out, n):
    tl.store(out, half_open(n))


@triton.jit
def same_constant(n):
    if n > 3:
        return tl.float16
    return tl.float16


# lower: constants(*i32, i32)
@triton.jit
def constants(out, n):
    tl.store(out, n.to(same_constant(n)).to(tl.int32))
