import triton
import triton.language as tl
import kernels

SIZE = tl.constexpr(64)
UNCHECKED = 5
CIRCULAR = kernels.FOUR


@triton.jit
def scale(x):
    return x * SIZE
