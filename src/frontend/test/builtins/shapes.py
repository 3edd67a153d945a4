import triton
import triton.language as tl


# lower: indexing(*fp32)
@triton.jit
def indexing(p):
    x = tl.load(p + tl.arange(0, 8))
    y = x[:, None] + x[None, :]
    tl.store(p + tl.arange(0, 8)[None, :, None], x[None, :, None])
    tl.store(p + tl.arange(0, 64).reshape(8, 8), y.T)


# lower: growing(*fp32)
@triton.jit
def growing(p):
    x = tl.load(p + tl.arange(0, 8))
    y = tl.broadcast_to(x[:, None], (8, 4))
    z, w = tl.broadcast(y, 1)
    tl.store(p + tl.arange(0, 32).reshape([8, 4]), z + w.broadcast_to(8, 4))
    tl.store(p + tl.arange(0, 8).expand_dims(0).expand_dims([0, -1]), tl.expand_dims(x, (0, 1, 3)))
    tl.store(p + tl.arange(0, 8)[None, :], tl.unsqueeze(x, 0))
    tl.store(p + tl.arange(0, 8), tl.squeeze(x[None, :], 0))


# lower: ordering(*fp32)
@triton.jit
def ordering(p):
    x = tl.load(p + tl.arange(0, 64).reshape(2, 4, 8))
    tl.store(p + tl.arange(0, 64).reshape(2, 8, 4), tl.trans(x))
    tl.store(p + tl.arange(0, 64).reshape(8, 2, 4), tl.permute(x, (2, 0, 1)))
    tl.store(p + tl.arange(0, 64).reshape(4, 2, 8), x.trans(1, 0, 2))
    tl.store(p + tl.arange(0, 64), x.ravel())
    tl.store(p + tl.arange(0, 64), tl.view(x, 64))
    tl.store(p, tl.permute(tl.load(p), ()))


# lower: pairs(*fp32)
@triton.jit
def pairs(p):
    x = tl.load(p + tl.arange(0, 8))
    y = tl.join(x, x + 1)
    a, b = tl.split(y)
    c, d = y.reshape(4, 2, 2).split()
    tl.store(p + tl.arange(0, 8), a * b)
    tl.store(p + tl.arange(0, 8).reshape(4, 2), c - d)
    tl.store(p + tl.arange(0, 16), tl.interleave(x, a))
    first, second = tl.split(tl.join(tl.load(p), 2.0))
    tl.store(p, first + second + x[None, :].reshape(1, 8).sum(1).item())


# lower: tiles(*i32, i32, i32)
@triton.jit
def tiles(p, m, n):
    i, j = tl.swizzle2d(tl.program_id(0), tl.program_id(1), m, n, 4)
    tl.store(p, i + j)


# lower: reversal(*fp32)
@triton.jit
def reversal(p):
    x = tl.load(p + tl.arange(0, 8).reshape(2, 4))
    tl.store(p + tl.arange(0, 8).reshape(2, 4), tl.flip(x, 1))
