#!/usr/bin/env python3
"""Fails when a pass has no lit test of its name.

A pass is a `def ... : Pass<"flag"` in a *Passes.td, or a line of a Passes.def if it is one over LLVM IR. Its test is a
file under test/lit named after the flag without the prefix that names project or backend, and must run the flag.
"""

import pathlib
import re
import sys

from problems import report

ROOT = pathlib.Path(__file__).resolve().parent.parent
PASS = re.compile(r'^def\s+\w+\s*:\s*Pass<\s*"([^"]+)"', re.MULTILINE)
LLVM_PASS = re.compile(r'^TRITON_LLVM_PASS(?:_WITH)?\([^"]*"([^"]+)"', re.MULTILINE)
PREFIX = re.compile(r"^(triton-cpu-|triton-|tritongpu-|cpu-|gpu-|nvidia-|amd-)")


def problems():
    tables = sorted(ROOT.glob("src/**/*Passes.td"))
    if not tables:
        yield "there is no Passes.td under src"
    flags = [(flag, ".mlir", "passes") for table in tables for flag in PASS.findall(table.read_text())]
    for table in sorted(ROOT.glob("src/**/llvm/Passes.def")):
        flags += [(flag, ".ll", "llvm") for flag in LLVM_PASS.findall(table.read_text())]
    for flag, ending, folder in flags:
        name = PREFIX.sub("", flag) + ending
        tests = list((ROOT / "test/lit").rglob(name))
        if not tests:
            yield f"{flag} has no test; write test/lit/{folder}/{name}"
        elif not any(re.search(rf"RUN:.*--{flag}\b", test.read_text()) for test in tests):
            yield f"{tests[0].relative_to(ROOT)} does not run --{flag}"


if __name__ == "__main__":
    sys.exit(report(problems()))
