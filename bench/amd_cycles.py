"""The cycles that LLVM's scheduling model counts for the inner loops of kernels on an AMD GPU.

    python bench/amd_cycles.py                      # kernels of amd_kernels.py, for gfx942
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

from amd_kernels import KERNELS, compile_kernel, file_name
from instruction_classes import choose_instructions, count_waves


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
    parser.add_argument("paths", nargs="*", type=pathlib.Path, help="assembly; without any, kernels of amd_kernels.py")
    parser.add_argument("--arch", default="gfx942")
    parser.add_argument("--llvm-mca", default="/usr/lib/llvm-22/bin/llvm-mca")
    options = parser.parse_args()
    print(f"{options.arch:32}{'waves':>6}{'instructions':>14}{'matrix':>8}{'cycles':>8}{'share':>8}")
    with tempfile.TemporaryDirectory() as folder:
        paths = {path.stem: path for path in options.paths}
        for name in KERNELS if not paths else ():
            paths[name] = pathlib.Path(folder) / file_name(name)
            paths[name].write_text(compile_kernel(name, options.arch))
        for name, path in paths.items():
            print_row(name, path, options.arch, options.llvm_mca)
    return 0


if __name__ == "__main__":
    sys.exit(main())
