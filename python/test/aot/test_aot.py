"""Kernels for the CPU compiled ahead of time into C, which runs."""

import ctypes
import errno
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import ml_dtypes
import numpy as np
import pytest
from aot_programs import KERNELS, STAND_INS, WARNINGS, build, c_compiler, compile_aot, compile_everywhere, run_tool
from triton.tools.compile import CompileArgs, compile_kernel


def pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


def test_names_and_files(tmp_path):
    """Those of Triton 3.9 for the same arguments."""
    text = (
        "import triton\nimport triton.language as tl\n@triton.jit\ndef addk(x, y, n, BLOCK: tl.constexpr):\n    pass\n"
    )
    (tmp_path / "k.py").write_text(text)
    args = CompileArgs(
        str(tmp_path / "k.py"), "addk", "*fp32:16, *fp32:16, i32:1, 64", "(n+63)/64,1,1", "cuda:90:32", 4
    )
    args.out_path = tmp_path / "addk"
    function, paths = compile_kernel(args)
    assert function == "addk_f01625bd_0d1d2c"
    assert sorted(path.name for path in paths) == ["addk.f01625bd_0d1d2c.c", "addk.f01625bd_0d1d2c.h"]
    header = (tmp_path / "addk.f01625bd_0d1d2c.h").read_text()
    assert "// tt-linker-backend: cuda\n" in header
    line = "// tt-linker: addk_f01625bd_0d1d2c:CUdeviceptr x, CUdeviceptr y, int32_t n:64x1_warps4xstages3\n"
    assert line in header
    assert "CUresult addk_f01625bd_0d1d2c(CUstream stream, CUdeviceptr x, CUdeviceptr y);" in header


@pytest.mark.parametrize("arch", ["cpu", "cpu:x86-64-v2"])
def test_runs(tmp_path, arch):
    function, source = compile_aot(
        tmp_path, "scale", "*fp32:16, *fp32, i32, fp32, 64", "(n + BLOCK - 1) / BLOCK, 1, 1", arch
    )
    compile_everywhere(tmp_path, source)
    library = build(tmp_path, [source])
    x = np.random.default_rng(0).standard_normal(1000).astype(np.float32)
    for n in (0, 1, 63, 64, 999):
        out = np.zeros_like(x)
        getattr(library, f"load_{function}")()
        result = getattr(library, function)(None, pointer(x), pointer(out), n, ctypes.c_double(1.1))
        assert result == 0
        expected = np.where(np.arange(1000) < n, x.astype(np.float64) * np.float32(1.1), 0)
        np.testing.assert_allclose(out, expected, rtol=1e-7)
        getattr(library, f"unload_{function}")()


