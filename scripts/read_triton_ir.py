#!/usr/bin/env python3
"""Reads IR that Triton wrote, and counts how much of it parses, verifies and compiles here.

    scripts/read_triton_ir.py build FOLDER [--steps parse,verify] [--target cuda:90]

FOLDER holds files `*.ttir` and `*.ttgir`, as python/test/clients/dump_triton_ir.py writes them. For each of the two
kinds it prints how many files there are and how many passed each step, and then the first error of every other file.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# A file that does not parse or verify takes no further step. Both kinds become code for a GPU, TTIR also for the
# processor.
STEPS = {".ttir": ["parse", "verify", "cpu", "gpu"], ".ttgir": ["parse", "verify", "gpu"]}
SECONDS = 60


def command(build, step, path, target, folder):
    optimizer = [build / "tools/triton-opt/triton-opt", path, "-o", os.devnull]
    compiler = [build / "tools/tritonc/tritonc", "compile", path, "-o", folder, "--target"]
    return {
        "parse": [*optimizer, "--mlir-very-unsafe-disable-verifier-on-parsing", "--verify-each=false"],
        "verify": optimizer,
        "cpu": [*compiler, "cpu"],
        "gpu": [*compiler, target],
    }[step]


def failure_of(arguments):
    """The first error of a command, without its place; None when there is none."""
    try:
        result = subprocess.run(arguments, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"takes more than {SECONDS} s"
    if result.returncode == 0:
        return None
    lines = result.stderr.splitlines() or ["no message"]
    first = next((line for line in lines if "error" in line), lines[0])
    # A signal, or exit code 3: a defect of the compiler, whatever the file holds.
    crash = f"CRASH {result.returncode}: " if result.returncode < 0 or result.returncode == 3 else ""
    return crash + re.sub(r"^\S*?:\d+:\d+: ", "", first)


def read(build, path, steps, target):
    """What each step reported, None for nothing; steps that were not reached are missing."""
    outcomes = {}
    with tempfile.TemporaryDirectory() as folder:
        for step in steps:
            outcomes[step] = failure_of(command(build, step, path, target, folder))
            if outcomes[step] is not None and step in ("parse", "verify"):
                break
    return outcomes


def read_folder(build, folder, target="cuda:90", steps=None, jobs=None):
    """{kind: (number of files, {step: how many passed})}, and {(kind, step, error): names of files}."""
    counts, failures = {}, collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        for kind, all_steps in STEPS.items():
            paths = sorted(pathlib.Path(folder).glob(f"*{kind}"))
            chosen = [step for step in all_steps if steps is None or step in steps]
            passed = dict.fromkeys(chosen, 0)
            reports = pool.map(lambda path, chosen=chosen: read(build, path, chosen, target), paths)
            for path, report in zip(paths, reports, strict=True):
                for step, failure in report.items():
                    passed[step] += failure is None
                    if failure is not None:
                        failures[kind, step, failure].append(path.name)
            counts[kind] = len(paths), passed
    return counts, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--steps", type=lambda names: names.split(","), help="of parse, verify, cpu and gpu")
    parser.add_argument("--target", default="cuda:90", help="of the step gpu, as in hip:gfx942 or sim:cuda:90")
    parser.add_argument("--jobs", type=int)
    arguments = parser.parse_args()
    counts, failures = read_folder(arguments.build, arguments.folder, arguments.target, arguments.steps, arguments.jobs)
    for kind, (files, passed) in counts.items():
        print(f"{kind}: {files} files, " + ", ".join(f"{step} {number}" for step, number in passed.items()))
    for (kind, step, failure), names in sorted(failures.items(), key=lambda entry: -len(entry[1])):
        print(f"{len(names):4} {kind} {step}: {failure} ({names[0]})")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
