"""`triton.testing`: measuring on this processor, and what it says of devices."""

import gc
import sys
import types

import numpy as np
import pytest
import triton
import triton.language as tl
from triton import testing
from triton.backends.compiler import GPUTarget
from triton.runtime.driver import driver


@triton.jit
def fill(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, 1.0, mask=i < n)


class Gpu:
    """The facts of an H200, in place of its driver."""

    class utils:
        @staticmethod
        def get_device_properties(device):
            assert device == 0
            return {"multiprocessor_count": 132, "mem_clock_rate": 3201000, "mem_bus_width": 6144, "max_shared_mem": 1}

    def __init__(self, capability=(9, 0)):
        self.capability = capability

    def get_current_target(self):
        return GPUTarget("cuda", self.capability[0] * 10 + self.capability[1], 32)

    def get_current_device(self):
        return 0

    def get_device_capability(self, device=0):
        return self.capability


@pytest.fixture
def gpu(monkeypatch):
    monkeypatch.setattr(driver, "_active", Gpu())


def test_time_of_the_kernels_alone():
    x = np.zeros(1 << 16, np.float32)

    def work():
        sum(range(200_000))  # which takes longer than the kernel
        fill[(64,)](x, x.size, BLOCK=1024)

    whole = testing.do_bench(work, warmup=1, rep=20, return_mode="min")
    kernels = testing.do_bench_proton(work, warmup=0.1, rep=1, return_mode="min")
    assert 0 < kernels < whole / 2
    assert len(testing.do_bench_proton(work, warmup=0, rep=0, quantiles=[0.5, 0.9])) == 2
    assert not triton.knobs.runtime.launch_enter_hook and not triton.knobs.runtime.launch_exit_hook
    with pytest.raises(RuntimeError, match="launches no kernel"):
        testing.do_bench_proton(lambda: None)
    with pytest.raises(AssertionError, match="average"):
        testing.do_bench_proton(work, return_mode="average")


def test_graphs_need_a_gpu():
    with pytest.raises(RuntimeError, match="needs a GPU"):
        testing.do_bench_cudagraph(lambda: None)
    with pytest.raises(RuntimeError, match="profiler"):
        testing.do_bench_cudagraph_proton(lambda: None)


def test_no_collection_while_a_graph_is_captured(monkeypatch):
    import contextlib

    seen = []

    @contextlib.contextmanager
    def graph(name, **options):
        seen.append((name, options))
        yield

    torch = types.ModuleType("torch")
    torch.cuda = types.SimpleNamespace(graph=graph)
    monkeypatch.setitem(sys.modules, "torch", torch)
    assert gc.isenabled()
    with pytest.raises(KeyError):
        with testing.cuda_graph_without_gc("graph", stream=3):
            assert not gc.isenabled() and seen == [("graph", {"stream": 3})]
            raise KeyError
    assert gc.isenabled()


def test_peaks(gpu):
    """The values that Triton 3.9 gives for the same facts."""
    assert testing.get_dram_gbps() == pytest.approx(4916.736) == testing.get_dram_gbps(0)
    unit = 132 * 1980000 * 1e-9
    for dtype, rate in ((tl.float16, 2048), (np.dtype("float32"), 1024), ("bfloat16", 2048), (tl.int8, 4096)):
        assert testing.get_max_tensorcore_tflops(dtype, 1980000) == pytest.approx(rate * unit)
    for dtype, rate in ((tl.float32, 128), ("torch.float16", 256)):
        assert testing.get_max_simd_tflops(dtype, 1980000, 0) == pytest.approx(rate * unit)
    for peak in (testing.get_max_tensorcore_tflops, testing.get_max_simd_tflops):
        with pytest.raises(RuntimeError, match="fp64"):
            peak(tl.float64, 1980000)
    driver.active.capability = (7, 0)
    assert testing.get_max_tensorcore_tflops(tl.float16, 1e6) == pytest.approx(1024 * 0.132)


def test_peaks_of_the_processor():
    with pytest.raises(RuntimeError, match="NVIDIA GPUs"):
        testing.get_dram_gbps()