def test_code_for_tiles_asks_whether_it_may_use_them(tmp_path):
    """AMX needs the processor and the permission of Linux; without either the launch says so and does not crash."""
    signature = "*bf16:16, *bf16:16, *fp32:16, i32, i32, i32, 64, 64, 64"
    function, source = compile_aot(tmp_path, "matmul", signature, "1, 1, 1", "cpu:sapphirerapids")
    text = source.read_text()
    assert "tdpbf16ps" in text and "SYS_arch_prctl" in text
    compile_everywhere(tmp_path, source)
    library = build(tmp_path, [source])
    rng = np.random.default_rng(2)
    a, b = (rng.integers(-4, 5, (64, 64)).astype(np.float32) for _ in range(2))
    halves = [np.ascontiguousarray(side.view(np.uint16)[:, 1::2]) for side in (a, b)]
    out = np.zeros((64, 64), np.float32)
    result = getattr(library, function)(None, *map(pointer, (*halves, out)), 64, 64, 64)
    flags = set(re.search(r"^flags\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)[1].split())
    if flags >= {"amx_tile", "amx_bf16", "avx512_fp16"}:
        assert result == 0 and np.array_equal(out, a @ b)
    else:
        assert result == errno.ENOEXEC
    _, source = compile_aot(
        tmp_path, "scale", "*fp32, *fp32, i32, fp32, 64", "(n + BLOCK - 1) / BLOCK, 1, 1", "cpu:sapphirerapids"
    )
    assert "SYS_arch_prctl" not in source.read_text()


@pytest.mark.parametrize("flags", [[], ["-fopenmp"]])
def test_loops(tmp_path, flags):
    """A kernel with loops of its own, scratch memory and a default."""
    function, source = compile_aot(
        tmp_path, "row_sums", "*fp32:16, *fp32:16, i32, i32, 4", "(1000 + ROWS - 1) / ROWS, 1, 1"
    )
    compile_everywhere(tmp_path, source)
    library = build(tmp_path, [source], *flags)
    x = np.random.default_rng(1).standard_normal((1000, 77)).astype(np.float32)
    out = np.zeros(1000, np.float32)
    assert getattr(library, function)(None, pointer(x), pointer(out), 77, 77) == 0
    np.testing.assert_allclose(out, np.exp(x.astype(np.float64)).sum(1), rtol=1e-5)


def test_functions_of_the_c_library(tmp_path):
    function, source = compile_aot(tmp_path, "hyperbolic", "*fp32:16, *fp32:16, i32, 64", "n, 1, 1")
    assert "tanhf" in source.read_text()
    library = build(tmp_path, [source])
    x = np.linspace(-4, 4, 100, dtype=np.float32)
    out = np.zeros_like(x)
    assert getattr(library, function)(None, pointer(x), pointer(out), 100) == 0
    np.testing.assert_allclose(out, np.tanh(x.astype(np.float64)), rtol=1e-6)


@pytest.mark.parametrize("flags", [[], ["-fopenmp"]])
def test_every_program_runs_once(tmp_path, flags):
    function, source = compile_aot(tmp_path, "program_ids", "*i32", "37, 11, 3")
    library = build(tmp_path, [source], *flags)
    out = np.zeros(37 * 11 * 3, np.int32)
    assert getattr(library, function)(None, pointer(out)) == 0
    z, y, x = np.meshgrid(np.arange(3), np.arange(11), np.arange(37), indexing="ij")
    np.testing.assert_array_equal(out, (x + 100 * y + 10000 * z).ravel())


def test_products(tmp_path):
    function, source = compile_aot(
        tmp_path, "matmul", "*fp16:16,*fp16:16,*fp32:16,i32,i32:16,i32:16,16,32,32", "(M + 15) / 16, (N + 31) / 32, 1"
    )
    compile_everywhere(tmp_path, source)
    library = build(tmp_path, [source])
    rng = np.random.default_rng(2)
    a, b = rng.standard_normal((50, 64)).astype(np.float16), rng.standard_normal((64, 96)).astype(np.float16)
    c = np.zeros((50, 96), np.float32)
    assert getattr(library, function)(None, pointer(a), pointer(b), pointer(c), 50, 96, 64) == 0
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-4, atol=1e-4)


def test_numbers_of_every_type(tmp_path):
    """Floating-point numbers are doubles in C and are rounded as a launch rounds them."""
    function, source = compile_aot(
        tmp_path, "add_scalars", "*fp64, fp16, bf16, fp32, fp64, i1, i8, i64, u16", "1, 1, 1"
    )
    compile_everywhere(tmp_path, source)
    call = getattr(build(tmp_path, [source]), function)
    double = ctypes.c_double
    call.argtypes = [ctypes.c_void_p] * 2 + [double] * 4 + [ctypes.c_int8] * 2 + [ctypes.c_int64, ctypes.c_uint16]
    rng = np.random.default_rng(3)
    special = [0.0, -0.0, 1.0, 65504, 65519.99, 65520, 65536, 6e-8, 2.98e-8, 2.99e-8, 2**-25, 2**-24 * 1.5, 2**-14]
    special += [1 + 2**-11, 1 + 3 * 2**-11, 1 + 2**-11 + 2**-40, 3.4e38, 3.39e38, 1e39, 1e-40, 9.2e-41, 4.6e-41, 1e308]
    special += [np.inf, np.nan, 5e-324, 1 + 2**-8, 1 + 3 * 2**-8]
    values = [*special, *rng.standard_normal(200), *np.exp(rng.uniform(-110, 90, 300))]
    for value in [sign * value for value in values for sign in (1, -1)]:
        out = np.zeros(8)
        assert call(None, out.ctypes.data, value, value, value, value, -3, -7, -(2**40), 65535) == 0
        with np.errstate(over="ignore"):
            expected = [np.float16(value), ml_dtypes.bfloat16(value), np.float32(value), value, 1, -7, -(2**40), 65535]
        # The formats of 16 bits are rounded from the double itself.
        np.testing.assert_array_equal(out, np.array(expected, np.float64), err_msg=repr(value))


def test_awkward_names(tmp_path):
    function, source = compile_aot(tmp_path, "awkward", "*i32:16, i32, i32, i32, 32", "register * 0 + 1, 1, 1")
    compile_everywhere(tmp_path, source)
    out = np.zeros(32, np.int32)
    assert getattr(build(tmp_path, [source]), function)(None, pointer(out), 5, 7, 30) == 0
    np.testing.assert_array_equal(out, np.where(np.arange(32) < 30, np.arange(32) + 12, 0))


def test_two_variants_in_one_program(tmp_path):
    """Their symbols are apart, and a launch of nothing or of too much is no crash."""
    sources, functions = [], []
    for block in (32, 64):
        function, source = compile_aot(tmp_path, "scale", f"*fp32, *fp32, i32, fp32, {block}", "n, 1, 1")
        sources.append(source)
        functions.append(function)
    library = build(tmp_path, sources)
    one, out = np.ones(64, np.float32), np.zeros(64, np.float32)
    for function in functions:
        call = getattr(library, function)
        assert call(None, pointer(one), pointer(out), -5, ctypes.c_double(2)) == 0
    assert not out.any()
    assert getattr(library, functions[1])(None, pointer(one), pointer(out), 1, ctypes.c_double(2)) == 0
    assert out[0] == 2 and not out[1:].any()


def test_the_same_bytes_anywhere(tmp_path):
    """Neither the place of the kernel nor the cache nor the form of the tool changes a byte."""
    for target in ("cpu", "cuda:80:32", "hip:gfx942:64"):
        texts = []
        for name in ("here", "in/another/folder"):
            folder = tmp_path / target.replace(":", "") / name
            folder.mkdir(parents=True)
            shutil.copy(KERNELS, folder / "kernels.py")
            _, source = compile_aot(
                folder, "row_sums", "*fp32, *fp32, i32, i32, 4", "1, 1, 1", target, folder / "kernels.py"
            )
            texts.append((source.read_bytes(), source.with_suffix(".h").read_bytes()))
        assert texts[0] == texts[1]
        assert str(tmp_path).encode() not in texts[0][0]


def test_command_lines_agree(tmp_path):
    """tritonc writes the files that Python writes."""
    tritonc = pathlib.Path(sys.executable).with_name("tritonc")
    if not tritonc.exists():
        pytest.skip("tritonc is not beside Python")
    signature, grid = "*fp32:16, *fp32, i32:1, fp32, 64", "(7 + BLOCK - n) / BLOCK, 1, 1"
    for target in ("cpu:x86-64-v3", "cuda:90:32", "hip:gfx942:64"):
        python, native = tmp_path / target / "python", tmp_path / target / "native"
        python.mkdir(parents=True)
        done = run_tool(
            "compile", KERNELS, "-n", "scale", "-s", signature, "-g", grid, "-t", target, "-w", 2, "-on", "named",
            "-o", python / "named", "-ns", 4,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        command = [tritonc, "compile", f"{KERNELS}:scale", "--emit=c", "--signature", signature, "--grid", grid]
        command += ["--target", target, "--num-warps=2", "--num-stages=4", "--out-name=named", "-o", native]
        subprocess.run(command, check=True, capture_output=True)
        names = sorted(path.name for path in python.iterdir())
        assert names == sorted(path.name for path in native.iterdir()) and len(names) == 2
        for name in names:
            assert (python / name).read_bytes() == (native / name).read_bytes()


def make_example(goal, *settings):
    """`make` in the folder of the example in C."""
    tritonc = pathlib.Path(sys.executable).with_name("tritonc")
    if not tritonc.exists() or shutil.which("make") is None:
        pytest.skip("this needs tritonc beside Python, and make")
    makefile = pathlib.Path(__file__).parents[3] / "examples/c/Makefile"
    command = ["make", "-f", makefile, goal, f"TRITONC={tritonc}", f"CC={c_compiler()}", *settings]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("target", ["cpu", "cpu:x86-64-v2"])
def test_example(tmp_path, target):
    done = make_example("run", f"OUT={tmp_path}", f"TARGET={target}")
    assert done.returncode == 0, done.stderr
    assert "100001 sums, arrays at multiples of 16: 0 wrong" in done.stdout
    assert "100000 sums, arrays not at multiples of 16: 0 wrong" in done.stdout


def test_example_for_nvidia(tmp_path):
    """It is compiled, for want of a driver not linked."""
    flags = f"CFLAGS=-r -I{STAND_INS} {' '.join(WARNINGS)}"
    done = make_example(tmp_path / "vector_add_cuda", f"OUT={tmp_path}", "TARGET=cuda:90", flags, "LIBCUDA=")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "vector_add_cuda").exists()


def test_assertions_end_the_program(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_DEBUG", "1")
    function, source = compile_aot(tmp_path, "checked", "*i32, i32", "1, 1, 1")
    compile_everywhere(tmp_path, source)
    library = build(tmp_path, [source])
    script = (
        "import ctypes, sys; library = ctypes.CDLL(sys.argv[1]); x = ctypes.c_int(7)\n"
        f"for limit in (8, 7): assert library.{function}(None, ctypes.byref(x), limit) == 0; print(limit, flush=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, library._name], capture_output=True, text=True)
    assert done.returncode == -signal.SIGABRT and done.stdout == "8\n"
    assert "device assertion failed: too large" in done.stderr and "in program (0, 0, 0)" in done.stderr


def test_clock(tmp_path):
    function, source = compile_aot(tmp_path, "timed", "*i64", "1, 1, 1")
    compile_everywhere(tmp_path, source)
    library = build(tmp_path, [source])
    out = np.zeros(1, np.int64)
    before = time.monotonic_ns()
    assert getattr(library, function)(None, pointer(out)) == 0
    assert before <= out[0] <= time.monotonic_ns()
