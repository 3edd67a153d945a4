"""Kernels compiled ahead of time into C++: an operator with variants for several targets."""

import ctypes
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np
import pytest
from aot_programs import KERNELS, STAND_INS, WARNINGS, c_compiler

TRITONC = pathlib.Path(sys.executable).with_name("tritonc")
COMPILERS = [compiler for compiler in ("g++", "clang++", "clang++-22") if shutil.which(compiler)]
GRID = "(n + BLOCK - 1) / BLOCK, 1, 1"
#: The second signature takes what the first does not.
SCALES = ("*fp32:16, *fp32:16, i32:16, fp32, 64", "*fp32, *fp32, i32, fp32, 64")
TARGETS = "cpu:x86-64-v2,cpu:x86-64-v3,cuda:80,cuda:90,hip:gfx942:64,hip:gfx1100"
DEVICES = ("cpu", "cuda", "hip")
#: Calls an operator from Python; text is what went wrong.
WRAPPER = """
#include "{name}.h"
using Operator = app::{operator};
static std::string text;
static std::unique_ptr<Operator> made;
template <typename Action> static const char *guard(Action action) {{
  text.clear();
  try {{
    action();
  }} catch (const triton_aot::ArgumentError &error) {{
    text = std::string(error.argument()) + "|" + error.what();
  }} catch (const triton_aot::Error &error) {{
    text = error.what();
  }}
  return text.c_str();
}}
extern "C" const char *make(int kind, int index, int variant) {{
  using triton_aot::Device;
  const auto device = kind == 0 ? Device::cpu() : kind == 1 ? Device::cuda(index) : Device::hip(index);
  return guard([&] {{ made = std::make_unique<Operator>(device, static_cast<Operator::Variant>(variant)); }});
}}
extern "C" void forget() {{ made.reset(); }}
extern "C" const char *target() {{ return made->target(); }}
extern "C" const char *launch(void *stream, {declared}) {{ return guard([&] {{ (*made)(stream, {passed}); }}); }}
extern "C" const char *launch_on_cpu({declared}) {{
  return guard([&] {{ app::{name}(triton_aot::Device::cpu(), nullptr, {passed}); }});
}}
"""


def compile_cpp(folder, kernel, signatures, grid, target=TARGETS, *options, path=KERNELS):
    command = [TRITONC, "compile", f"{path}:{kernel}", "--emit=cpp", "--grid", grid, "--namespace", "app", "-o", folder]
    for signature in signatures:
        command += ["--signature", signature]
    return subprocess.run([*command, "--target", target, *options], capture_output=True, text=True)


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


LIBRARIES = tempfile.TemporaryDirectory(prefix="triton-test-aot-cpp-")


def build_library(folder, name, operator, declared, *arguments, **options):
    """A kernel's C++ and the wrapper as a shared library, which is built by each compiler without warnings."""
    done = compile_cpp(folder, name, *arguments, **options)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(folder / f"{name}.h"), str(folder / f"{name}.cpp")]
    passed = ", ".join(part.split()[-1].lstrip("*") for part in declared.split(","))
    text = WRAPPER.format(name=name, operator=operator, declared=declared, passed=passed)
    (folder / "wrapper.cpp").write_text(text)
    for compiler in COMPILERS:
        sources = [folder / f"{name}.cpp", folder / "wrapper.cpp"]
        flags = ["-std=c++17", *WARNINGS, "-O1", "-shared", "-fPIC"]
        run(compiler, *flags, *sources, "-o", folder / "library.so", "-lm", "-ldl")


class Program:
    """The library of a kernel, which the tests of a process that want the same one share. Each loads a copy, since the
    library holds the driver that it has loaded."""

    folders = {}

    def __init__(self, folder, *arguments, **options):
        key = repr((arguments, options))
        if key not in Program.folders:
            built = pathlib.Path(LIBRARIES.name, str(len(Program.folders)))
            build_library(built, *arguments, **options)
            Program.folders[key] = built
        self.folder = Program.folders[key]
        self.library = ctypes.CDLL(shutil.copy(self.folder / "library.so", folder))
        for function in ("make", "target", "launch", "launch_on_cpu"):
            getattr(self.library, function).restype = ctypes.c_char_p

    def make(self, device="cpu", index=0, variant=0):
        return self.library.make(DEVICES.index(device), index, variant).decode()

    def target(self):
        return self.library.target().decode()

    def __getattr__(self, name):
        return lambda *arguments: getattr(self.library, name)(*arguments).decode()


