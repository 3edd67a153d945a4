"""What kernels ask about their target, and the functions that one vendor's GPUs alone have."""

import numpy as np
import programs
import pytest
import triton
import triton.language as tl
import values
from triton import CompilationError
from triton.language.extra import hip
from triton.language.extra.cuda import (
    convert_custom_float8_sm80,
    gdc_launch_dependents,
    gdc_wait,
    globaltimer,
    num_threads,
    num_warps,
    smid,
)
from triton.language.target_info import cuda_capability_geq, current_target, is_cuda


@triton.jit
def target_kernel(out):
    tl.store(out, tl.target_info.is_cuda())
    tl.store(out + 1, cuda_capability_geq(8, 9))
    tl.store(out + 2, tl.target_info.cuda_capability_geq(major=7))
    tl.store(out + 3, tl.target_info.is_hip() or tl.target_info.is_hip_cdna3() or tl.target_info.is_hip_cdna4())
    tl.store(out + 4, tl.target_info.is_hip_gfx1250())
    target = current_target()
    tl.static_assert(target.backend == "cuda" or target.backend == "hip" or target.backend == "cpu")
    tl.static_assert((target.backend == "hip") == tl.target_info.is_hip())
    if is_cuda():
        tl.static_assert(target.arch == 90 or target.arch == 80 or not cuda_capability_geq(8))
        tl.static_assert(target.warp_size == 32)


def test_the_target(device):
    out = np.full(5, -1, np.int32)
    target_kernel[(1,)](out)
    target = device.driver().get_current_target()
    arch = target.arch if target.backend.endswith("cuda") else 0
    np.testing.assert_array_equal(out, [arch != 0, arch >= 89, arch >= 70, target.backend.endswith("hip"), False])


def test_the_target_on_the_host(device):
    target = device.driver().get_current_target()
    assert current_target() == target
    assert is_cuda() == target.backend.endswith("cuda")
    assert cuda_capability_geq(8) == is_cuda() and tl.target_info.is_hip() == target.backend.endswith("hip")


@triton.jit
def guarded_kernel(out):
    """Code for a GPU compiles nowhere else."""
    if tl.target_info.is_cuda():
        value = tl.extra.cuda.smid()
        if cuda_capability_geq(9, 0):
            gdc_wait()
            gdc_launch_dependents()
    else:
        value = -1
    tl.store(out, value)


def test_guarded_code(device):
    out = np.full(1, -7, np.int32)
    guarded_kernel[(1,)](out)
    assert 0 <= out[0] < 1024 if is_cuda() else out[0] == -1


@triton.jit
def time_kernel(out, x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    start = globaltimer()
    tl.store(x + i, tl.load(x + i) + 1)
    end = tl.extra.cuda.globaltimer()
    tl.static_assert(end.dtype == tl.int64)
    # Every thread sees the same time: the loop's branch is the whole program's.
    while globaltimer() < start + 100:
        tl.debug_barrier()
    tl.store(out + i, end - start)


def test_time_passes(device):
    out, x = np.full(256, -1, np.int64), np.zeros(256, np.int32)
    time_kernel[(1,)](out, x, BLOCK=256)
    assert (out == out[0]).all() and 0 <= out[0] < 10**11
    np.testing.assert_array_equal(x, 1)


@triton.jit
def count_kernel(out, BLOCK: tl.constexpr):
    threads: tl.constexpr = num_threads()
    tl.static_assert(threads % num_warps() == 0)
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(out + i) * 0 + num_warps() + threads * 100)


@pytest.mark.parametrize("warps", [1, 8])
def test_warps_and_threads(device, warps):
    out = np.ones(64, np.int32)
    kernel = count_kernel[(1,)](out, BLOCK=64, num_warps=warps)
    np.testing.assert_array_equal(out, warps + 100 * device.lanes * warps)
    if kernel is not None:  # an interpreted launch compiles nothing
        assert kernel.metadata.num_warps == warps  # the compiler took no fewer


@triton.jit
def amd_kernel(out, ticks):
    if tl.target_info.is_hip():
        start = tl.extra.hip.memrealtime()
        tl.static_assert(start.dtype == tl.int64)
        tl.store(out, tl.extra.hip.smid())
        tl.store(out + 1, hip.num_threads() + 1000 * hip.utils.num_warps())
        tl.store(ticks, hip.memrealtime() - start)
    else:
        tl.store(out, 0)
        tl.store(out + 1, tl.extra.hip.num_threads() + 1000 * hip.num_warps())


