"""AMD GPUs: compiling needs none, and launches go to a library that stands in for the driver (FakeHip.cpp)."""

import dataclasses
import os
import pathlib
import subprocess
import sys
import warnings

import numpy as np
import pytest
import triton
import triton.language as tl
from triton._utils import warn_once
from triton.backends.active import simulated_driver
from triton.backends.amd.compiler import HIPBackend, HIPOptions
from triton.backends.amd.driver import HIPDriver
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import ASTSource
from triton.runtime.driver import driver
from triton.runtime.errors import SimulationError

FAKE_HIP = pathlib.Path(triton.__file__).parents[2] / "src/backends/amd/driver/test/libamdhip64.so"
GFX942 = GPUTarget("hip", "gfx942", 64)


@triton.jit
def scale(x, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)


SIGNATURE = {"x": "*fp32", "factor": "fp32", "n": "i32"}


def compile_for(target, **options):
    return triton.compile(ASTSource(scale, SIGNATURE, {"BLOCK": 256}), target=target, options=options)


@pytest.mark.parametrize(
    "arch,lanes", [("gfx90a", 64), ("gfx942", 64), ("gfx950", 64), ("gfx1100", 32), ("gfx1201", 32)]
)
def test_kernels_become_code_objects(arch, lanes):
    kernel = compile_for(GPUTarget("hip", arch, lanes))
    assert list(kernel.asm) == ["source", "ttir", "ttgir", "llir", "amdgcn", "hsaco"]
    assert f'ttg.target = "hip:{arch}"' in kernel.asm["ttgir"]
    assert f"amdgcn-amd-amdhsa--{arch}" in kernel.asm["amdgcn"]
    assert kernel.asm["hsaco"][:4] == b"\x7fELF" and kernel.kernel == kernel.asm["hsaco"]
    assert kernel.metadata.target == GPUTarget("hip", arch, lanes)
    assert kernel.n_regs > 0 and kernel.n_spills == 0


def test_options_are_those_of_the_backend():
    options = HIPBackend(GFX942).parse_options({})
    assert (options.num_warps, options.num_stages, options.waves_per_eu, options.kpack) == (4, 2, 0, 1)
    assert options.arch == options.base_arch == "gfx942" and options.warp_size == 64
    assert "tf32" in options.allowed_dot_input_precisions
    assert HIPBackend(GPUTarget("hip", "gfx950", 64)).parse_options({"kpack": 2}).kpack == 1
    assert {field.name for field in dataclasses.fields(HIPOptions)} >= {"matrix_instr_nonkdim", "schedule_hint"}
    assert '"amdgpu-waves-per-eu"="2,2"' in compile_for(GFX942, waves_per_eu=2).asm["llir"]
    assert '"amdgpu-agpr-alloc"="0"' in compile_for(GFX942, llvm_fn_attrs="amdgpu-agpr-alloc=0").asm["llir"]


@pytest.mark.parametrize(
    "options,error,message",
    [
        ({"num_ctas": 2}, ValueError, "`num_ctas` is 2; clusters of programs are not supported on AMD GPUs"),
        ({"wgp_cu_mode": "both"}, ValueError, "`wgp_cu_mode` is 'both'; it must be `wgp` or `cu`"),
        ({"num_warps": 3}, AssertionError, "power of two"),
    ],
)
def test_options_are_checked(options, error, message):
    with pytest.raises(error, match=message):
        compile_for(GFX942, **options)


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_options_without_effect_are_named_once(arch):
    target = GPUTarget("hip", arch, 64)
    warn_once.cache_clear()
    with pytest.warns(UserWarning, match="the option `kpack` is 2, which has no effect") as caught:
        HIPBackend(target).parse_options({"kpack": 2})
        HIPBackend(target).parse_options({"kpack": 2})
    assert len(caught) == 1


@pytest.mark.parametrize(
    "name,value,is_named",
    [
        ("use_coexec_scheduler", True, True),
        ("use_coexec_scheduler", False, False),
        ("use_in_thread_transpose", False, True),
        ("use_in_thread_transpose", None, False),
        ("dump_mir", "folder", True),
    ],
)
def test_settings_without_effect_are_named_once(name, value, is_named):
    warn_once.cache_clear()
    with warnings.catch_warnings(record=True) as caught, triton.knobs.amd.scope():
        warnings.simplefilter("always")
        if value is not None:
            setattr(triton.knobs.amd, name, value)
        HIPBackend(GFX942).parse_options({})
        HIPBackend(GFX942).parse_options({})
    assert [f"`knobs.amd.{name}`" in str(warning.message) for warning in caught] == [True] * is_named


@triton.jit
def targets(x):
    tl.static_assert(tl.target_info.is_hip() and not tl.target_info.is_cuda())
    tl.static_assert(tl.target_info.is_hip_cdna3() and not tl.target_info.is_hip_cdna4())
    tl.static_assert(tl.target_info.current_target().arch == "gfx942")
    tl.store(x, tl.target_info.current_target().warp_size)


def test_kernels_know_their_target():
    kernel = triton.compile(ASTSource(targets, {"x": "*i32"}, {}), target=GFX942)
    assert "64" in kernel.asm["ttir"]


@pytest.mark.parametrize("name,lanes", [("hip:gfx942", 64), ("sim:hip:gfx950", 64), ("gfx1100", 32)])
def test_simulated_gpus_by_name(name, lanes):
    target = simulated_driver(name).get_current_target()
    assert target == GPUTarget("sim:hip", name.rpartition(":")[2], lanes)


@pytest.mark.parametrize("name", ["hip:90", "cuda:gfx942", "gfx942:hip"])
def test_no_such_simulated_gpu(name):
    with pytest.raises(RuntimeError, match="such as cuda:90 or hip:gfx942"):
        simulated_driver(name)


