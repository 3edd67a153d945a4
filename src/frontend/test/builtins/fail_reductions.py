import triton
import triton.language as tl


@triton.jit
def nothing(a, b):
    pass


@triton.jit
def both(a, b):
    return a, b


@triton.jit
def wider(a, b):
    return (a + b).to(tl.float64)


@triton.jit
def broken(a, b):
    return a @ b


# lower: combine_result(*fp32)
@triton.jit
def combine_result(p):
    x = tl.reduce(tl.zeros((8,), tl.float32), 0, nothing)


# lower: combine_count(*fp32)
@triton.jit
def combine_count(p):
    x = tl.reduce(tl.zeros((8,), tl.float32), 0, both)


# lower: combine_type(*fp32)
@triton.jit
def combine_type(p):
    x = tl.associative_scan(tl.zeros((8,), tl.float32), 0, wider)


# lower: combine_error(*fp32)
@triton.jit
def combine_error(p):
    x = tl.reduce(tl.zeros((8,), tl.float32), 0, broken)


# lower: no_operands(*fp32)
@triton.jit
def no_operands(p):
    x = tl.reduce((), 0, both)


# lower: no_tensor(*fp32)
@triton.jit
def no_tensor(p):
    x = tl.reduce(None, 0, both)


# lower: axis(*fp32)
@triton.jit
def axis(p):
    x = tl.sum(tl.zeros((8,), tl.float32), 1)


# lower: histogram(*fp32)
@triton.jit
def histogram(p):
    x = tl.histogram(tl.zeros((8,), tl.float32), 4)


# lower: gather_index(*fp32)
@triton.jit
def gather_index(p):
    x = tl.zeros((8,), tl.float32)
    y = tl.gather(x, x, 0)


# lower: gather_shape(*fp32)
@triton.jit
def gather_shape(p):
    x = tl.zeros((8, 4), tl.float32)
    y = tl.gather(x, tl.arange(0, 8), 0)


# lower: integers_only(*fp32)
@triton.jit
def integers_only(p):
    x = tl.xor_sum(tl.zeros((8,), tl.float32))


# lower: last_dimension(*fp32)
@triton.jit
def last_dimension(p):
    x = tl.sort(tl.zeros((8, 4), tl.float32), 0)


# lower: too_few(*i32)
@triton.jit
def too_few(p):
    x = tl.topk(tl.arange(0, 8), 0)


# lower: too_many(*i32)
@triton.jit
def too_many(p):
    x = tl.topk(tl.arange(0, 8), 16)
