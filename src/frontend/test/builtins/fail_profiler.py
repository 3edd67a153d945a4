import triton
import triton.language as tl
import triton.profiler.language as pl


# lower: nameless(*fp32)
@triton.jit
def nameless(x):
    pl.enter_scope("")


# lower: number(*fp32)
@triton.jit
def number(x):
    pl.start_event(3)


# lower: without_with(*fp32)
@triton.jit
def without_with(x):
    pl.scope("a")


# lower: leaves(*fp32, i32)
@triton.jit
def leaves(x, n):
    with pl.scope("a"):
        if n > 0:
            return
    tl.store(x, 1.0)


# lower: with_target(*fp32)
@triton.jit
def with_target(x):
    with pl.scope("a") as scope:
        tl.store(x, 1.0)