def install_smi(tmp_path, monkeypatch, clocks="1350, 1215"):
    log = tmp_path / "log"
    program = tmp_path / "nvidia-smi"
    program.write_text(
        f'#!/bin/sh\necho "$@" >> {log}\ncase "$*" in *--query-gpu=clocks*) echo "{clocks}";; *power*) exit 9;; esac\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return log


def test_clocks(gpu, tmp_path, monkeypatch):
    log = install_smi(tmp_path, monkeypatch)
    assert testing.nvsmi(["clocks.current.sm", "clocks.current.memory"]) == [1350, 1215]
    with testing.set_gpu_clock() as (tflops, bandwidth):
        assert tflops == pytest.approx(2048 * 132 * 1350e-6) and bandwidth == pytest.approx(6144 * 1215 * 2 / 8e3)
    lines = log.read_text().splitlines()
    assert "-i 0 --lock-gpu-clocks=1350,1350" in lines and lines[-1] == "-i 0 --reset-memory-clocks"
    with pytest.raises(RuntimeError, match="power"):
        testing.nvsmi(["power"])
    install_smi(tmp_path, monkeypatch, clocks="900, 1215")
    with pytest.raises(AssertionError, match="900 MHz"):
        with testing.set_gpu_clock():
            pass


def test_clocks_without_the_program(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match="nvidia-smi"):
        testing.nvsmi(["clocks.sm"])


def test_checker_of_memory(gpu, tmp_path, monkeypatch, request):
    """A stand-in for the checker notes its arguments; it fails for the test of this name."""
    program = tmp_path / "compute-sanitizer"
    program.write_text(
        '#!/bin/sh\ncase "$*" in *fails*) exit 3;; esac\necho "$@"\necho "ERROR SUMMARY: $ERRORS errors"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setenv("ERRORS", "0")
    ran = []

    @testing.cuda_memcheck(size=3)
    def check(size, request):
        ran.append(size)

    check(size=2, request=request)
    check(size=3, request=request)
    assert ran == [2]
    with pytest.raises(AssertionError, match="`request`"):
        check(size=3)
    monkeypatch.setenv("ERRORS", "2")
    with pytest.raises(AssertionError, match="found errors"):
        check(size=3, request=request)
    monkeypatch.setattr(driver, "_active", None)
    check(size=3, request=request)
    assert ran == [2, 3]


def test_the_library_to_compare_products_with():
    from triton._compile_warmup import compile_warmup_only

    triton.testing.cublas.cache_clear()
    with compile_warmup_only():
        assert triton.testing.cublas() is None
    triton.testing.cublas.cache_clear()
    assert callable(triton.testing.cublas().matmul) and triton.testing.cublas() is triton.testing.cublas()


def test_questions_of_tests_about_the_machine(gpu, monkeypatch):
    from triton import _internal_testing as machine

    assert machine.is_cuda() and machine.is_hopper() and machine.supports_tma() and machine.is_ampere_or_newer()
    assert not (machine.is_hip() or machine.is_blackwell() or machine.is_hip_cdna() or machine.is_interpreter())
    monkeypatch.setattr(driver, "_active", Gpu((10, 3)))
    assert machine.is_blackwell() and machine.is_blackwell_ultra() and not machine.is_hopper()


def test_fresh_settings_end():
    from triton._internal_testing import _fresh_knobs_impl

    with triton.knobs.compilation.scope(), triton.knobs.language.scope():
        triton.knobs.compilation.always_compile = triton.knobs.language.default_fp_fusion = True
        begin, end = _fresh_knobs_impl({"language"})
        assert not begin().compilation.always_compile and triton.knobs.language.default_fp_fusion
        end()
        assert triton.knobs.compilation.always_compile


def test_libraries_of_vendors():
    from triton._C.libtriton import amd, nvidia

    assert nvidia.cublas.CublasLt(None).workspace is None and amd.hipblas.HipblasLt
    with pytest.raises(ImportError):
        from triton._C.libtriton import intel  # noqa: F401