def test_functions_of_amd_gpus(device):
    out, ticks = np.full(2, -1, np.int32), np.full(1, -1, np.int64)
    amd_kernel[(1,)](out, ticks, num_warps=2)
    assert 0 <= out[0] < 1 << 16 and out[1] == 2000 + 2 * device.lanes
    assert 0 <= ticks[0] < 10**10 if tl.target_info.is_hip() else ticks[0] == -1


@pytest.mark.parametrize(
    "statement",
    [
        "import triton",
        "import triton.language as tl",
        "from triton.language import *",
        "from triton.language.extra import *",
        "from triton.language.extra.cuda import *; from triton.language.extra.hip import *",
    ],
)
def test_the_functions_are_there_from_the_start(statement, tmp_path):
    programs.run(
        tmp_path,
        f"""
{statement}
import triton, triton.language as tl
for name in ("smid", "globaltimer", "num_threads", "num_warps", "gdc_wait"):
    assert callable(getattr(triton.language.extra.cuda, name))
    assert "extra.cuda" not in {statement!r} or globals()[name]
for name in ("smid", "memrealtime", "num_threads", "num_warps"):
    assert callable(getattr(tl.extra.hip, name))
assert tl.extra.libdevice.tanh and tl.extra.cuda.libdevice.tanh and tl.extra.hip.libdevice.tanh
if "language import *" in {statement!r}:
    assert extra.cuda.smid is tl.extra.cuda.smid
if "extra import *" in {statement!r}:
    assert cuda.smid and hip.smid and libdevice.tanh
assert {{"cuda", "hip", "libdevice"}} <= set(dir(tl.extra)) and "extra" in dir(tl)
""",
    )


@triton.jit
def custom_float8_kernel(x, out, back, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i)
    narrow = convert_custom_float8_sm80(value, tl.float8e4b15)
    tl.store(out + i, narrow)
    tl.store(back + i, tl.extra.cuda.convert_custom_float8_sm70(narrow, tl.float32))
    tl.store(back + N + i, tl.extra.cuda.utils.convert_fp8e4b15_to_float16(narrow))
    tl.store(out + N + i, tl.extra.cuda.utils.convert_float16_to_fp8e4b15(value.to(tl.float16), has_minx2=True))


def test_conversions_of_float8e4b15(device, rng):
    x = rng.uniform(-1.9, 1.9, 128).astype(np.float16).astype(np.float32)
    out, back = np.full(256, 0xA5, np.uint8), np.full(256, np.nan, np.float32)
    custom_float8_kernel[(1,)](x, triton.reinterpret(out, tl.float8e4b15), back, N=128)
    expected = np.tile(values.read(values.store_as(x.astype(np.float64), "float8e4b15"), "float8e4b15"), 2)
    np.testing.assert_array_equal(values.read(out, "float8e4b15"), expected)
    np.testing.assert_array_equal(back, expected)


@triton.jit
def other_float8_kernel(x):
    tl.extra.cuda.convert_custom_float8_sm80(tl.load(x), tl.float16)


def test_conversions_that_are_others():
    with pytest.raises(CompilationError, match="between float8e4b15 and float16 or float32, not from fp32 to fp16"):
        other_float8_kernel[(1,)](np.zeros(1, np.float32))


@triton.jit
def smid_kernel(out):
    tl.store(out, smid())


@triton.jit
def dependent_kernel(out):
    gdc_wait()
    tl.store(out, 1)
    gdc_launch_dependents()


@triton.jit
def old_gpu_kernel(out):
    gdc_launch_dependents()


def test_what_the_processor_lacks():
    with pytest.raises(CompilationError, match="`tl.extra.cuda.smid` needs an NVIDIA GPU, but the target is cpu"):
        smid_kernel[(1,)](np.zeros(1, np.int32))


def test_launches_that_do_not_overlap(device):
    """Where there is nothing to wait for, waiting has no effect."""
    if is_cuda() and not cuda_capability_geq(9):
        return
    out = np.zeros(1, np.int32)
    dependent_kernel[(1,)](out)
    assert out[0] == 1


def test_what_older_gpus_lack(device):
    if not is_cuda() or cuda_capability_geq(9):
        pytest.skip("the device has dependent launches, or is no GPU")
    with pytest.raises(CompilationError, match="gdc_launch_dependents` needs compute capability 9.0"):
        old_gpu_kernel[(1,)](np.zeros(1, np.int32))


def test_calls_on_the_host():
    with pytest.raises(ValueError, match="`tl.extra.cuda.smid` can only be called inside"):
        smid()
