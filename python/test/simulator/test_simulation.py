"""Kernels for GPUs in the simulator: how it is chosen, what it finds, what it lets pass."""

import json
import os
import pathlib
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import triton
import triton.language as tl
from triton import knobs
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.driver import SimulatedDriver
from triton.compiler.compiler import ASTSource, compile_for
from triton.runtime.driver import driver
from triton.runtime.errors import SimulationError


@pytest.fixture(params=[80, 90])
def simulated(request):
    driver.set_active(SimulatedDriver(request.param))
    yield request.param
    driver.set_active_to_cpu()


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=mask) + tl.load(y_ptr + i, mask=mask), mask=mask)


def line_of(kernel, text):
    """The line of the file on which the kernel's text stands."""
    return kernel._first_line + next(index for index, line in enumerate(kernel.raw_src) if text in line)


def test_correct_kernel_passes(simulated, rng):
    x, y = rng.random(1000, dtype=np.float32), rng.random(1000, dtype=np.float32)
    out = np.full(1000, np.nan, np.float32)
    kernel = add_kernel[(8,)](x, y, out, 1000, BLOCK=128)
    np.testing.assert_array_equal(out, x + y)
    assert list(kernel.asm) == ["source", "ttir", "ttgir", "llir"]
    assert kernel.metadata.target == GPUTarget("sim:cuda", simulated, 32)


def test_access_out_of_bounds_is_found(simulated):
    x, out = np.ones(1000, np.float32), np.zeros(1000, np.float32)
    with pytest.raises(SimulationError) as caught:
        add_kernel[(8,)](x, x, out, 1001, BLOCK=128)
    store = [finding for finding in caught.value.findings if "write of 4 bytes at byte 4000 of `out_ptr`" in finding]
    assert len(store) == 1 and "program (7, 0, 0), thread" in store[0]
    assert f"test_simulation.py:{line_of(add_kernel, 'tl.store')}:" in store[0]
    assert "kernel `add_kernel` over the grid (8, 1, 1)" in str(caught.value)


def test_reports_are_the_same_every_time(simulated):
    x, out = np.ones(4000, np.float32), np.zeros(4000, np.float32)
    texts = set()
    for _ in range(5):
        with pytest.raises(SimulationError) as caught:
            add_kernel[(40,)](x, x, out, 4100, BLOCK=128)
        texts.add(str(caught.value))
    assert len(texts) == 1


def test_views_reach_their_whole_memory(simulated):
    """A kernel that gets a view may use what the array it is a view of holds."""
    memory = np.arange(64, dtype=np.float32)
    out = np.zeros(64, np.float32)
    add_kernel[(1,)](memory[:1], memory[0:0], out[:2], 64, BLOCK=64)
    np.testing.assert_array_equal(out, 2 * memory)


@triton.jit
def racing_kernel(out_ptr):
    tl.store(out_ptr, tl.program_id(0))


def test_race_between_programs_is_found(simulated):
    out = np.zeros(1, np.int32)
    racing_kernel[(1,)](out)
    with pytest.raises(SimulationError, match="race on global memory"):
        racing_kernel[(2,)](out)


def test_explicit_target_runs_beside_the_processor():
    assert driver.active.get_current_target().backend == "cpu"
    source = ASTSource(add_kernel, {"x_ptr": "*fp32", "y_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32"}, {"BLOCK": 128})
    kernel = triton.compile(source, target=GPUTarget("sim:cuda", 90, 32))
    x, out = np.ones(128, np.float32), np.zeros(128, np.float32)
    kernel[(1,)](x, x, out, 128)
    np.testing.assert_array_equal(out, 2)
    with pytest.raises(SimulationError):
        kernel[(1,)](x[:64].copy(), x, out, 128)


def test_targets_have_variants_of_their_own(rng):
    x, out = rng.random(128, dtype=np.float32), np.zeros(128, np.float32)
    backends = []
    for choice in (SimulatedDriver(80), SimulatedDriver(90)):
        driver.set_active(choice)
        backends.append(add_kernel[(1,)](x, x, out, 128, BLOCK=128).metadata.target.arch)
    driver.set_active_to_cpu()
    backends.append(add_kernel[(1,)](x, x, out, 128, BLOCK=128).metadata.target.backend)
    assert backends == [80, 90, "cpu"]


