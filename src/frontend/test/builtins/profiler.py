import triton
import triton.language as tl
import triton.profiler.language as pl


# lower: scopes(*fp32, i32)
@triton.jit
def scopes(x, n):
    event = pl.allocate_event("event")
    pl.start_event(event)
    with pl.scope("outer"):
        total = 0.0
        for i in range(n):
            pl.enter_scope("step")
            total += tl.load(x + i)
            pl.exit_scope("step")
    pl.end_event(event)
    tl.store(x, total)
