"""Functions of the user's own libraries: `tl.core.extern_elementwise` in Python functions that a decorator marks, and
the option `extern_libs`."""

import subprocess

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.driver import SimulatedDriver
from triton.compiler import ASTSource
from triton.language import core
from triton.runtime.driver import driver

LIBRARY = """
int offset = 7;
int weighted_i32(int a, int b) { return a + 10 * b; }
float weighted_f32(float a, float b) { return a + 0.5f * b; }
int answer(void) { return 41; }
int unused(void) { return offset; }
int shifted(long address, int value) { *(int *)address += value + offset; return value; }
"""


@core.extern
def weighted(a, b, _semantic=None):
    overloads = {
        (core.dtype("int32"), core.dtype("int32")): ("weighted_i32", core.dtype("int32")),
        (core.dtype("fp32"), core.dtype("fp32")): ("weighted_f32", core.dtype("fp32")),
    }
    return core.extern_elementwise("", "", [a, b], overloads, is_pure=True, _semantic=_semantic)


@core.extern
def shifted(address, value, _semantic=None):
    overloads = {(core.dtype("int64"), core.dtype("int32")): ("shifted", core.dtype("int32"))}
    return core.extern_elementwise("", "", [address, value], overloads, is_pure=False, _semantic=_semantic)


@core.extern
def without_operands(_semantic=None):
    return core.extern_elementwise("", "", [], {(): ("answer", core.dtype("int32"))}, True, _semantic=_semantic)


@core.extern
def by_name_of_type(dtype, _semantic=None):
    return core.extern_elementwise(
        "", "", [], {(): ({"int32": "answer"}[str(dtype)], dtype)}, True, _semantic=_semantic
    )


@triton.jit
def number(x):
    tl.store(x, without_operands() + by_name_of_type(x.dtype.element_ty))


@triton.jit
def combine(x, y, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, weighted(tl.load(x + at), tl.load(y)))


@triton.jit
def combine_with_constant(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, weighted(tl.load(x + at), 3))


@triton.jit
def shift(x, BLOCK: tl.constexpr):
    addresses = (x + tl.arange(0, BLOCK)).to(tl.int64)
    shifted(addresses, 2)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("library")
    (folder / "own.c").write_text(LIBRARY)
    command = ["clang-22", "--target=nvptx64-nvidia-cuda", "-nocudalib", "-O1", "-emit-llvm", "-c", "own.c"]
    subprocess.run(command, cwd=folder, check=True)
    return {"own": str(folder / "own.bc")}


@pytest.fixture
def simulated():
    driver.set_active(SimulatedDriver(90))
    yield
    driver.set_active_to_cpu()


@pytest.mark.parametrize("dtype, factor", [(np.int32, 10), (np.float32, 0.5)])
def test_calls_of_a_library(simulated, library, dtype, factor):
    x, y, out = np.arange(64, dtype=dtype), np.array([5], dtype), np.zeros(64, dtype)
    combine[(1,)](x, y, out, BLOCK=64, extern_libs=library)
    np.testing.assert_array_equal(out, x + dtype(factor * 5))


def test_a_constant_operand(simulated, library):
    x, out = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    combine_with_constant[(1,)](x, out, BLOCK=64, extern_libs=library)
    np.testing.assert_array_equal(out, x + 30)
    with pytest.raises(triton.CompilationError, match=r"got \(fp32, int32\), and the function takes \(int32, int32\)"):
        combine_with_constant[(1,)](x.astype(np.float32), out, BLOCK=64, extern_libs=library)


def test_a_function_without_operands(simulated, library):
    x = np.zeros(1, np.int32)
    number[(1,)](x, extern_libs=library)
    assert x[0] == 82


def test_a_function_with_effects(library):
    """The call stays although nobody uses its result, and so does the library's variable, which host code may set."""
    source = ASTSource(shift, {"x": "*i32", "BLOCK": "constexpr"}, {"BLOCK": 128})
    ptx = triton.compile(source, GPUTarget("cuda", 90, 32), {"extern_libs": library}).asm["ptx"]
    assert ".visible .global .align 4 .u32 offset = 7" in ptx and "ld.global" in ptx
    assert "weighted" not in ptx, "only what is called"


def test_a_library_that_is_missing(tmp_path):
    source = ASTSource(shift, {"x": "*i32", "BLOCK": "constexpr"}, {"BLOCK": 128})
    path = str(tmp_path / "none.bc")
    with pytest.raises(triton.CompilationError, match=f"names `{path}`, which is not there"):
        triton.compile(source, GPUTarget("cuda", 90, 32), {"extern_libs": {"own": path}})


def test_another_library_is_another_kernel(simulated, library, tmp_path):
    (tmp_path / "own.c").write_text(LIBRARY.replace("10 * b", "20 * b"))
    command = ["clang-22", "--target=nvptx64-nvidia-cuda", "-nocudalib", "-O1", "-emit-llvm", "-c", "own.c"]
    subprocess.run(command, cwd=tmp_path, check=True)
    x, out = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    for libraries, factor in ((library, 10), ({"own": str(tmp_path / "own.bc")}, 20), (library, 10)):
        combine_with_constant[(1,)](x, out, BLOCK=64, extern_libs=libraries)
        np.testing.assert_array_equal(out, x + 3 * factor)


def test_processors_have_no_such_libraries(library):
    x, out = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    with pytest.raises(triton.CompilationError, match="the function `weighted_i32` on these types"):
        combine_with_constant[(1,)](x, out, BLOCK=64)
