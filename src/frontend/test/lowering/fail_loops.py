# Loops that cannot be.
import triton
import triton.language as tl


# lower: changes_type(*fp32, i32)
@triton.jit
def changes_type(out, n):
    total = 0
    for i in range(n):
        total += tl.load(out + i)
    tl.store(out, total)


# lower: changes_shape(*fp32, i32)
@triton.jit
def changes_shape(out, n):
    block = tl.arange(0, 16)
    while n > 0:
        block = block[:, None]
        n -= 1


# lower: changes_constant(*fp32, i32)
@triton.jit
def changes_constant(out, n):
    total: tl.constexpr = 0
    for i in range(n):
        total = total + 1


# lower: starts_as_none(*fp32, i32)
@triton.jit
def starts_as_none(out, n):
    total = None
    for i in range(n):
        total = i


# lower: one_branch(*fp32, i32)
@triton.jit
def one_branch(out, n):
    total = 0
    for i in range(n):
        if i > 3:
            other = 1
        total = other


# lower: over_tuple(*fp32)
@triton.jit
def over_tuple(out):
    for i in (1, 2, 3):
        tl.store(out, i)


# lower: float_bound(*fp32, fp32)
@triton.jit
def float_bound(out, n):
    for i in range(n):
        tl.store(out, i)


# lower: block_bound(*fp32)
@triton.jit
def block_bound(out):
    for i in range(0, tl.arange(0, 4)):
        tl.store(out, i)


# lower: runtime_static_range(*fp32, i32)
@triton.jit
def runtime_static_range(out, n):
    for i in tl.static_range(n):
        tl.store(out, i)


# lower: zero_step(*fp32, i32)
@triton.jit
def zero_step(out, n):
    for i in range(0, n, 0):
        tl.store(out, i)


# lower: zero_static_step(*fp32)
@triton.jit
def zero_static_step(out):
    for i in tl.static_range(0, 4, 0):
        tl.store(out, i)


# lower: too_many(*fp32)
@triton.jit
def too_many(out):
    for i in tl.static_range(10 ** 9):
        tl.store(out, i)


# lower: constant_while(*fp32)
@triton.jit
def constant_while(out):
    while True:
        tl.store(out, 0)


# lower: constant_while_continues(*fp32, i32)
@triton.jit
def constant_while_continues(out, n):
    while 1:
        for i in range(n):
            if i == 3:
                break
        if n > 3:
            continue
        n += 1


# lower: break_outside(*fp32, i32)
@triton.jit
def break_outside(out, n):
    if n > 3:
        break


# lower: continue_in_else(*fp32, i32)
@triton.jit
def continue_in_else(out, n):
    while n > 0:
        n -= 1
    else:
        continue


# lower: break_changes_type(*fp32, i32)
@triton.jit
def break_changes_type(out, n):
    total = 0
    for i in range(n):
        if i > 3:
            total = total * 1.5
            break
        total += i


# lower: type_lost_by_break(*fp32, i32)
@triton.jit
def type_lost_by_break(out, n):
    last = 0
    for i in range(n):
        if i > 3:
            last = 1.5
            break
        last = i
    tl.store(out, last)


# lower: assigned_before_break_only(*fp32, i32)
@triton.jit
def assigned_before_break_only(out, n):
    for i in tl.static_range(4):
        if i == n:
            found = i
            break
    tl.store(out, found)


# lower: assigned_in_else_only(*fp32, i32)
@triton.jit
def assigned_in_else_only(out, n):
    for i in range(n):
        if tl.load(out + i) > 0:
            break
    else:
        missing = 1
    tl.store(out, missing)


# lower: lost_by_continue(*fp32, i32)
@triton.jit
def lost_by_continue(out, n):
    for i in tl.static_range(3):
        if i == 1:
            tl.store(out, even)
        if n > i:
            continue
        even = n


@triton.jit
def returning(n):
    for i in range(n):
        if i > 3:
            return i
        if i > n:
            return 1.5
    return 0


# lower: loop_return_types(*fp32, i32)
@triton.jit
def loop_return_types(out, n):
    tl.store(out, returning(n))


# lower: unpacked_index(*fp32)
@triton.jit
def unpacked_index(out):
    for a, b in tl.static_range(3):
        tl.store(out, a)


# lower: unpacked_runtime_index(*fp32, i32)
@triton.jit
def unpacked_runtime_index(out, n):
    for a, b in range(n):
        tl.store(out, a)


# lower: float_static_bound(*fp32)
@triton.jit
def float_static_bound(out):
    for i in tl.static_range(1.5):
        tl.store(out, i)


# lower: nested_too_many(*fp32)
@triton.jit
def nested_too_many(out):
    for i in tl.static_range(10000):
        for j in tl.static_range(10000):
            pass


# The body reads what `i` was before, so that it is carried.
# lower: index_read_before(*i32, i32)
@triton.jit
def index_read_before(out, n):
    i = 0.5
    for j in range(n):
        tl.store(out + j, i)
        for i in range(j):
            tl.store(out + i, i)
