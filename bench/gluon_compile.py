"""The time that compiling kernels in Gluon takes, beside kernels of `triton.language`: milliseconds.

    python bench/gluon_compile.py [REPETITIONS]

Both are compiled for compute capability 9.0, by turns; no GPU is needed, and Triton 3.9 runs it as well. Times are
those of all threads of this process, first without ptxas and then with it.
"""

import os
import resource
import statistics
import sys
import time

os.environ["TRITON_ALWAYS_COMPILE"] = "1"

import automatic_kernels
import gluon_kernels
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon._runtime import GluonASTSource
from triton.experimental.gluon.language.nvidia.ampere import mma_v2

TARGET = GPUTarget("cuda", 90, 32)
FLAT = ttgl.BlockedLayout([4], [32], [4], [0])
ROWS = ttgl.BlockedLayout([1, 8], [8, 4], [4, 1], [1, 0])
UNIT = ttgl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])
SHARED = ttgl.SwizzledSharedLayout(8, 1, 8, [1, 0])


@triton.jit
def add(x, y, z, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(z + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@gluon.jit
def add_in_gluon(x, y, z, n, N: ttgl.constexpr):
    i = ttgl.program_id(0) * N + ttgl.arange(0, N, layout=FLAT)
    ttgl.store(z + i, ttgl.load(x + i, i < n) + ttgl.load(y + i, i < n), i < n)


@triton.jit
def softmax(x, y, stride, n, N: tl.constexpr):
    i = tl.program_id(0) * stride + tl.arange(0, N)
    row = tl.load(x + i, tl.arange(0, N) < n, -float("inf"))
    weights = tl.exp(row - tl.max(row, 0))
    tl.store(y + i, weights / tl.sum(weights, 0), tl.arange(0, N) < n)


@gluon.jit
def softmax_in_gluon(x, y, stride, n, N: ttgl.constexpr):
    column = ttgl.arange(0, N, layout=FLAT)
    i = ttgl.program_id(0) * stride + column
    row = ttgl.load(x + i, column < n, -float("inf"))
    weights = ttgl.exp(row - ttgl.max(row, 0))
    ttgl.store(y + i, weights / ttgl.sum(weights, 0), column < n)


@triton.jit
def multiply(a, b, c, K, N: tl.constexpr):
    rows, columns = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    acc = tl.zeros([N, N], tl.float32)
    for k in range(0, K, N):
        acc = tl.dot(tl.load(a + rows * K + k + columns), tl.load(b + (k + rows) * N + columns), acc)
    tl.store(c + rows * N + columns, acc)


@gluon.jit
def multiply_in_gluon(a, b, c, K, N: ttgl.constexpr):
    rows = ttgl.arange(0, N, layout=ttgl.SliceLayout(1, ROWS))[:, None]
    columns = ttgl.arange(0, N, layout=ttgl.SliceLayout(0, ROWS))[None, :]
    left = ttgl.allocate_shared_memory(ttgl.float16, [N, N], SHARED)
    right = ttgl.allocate_shared_memory(ttgl.float16, [N, N], SHARED)
    acc = ttgl.zeros([N, N], ttgl.float32, UNIT)
    for k in range(0, K, N):
        left.store(ttgl.load(a + rows * K + k + columns))
        right.store(ttgl.load(b + (k + rows) * N + columns))
        operands = left.load(ttgl.DotOperandLayout(0, UNIT, 2)), right.load(ttgl.DotOperandLayout(1, UNIT, 2))
        acc = mma_v2(operands[0], operands[1], acc)
    ttgl.store(c + rows * N + columns, ttgl.convert_layout(acc, ROWS))


def compilation(kernel, types, constants, **options):
    source_of = GluonASTSource if type(kernel) is type(add_in_gluon) else ASTSource
    source = source_of(kernel, types | dict.fromkeys(constants, "constexpr"), constants)
    return lambda: triton.compile(source, target=TARGET, options=options)


def described(*shape):
    return f"tensordesc<fp16[{','.join(map(str, shape))}]>"


def described_in_gluon(*shape):
    return f"{described(*shape)[:-1]},{ttgl.NVMMASharedLayout.get_default_for(shape, ttgl.float16)!r}>"


def pair(kernel, in_gluon, types, size):
    constants = {"N": size}
    return compilation(kernel, types, constants), compilation(in_gluon, types, constants)


def product_pair():
    blocks, counts = {"a": (128, 64), "b": (64, 256), "c": (128, 256)}, ("tiles_m", "tiles_n")
    automatic = {name: described(*shape) for name, shape in blocks.items()} | dict.fromkeys((*counts, "K"), "i32")
    placed = {name: described_in_gluon(*shape) for name, shape in blocks.items()}
    placed |= dict.fromkeys((*counts, "steps"), "i32")
    tile = {"BM": 128, "BN": 256, "BK": 64}
    return (
        compilation(automatic_kernels.product, automatic, tile, num_warps=8, num_stages=3),
        compilation(gluon_kernels.product_kernel, placed, {"SLOTS": 3, "GROUP": 8}, num_warps=8),
    )


def attention_pair():
    others = {"length": "i32", "scale": "fp32"}
    automatic = dict.fromkeys("qkvo", described(128, 64)) | others
    placed = {name: described_in_gluon(64 if name in "qo" else 128, 64) for name in "qkvo"} | others
    tile = {"CAUSAL": False, "BM": 128, "BN": 128, "D": 64}
    return (
        compilation(automatic_kernels.attention, automatic, tile, num_warps=8, num_stages=2),
        compilation(gluon_kernels.attention_kernel, placed, {"CAUSAL": False, "SLOTS": 2}, num_warps=4),
    )


FLOATS = dict.fromkeys("xy", "*fp32")
PAIRS = {
    "vector add": pair(add, add_in_gluon, FLOATS | {"z": "*fp32", "n": "i32"}, 1024),
    "softmax": pair(softmax, softmax_in_gluon, FLOATS | {"stride": "i32", "n": "i32"}, 1024),
    "product, mma": pair(multiply, multiply_in_gluon, {"a": "*fp16", "b": "*fp16", "c": "*fp32", "K": "i32"}, 64),
    "product, wgmma": product_pair(),
    "attention, wgmma": attention_pair(),
}


def times_of(compile_kernel):
    start, others = time.process_time(), resource.getrusage(resource.RUSAGE_CHILDREN)
    compile_kernel()
    own, after = time.process_time() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * own, 1e3 * (own + after.ru_utime - others.ru_utime + after.ru_stime - others.ru_stime)


def main(repetitions):
    print("| | `triton.jit` | Gluon | with ptxas | Gluon | lines of PTX | of Gluon |\n| --- " + "| ---: " * 6 + "|")
    for name, ways in PAIRS.items():
        lines = [compile_kernel().asm["ptx"].count("\n") for compile_kernel in ways]
        times = [[times_of(compile_kernel) for compile_kernel in ways] for _ in range(repetitions)]
        medians = [statistics.median(run[way][kind] for run in times) for kind in (0, 1) for way in (0, 1)]
        print(f"| {name} |", *(f"{median:.1f} |" for median in medians), *(f"{count} |" for count in lines), flush=True)


main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
