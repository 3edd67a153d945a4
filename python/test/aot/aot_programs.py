"""Compiling kernels ahead of time, and the C that this gives, for tests."""

import ctypes
import pathlib
import shutil
import subprocess
import sys

import pytest
from triton.tools.compile import CompileArgs, compile_kernel

FOLDER = pathlib.Path(__file__).parent
KERNELS = FOLDER / "aot_kernels.py"
STAND_INS = FOLDER / "aot_stand_ins"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
#: How C is compiled: as C11 and as C++17, by each compiler that is here.
DIALECTS = [
    [compiler, *dialect]
    for compiler in ("gcc", "clang", "clang-22")
    if shutil.which(compiler)
    for dialect in (["-std=c11"], ["-x", "c++", "-std=c++17"])
]

#: The types of C as ctypes knows them.
C_TYPES = {
    "void *": ctypes.c_void_p,
    "CUdeviceptr": ctypes.c_uint64,
    "hipDeviceptr_t": ctypes.c_uint64,
    "double": ctypes.c_double,
    **{f"{u}int{bits}_t": getattr(ctypes, f"c_{u}int{bits}") for u in ("", "u") for bits in (8, 16, 32, 64)},
}


def c_compiler():
    if not DIALECTS:
        pytest.skip("this machine has no C compiler")
    return DIALECTS[0][0]


def compile_aot(folder, name, signature, grid, target="cpu", path=KERNELS, **options):
    """The function's name and the .c file."""
    args = CompileArgs(str(path), name, signature, grid, target, out_path=folder / name, **options)
    function, paths = compile_kernel(args)
    header, source = sorted(paths, key=lambda path: path.suffix, reverse=True)
    assert header.suffix == ".h" and source.suffix == ".c"
    return function, source


def build(folder, sources, *flags):
    """A shared library of the sources, loaded."""
    library = folder / f"lib{len(list(folder.glob('*.so')))}.so"
    command = [c_compiler(), "-std=c11", *WARNINGS, "-O2", "-shared", "-fPIC", f"-I{STAND_INS}", *map(str, sources)]
    libraries = ["-Wl,--no-as-needed", "-lmvec", "-lm"]
    done = subprocess.run([*command, *flags, "-o", library, *libraries], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(library))


def compile_everywhere(folder, source):
    """Compiles the source with every compiler, as C and as C++, without warnings."""
    for dialect in DIALECTS:
        command = [*dialect, *WARNINGS, "-O2", f"-I{STAND_INS}", "-c", source, "-o", folder / "object.o"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, f"{command}\n{done.stderr}"


def run_tool(tool, *arguments, **options):
    """`python -m triton.tools.TOOL`, finished."""
    command = [sys.executable, "-m", f"triton.tools.{tool}", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, **options)
