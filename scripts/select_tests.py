#!/usr/bin/env python3
"""Prints which tests a change can break, from the files that differ from a commit: `make check` has no time for all.

    scripts/select_tests.py ctest BASE     a regular expression for `ctest -R`
    scripts/select_tests.py targets BASE   what must be built for these
    scripts/select_tests.py pytest BASE    files of python/test

A C++ test belongs to the room in whose folder it stands, and depends on all rooms that this one uses
(scripts/layers.py). The tests in Python run the whole compiler: chosen are the files below that try much in a short
time, those that are about a room that changed, and those that changed themselves.
"""

import re
import subprocess
import sys
from pathlib import Path

from check_layers import room_of
from room_hashes import closure

ROOT = Path(__file__).resolve().parent.parent
ALWAYS = ("language/test_errors.py", "language/test_functions.py", "language/test_pitfalls.py")
#: Files of python/test by the beginning of the paths that they are about.
ABOUT = {
    "python/triton/audit": ("audit/test_audit.py",),
    "python/triton/language": ("language/test_language_objects.py", "package/test_api_table.py"),
    "python/triton/profiler": ("profiler/test_profiler_scopes.py",),
    "python/triton/runtime": ("runtime/test_launch.py", "runtime/test_autotune.py", "runtime/test_lifetimes.py"),
    "python/triton/tools": ("tools/test_tools.py",),
    "src/aot": ("aot/test_aot_errors.py", "aot/test_aot_link.py"),
    "src/backends/amd": ("backends/test_amd_code.py", "backends/test_amd_buffers.py"),
    "src/backends/cpu": ("language/test_narrow_integers.py", "language/test_memory.py"),
    "src/backends/nvidia": ("backends/test_warp_group_dot.py", "backends/test_bulk_copies.py"),
    "src/compiler": ("runtime/test_cache.py", "compiler/test_stages.py"),
    "src/explorer": ("tools/test_explorer.py", "tools/test_explorer_server.py"),
    "src/frontend": ("language/test_control_flow.py", "language/test_loop_exits.py"),
    "src/gpu": ("backends/test_pipelining.py", "backends/test_warp_group_dot.py"),
    "src/gpu/copies": ("backends/test_pointer_copies.py",),
    "src/language_server": ("tools/test_language_server.py",),
    "src/passes/tt": ("compiler/test_ttir_stage.py",),
    "src/simulator": ("simulator/test_simulator_reports.py",),
    "tools/tritonc": ("tools/test_explain.py", "tools/test_command_line.py"),
}
#: The tests of the whole compiler by its tools, and the room that uses all that they run.
TOOLS = {"lit": "tools/triton-opt", "fuzz-ir": "tools/tritonc", "tritonc-test": "tools/tritonc"}
ADDED_TEST = re.compile(r"triton_add_test\((\S+)")


def changed_files(base):
    """Paths of what differs from the commit, committed or not."""
    commands = (["git", "diff", "--name-only", base], ["git", "ls-files", "--others", "--exclude-standard"])
    outputs = [subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True) for command in commands]
    return sorted({line for output in outputs for line in output.stdout.splitlines()})


def cpp_tests():
    """Name and room of each test that ctest runs."""
    for lists in sorted((ROOT / "src").rglob("CMakeLists.txt")):
        folder = lists.parent.relative_to(ROOT).as_posix()
        for name in ADDED_TEST.findall(lists.read_text(encoding="utf-8")):
            yield name, room_of(folder.removesuffix("/test")).path
    yield from TOOLS.items()


def affected_cpp_tests(changed):
    rooms = {room_of(path).path for path in changed if room_of(path)}
    builds_otherwise = any(path.startswith("cmake") or path.endswith("CMakeLists.txt") for path in changed)
    return sorted(name for name, room in cpp_tests() if builds_otherwise or rooms & set(closure([room])))


def selected_cpp_tests(changed):
    return "^({})$".format("|".join(affected_cpp_tests(changed) or ["none"]))


def targets(changed):
    """The package, the library and `tritonc`; the tools of the checks and of the golden tests; the tests."""
    tools = ["triton-opt", "triton-frontend-dump", "triton-generate-stubs"]
    return " ".join(["all", *tools, *(name for name in affected_cpp_tests(changed) if name not in ("lit", "fuzz-ir"))])


def selected_python_tests(changed):
    names = {f"python/test/{name}" for name in ALWAYS}
    names |= {
        path for path in changed if re.fullmatch(r"python/test/\w+/test_\w+\.py", path) and (ROOT / path).exists()
    }
    for beginning, files in ABOUT.items():
        if any(path.startswith(beginning + "/") for path in changed):
            names |= {f"python/test/{file}" for file in files}
    return "\n".join(sorted(names))


def main():
    selections = {"ctest": selected_cpp_tests, "targets": targets, "pytest": selected_python_tests}
    if len(sys.argv) != 3 or sys.argv[1] not in selections:
        sys.exit(__doc__)
    print(selections[sys.argv[1]](changed_files(sys.argv[2])))


if __name__ == "__main__":
    main()
