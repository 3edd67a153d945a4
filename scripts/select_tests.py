#!/usr/bin/env python3
"""Prints which tests a change can break, from the files that differ from a commit: `make check` has no time for all.

    scripts/select_tests.py ctest BASE         a regular expression for `ctest -R`
    scripts/select_tests.py targets BASE       what must be built for these
    scripts/select_tests.py pytest BASE        files of python/test
    scripts/select_tests.py changed BASE       those of them that changed themselves
    scripts/select_tests.py interpreted BASE   those that the interpreter of kernels runs, if the change can break it

A C++ test belongs to the room in whose folder it stands, and depends on all rooms that this one uses
(scripts/layers.py). A lit test that changed breaks lit alone, and what damages the inputs of lit. The tests in Python
run the whole compiler: chosen are the files below that try much in a short time, those that are about what changed, and
those that changed themselves or import what changed. Each file is about something.
"""

import re
import subprocess
import sys
from pathlib import Path

from check_layers import room_of
from lit_tests import is_lit_test
from room_hashes import closure

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "python/test"
sys.path.insert(0, str(TESTS))
import interpreted  # noqa: E402

ALWAYS = (
    "compiler/test_compiler_clients.py",
    "compiler/test_stages.py",
    "language/test_control_flow.py",
    "language/test_errors.py",
    "language/test_functions.py",
    "language/test_pitfalls.py",
)
#: Files that take more than a quarter of a minute: no pattern chooses them, but their name does.
LONG = {
    "aot/test_aot_cpp.py",
    "language/test_dot.py",
    "language/test_dot_scaled.py",
    "language/test_elementwise.py",
    "language/test_reduction.py",
    "whole_kernels/test_metamorphic.py",
    "whole_kernels/test_random_kernels.py",
}
#: Files of python/test, as patterns, by the beginning of the paths that they are about. A change of src/gpu is to be
#: tested within a minute.
ABOUT = {
    "CONTRIBUTING.md": ("package/test_documents.py",),
    "README.md": ("package/test_documents.py",),
    "bench": ("tools/test_bench.py",),
    "docs": ("package/test_d*.py",),
    "editors": ("tools/test_vscode_package.py",),
    "examples": ("whole_kernels/test_examples.py", "whole_kernels/test_serving_kernels.py"),
    "include": ("aot/test_bundle.py", "aot/test_shared_library.py"),
    "packaging": ("package/test_installation.py",),
    "python/bindings": ("compiler/test_compile.py", "runtime/test_*.py", "tools/test_inspection.py"),
    "python/triton": (
        "package/test_*.py",
        "runtime/test_launch.py",
        "runtime/test_number_arguments.py",
        "tools/test_inspection.py",
    ),
    "python/triton/audit": ("audit/test_*.py",),
    "python/triton/debug": ("debug/test_*.py",),
    "python/triton/backends": ("backends/test_hip.py", "backends/test_plugin_backends.py", "compiler/test_*.py"),
    "python/triton/compiler": ("compiler/test_*.py", "tools/test_notebook.py"),
    "python/triton/experimental": ("language/test_gluon.py", "language/test_gluon_errors.py"),
    "python/triton/language": ("language/test_*.py",),
    "python/triton/profiler": ("profiler/test_*.py",),
    "python/triton/runtime": ("runtime/test_*.py",),
    "python/triton/tools": (
        "aot/test_*.py",
        "language/test_gluon_translator.py",
        "runtime/test_bundles.py",
        "tools/test_explorer_server.py",
        "tools/test_linear_layout.py",
        "tools/test_list_classes.py",
        "tools/test_tools.py",
    ),
    "scripts": ("tools/test_reduce_kernel.py",),
    "src/analysis": ("backends/test_overlapping_arguments.py", "whole_kernels/test_indexing.py"),
    "src/aot": ("aot/test_*.py", "aot/test_aot_cpp.py"),
    "src/api": ("aot/test_bundle.py", "aot/test_shared_library.py"),
    "src/backends/amd": ("backends/test_amd_*.py", "backends/test_hip.py", "language/test_inline_amd.py"),
    "src/backends/amd/library": ("language/test_libdevice*.py", "language/test_math.py"),
    "src/backends/cpu": (
        "aot/test_aot.py",
        "backends/test_processors.py",
        "backends/test_tiers.py",
        "language/test_*.py",
        "language/test_elementwise.py",
        "runtime/test_interrupts.py",
        "runtime/test_processes.py",
        "whole_kernels/test_*.py",
    ),
    "src/backends/gpu": ("backends/test_hip.py", "compiler/test_code_size.py", "compiler/test_cuda_compile.py"),
    "src/backends/nvidia": (
        "backends/test_bulk_*.py",
        "backends/test_clusters.py",
        "backends/test_warp_group_dot.py",
        "compiler/test_cuda_compile.py",
        "language/test_inline_ptx.py",
        "language/test_libdevice*.py",
        "language/test_math.py",
    ),
    "src/base": ("compiler/test_*.py", "runtime/test_knobs.py", "runtime/test_little_memory.py"),
    "src/compiler": ("compiler/test_*.py", "runtime/test_*.py", "tools/test_bisect.py", "tools/test_explain.py"),
    "src/explorer": ("tools/test_explorer*.py",),
    "src/frontend": ("compiler/test_ttir_stage.py", "language/test_*.py"),
    "src/gpu": (
        "backends/test_pipelining.py",
        "backends/test_warp_group_dot.py",
        "language/test_gather.py",
        "language/test_shape.py",
        "language/test_tensor_descriptors.py",
        "whole_kernels/test_matmul.py",
    ),
    "src/gpu/analysis": ("compiler/test_code_size.py", "compiler/test_skipped_passes.py"),
    "src/gpu/copies": (
        "backends/test_bulk_*.py",
        "backends/test_pointer_copies.py",
        "language/test_device_descriptors.py",
    ),
    "src/gpu/ir": ("language/test_gluon.py", "tools/test_linear_layout.py"),
    "src/gpu/layouts": ("language/test_memory.py", "language/test_gluon.py", "whole_kernels/test_indexing.py"),
    "src/gpu/loops": ("backends/test_amd_turns.py", "whole_kernels/test_attention.py"),
    "src/gpu/lowering": ("language/test_atomics.py", "language/test_reduction.py", "language/test_selection.py"),
    "src/gpu/memory": ("backends/test_amd_copies.py", "language/test_selection.py"),
    "src/gpu/products": (
        "backends/test_kept_operands.py",
        "language/test_converted_weights.py",
        "language/test_dot.py",
        "language/test_dot_scaled.py",
    ),
    "src/gpu/target": ("backends/test_amd_gfx1250.py", "compiler/test_cuda_compile.py"),
    "src/gpu/tiles": ("language/test_limits.py",),
    "src/ir": ("compiler/test_single_stages.py", "compiler/test_ttir_stage.py", "language/test_compatibility.py"),
    "src/language_server": ("tools/test_language_server*.py",),
    "src/layout": ("tools/test_linear_layout.py",),
    "src/numerics": ("language/test_debug.py", "language/test_float8.py", "language/test_libdevice*.py"),
    "src/passes": (
        "compiler/test_*.py",
        "language/test_*.py",
        "language/test_reduction.py",
        "whole_kernels/test_*.py",
        "whole_kernels/test_metamorphic.py",
        "whole_kernels/test_random_kernels.py",
    ),
    "src/passes/ptx": ("language/test_inline_ptx.py",),
    "src/profiler": ("profiler/test_*.py",),
    "src/ptx": ("language/test_inline_ptx.py",),
    "src/runtime": ("runtime/test_*.py",),
    "src/settings": ("tools/test_command_line.py", "tools/test_language_server.py"),
    "src/simulator": (
        "backends/test_bulk_*.py",
        "language/test_atomic*.py",
        "runtime/test_interrupts.py",
        "simulator/test_*.py",
    ),
    "tools/tritonc": (
        "tools/test_bisect.py",
        "tools/test_command_line.py",
        "tools/test_explain.py",
        "tools/test_explorer_server.py",
    ),
}
#: What the interpreter of kernels consists of.
INTERPRETER = ("python/bindings", "python/test", "python/triton", "src/frontend/prelude", "src/numerics")
#: Modules of every test: a change of them chooses no more than any other.
OF_ALL_TESTS = ("conftest", "interpreted", "suite_devices")
#: The tests of ctest that no room has: the rooms whose code they run, with all that these use, and other paths.
WITHOUT_ROOM = {
    "cmake-package": ("examples/cpp", "include/triton", "packaging", "test/package"),
    "cpu-gdb-shows-kernel-lines": ("src/backends/cpu",),
    "example_.*": ("examples/cpp", "src/api"),
    "fuzz-ir": ("scripts/fuzz_ir.py", "tools/tritonc"),
    "lit": ("test/lit", "tools/triton-opt"),
    "stubs_are_fresh": (
        "docs/builtins.md",
        "docs/shapes",
        "python/triton/language",
        "src/frontend/lowering/builtins/Examples.txt",
        "tools/triton-generate-stubs",
    ),
    "tritonc-test": ("tools/tritonc",),
}
READERS_OF_LIT_TESTS = ("fuzz-ir", "lit")
ADDED_TEST = re.compile(r"triton_add_test\((\S+)")
IMPORTED = re.compile(r"^\s*(?:import|from) (\w+)", re.MULTILINE)


