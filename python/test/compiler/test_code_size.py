"""Tiles that are large for their warps: the number of instructions stays within what assemblers take in seconds."""

import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def tile(M: tl.constexpr, N: tl.constexpr):
    return tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]


@triton.jit
def combine(a, b, c, d):
    return a * c, b * c + d


@triton.jit
def product(x, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    left, right = tl.load(x + tile(M, K)), tl.load(x + tile(K, N))
    tl.store(out + tile(M, N), tl.dot(left, right, input_precision="ieee"))


@triton.jit
def sort(x, out, M: tl.constexpr, N: tl.constexpr):
    tl.store(out + tile(M, N), tl.sort(tl.load(x + tile(M, N))))


@triton.jit
def topk(x, out, M: tl.constexpr, N: tl.constexpr):
    tl.store(out + tile(M, 64), tl.topk(tl.load(x + tile(M, N)), 64))


@triton.jit
def scan(x, out, M: tl.constexpr, N: tl.constexpr):
    a = tl.load(x + tile(M, N))
    b, c = tl.associative_scan((a, a + 1), 1, combine)
    tl.store(out + tile(M, N), b + c)


@triton.jit
def reduce(x, out, M: tl.constexpr, N: tl.constexpr):
    a = tl.load(x + tile(M, N))
    b, c = tl.reduce((a, a + 1), 1, combine)
    tl.store(out + tl.arange(0, M), b + c)


@triton.jit
def histogram(x, out, M: tl.constexpr, N: tl.constexpr):
    tl.store(out + tl.arange(0, N), tl.histogram(tl.load(x + tl.arange(0, M)).to(tl.int32), N))


@triton.jit
def gather(x, out, M: tl.constexpr, N: tl.constexpr):
    a = tl.load(x + tile(M, N))
    tl.store(out + tile(M, N), tl.gather(a, a.to(tl.int32) & 15, 1))


@triton.jit
def flip(x, out, M: tl.constexpr, N: tl.constexpr):
    tl.store(out + tile(M, N), tl.flip(tl.load(x + tile(M, N)), 1))


@pytest.mark.parametrize(
    "kernel, extents, warps",
    [
        (product, (128, 128, 64), 1),
        (sort, (1, 8192), 1),
        (sort, (64, 128), 1),
        (topk, (1, 8192), 1),
        (scan, (64, 64), 1),
        (reduce, (64, 64), 1),
        (histogram, (8192, 1024), 1),
        (gather, (64, 128), 1),
        (flip, (256, 256), 8),
    ],
)
@pytest.mark.parametrize("target", [GPUTarget("sim:cuda", 80, 32), GPUTarget("sim:hip", "gfx942", 64)])
def test_code_of_large_tiles_is_bounded(kernel, extents, warps, target):
    constants = dict(zip(kernel.arg_names[2:], extents, strict=True))
    source = ASTSource(kernel, {"x": "*fp32", "out": "*fp32"} | dict.fromkeys(constants, "constexpr"), constants)
    compiled = triton.compile(source, target=target, options={"num_warps": warps})
    assert len(compiled.asm["llir"].splitlines()) < 30000


def test_parts_of_large_exact_products_are_loops_for_small_k():
    """Otherwise all steps fit one round, and LLVM works on all parts at once, for minutes."""
    constants = {"M": 128, "N": 128, "K": 16}
    source = ASTSource(product, {"x": "*fp32", "out": "*fp32"} | dict.fromkeys(constants, "constexpr"), constants)
    compiled = triton.compile(source, target=GPUTarget("sim:hip", "gfx1100", 32), options={"num_warps": 1})
    code = compiled.asm["llir"]
    assert code.count("br i1 ") == 4 and code.count("call float @llvm.fma.f32(") <= 4096