@pytest.mark.parametrize(
    "name,known", [("cuda:1", "there are 75, 80"), ("77", "there are 75, 80"), ("hip:gfx900", "there are gfx90a")]
)
def test_unknown_generations_are_refused_when_they_are_named(name, known):
    with pytest.raises(RuntimeError, match=f"TRITON_SIMULATE is `{name}`.*{known}"):
        simulated_driver(name)


def test_types_of_arguments_in_c():
    assert HIPDriver().map_python_to_cpp_type("*fp32") == "hipDeviceptr_t"
    assert HIPDriver().map_python_to_cpp_type("i32") == "int32_t"


@pytest.fixture
def simulated():
    """Makes a GPU in the simulator the active device, by name."""
    yield lambda name: driver.set_active(simulated_driver(name))
    driver.set_active_to_cpu()


@triton.jit
def speak(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x += tl.program_id(0) * BLOCK
    value = tl.load(x + i)
    tl.device_print("50% of", value, i.to(tl.int64))
    tl.device_print("only text")
    tl.device_assert(value < n, "100% too large")
    tl.store(x + i, value + 1)


def test_messages_are_those_of_other_gpus(simulated, capfd):
    printed = []
    for name in ("cuda:90", "gfx942"):
        simulated(name)
        x = np.array([1.5, -2.0, 3.25, 0.0, 5.0, 6.0, 7.0, 8.0], np.float32)
        kernel = speak[(2,)](x, 9, BLOCK=4)
        printed.append(sorted(capfd.readouterr().out.splitlines()))
        np.testing.assert_array_equal(x, np.float32([2.5, -1, 4.25, 1, 6, 7, 8, 9]))
    assert len(kernel.metadata.messages) == 3
    assert printed[0] == printed[1] and len(printed[0]) == 2 * (4 + 4 + 1), printed
    assert "pid (1, 0, 0) idx (3) 50% of: (operand 0) 8.000000" in printed[1]


def test_failed_assertions_end_a_launch(simulated, capfd):
    simulated("gfx942")
    x = np.arange(64, dtype=np.float32)
    place = r"test_hip.py:\d+:5: error: assertion failed in program \(0, 0, 0\), thread \d+: `100% too large`"
    with pytest.raises(SimulationError, match=place):
        speak[(1,)](x, 60, BLOCK=64, debug=True)
    assert len(capfd.readouterr().out.splitlines()) == 64 + 64 + 1
    speak[(1,)](x, 64, BLOCK=64, debug=True)  # the process goes on


@triton.jit(noinline=True)
def say(value):
    tl.device_print("in a function", value, hex=True)


@triton.jit
def speak_elsewhere(n):
    say(n)


def test_functions_have_messages_too(simulated, capfd):
    simulated("gfx942")
    speak_elsewhere[(1,)](0xBEEF)
    assert capfd.readouterr().out == "pid (0, 0, 0) idx () in a function: 0x0000beef\n"


def test_silent_kernels_have_no_memory_for_messages():
    assert not hasattr(compile_for(GFX942).metadata, "messages")


@triton.jit
def chatter(n):
    for i in range(n):
        tl.device_print("line", i)


def test_what_is_too_much_is_left_out(simulated, capfd):
    simulated("gfx942")
    chatter[(1,)](50000)
    lines = capfd.readouterr().out.splitlines()
    assert lines[:2] == ["pid (0, 0, 0) idx () line: 0", "pid (0, 0, 0) idx () line: 1"]
    assert lines[-1].startswith("(the rest of what the kernel prints is left out")
    assert 50000 > len(lines) > 40000


LAUNCH = """
import ctypes
import triton, triton.language as tl
from triton.runtime.driver import driver

class Array:
    def __init__(self, address, kind):
        self.address, self.dtype, self.device = address, "float32", type("Device", (), {"type": kind})

    def data_ptr(self):
        return self.address

@triton.jit
def scale(x, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)

class Launch(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint)]

active = driver.active
print(type(active).__name__, active.get_current_target(), active.get_device_capability())
properties = active.utils.get_device_properties(0)
print(properties["arch"], properties["max_shared_mem"], properties["warpSize"], properties["cooperativeLaunch"])
scale[(7,)](Array(4096, "cuda"), 2.0, 100, BLOCK=256)
launch = Launch.in_dll(ctypes.CDLL(LIBRARY), "fakeLastLaunch")
print(list(launch.grid), list(launch.block), launch.shared)
active.set_current_device(1)
print(active.get_current_target())
scale[(8,)](Array(4096, "cuda"), 2.0, 100, BLOCK=256)
launch = Launch.in_dll(ctypes.CDLL(LIBRARY), "fakeLastLaunch")
print(list(launch.grid))
active.get_device_interface().synchronize()
try:
    scale[(7,)](Array(4096, "cpu"), 2.0, 100, BLOCK=256)
except ValueError as error:
    print("cannot be accessed from Triton on a GPU" in str(error))
"""


def test_launches_go_to_the_driver(tmp_path):
    script = tmp_path / "launch.py"
    script.write_text(LAUNCH.replace("LIBRARY", repr(str(FAKE_HIP))))
    environment = {"TRITON_LIBHIP_PATH": str(FAKE_HIP), "TRITON_DEFAULT_BACKEND": "hip"}
    result = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    assert result.stdout.splitlines() == [
        "HIPDriver GPUTarget(backend='hip', arch='gfx942', warp_size=64) (9, 4)",
        "gfx942 65536 64 1",
        "[7, 1, 1] [256, 1, 1] 0",
        "GPUTarget(backend='hip', arch='gfx90a', warp_size=64)",
        "[8, 1, 1]",
        "True",
    ], result.stderr