def changed_files(base):
    """Paths of what differs from the commit, committed or not."""
    commands = (["git", "diff", "--name-only", base], ["git", "ls-files", "--others", "--exclude-standard"])
    outputs = [subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True) for command in commands]
    return sorted({line for output in outputs for line in output.stdout.splitlines()})


def is_below(path, beginning):
    return path == beginning or path.startswith(beginning + "/")


def tests_of_rooms():
    """Name and room of each C++ test."""
    for lists in sorted((ROOT / "src").rglob("CMakeLists.txt")):
        folder = lists.parent.relative_to(ROOT).as_posix()
        for name in ADDED_TEST.findall(lists.read_text(encoding="utf-8")):
            yield name, room_of(folder.removesuffix("/test")).path


def affected_cpp_tests(changed):
    """Names, and for what no room has patterns of names."""
    is_lit_changed = any(map(is_lit_test, changed))
    changed = [path for path in changed if not is_lit_test(path)]
    rooms = {room_of(path).path for path in changed if room_of(path)}
    builds_otherwise = any(is_below(path, "cmake") or path.endswith("CMakeLists.txt") for path in changed)
    subjects = {name: (room,) for name, room in tests_of_rooms()} | WITHOUT_ROOM
    for name, paths in sorted(subjects.items()):
        used = set(closure([room_of(path).path for path in paths if room_of(path)]))
        touched = any(is_below(path, beginning) for path in changed for beginning in paths)
        if builds_otherwise or touched or rooms & used or (is_lit_changed and name in READERS_OF_LIT_TESTS):
            yield name


