import triton
import broken


@triton.jit
def kernel(x):
    broken.value
