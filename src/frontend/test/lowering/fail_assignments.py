# Targets that cannot be assigned to.
import triton
import triton.language as tl


# lower: element(*i32)
@triton.jit
def element(out):
    out[0] = 1


# lower: attribute(*i32)
@triton.jit
def attribute(out):
    out.value = 1


# lower: starred()
@triton.jit
def starred():
    a, *b = (1, 2, 3)


# lower: augmented_element(*i32)
@triton.jit
def augmented_element(out):
    out[0] += 1


# lower: too_few()
@triton.jit
def too_few():
    a, b, c = (1, 2)


# lower: not_a_tuple(i32)
@triton.jit
def not_a_tuple(n):
    a, b = n


# lower: redeclared(i32)
@triton.jit
def redeclared(n):
    size = n
    size: tl.constexpr = 4


# lower: too_many_values(*i32, i32)
@triton.jit
def too_many_values(p, k):
    a, b = 1, k, 3
    tl.store(p, a + b)
