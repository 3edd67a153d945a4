import triton
import triton.language as tl


@triton.aggregate
class Pair:
    first: tl.tensor
    second: tl.constexpr = 1


@triton.aggregate
class Late:
    value: tl.tensor

    @triton.jit
    def __init__(self, x):
        y = self.value
        self.value = x


@triton.aggregate
class Never:
    value: tl.tensor

    @triton.jit
    def __init__(self):
        pass


# lower: immutable(i32)
@triton.jit
def immutable(n):
    pair = Pair(n)
    pair.first = n + 1


# lower: wrong_type(i32)
@triton.jit
def wrong_type(n):
    Pair(n, second=n)


# lower: unknown_field(i32)
@triton.jit
def unknown_field(n):
    changed = tl.aggregate_replace(Pair(n), third=n)


# lower: no_aggregate(i32)
@triton.jit
def no_aggregate(n):
    changed = tl.aggregate_replace(n, third=n)


# lower: too_early(i32)
@triton.jit
def too_early(n):
    Late(n)


# lower: without_value(i32)
@triton.jit
def without_value(n):
    Never()


# lower: no_operator(i32)
@triton.jit
def no_operator(n):
    Pair(n) + n


# lower: changed_constant(i32)
@triton.jit
def changed_constant(n):
    pair = Pair(n)
    if n > 1:
        pair = Pair(n, 2)
