"""The cycles that LLVM's scheduling model counts for the inner loops of kernels on an AMD GPU.

    python bench/amd_cycles.py                      # kernels of this file, for gfx942
    python bench/amd_cycles.py --arch gfx950
    python bench/amd_cycles.py matmul.s softmax.s   # kernels that were compiled before

What is counted is one wave alone, for an iteration of the loop with the most instructions, or for the whole kernel if
it has no loop. A cycle of the model is four clocks on CDNA. `matrix` are the cycles during which the matrix unit works,
and `share` is what they are of all. The model knows neither conflicts in memory nor its real latencies, and a wait is
one cycle. Other waves of a scheduler run in what is left. Where two waves take turns, what is counted is both: each
cluster of instructions between two barriers takes as long as the slower one of it and the cluster before, which the
other wave runs, and some cycles for the barrier.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import triton
import triton.language as tl
from instruction_classes import choose_instructions, count_waves
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


HALVES = {"a_ptr": "*fp16", "b_ptr": "*fp16", "c_ptr": "*fp32", "N": "i32"}
ATTENTION = dict.fromkeys(("q", "k", "v", "out"), "*fp16") | {"length": "i32", "scale": "fp32"}
FLOATS = dict.fromkeys(("x", "y", "out"), "*fp32") | {"n": "i32"}
KERNELS = {
    "product, f16, 256x256x64": (
        square_matmul_kernel,
        HALVES,
        {"TOTAL": tl.float32, "BLOCK_M": 256, "BLOCK_N": 256, "BLOCK_K": 64},
        512,
    ),
    "product, f16, 128x128x64": (
        square_matmul_kernel,
        HALVES,
        {"TOTAL": tl.float32, "BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64},
        256,
    ),
    "attention, f16, 128x64x128": (attention_kernel, ATTENTION, {"BM": 128, "BN": 64, "D": 128}, 256),
    "softmax, rows of 4096 f32": (softmax_kernel, {"x": "*fp32", "out": "*fp32", "n": "i32"}, {"BLOCK": 4096}, 256),
    "sum of two vectors of f32": (sum_kernel, FLOATS, {"BLOCK": 1024}, 256),
}


def compile_kernel(name, arch):
    """The assembly, with what a launch knows of small arrays and positive sizes."""
    kernel, types, constants, threads = KERNELS[name]
    lanes = 32 if re.match("gfx1[12]", arch) else 64
    attributes = {}
    for place, text in enumerate(types.values()):
        if text.startswith("*"):
            attributes[(place,)] = [["tt.divisibility", 16], ["tt.pointer_range", 32]]
        elif text == "i32":
            attributes[(place,)] = [["tt.divisibility", 16], ["tt.nonnegative", 1]]
    signature = types | dict.fromkeys(constants, "constexpr")
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=attributes)
    options = {"num_warps": threads // lanes}
    return triton.compile(source, target=GPUTarget("hip", arch, lanes), options=options).asm["amdgcn"]


def analyze(instructions, arch, iterations, llvm_mca):
    """Cycles of so many iterations, those of the matrix unit in one, and the latency of shared memory if it is used."""
    command = [llvm_mca, "-mtriple=amdgcn-amd-amdhsa", f"-mcpu={arch}", f"-iterations={iterations}", "--json"]
    text = "".join(f"\t{instruction}\n" for instruction in instructions)
    output = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    region = json.loads(output[output.index("{") :])["CodeRegions"][0]
    facts = region["InstructionInfoView"]["InstructionList"]
    matrix = sum(
        fact["RThroughput"]
        for fact, instruction in zip(facts, instructions, strict=True)
        if re.match("v_(mfma|smfmac|wmma|swmmac)", instruction)
    )
    latency = max(
        (fact["Latency"] for fact, name in zip(facts, instructions, strict=True) if name.startswith("ds_")), default=0
    )
    return region["SummaryView"]["TotalCycles"], matrix, latency


BARRIER_CYCLES = 4  # until all waves have met, about


def split_turns(code):
    """The clusters of a loop whose waves take turns, or nothing."""
    clusters = [[]]
    for instruction in code:
        clusters[-1].append(instruction)
        if instruction == "s_barrier":
            clusters.append([])
    return clusters[:-1] if len(clusters) - 1 == 2 * code.count("s_setprio 1") > 0 else []


def count_cycles(code, arch, llvm_mca):
    """Cycles of an iteration, and those of the matrix unit."""

    def repeat(instructions):
        (few, matrix, latency), (many, _, _) = (analyze(instructions, arch, times, llvm_mca) for times in (20, 40))
        return (many - few) / 20, matrix, latency

    if clusters := split_turns(code):
        # A cluster ends when its accesses of shared memory have ended.
        counts = [repeat(cluster) for cluster in clusters]
        times = [cycles + latency for cycles, _, latency in counts]
        cycles = sum(max(times[i - 1], times[i]) + BARRIER_CYCLES for i in range(len(times)))
        return cycles, 2 * sum(matrix for _, matrix, _ in counts)
    return repeat(code)[:2]


def print_row(name, path, arch, llvm_mca):
    # A branch ends what the model looks at, and goes back to the start.
    code = [line for line in choose_instructions(path) if not re.match("s_(c?branch|endpgm)", line)]
    cycles, matrix = count_cycles(code, arch, llvm_mca)
    print(f"{name:32}{count_waves(path):6}{len(code):14}{matrix:8.0f}{cycles:8.0f}{matrix / cycles:8.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=pathlib.Path, help="assembly; without any, kernels of this file")
    parser.add_argument("--arch", default="gfx942")
    parser.add_argument("--llvm-mca", default="/usr/lib/llvm-22/bin/llvm-mca")
    options = parser.parse_args()
    print(f"{options.arch:32}{'waves':>6}{'instructions':>14}{'matrix':>8}{'cycles':>8}{'share':>8}")
    with tempfile.TemporaryDirectory() as folder:
        paths = {path.stem: path for path in options.paths}
        for name in KERNELS if not paths else ():
            paths[name] = pathlib.Path(folder) / f"{re.sub(r'[^a-z0-9]+', '_', name)}.s"
            paths[name].write_text(compile_kernel(name, options.arch))
        for name, path in paths.items():
            print_row(name, path, options.arch, options.llvm_mca)
    return 0


if __name__ == "__main__":
    sys.exit(main())
