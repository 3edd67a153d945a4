import triton
import triton.language as tl


# lower: odd_range(*i32)
@triton.jit
def odd_range(p):
    tl.store(p + tl.arange(0, 100), 1)


# lower: zero_size(*i32)
@triton.jit
def zero_size(p):
    tl.store(p + tl.zeros((0, 4), tl.int32), 1)


# lower: too_many(*i32)
@triton.jit
def too_many(p):
    tl.store(p + tl.zeros((2048, 1024), tl.int32), 1)


# lower: shapes_differ(*i32)
@triton.jit
def shapes_differ(p):
    x = tl.arange(0, 8) + tl.arange(0, 4)


# lower: broadcast_rank(*i32)
@triton.jit
def broadcast_rank(p):
    x = tl.broadcast_to(tl.arange(0, 8), (4, 8))


# lower: broadcast_size(*i32)
@triton.jit
def broadcast_size(p):
    x = tl.broadcast_to(tl.arange(0, 8)[:, None], (4, 8))


# lower: reshape_count(*i32)
@triton.jit
def reshape_count(p):
    x = tl.arange(0, 8).reshape(4, 4)


# lower: index(*i32)
@triton.jit
def index(p):
    x = tl.arange(0, 8)[3]


# lower: partial_slice(*i32)
@triton.jit
def partial_slice(p):
    x = tl.arange(0, 8)[0:4]


# lower: many_indices(*i32)
@triton.jit
def many_indices(p):
    x = tl.arange(0, 8)[:, :, None]


# lower: transposed_vector(*i32)
@triton.jit
def transposed_vector(p):
    x = tl.arange(0, 8).T


# lower: trans_vector(*i32)
@triton.jit
def trans_vector(p):
    x = tl.trans(tl.arange(0, 8))


# lower: axis(*i32)
@triton.jit
def axis(p):
    x = tl.expand_dims(tl.arange(0, 8), 2)


# lower: same_axis(*i32)
@triton.jit
def same_axis(p):
    x = tl.expand_dims(tl.arange(0, 8), (0, -3))


# lower: no_permutation(*i32)
@triton.jit
def no_permutation(p):
    x = tl.permute(tl.zeros((4, 8), tl.int32), (0, 0))


# lower: split(*i32)
@triton.jit
def split(p):
    x = tl.split(tl.arange(0, 8))


# lower: item(*i32)
@triton.jit
def item(p):
    x = tl.arange(0, 8).item()


# lower: sum_of_too_many(*i32)
@triton.jit
def sum_of_too_many(p):
    x = tl.arange(0, 2048)[:, None] + tl.arange(0, 1024)[None, :]


# lower: join_of_too_many(*i32)
@triton.jit
def join_of_too_many(p):
    x = tl.arange(0, 1048576)
    y = tl.join(x, x)


# lower: product_of_too_many(*i32)
@triton.jit
def product_of_too_many(p):
    x = tl.dot(tl.zeros((65536, 16), tl.float16), tl.zeros((16, 32), tl.float16))


# lower: mask_of_too_many(*i32)
@triton.jit
def mask_of_too_many(p):
    x = tl.load(p + tl.arange(0, 2048)[:, None], mask=tl.arange(0, 1024)[None, :] < 3)