class GpuToCompileFor(SimulatedDriver):
    """A real GPU's target, without the GPU."""

    def get_current_target(self):
        return GPUTarget("cuda", self.arch, 32)


def test_a_gpu_and_its_simulator_have_variants_of_their_own():
    pointer = triton.MockTensor(tl.float32)
    backends = []
    for choice in (SimulatedDriver(90), GpuToCompileFor(90)):
        driver.set_active(choice)
        kernel = add_kernel.warmup(pointer, pointer, pointer, 128, BLOCK=128, grid=(1,))
        backends.append(kernel.metadata.target.backend)
    driver.set_active_to_cpu()
    assert backends == ["sim:cuda", "cuda"]


PROGRAM = textwrap.dedent("""
    import numpy as np, triton, triton.language as tl

    @triton.jit
    def fill(out, BLOCK: tl.constexpr):
        tl.store(out + tl.arange(0, BLOCK), 7)

    out = np.zeros(64, np.int32)
    kernel = fill[(1,)](out, BLOCK=64)
    assert (out == 7).all()
    print(kernel.metadata.target)
""")


@pytest.mark.parametrize("value,expected", [("1", "90"), ("cuda:80", "80"), ("sim:cuda:86", "86"), ("120", "120")])
def test_variable_selects_the_simulator(tmp_path, value, expected):
    (tmp_path / "program.py").write_text(PROGRAM)
    run = subprocess.run(
        [sys.executable, tmp_path / "program.py"],
        capture_output=True,
        text=True,
        env={**os.environ, "TRITON_SIMULATE": value},
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == f"GPUTarget(backend='sim:cuda', arch={expected}, warp_size=32)"


def test_wrong_variable_is_told(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    run = subprocess.run(
        [sys.executable, tmp_path / "program.py"],
        capture_output=True,
        text=True,
        env={**os.environ, "TRITON_SIMULATE": "fast"},
        check=False,
    )
    assert run.returncode != 0 and "TRITON_SIMULATE is `fast`; write 1" in run.stderr


HARDWARE_ANSWERS = pathlib.Path(__file__).parents[3] / "src/simulator/test/data/scalar.json"


@triton.jit
def narrow_kernel(x_ptr, out_ptr, n, TYPE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n).to(TYPE), mask=i < n)


@pytest.mark.parametrize("dtype,answer", [("float8e4nv", "e4m3x2 (low byte)"), ("float8e5", "e5m2x2")])
def test_kernels_narrow_as_the_hardware_does(dtype, answer):
    """Every code, among them those of NaNs and of what overflows, as an H200 converted them."""
    answers = json.loads(HARDWARE_ANSWERS.read_text())["from_f32"]
    x = np.frombuffer(bytes.fromhex(answers["input"]), ">u4").astype(np.uint32).view(np.float32)
    expected = np.frombuffer(bytes.fromhex(answers[answer]), ">u2").astype(np.uint8)
    out = np.full(len(x), 0xA5, np.uint8)
    driver.set_active(SimulatedDriver(90))
    grid = (triton.cdiv(len(x), 128),)
    narrow_kernel[grid](x, triton.reinterpret(out, getattr(tl, dtype)), len(x), TYPE=getattr(tl, dtype), BLOCK=128)
    driver.set_active_to_cpu()
    np.testing.assert_array_equal(out, expected)


@pytest.fixture
def asked(request):
    """TRITON_SIMULATE in this process."""
    with knobs.runtime.scope():
        knobs.runtime.simulate = request.param
        driver.set_active_to_cpu()
        yield driver.active.get_current_target()
    driver.set_active_to_cpu()


@pytest.mark.parametrize("asked", ["sim:cuda:80", "hip:gfx942"], indirect=True)
def test_what_names_the_processor_is_simulated(asked):
    """Compilers such as PyTorch's name their target, and choose the processor's driver."""
    assert asked.backend in ("sim:cuda", "sim:hip") and driver.active.launch_target() == asked
    signature = {"x_ptr": "*fp32", "y_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "BLOCK": "constexpr"}
    source, processor = ASTSource(add_kernel, signature, {"BLOCK": 128}), GPUTarget("cpu", "x86_64", 0)
    kernel = triton.compile(source, target=processor)
    assert kernel.metadata.target == asked
    x, out = np.ones(128, np.float32), np.zeros(100, np.float32)
    with pytest.raises(SimulationError, match="of `out_ptr`, which has 400 bytes"):
        kernel.run(1, 1, 1, 0, kernel.function, kernel.packed_metadata, None, None, None, x, x, out, 128)
    assert compile_for(processor, source).metadata.target == processor
    assert triton.compile(source, target=GPUTarget("cuda", 90, 32)).metadata.target.backend == "cuda"


@pytest.mark.parametrize("asked", ["0", "off", ""], indirect=True)
def test_nothing_is_simulated_where_that_is_off(asked):
    assert asked.backend == "cpu"


def test_the_setting_moves_later_launches():
    driver.set_active_to_cpu()
    x, out = np.ones(128, np.float32), np.zeros(100, np.float32)
    with knobs.runtime.scope():
        knobs.runtime.simulate = "cuda:80"
        assert driver.active.get_current_target() == GPUTarget("sim:cuda", 80, 32)
        with pytest.raises(SimulationError, match="of `out_ptr`, which has 400 bytes"):
            add_kernel[(1,)](x, x, out, 128, BLOCK=128)
    assert driver.active.get_current_target().backend == "cpu"


@triton.jit
def moved_or_added(tile, vector, number):
    if number & 1 == 0:
        return tile + vector[None, :]
    moved = tile - vector[:, None]
    while number > 4:
        moved += number & 3
        number >>= 1
        if number == 9:
            return moved * 2
    return moved


@triton.jit
def undefined_on_a_path_kernel(x_ptr, out_ptr, number):
    i = tl.arange(0, 32)
    at = i[:, None] * 32 + i[None, :]
    count = number + tl.program_id(0)
    tile = tl.load(x_ptr + at)
    product = tl.dot((tile & 127).to(tl.int8), (tile & 63).to(tl.int8))
    tl.store(out_ptr + at, moved_or_added(product, tl.load(x_ptr + i), count & 31) + count)


@pytest.mark.parametrize("asked", ["cuda:80", "cuda:90", "hip:gfx942"], indirect=True)
@pytest.mark.parametrize("number", [1, 2])
def test_what_no_path_defines_is_no_missing_write(asked, number):
    """LLVM drops stores of values that a path leaves undefined. What reads them uses them nowhere."""
    x, out = np.arange(1024, dtype=np.int32).reshape(32, 32), np.zeros((32, 32), np.int32)
    undefined_on_a_path_kernel[(1,)](x, out, number)
    product = (x & 127) @ (x & 63)
    np.testing.assert_array_equal(out, (product - x[0][:, None] if number & 1 else product + x[0]) + number)


@triton.jit
def shifted_kernel(x_ptr, by_ptr, out_ptr):
    i = tl.arange(0, 32)
    tl.store(out_ptr + i, tl.load(x_ptr + i) >> tl.load(by_ptr + i))


def test_shifts_by_too_much_are_defined(simulated):
    """LLVM drops stores of them, also to shared memory, where values that nobody uses would then be missing."""
    x, out = np.full(32, -8, np.int32), np.zeros(32, np.int32)
    kernel = shifted_kernel[(1,)](x, np.arange(2, 34, dtype=np.int32), out)
    assert out[0] == -2 and (out[1:] == -1).all()
    assert "freeze" in kernel.asm["llir"]


@triton.jit
def constant_operands_kernel(x_ptr, out_ptr, by: tl.constexpr, divisor: tl.constexpr):
    i = tl.arange(0, 32)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, x << by)
    tl.store(out_ptr + 32 + i, x // divisor)
    tl.store(out_ptr + 64 + i, x % divisor)


def test_constant_shifts_by_too_much_and_divisions_by_zero_are_defined(simulated):
    x, out = np.full(32, -8, np.int32), np.full((3, 32), 7, np.int32)
    constant_operands_kernel[(1,)](x, out, 40, 0)
    assert (out != 7).all() and (out[1] == -1).all() and (out[2] == -8).all()
