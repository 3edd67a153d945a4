#!/usr/bin/env python3
"""Fails when a pass has no lit test of its name.

A pass is a `def ... : Pass<"flag"` in a Passes.td, or a line of a Passes.def if it is one over LLVM IR. Its test is a
file in the folder `test` beside this table, named after the flag without the prefix that names project or backend, and
must run the flag.
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
    tables = sorted(ROOT.glob("src/**/Passes.td"))
    if not tables:
        yield "there is no Passes.td under src"
    flags = [(table, flag, ".mlir") for table in tables for flag in PASS.findall(table.read_text())]
    for table in sorted(ROOT.glob("src/**/llvm/Passes.def")):
        flags += [(table, flag, ".ll") for flag in LLVM_PASS.findall(table.read_text())]
    for table, flag, ending in flags:
        test = table.parent / "test" / (PREFIX.sub("", flag) + ending)
        name = test.relative_to(ROOT)
        if not test.exists():
            yield f"{flag} of {table.relative_to(ROOT)} has no test; write {name}"
        elif not re.search(rf"RUN:.*--{flag}\b", test.read_text()):
            yield f"{name} does not run --{flag}"


if __name__ == "__main__":
    sys.exit(report(problems()))
