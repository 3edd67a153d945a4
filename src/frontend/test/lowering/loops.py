# `for`: scf.for with the names that it changes as its arguments, or repetition while lowering.
import triton
import triton.language as tl


# lower: carried(*fp32, i32)
@triton.jit
def carried(out, n):
    total = 0.0
    untouched = 1
    for i in range(n):
        local = tl.load(out + i)
        total += local
    tl.store(out + untouched, total)


# lower: bounds(*i32, i32, i64, u32)
@triton.jit
def bounds(out, a, b, c):
    for i in range(a, b, 2):
        tl.store(out + i, 1)
    for i in range(c):
        tl.store(out + i, 2)


# lower: downward(*i32, i32)
@triton.jit
def downward(out, n):
    for i in range(n, 0, -1):
        tl.store(out + i, i)


# lower: hints(*i32, i32)
@triton.jit
def hints(out, n):
    for i in tl.range(0, n, num_stages=3, loop_unroll_factor=2, flatten=True, warp_specialize=True,
                      disallow_acc_multi_buffer=True, disable_licm=True):
        tl.store(out + i, i)


# lower: repeated(*i32, i32)
@triton.jit
def repeated(out, n):
    for i in tl.static_range(4, 0, -2):
        even: tl.constexpr = i * 2
        tl.store(out + even, n)
        last = n + i
    tl.store(out, last)


# lower: nested(*i32, i32)
@triton.jit
def nested(out, n):
    a, b = 0, 1
    for i in range(n):
        for j in range(i):
            if j > 2:
                a, b = b, a
        a += i
    tl.store(out + a, b)


# The index keeps its value after the loop when the name had one before.
# lower: index_after(*i32, i32)
@triton.jit
def index_after(out, n):
    i = 0
    for i in range(n):
        pass
    tl.store(out, i)


# A name may be the variable of one loop after the other, whatever it was before. A number keeps its meaning when the
# loop does not run.
# lower: index_reused(*i32, i32)
@triton.jit
def index_reused(out, n):
    for i in tl.static_range(3):
        tl.store(out + i, i)
    for i in range(n):
        tl.store(out + i, 7)
    tl.store(out, i)


# lower: index_replaces(*i32, i32)
@triton.jit
def index_replaces(out, n):
    i = tl.arange(0, 16)
    tl.store(out + i, i)
    for i in range(n):
        tl.store(out + i, i)
        i = i * 2.5
    for i in tl.static_range(2):
        tl.store(out + i, 9)


# lower: index_reused_inside(*i32, i32, i64)
@triton.jit
def index_reused_inside(out, n, m):
    for i in tl.static_range(2):
        tl.store(out + i, 1)
    while n > 0:
        for i in range(m):
            tl.store(out + i, n)
        for j in range(n):
            for i in tl.static_range(3):
                tl.store(out + i, j)
        n -= 1


# A parameter that got a number may change in a loop.
# lower: number(*i32, i32, 1)
@triton.jit
def number(out, n, stride):
    for i in range(n):
        stride += i
    tl.store(out, stride)


# lower: while_loop(*i32, i32)
@triton.jit
def while_loop(out, n):
    steps = 0
    while (n := n // 2) > 0:
        steps += 1
    tl.store(out, steps)


# lower: while_condition(*i32, i32)
@triton.jit
def while_condition(out, n):
    while tl.condition(n > 0, disable_licm=True):
        n -= 1
    tl.store(out, n)