def build_driver(folder, monkeypatch, source, file, variable):
    """The library in the driver's place, which the program loads."""
    folder.mkdir()
    run(c_compiler(), "-shared", "-fPIC", f"-I{STAND_INS}", STAND_INS / source, "-o", folder / file)
    monkeypatch.setenv(variable, str(folder))
    return ctypes.CDLL(str(folder / file))


@pytest.fixture
def driver(tmp_path, monkeypatch):
    return build_driver(tmp_path / "driver", monkeypatch, "cuda_library.c", "libcuda.so.1", "TRITON_LIBCUDA_PATH")


@pytest.fixture
def hip(tmp_path, monkeypatch):
    return build_driver(tmp_path / "hip", monkeypatch, "hip_library.c", "libamdhip64.so", "TRITON_LIBHIP_PATH")


def integer(library, name):
    return ctypes.c_int.in_dll(library, name)


def pointer(array, offset=0):
    return ctypes.c_void_p(array.ctypes.data + offset)


SCALE = ("scale", "ScaleOperator", "float *x, float *out, std::int32_t n, float factor")


@pytest.mark.parametrize("target", [TARGETS, "cpu:x86-64-v2", "cpu:x86-64-v2,cpu"])
def test_processors(tmp_path, monkeypatch, target):
    for variable in ("TRITON_LIBCUDA_PATH", "TRITON_LIBHIP_PATH"):
        monkeypatch.setenv(variable, str(tmp_path / "missing"))
    program = Program(tmp_path, *SCALE, SCALES, GRID, target)
    assert program.make() == ""
    expected = {TARGETS: "cpu:x86-64-v3", "cpu:x86-64-v2": "cpu:x86-64-v2"}.get(target, "cpu")
    assert program.target() == expected
    x = np.random.default_rng(0).standard_normal(1000).astype(np.float32)
    for offset, n in [(0, 640), (0, 641), (4, 640), (0, 0)]:
        for launch in (lambda *arguments: program.launch(None, *arguments), program.launch_on_cpu):
            out = np.zeros_like(x)
            assert launch(pointer(x, offset), pointer(out), n, ctypes.c_float(1.5)) == ""
            np.testing.assert_array_equal(out[:n], x[offset // 4 :][:n] * np.float32(1.5))
            assert not out[n:].any()
    # Only what is wrong with the device is said, and when it is chosen.
    for device, vendor in (("cuda", "NVIDIA"), ("hip", "AMD")):
        problem = program.make(device)
        wanted = f"cannot load the {device.upper()} driver" if device in target else f"no code for GPUs of {vendor}; it"
        assert wanted in problem, problem
        assert str(tmp_path / "missing") in problem or device not in target


def test_arguments(tmp_path):
    program = Program(tmp_path, *SCALE, SCALES[:1], GRID, "cpu:x86-64-v2")
    assert program.make() == ""
    x, factor = np.zeros(64, np.float32), ctypes.c_float(1)
    assert x.ctypes.data % 16 == 0
    assert program.launch(None, pointer(x), pointer(x), 16, factor) == ""
    name, text = program.launch(None, None, pointer(x), 16, factor).split("|")
    assert (name, text) == ("x", "kernel `scale`: argument `x` is null")
    name, text = program.launch(None, pointer(x), pointer(x, 4), 16, factor).split("|")
    assert (name, text) == ("out", "kernel `scale`: argument `out` is not a multiple of 16, which all variants need")
    assert program.launch(None, pointer(x), pointer(x), 17, factor).startswith("n|")


OPTIONAL = """
import triton
import triton.language as tl

@triton.jit
def biased(x, bias, out, stride, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    value = tl.load(x + offsets * stride)
    if bias is not None:
        value += tl.load(bias + offsets)
    tl.store(out + offsets, value)
"""


def test_null_pointers_ones_and_variants(tmp_path):
    """`None` in one signature lets callers pass a null pointer; constants make variants, which callers choose."""
    (tmp_path / "optional.py").write_text(OPTIONAL)
    signatures = [f"*fp32, {bias}, *fp32, {stride}, 16" for bias in ("None", "*fp32") for stride in ("i32:1", "i32")]
    signatures += ["*fp32, *fp32, *fp32, i32:1, 8"]
    declared = "float *x, float *bias, float *out, std::int32_t stride"
    program = Program(
        tmp_path,
        "biased",
        "BiasedOperator",
        declared,
        signatures,
        "1, 1, 1",
        "cpu:x86-64-v2",
        path=tmp_path / "optional.py",
    )
    assert "BLOCK16_warps4_stages3,\n    BLOCK8_warps4_stages3" in (program.folder / "biased.h").read_text()
    x, bias = np.arange(64, dtype=np.float32), np.arange(16, dtype=np.float32) * 100
    for variant, size, strides, biases in [(0, 16, (1, 3), (None, bias)), (1, 8, (1,), (bias,))]:
        assert program.make("cpu", 0, variant) == ""
        for stride in strides:
            for given in biases:
                out = np.zeros(16, np.float32)
                address = given if given is None else pointer(given)
                assert program.launch(None, pointer(x), address, pointer(out), stride) == ""
                expected = x[::stride][:size] + (0 if given is None else given[:size])
                np.testing.assert_array_equal(out[:size], expected)
                assert not out[size:].any()
    assert program.launch(None, pointer(x), None, pointer(out), 1).startswith("bias|")
    assert program.launch(None, pointer(x), pointer(bias), pointer(out), 2).startswith("stride|")


def check_launches(program, driver, warp_size):
    sizes = (ctypes.c_int * 32).in_dll(driver, "fake_sizes")
    sizes[:6] = [8, 8, 4, 4, 8, 8]
    integer(driver, "fake_count").value = 6
    x, out, stream = 0x123456780, 0xFFFF000011112220, 0x77
    for n, code, warps in [(128, 1, 1), (100, 2, 4)]:
        call = [ctypes.c_void_p(stream), ctypes.c_void_p(x), ctypes.c_void_p(out), n, ctypes.c_float(1.5)]
        assert program.launch(*call) == ""
        assert ctypes.c_void_p.in_dll(driver, "fake_stream").value == stream
        assert list((ctypes.c_uint * 3).in_dll(driver, "fake_grid")) == [2, 1, 1]
        assert list((ctypes.c_uint * 3).in_dll(driver, "fake_block")) == [warps * warp_size, 1, 1]
        assert integer(driver, "fake_launched").value == code, "the code of another signature"
        slots = ((ctypes.c_ubyte * 128) * 32).in_dll(driver, "fake_parameters")
        given = [bytes(slot[:size]) for slot, size in zip(slots, sizes[:6], strict=False)]
        numbers = [struct.pack("<Q", x), struct.pack("<Q", out), struct.pack("<i", n), struct.pack("<f", 1.5)]
        assert given == [*numbers, bytes(8), bytes(8)]


@pytest.mark.parametrize(
    "capability, target", [(80, "cuda:80"), (86, "cuda:80"), (90, "cuda:90"), (75, None), (100, None)]
)
def test_gpus(tmp_path, driver, capability, target):
    program = Program(tmp_path, *SCALE, SCALES, GRID)
    integer(driver, "fake_capability").value = capability
    problem = program.make("cuda", 1)
    if target is None:
        assert f"no code for a GPU of compute capability {capability // 10}.{capability % 10}; " in problem
        assert integer(driver, "fake_retained").value == 0
        return
    assert (problem, program.target()) == ("", target)
    assert (integer(driver, "fake_retained").value, integer(driver, "fake_loads").value) == (1, 2)
    check_launches(program, driver, warp_size=32)
    assert integer(driver, "fake_contexts").value == 0
    program.library.forget()
    assert (integer(driver, "fake_retained").value, integer(driver, "fake_unloads").value) == (0, 2)


@pytest.mark.parametrize(
    "architecture, target, warp_size",
    [("gfx942:sramecc+:xnack-", "hip:gfx942", 64), ("gfx1100", "hip:gfx1100", 32), ("gfx90a", None, 0)],
)
def test_gpus_of_amd(tmp_path, hip, architecture, target, warp_size):
    program = Program(tmp_path, *SCALE, SCALES, GRID)
    (ctypes.c_char * 64).in_dll(hip, "fake_architecture").value = architecture.encode()
    problem = program.make("hip", 1)
    if target is None:
        assert f"no code for a GPU of the architecture {architecture}; it was compiled for cpu:x86-64-v2, " in problem
        assert integer(hip, "fake_loads").value == 0
        return
    assert (problem, program.target()) == ("", target)
    assert integer(hip, "fake_loads").value == 2
    assert ctypes.string_at(ctypes.c_void_p.in_dll(hip, "fake_image").value, 4) == b"\x7fELF"
    check_launches(program, hip, warp_size)
    assert integer(hip, "fake_current").value == 0, "the device that was current before is it again"
    program.library.forget()
    assert integer(hip, "fake_unloads").value == 2


def test_hip_that_fails(tmp_path, hip):
    program = Program(tmp_path, *SCALE, SCALES, GRID, "hip:gfx942")
    assert "there is no GPU 2; this machine has 2" in program.make("hip", 2)
    integer(hip, "fake_load_failure").value = 200
    assert "`scale`: loading its code: HIP's error 200, device kernel image is invalid" in program.make("hip")
    integer(hip, "fake_load_failure").value = 0
    (ctypes.c_char * 64).in_dll(hip, "fake_architecture").value = b"other"
    assert "the HIP driver does not say which architecture device 0 has" in program.make("hip")
    (ctypes.c_char * 64).in_dll(hip, "fake_architecture").value = b"gfx942"
    assert program.make("hip") == ""
    assert "no code for GPUs of NVIDIA" in program.make("cuda") and "no code for this processor" in program.make("cpu")


def test_shared_memory_that_a_gpu_of_amd_lacks(tmp_path, hip):
    declared = "void *a, void *b, float *c, std::int32_t M, std::int32_t N, std::int32_t K"
    signature = "*fp16:16, *fp16:16, *fp32:16, i32, i32, i32, 64, 64, 32"
    program = Program(tmp_path, "matmul", "MatmulOperator", declared, [signature], "M, N, 1", "hip:gfx942")
    integer(hip, "fake_most_shared").value = 1024
    assert "bytes of shared memory, but the device has 1024" in program.make("hip")


def test_drivers_that_fail(tmp_path, driver):
    program = Program(tmp_path, *SCALE, SCALES, GRID)
    assert "there is no GPU 2; this machine has 2" in program.make("cuda", 2)
    integer(driver, "fake_load_failure").value = 201
    assert "`scale`: loading its code: CUDA's error 201, invalid device context" in program.make("cuda")
    assert integer(driver, "fake_retained").value == 0


def test_tensor_maps(tmp_path, driver):
    declared = "void *a, void *b, float *c, std::int32_t M, std::int32_t N, std::int32_t K, std::int64_t stride"
    signature = "*fp16:16, *fp16:16, *fp32:16, i32, i32:16, i32, i64:16, 128, 128, 64"
    program = Program(tmp_path, "mapped", "MappedOperator", declared, [signature], "M, 1, 1", "cuda:90")
    integer(driver, "fake_capability").value = 90
    assert program.make("cuda") == ""
    assert integer(driver, "fake_allocated").value == 1
    call = [ctypes.c_void_p(256 * i) for i in (1, 2, 3)] + [100, 256, 300]
    assert program.launch(None, *call, ctypes.c_int64(2**33)) == ""
    assert integer(driver, "fake_map_count").value == 1
    assert "launching: CUDA's error 1" in program.launch(None, *call, ctypes.c_int64(2**40))
    program.library.forget()
    assert integer(driver, "fake_allocated").value == 0


def test_numbers_of_every_type(tmp_path):
    declared = (
        "double *out, float half, float brain, float single, double wide, bool flag, std::int8_t small, "
        "std::int64_t large, std::uint16_t unsigned_"
    )
    program = Program(
        tmp_path,
        "add_scalars",
        "AddScalarsOperator",
        declared,
        ["*fp64, fp16, bf16, fp32, fp64, i1, i8, i64, u16"],
        "1, 1, 1",
        "cpu:x86-64-v2,cuda:80",
    )
    assert program.make() == ""
    out, single = np.zeros(8), ctypes.c_float
    third = 1 / 3
    floats = [single(third), single(third), single(third), ctypes.c_double(third)]
    assert program.launch(None, pointer(out), *floats, True, -7, ctypes.c_int64(-(2**40)), 65535) == ""
    rounded = [np.float16(third), ml_dtypes.bfloat16(third), np.float32(third), third]
    np.testing.assert_array_equal(out, np.array([*rounded, 1, -7, -(2**40), 65535], np.float64))


def test_awkward_names(tmp_path):
    """Names of parameters, kernels and files that C++ does not allow."""
    signature = ["*i32, i32, i32, i32, 16"]
    targets = "cpu:x86-64-v2,cuda:80,hip:gfx942"
    done = compile_cpp(tmp_path, "awkward", signature, "1, 1, 1", targets, "--out-name", "delete")
    assert done.returncode == 0, done.stderr
    assert "void delete_(const triton_aot::Device" in (tmp_path / "delete.h").read_text()
    for compiler in COMPILERS:
        run(compiler, "-std=c++17", *WARNINGS, "-c", tmp_path / "delete.cpp", "-o", tmp_path / "delete.o")


def test_missing_driver_is_an_error_of_the_constructor(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_LIBCUDA_PATH", str(tmp_path))
    program = Program(tmp_path, *SCALE, SCALES, GRID, "cuda:80")
    problem = program.make("cuda")
    assert "cannot load the CUDA driver: " in problem and "TRITON_LIBCUDA_PATH" in problem
    assert "no code for this processor; it was compiled for cuda:80" in program.make("cpu")


@pytest.mark.parametrize(
    "change, message",
    [
        ({"signatures": ["*fp32, *fp32, i32, fp32, 64"] * 2}, "the same constants and hints"),
        (
            {"signatures": ["*fp32, *fp32, i32, fp32, 64", "*fp32, *fp16, i32, fp32, 64"]},
            "aot_kernels.py:8: argument `out`: one signature has the type `*fp32` for it and another the type `*fp16`",
        ),
        (
            {"signatures": ["*fp32, *fp32, i32, fp32, 64", "*fp32, *fp32, 7, fp32, 64"]},
            "aot_kernels.py:8: argument `n`: one signature has the type `i32` for it and another the constant 7",
        ),
        ({"target": "cuda:80,cuda:80:32"}, "the target `cuda:80` is given twice"),
        ({"target": "hip:gfx942,hip:gfx942:64"}, "the target `hip:gfx942` is given twice"),
        ({"target": "hip:gfx000"}, "gfx000"),
        ({"target": "vulkan"}, "there is no backend `vulkan`"),
        ({"target": "cpu:x86-64,cpu:aarch64"}, "one file of C++ holds the assembly of one; write two files"),
        ({"options": ["--namespace", "a::class"]}, "namespace"),
    ],
)
def test_bad_input(tmp_path, change, message):
    arguments = {"signatures": SCALES, "target": "cpu"} | change
    options = arguments.pop("options", [])
    done = compile_cpp(tmp_path, "scale", arguments["signatures"], GRID, arguments["target"], *options)
    assert done.returncode in (1, 2) and message in done.stderr, done.stderr
    assert not os.listdir(tmp_path)


def test_files_are_reproducible(tmp_path):
    texts = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        assert compile_cpp(folder, "scale", SCALES, GRID).returncode == 0
        texts.append([path.read_bytes() for path in sorted(folder.iterdir())])
    assert texts[0] == texts[1] and str(tmp_path).encode() not in b"".join(texts[0])