def selected_cpp_tests(changed):
    return ["^({})$".format("|".join(affected_cpp_tests(changed)) or "none")]


def targets(changed):
    """The package, the library and `tritonc`; the tools of the checks and of the golden tests; the tests."""
    tools = ["triton-opt", "triton-frontend-dump", "triton-generate-stubs"]
    tests = set(affected_cpp_tests(changed)) - (set(WITHOUT_ROOM) - {"tritonc-test"})
    return ["all", *tools, *sorted(tests)]


def files_of(pattern):
    """The test files that a pattern means. Fails where it means none."""
    files = {path.relative_to(TESTS).as_posix() for path in TESTS.glob(pattern)}
    if "*" in pattern:
        files -= LONG
    if not files:
        sys.exit(f"scripts/select_tests.py: `{pattern}` is not a file of python/test")
    return files


def check_that_each_file_is_about_something():
    """Otherwise no change would choose it."""
    chosen = set(ALWAYS).union(*(files_of(pattern) for patterns in ABOUT.values() for pattern in patterns))
    for path in sorted(TESTS.glob("*/test_*.py")):
        name = path.relative_to(TESTS).as_posix()
        if name not in chosen:
            sys.exit(f"scripts/select_tests.py: nothing in ABOUT chooses `{name}`")


def files_that_import(modules):
    """Test files that import one of these modules of python/test, directly or not."""
    sources = {path: set(IMPORTED.findall(path.read_text(encoding="utf-8"))) for path in TESTS.rglob("*.py")}
    found = set()
    while True:
        more = {path for path, imported in sources.items() if imported & modules} - found
        if not more:
            return {path.relative_to(TESTS).as_posix() for path in found if path.name.startswith("test_")}
        found |= more
        modules = modules | {path.stem for path in more}


def changed_tests(changed):
    return sorted(
        path for path in changed if re.fullmatch(r"python/test/\w+/test_\w+\.py", path) and (ROOT / path).exists()
    )


def selected_python_tests(changed):
    check_that_each_file_is_about_something()
    of_tests = [Path(path) for path in changed if is_below(path, "python/test") and path.endswith(".py")]
    helpers = {path.stem for path in of_tests if not path.name.startswith("test_")}
    names = set(ALWAYS) | files_that_import(helpers - set(OF_ALL_TESTS))
    for beginning, patterns in ABOUT.items():
        if any(is_below(path, beginning) and not is_lit_test(path) for path in changed):
            names = names.union(*map(files_of, patterns))
    return sorted({f"python/test/{name}" for name in names}.union(changed_tests(changed)))


def selected_interpreted_tests(changed):
    if not any(is_below(path, beginning) for path in changed for beginning in INTERPRETER):
        return []
    return [f"python/test/{name}" for name in interpreted.SUITE]


def main():
    selections = {
        "ctest": selected_cpp_tests,
        "targets": targets,
        "pytest": selected_python_tests,
        "changed": changed_tests,
        "interpreted": selected_interpreted_tests,
    }
    if len(sys.argv) != 3 or sys.argv[1] not in selections:
        sys.exit(__doc__)
    print("\n".join(selections[sys.argv[1]](changed_files(sys.argv[2]))))


if __name__ == "__main__":
    main()
