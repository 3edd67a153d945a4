# How the kernel's own parameters appear: constants do not, the others carry what the launcher guarantees.
import triton
import triton.language as tl


# lower locations: kernel(*fp16:16, *kfp32, i32:16, u8, i1, fp64, 1, None, "text", 16)
@triton.jit
def kernel(a, b, n, small, flag, x, one, nothing, name, SIZE: tl.constexpr):
    tl.static_assert(one == 1 and nothing is None and name == "text")
    tl.store(a + n, tl.load(b))


# lower locations: described(tensordesc<fp16[4, 64]>, (tensordesc<fp32[8], nan, tf32>, i32))
@triton.jit
def described(a, rest):
    b, i = rest
    a.store([i, 0], a.load([i, 8]) + tl.sum(b.load([i])))


# lower debug: checked(*i32, i32)
@triton.jit
def checked(out, n):
    assert n > 0, "n is positive"
    print("n", n)
    tl.store(out, n)


# lower: unchecked(i32)
@triton.jit
def unchecked(n):
    assert n > 0, "n is positive"
