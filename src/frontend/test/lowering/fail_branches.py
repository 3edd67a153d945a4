# Branches that disagree, and conditions that are none.
import triton
import triton.language as tl


# lower: types(*fp32, i32)
@triton.jit
def types(out, n):
    if n > 3:
        value = n
    else:
        value = tl.load(out)
    tl.store(out, value)


# lower: tuple_types(i32)
@triton.jit
def tuple_types(n):
    if n > 3:
        pair = (n, 1)
    else:
        pair = (n, 1, 2)


# lower: conditional(*fp32, i32)
@triton.jit
def conditional(out, n):
    tl.store(out, tl.arange(0, 4) if n > 3 else n)


# lower: block_condition(*fp32)
@triton.jit
def block_condition(out):
    if tl.arange(0, 4) > 2:
        tl.store(out, 1)


# lower: block_pointer_condition(*fp32)
@triton.jit
def block_pointer_condition(out):
    if tl.load:
        pass
    if tl.make_block_ptr(out, (4, ), (1, ), (0, ), (4, ), (0, )):
        pass


@triton.jit
def either(n):
    if n > 3:
        return n
    return tl.arange(0, 4)


# lower: return_types(i32)
@triton.jit
def return_types(n):
    either(n)
