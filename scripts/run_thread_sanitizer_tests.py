#!/usr/bin/env python3
"""Runs the tests of contexts and of the resident compiler under ThreadSanitizer.

    scripts/run_thread_sanitizer_tests.py build [--jobs 2] [--filter PATTERN]

Compiles again, into build-tsan, the rooms whose objects threads share, and links them before the archives of the build,
whose other code stays as it is: most of that code works on objects of one compilation, and LLVM's archives are not
instrumented in any case.
"""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from source_commands import commands_of_sources

SOURCE = Path(__file__).resolve().parent.parent
OUT = SOURCE / "build-tsan"
#: Rooms whose objects several threads use. Not their tests.
ROOMS = ("src/api", "src/compiler", "src/runtime", "src/backends/cpu/runtime")
TESTS = ("src/api/test/ContextTest.cpp", "src/compiler/test/ResidentCompilerTest.cpp")
FLAGS = ["-fsanitize=thread", "-g1"]
#: The sanitizer's malloc is a weak symbol, and so what wraps it would stay in its archive (cmake/MallocOfLLVM.cpp).
OWN_MALLOC = ["-Wl,--undefined=__wrap_malloc"]


def wanted(path):
    relative = path.relative_to(SOURCE).as_posix()
    return relative in TESTS or path.relative_to(SOURCE).parent.as_posix() in ROOMS


def compile_one(entry):
    words = shlex.split(entry["command"])
    while "-include-pch" in words:  # made without the sanitizer
        at = words.index("-include-pch")
        del words[at - 1 : at + 3]
    name = Path(entry["file"]).relative_to(SOURCE).as_posix().replace("/", "_") + ".o"
    words[words.index("-o") + 1] = str(OUT / name)
    launcher = ["ccache"] if shutil.which("ccache") else []
    subprocess.run([*launcher, *words, *FLAGS], cwd=entry["directory"], check=True)
    return str(OUT / name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--filter", default="*", help="of GoogleTest")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    OUT.mkdir(exist_ok=True)
    entries = {entry["file"]: entry for entry in commands_of_sources(build) if wanted(Path(entry["file"]))}.values()
    with ThreadPoolExecutor(arguments.jobs) as pool:
        objects = list(pool.map(compile_one, entries))
    target = "src/compiler/test/compiler-test"
    subprocess.run(["ninja", "-C", build, target], check=True, stdout=subprocess.DEVNULL)
    commands = subprocess.run(
        ["ninja", "-C", build, "-t", "commands", target], check=True, capture_output=True, text=True
    )
    link = commands.stdout.splitlines()[-1].split("&&")[1].strip()
    words = [word for word in shlex.split(link) if not word.startswith("src/compiler/test/CMakeFiles/")]
    program = OUT / "context-test"
    words[words.index("-o") + 1] = str(program)
    subprocess.run([words[0], *FLAGS, *OWN_MALLOC, *objects, *words[1:]], cwd=build, check=True)
    # A message is printed once for each place; the first ends nothing, so that one run shows all.
    environment = dict(os.environ, TSAN_OPTIONS="halt_on_error=0 exitcode=66 die_after_fork=0")
    sys.exit(subprocess.run([program, f"--gtest_filter={arguments.filter}"], env=environment).returncode)


if __name__ == "__main__":
    main()
