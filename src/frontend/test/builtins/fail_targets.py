import triton
import triton.language as tl


# lower: multiprocessor(*i32)
@triton.jit
def multiprocessor(p):
    tl.store(p, tl.extra.cuda.smid())


# lower cuda-80: dependent(*i32)
@triton.jit
def dependent(p):
    tl.extra.cuda.gdc_wait()


# lower: compute_unit(*i32)
@triton.jit
def compute_unit(p):
    tl.store(p, tl.extra.hip.smid())
