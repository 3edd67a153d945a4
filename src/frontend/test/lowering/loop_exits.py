# `break`, `continue`, `return` and `else` of loops. A loop that may be left early is an scf.while; one that only goes on
# to its next iteration, or whose exits a constant rules out, stays as it is.
import triton
import triton.language as tl


# lower: left(*i32, i32)
@triton.jit
def left(out, n):
    total = 0
    for i in range(n):
        if i == 7:
            break
        total += i
    tl.store(out, total)


# lower: continued(*i32, i32)
@triton.jit
def continued(out, n):
    total = 0
    for i in range(n):
        if i == 7:
            continue
        total += i
    tl.store(out, total)


# lower: ruled_out(*i32, i32, None)
@triton.jit
def ruled_out(out, n, limit):
    total = 0
    for i in range(n):
        if limit is not None:
            if total > limit:
                break
        total += i
    else:
        total += 1
    tl.store(out, total)


# Both branches may go on: what follows them is lowered once, where control has not left.
# lower: partly(*i32, i32)
@triton.jit
def partly(out, n):
    while n > 0:
        n -= 1
        if n % 2 == 0:
            if n == 8:
                break
            half = n // 2
        else:
            if n == 9:
                continue
            half = n
        tl.store(out + n, half)
    else:
        tl.store(out, 0)


# lower: endless(*i32, i32)
@triton.jit
def endless(out, n):
    while True:
        n = n // 2
        if n < 3:
            break
    else:
        tl.store(out, 1)
    tl.store(out, n)


@triton.jit
def position(pointer, n):
    for i in range(n):
        for j in range(n):
            if tl.load(pointer + i * n + j) == 0:
                return i, j
    return n, n


# lower: found(*i32, i32)
@triton.jit
def found(out, n):
    i, j = position(out, n)
    tl.store(out + i, j)


# lower: repeated(*i32, i32)
@triton.jit
def repeated(out, n):
    for i in tl.static_range(3):
        if i == 0:
            continue
        if n == i:
            break
        tl.store(out + i, n)
    else:
        tl.store(out, i)


# The name's value before the loop does not matter, so it may be of any type there.
# lower: unread(*i32, i32)
@triton.jit
def unread(out, n):
    _, total = tl.arange(0, 4), 0
    for i in range(n):
        total, _ = total + i, n
        total += _
    tl.store(out, total)
