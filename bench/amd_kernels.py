"""The kernels by which code for AMD GPUs is compared: writes their assembly into a folder, and prints what they need.

    python bench/amd_kernels.py FOLDER                       # for gfx942
    python bench/amd_kernels.py FOLDER --arch gfx1100 --repeat 5
    PYTHONPATH=TRITON python bench/amd_kernels.py FOLDER     # by another compiler that is used as this one

`ms` is the least processor time of a compilation, with nothing in the cache. instruction_classes.py compares folders.
"""

import argparse
import os
import pathlib
import re
import resource
import sys

import triton
import triton.language as tl
from kernels_of_bench import square_matmul_kernel
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def sum_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@triton.jit
def softmax_kernel(x, out, n, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * n + i, i < n, other=-float("inf"))
    exponentials = tl.exp(values - tl.max(values, 0))
    tl.store(out + row * n + i, exponentials / tl.sum(exponentials, 0), i < n)


@triton.jit
def attention_kernel(q, k, v, out, length, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    m, n, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D)
    rows = tl.load(q + m[:, None] * D + d[None, :])
    largest, total = tl.full((BM,), -float("inf"), tl.float32), tl.zeros((BM,), tl.float32)
    result = tl.zeros((BM, D), tl.float32)
    for start in range(0, length, BN):
        keys = tl.load(k + (start + n)[None, :] * D + d[:, None])
        scores = tl.dot(rows, keys) * scale
        newest = tl.maximum(largest, tl.max(scores, 1))
        weights, factor = tl.exp2(scores - newest[:, None]), tl.exp2(largest - newest)
        total = total * factor + tl.sum(weights, 1)
        values = tl.load(v + (start + n)[:, None] * D + d[None, :])
        result = tl.dot(weights.to(tl.float16), values, result * factor[:, None])
        largest = newest
    tl.store(out + m[:, None] * D + d[None, :], (result / total[:, None]).to(tl.float16))


@triton.jit
def layer_norm_kernel(x, w, b, out, n, eps, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * n + i, i < n, other=0.0).to(tl.float32)
    differences = tl.where(i < n, values - tl.sum(values, 0) / n, 0.0)
    scale = 1 / tl.sqrt(tl.sum(differences * differences, 0) / n + eps)
    result = differences * scale * tl.load(w + i, i < n) + tl.load(b + i, i < n)
    tl.store(out + row * n + i, result.to(tl.float16), i < n)


@triton.jit
def cumulative_sum_kernel(x, out, n, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    tl.store(out + row * n + i, tl.cumsum(tl.load(x + row * n + i, i < n, other=0.0), 0), i < n)


def pointers(element, *names):
    return dict.fromkeys(names, f"*{element}")


PRODUCT = pointers("fp16", "a_ptr", "b_ptr") | {"c_ptr": "*fp32", "N": "i32"}
ATTENTION = pointers("fp16", "q", "k", "v", "out") | {"length": "i32", "scale": "fp32"}
LAYER_NORM = pointers("fp16", "x", "w", "b", "out") | {"n": "i32", "eps": "fp32"}

#: By name: the kernel, the types of its arguments, its constants, and the threads of a program.
KERNELS = {
    "product, f16, 256x256x64": (
        square_matmul_kernel,
        PRODUCT,
        {"TOTAL": tl.float32, "BLOCK_M": 256, "BLOCK_N": 256, "BLOCK_K": 64},
        512,
    ),
    "product, f16, 128x128x64": (
        square_matmul_kernel,
        PRODUCT,
        {"TOTAL": tl.float32, "BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64},
        256,
    ),
    "attention, f16, 128x64x128": (attention_kernel, ATTENTION, {"BM": 128, "BN": 64, "D": 128}, 256),
    "softmax, rows of 4096 f32": (softmax_kernel, pointers("fp32", "x", "out") | {"n": "i32"}, {"BLOCK": 4096}, 256),
    "layer norm, rows of 4096 f16": (layer_norm_kernel, LAYER_NORM, {"BLOCK": 4096}, 256),
    "cumulative sum, rows of 4096 f32": (
        cumulative_sum_kernel,
        pointers("fp32", "x", "out") | {"n": "i32"},
        {"BLOCK": 4096},
        256,
    ),
    "sum of two vectors of f32": (
        sum_kernel,
        pointers("fp32", "x", "y", "out") | {"n": "i32"},
        {"BLOCK": 1024},
        256,
    ),
}


def file_name(name):
    return re.sub(r"[^a-z0-9]+", "_", name) + ".s"


def compile_kernel(name, arch, **options):
    """The assembly, with what a launch knows of small arrays and positive sizes."""
    kernel, types, constants, threads = KERNELS[name]
    lanes = 32 if re.match("gfx1[12]", arch) else 64
    size = [["tt.divisibility", 16], ["tt.nonnegative", 1]]
    facts = {"*": [["tt.divisibility", 16], ["tt.pointer_range", 32]], "i": size}
    attributes = {(place,): facts[text[0]] for place, text in enumerate(types.values()) if text[0] in facts}
    signature = types | dict.fromkeys(constants, "constexpr")
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=attributes)
    options = {"num_warps": threads // lanes} | options
    return triton.compile(source, target=GPUTarget("hip", arch, lanes), options=options).asm["amdgcn"]


def processor_time():
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_utime + use.ru_stime for use in uses)


def compile_repeatedly(name, arch, times):
    """The assembly and the least time."""
    least = float("inf")
    for _ in range(times):
        start = processor_time()
        assembly = compile_kernel(name, arch)
        least = min(least, processor_time() - start)
    return assembly, least


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="where the assembly is written")
    parser.add_argument("--arch", default="gfx942")
    parser.add_argument("--only", default="", help="kernels whose names contain this")
    parser.add_argument("--repeat", type=int, default=1, help="compilations of each kernel")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    os.environ["TRITON_ALWAYS_COMPILE"] = "1"
    compile_kernel("sum of two vectors of f32", options.arch)  # what only the first compilation needs
    fields = {"vgprs": "vgpr_count", "spills": "vgpr_spill_count", "scratch": "private_segment_fixed_size"}
    print(f"{options.arch:34}" + "".join(f"{name:>9}" for name in (*fields, "ms")))
    for name in KERNELS:
        if options.only not in name:
            continue
        assembly, seconds = compile_repeatedly(name, options.arch, options.repeat)
        (options.folder / file_name(name)).write_text(assembly)
        numbers = [int(re.search(rf"\.{field}: +(\d+)", assembly)[1]) for field in fields.values()]
        print(f"{name:34}" + "".join(f"{number:9}" for number in numbers) + f"{seconds * 1e3:9.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
