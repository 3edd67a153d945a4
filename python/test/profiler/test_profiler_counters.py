"""The mode `counters` of the profiler: what the processor counts while it runs programs, or why it cannot. Also another
name of the backend for AMD GPUs."""

import numpy as np
import pytest
import triton
import triton.language as tl
import triton.profiler as proton


@triton.jit
def spin(x, count, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i)
    for _ in range(count):
        value = value * 0.5 + 1
    tl.store(x + i, value)


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield
    proton.finalize()


def counted(count):
    """The metrics of a launch whose loops have this many iterations; None where the system refuses, with a reason."""
    try:
        session = proton.start(f"run{count}", backend="cpu", mode=proton.mode.Counters())
    except RuntimeError as error:
        assert "the profiler cannot count `cycles` on this processor" in str(error)
        assert any(
            help in str(error)
            for help in ("performance monitoring unit", "perf_event_paranoid=2", "allows the call", "ulimit -n")
        )
        return None
    x = np.ones(16 * 64, np.float32)
    with proton.scope("part"):
        spin[(16,)](x, count, BLOCK=64)
    (part,) = proton.data.get(session)[0]["children"]
    (kernel,) = part["children"]
    proton.finalize(session)
    return kernel["metrics"]


def test_the_processor_counts_what_a_kernel_does(host_device):
    if host_device.is_simulated:
        return
    few, many = counted(10), counted(100_000)
    if many is None:
        assert few is None
        return
    assert {"cycles", "instructions", "cache_misses"} <= few.keys()
    if "uncounted_time (ns)" not in few and "uncounted_time (ns)" not in many:
        assert many["instructions"] > few["instructions"] + 16 * 100_000
        assert many["cycles"] > few["cycles"] > 0


def test_without_the_mode_nothing_is_counted(host_device):
    session = proton.start("plain", backend="simulator" if host_device.is_simulated else "cpu")
    spin[(1,)](np.ones(64, np.float32), 1, BLOCK=64)
    (kernel,) = proton.data.get(session)[0]["children"]
    assert "cycles" not in kernel["metrics"] and "cache_misses" not in kernel["metrics"]


def test_rocprofiler_is_a_name_of_the_backend_for_amd_gpus(monkeypatch):
    monkeypatch.setenv("TRITON_ROCTRACER_LIB_PATH", "/no/such/libroctracer64.so")
    with pytest.raises(RuntimeError, match="cannot load roctracer.*/no/such/libroctracer64.so"):
        proton.start("it", backend="rocprofiler")
    with pytest.raises(ValueError, match="backend `roctracer` of the profiler has no mode `default`"):
        proton.start("it", backend="rocprofiler", mode="default")
