#!/usr/bin/env python3
"""Selects the optional tests: all of them, or those whose subject is not as it was when they last passed.

    scripts/select_optional_tests.py                print the files of all
    scripts/select_optional_tests.py --if-changed   of those to run; on standard error, those that are left out
    scripts/select_optional_tests.py --record       all have passed, here or with the record: write the record

These tests prove a connection: that a page, an editor, a server or another package works with what is here. The suite
proves the compiler itself, so each group names what its tests prove that the suite does not, and no more. The nightly
run leaves none out. .ci/optional.passed holds the hash of each group; commit it.
"""

import pathlib
import sys
from dataclasses import dataclass

from room_hashes import closure, hash_of

RECORD = pathlib.Path(".ci/optional.passed")
#: What all groups run in.
ENVIRONMENT = (
    "scripts/run_optional_tests.sh",
    "scripts/select_optional_tests.py",
    "python/requirements-optional.txt",
    "python/test/conftest.py",
    "python/test/programs.py",
    "python/test/values.py",
)


@dataclass(frozen=True)
class Group:
    tests: str  # a pattern of files
    subject: tuple  # paths
    rooms: tuple = ()  # rooms that count with all that they use


PACKAGE = ("python/triton", "python/bindings")
CLIENTS = ("python/test/clients", "python/requirements-clients.txt", *PACKAGE)
ON_THE_PROCESSOR = ("src/backends/cpu", "src/frontend/lowering")
GROUPS = {
    "aarch64": Group(
        "python/test/aot/optional_aarch64*.py",
        ("python/test/aot/aarch64*", "python/test/aot/aot_*", "python/triton/tools", "src/aot"),
        ("src/backends/cpu",),
    ),
    "dask": Group(
        "python/test/runtime/optional_dask.py",
        ("python/triton/runtime", "python/triton/tools/*build*.py", "python/bindings"),
    ),
    "editors": Group("python/test/tools/optional_editors.py", ("editors", "docs/editors.md", "src/language_server")),
    "explorer": Group(
        "python/test/tools/optional_explorer*.py",
        ("src/explorer", "python/triton/debug", "python/test/tools/browsers.py", "python/test/tools/explorer_*.py"),
    ),
    "operator": Group(
        "python/test/aot/optional_pytorch_operator.py",
        ("examples/pytorch", "include", "src/aot", "python/triton/tools"),
    ),
    "redis": Group(
        "python/test/runtime/optional_redis.py", ("python/triton/_cache.py", "python/triton/runtime", "src/compiler")
    ),
    "serving": Group("python/test/aot/optional_serving.py", ("examples/serving", "include", "src/api", "src/compiler")),
    "threads": Group("python/test/runtime/optional_threads.py", ("python/bindings", "src/backends/cpu/runtime")),
    "torch": Group("python/test/*/optional_torch*.py", (*PACKAGE, "src/simulator")),
    "libraries": Group("python/test/clients/optional_[fl]*.py", CLIENTS, ON_THE_PROCESSOR),
    "inductor": Group("python/test/clients/optional_inductor*.py", CLIENTS, ON_THE_PROCESSOR),
    "IR of Triton": Group(
        "python/test/clients/optional_triton_ir.py",
        ("python/test/clients/dump_triton_ir.py", "scripts/read_triton_ir.py"),
        ("src/backends/cpu", "src/gpu/ir"),
    ),
}


def files_of(group):
    return sorted(str(path) for path in pathlib.Path().glob(group.tests))


def check_that_each_test_is_in_a_group():
    every = {str(path) for path in pathlib.Path("python/test").glob("**/optional_*.py")}
    groups = [file for group in GROUPS.values() for file in files_of(group)]
    for file in sorted(every):
        if groups.count(file) != 1:
            sys.exit(f"scripts/select_optional_tests.py: `{file}` is in {groups.count(file)} groups, not in one")


def main():
    mode = sys.argv[1] if len(sys.argv) == 2 else ""
    if len(sys.argv) > 2 or mode not in ("", "--if-changed", "--record"):
        sys.exit(__doc__)
    check_that_each_test_is_in_a_group()
    lines = {
        name: f"{name}: {hash_of([*ENVIRONMENT, *files_of(group), *group.subject, *closure(group.rooms)])}"
        for name, group in GROUPS.items()
    }
    if mode == "--record":
        RECORD.write_text("\n".join(lines.values()) + "\n")
        return
    passed = set(RECORD.read_text().splitlines()) if mode == "--if-changed" and RECORD.exists() else set()
    unchanged = [name for name in GROUPS if lines[name] in passed]
    if unchanged:
        print(f"not run, because they passed with these sources ({RECORD}): {', '.join(unchanged)}", file=sys.stderr)
    for name in GROUPS:
        if name not in unchanged:
            print("\n".join(files_of(GROUPS[name])))


if __name__ == "__main__":
    main()
