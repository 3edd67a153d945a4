# Each such branch doubles the code that follows it, so there is a limit.
import triton
import triton.language as tl


# lower: many_paths(i32)
@triton.jit
def many_paths(n):
    if n > 0:
        if n > 100:
            return
    if n > 1:
        if n > 101:
            return
    if n > 2:
        if n > 102:
            return
    if n > 3:
        if n > 103:
            return
    if n > 4:
        if n > 104:
            return
    if n > 5:
        if n > 105:
            return
    if n > 6:
        if n > 106:
            return
    if n > 7:
        if n > 107:
            return
    if n > 8:
        if n > 108:
            return
    if n > 9:
        if n > 109:
            return
    if n > 10:
        if n > 110:
            return
    if n > 11:
        if n > 111:
            return
