"""The package itself: what importing costs, its names, settings and hooks."""

import importlib
import os
import re
import subprocess
import sys

import numpy as np
import packaging.version
import pytest
import shared_kernels
import triton
import triton.language as tl
from shared_kernels import one_kernel
from triton.tools.tensor_descriptor import TensorDescriptor


def in_new_process(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_import_loads_neither_numpy_nor_slow_modules_of_python():
    """The second row is what makes most of the time of an import that needs them; a kernel's decorator may."""
    unwanted = {"numpy", "torch"}
    unwanted |= {"dataclasses", "difflib", "hashlib", "inspect", "json", "re", "subprocess", "tempfile", "typing"}
    code = "import sys; before = {*sys.modules}; import triton, triton.language; print(*{*sys.modules} - before)"
    assert not unwanted & {*in_new_process(code).split()}


def test_what_the_import_loads():
    """Whoever adds a module here makes every program that imports the package start later."""
    code = "import sys; before = {*sys.modules}; import triton; print(*{*sys.modules} - before)"
    loaded = {name.partition("triton.")[2] for name in in_new_process(code).split() if name.startswith("triton.")}
    compiler = {f"compiler.{name}" for name in ("compiler", "errors", "sources")} | {"compiler"}
    backends = {"backends", "backends.active", "backends.registry"}
    launching = {"_arguments", "_kernel_interface", "_kernel_source", "_specialization", "_specialization_data"}
    runtime = {
        f"runtime.{name}" for name in launching | {"_code_names", "_compile_time", "_forks", "driver", "errors", "jit"}
    } | {"runtime"}
    settings = {"_function_classes", "_utils", "_version", "errors", "knobs"}
    assert {name for name in loaded if not name.startswith("_C")} == backends | compiler | runtime | settings


def test_what_is_imported_late():
    code = """
import triton
assert triton.backends.compiler.GPUTarget("cpu", "x86_64", 0).backend == "cpu"
assert triton.backends.BaseBackend is triton.backends.compiler.BaseBackend
assert triton.knobs.CompileTimes(1, [("a", 2)], 3).total == 6 and triton.knobs.JITHook
backends = triton.backends.backends
assert [backend.compiler.__name__ for backend in backends.values()] == ["CPUBackend", "CUDABackend", "HIPBackend"]
assert [backend.name for backend in backends.values() if backend.simulator] == ["nvidia", "amd"]
for owner in (triton.backends, triton.knobs):
    assert not hasattr(owner, "nothing")
"""
    in_new_process(code)


def test_modules_are_there_without_being_imported():
    """Programs of Triton name modules that its own import has loaded."""
    code = """
import triton
assert triton.backends.nvidia.compiler.CUDABackend and triton.backends.nvidia.driver.CudaDriver
assert triton.backends.amd.compiler.HIPBackend and triton.backends.amd.driver.HIPDriver
assert triton.runtime._allocation.set_allocator and triton.runtime.build.compile_module_from_src
assert triton._instrumentation and triton._C.libtriton.linear_layout.LinearLayout is triton.tools.LinearLayout
for module in (triton, triton.runtime, triton.backends.nvidia, triton.backends.amd, triton._C.libtriton):
    assert not hasattr(module, "nothing")
"""
    in_new_process(code)


def test_a_launch_imports_the_backend_that_it_needs():
    code = f"""
import sys, numpy
sys.path.insert(0, {os.path.dirname(shared_kernels.__file__)!r})
from shared_kernels import one_kernel
x = numpy.zeros(1, numpy.float32)
one_kernel[(1,)](x)
assert x[0] == 1
print(*[name for name in sys.modules if name.startswith("triton.backends.") and name.endswith(".compiler")])
"""
    assert {*in_new_process(code).split()} == {"triton.backends.compiler", "triton.backends.cpu.compiler"}


def test_programs_that_also_have_kernels_in_gluon_can_be_imported():
    from triton.experimental import gluon
    from triton.experimental.gluon import language as gl

    @gluon.jit
    def kernel(x, BLOCK: gl.constexpr):
        """In another language."""

    assert gl.float32 is tl.float32 and kernel.__doc__ == "In another language."
    assert isinstance(gluon.jit(do_not_specialize=["x"])(kernel.fn), type(kernel))
    assert not isinstance(kernel, gl.SharedLinearLayout) and gl.SharedLinearLayout is gl.SharedLinearLayout
    assert isinstance(kernel, gluon.GluonJITFunction)


# Names outside of Triton's public interface that libraries import: PyTorch, vLLM, FlagGems, flashinfer, Helion.
IMPORTED_BY_LIBRARIES = [
    "_C.libtriton.get_cache_invalidating_env_vars",
    "backends.amd.compiler.GPUTarget",
    "backends.amd.compiler.get_min_dot_size",
    "backends.nvidia.compiler.GPUTarget",
    "backends.nvidia.compiler.get_ptxas",
    "compiler.compiler.get_cache_invalidating_env_vars",
    "compiler.compiler.get_cache_manager",
    "experimental.gluon.aggregate",
    "experimental.gluon.constexpr_function",
    "language.core._aggregate",
    "language.core._unwrap_if_constexpr",
    "runtime.cache.knobs",
    "runtime.jit.find_paths_if",
    "runtime.jit.get_iterable_path",
    "testing._summarize_statistics",
]


@pytest.mark.parametrize("name", IMPORTED_BY_LIBRARIES)
def test_names_that_libraries_import(name):
    module, _, attribute = name.rpartition(".")
    assert getattr(importlib.import_module(f"triton.{module}"), attribute) is not None


def test_variables_that_decide_what_is_compiled(monkeypatch):
    from triton._C.libtriton import get_cache_invalidating_env_vars

    monkeypatch.setenv("TRITON_F32_DEFAULT", "ieee")
    monkeypatch.setenv("TRITON_CACHE_DIR", "/nowhere")
    variables = get_cache_invalidating_env_vars()
    assert variables["TRITON_F32_DEFAULT"] == "ieee" and "TRITON_CACHE_DIR" not in variables
    monkeypatch.delenv("TRITON_F32_DEFAULT")
    assert "TRITON_F32_DEFAULT" not in get_cache_invalidating_env_vars()


def test_assembler_of_a_capability():
    from triton.backends.nvidia.compiler import get_ptxas

    for capability in (90, 100):
        assert get_ptxas(capability).path and int(get_ptxas(capability).version.split(".")[0]) >= 12


def test_names():
    for name in triton.__all__:
        assert getattr(triton, name) is not None
    for module in ("language", "runtime", "testing", "tools", "backends", "compiler", "errors", "knobs"):
        assert getattr(triton, module).__name__ == f"triton.{module}"
    with pytest.raises(AttributeError):
        triton.nothing  # noqa: B018
    assert "set_allocator" in vars(triton), "PyTorch asks for it at every launch"
    assert issubclass(triton.CompilationError, triton.TritonError)
    assert issubclass(triton.OutOfResources, triton.TritonError)
    assert "required: 5" in str(triton.OutOfResources(5, 3, "shared memory"))


def test_host_functions():
    assert [triton.cdiv(a, b) for a, b in ((0, 4), (1, 4), (4, 4), (5, 4))] == [0, 1, 1, 2]
    assert [triton.next_power_of_2(n) for n in (1, 2, 3, 4, 5, 1000)] == [1, 2, 4, 4, 8, 1024]
    assert isinstance(triton.cdiv(tl.constexpr(5), 4), int)


def test_builtins_refuse_plain_python():
    with pytest.raises(ValueError):
        tl.arange(0, 4)
    with pytest.raises(ValueError):
        tl.load(None)


def test_driver():
    driver = triton.runtime.driver.active
    target = driver.get_current_target()
    assert (target.backend, target.arch, target.warp_size) == ("cpu", "x86_64", 0)
    assert driver.get_current_device() == 0 and driver.get_current_stream(0) == 0 and driver.is_active()
    assert driver.get_benchmarker() is triton.testing.do_bench
    driver.get_device_interface().synchronize()
    assert driver.utils.get_device_properties(0)["max_shared_mem"] == 0
    assert triton.runtime.driver.get_active_gpus() == []


def test_launch_hooks():
    x, calls = np.zeros(1, np.float32), []
    enter = lambda data: calls.append(("enter", data.get()["name"]))
    leave = lambda data: calls.append(("exit", data.get()["name"]))
    triton.knobs.runtime.launch_enter_hook.add(enter)
    triton.knobs.runtime.launch_exit_hook.add(leave)
    try:
        one_kernel[(1,)](x)
    finally:
        triton.knobs.runtime.launch_enter_hook.remove(enter)
        triton.knobs.runtime.launch_exit_hook.remove(leave)
    one_kernel[(1,)](x)
    assert calls == [("enter", "one_kernel"), ("exit", "one_kernel")]


def test_launch_metadata():
    seen = []

    @triton.jit(launch_metadata=lambda grid, metadata, args: {"flops": args["n"] * 2, "grid": grid})
    def kernel(x, n):
        tl.store(x, n)

    triton.knobs.runtime.launch_enter_hook = lambda data: seen.append(data.get())
    try:
        kernel[(1,)](np.zeros(1, np.float32), 21)
    finally:
        triton.knobs.runtime.launch_enter_hook = None
    assert seen[0]["flops"] == 42 and seen[0]["grid"] == (1,) and seen[0]["name"] == "kernel"


def test_compile_hooks():
    seen = []
    kernel = triton.jit(one_kernel.fn)
    x = np.zeros(1, np.float32)
    with triton.knobs.runtime.scope():
        triton.knobs.runtime.jit_cache_hook = lambda **facts: seen.append(facts) or True
        assert kernel[(1,)](x) is None and x[0] == 0
        triton.knobs.runtime.jit_cache_hook = lambda **facts: seen.append(facts) and False
        triton.knobs.runtime.jit_post_compile_hook = lambda **facts: seen.append("after")
        kernel[(1,)](x)
    assert x[0] == 1 and seen[-1] == "after" and seen[0]["fn"].name == "one_kernel"
    assert seen[0]["compile"]["signature"] == {"x": "*fp32"} and not seen[0]["is_manual_warmup"]


def test_settings(monkeypatch):
    knobs = triton.knobs
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "yes")
    assert knobs.compilation.always_compile is True
    with knobs.compilation.scope():
        knobs.compilation.always_compile = False
        assert os.environ["TRITON_ALWAYS_COMPILE"] == "0"
        knobs.compilation.always_compile = knobs.env
        assert knobs.compilation.always_compile is False
    assert knobs.compilation.always_compile is True and os.environ["TRITON_ALWAYS_COMPILE"] == "yes"
    assert knobs.cache.copy().dir == os.environ["TRITON_CACHE_DIR"]
    monkeypatch.setenv("TRITON_CACHE_MANAGER", "nowhere")
    with pytest.raises(RuntimeError, match="module:Class"):
        knobs.cache.manager_class  # noqa: B018
    assert "dump_ir" in knobs.compilation.knobs


def test_debug_setting(monkeypatch):
    @triton.jit
    def kernel(x):
        tl.device_assert(x > 0, "positive")

    kernel[(1,)](-5)
    monkeypatch.setenv("TRITON_DEBUG", "1")
    triton.knobs.refresh_knobs()
    try:
        with pytest.raises(RuntimeError, match="positive"):
            kernel[(1,)](-5)
    finally:
        monkeypatch.delenv("TRITON_DEBUG")
        triton.knobs.refresh_knobs()
    kernel[(1,)](-5)


def test_non_constexpr_globals(monkeypatch):
    value = 7

    @triton.jit
    def kernel(x):
        tl.store(x, value)

    x = np.zeros(1, np.int32)
    with pytest.raises(triton.CompilationError, match="constexpr"):
        kernel[(1,)](x)
    monkeypatch.setenv("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS", "1")
    kernel[(1,)](x)
    assert x[0] == 7


def test_reinterpret():
    bits = np.array([0x3F80, 0x4000], np.uint16)
    wrapped = triton.reinterpret(bits, tl.bfloat16)
    assert wrapped.data_ptr() == bits.ctypes.data and wrapped.shape == (2,) and wrapped.element_size() == 2
    assert triton.reinterpret(wrapped, tl.uint16) is bits
    with pytest.raises(TypeError):
        triton.reinterpret([1, 2], tl.float32)


def aligned(shape):
    data = np.zeros(int(np.prod(shape)) + 16, np.float32)
    start = -data.ctypes.data % 64 // 4
    return data[start : start + int(np.prod(shape))].reshape(shape)


def test_tensor_descriptor():
    base = aligned((8, 16))
    descriptor = TensorDescriptor.from_tensor(base, [4, 8])
    assert descriptor.shape == [8, 16] and descriptor.strides == [16, 1] and descriptor.block_shape == [4, 8]
    with pytest.raises(ValueError):
        TensorDescriptor.from_tensor(base, [3, 8])
    with pytest.raises(AssertionError):
        TensorDescriptor(base, [8, 16], [16, 2], [4, 8])
    with pytest.raises(AssertionError):
        TensorDescriptor.from_tensor(base, [4, 8], padding="one")
    with pytest.raises(triton.CompilationError, match="does not take a tensor descriptor"):
        one_kernel[(1,)](descriptor)


def test_mock_tensor():
    assert triton.MockTensor("float32", [2, 3, 4]).stride() == (12, 4, 1)
    assert triton.MockTensor.data_ptr() == 0


def test_allocator():
    from triton.runtime import _allocation

    with pytest.raises(RuntimeError, match="set_allocator"):
        _allocation.allocate(16, 8)
    triton.set_allocator(lambda size, alignment, stream: np.zeros(size, np.int8))
    assert _allocation.allocate(16, 8).size == 16
    triton.set_allocator(None)


def test_version():
    """The base is Triton's release; the commit follows where git knew it. Everything that is built says the same."""
    assert re.fullmatch(r"3\.9\.0\+nereid(\.g[0-9a-f]{7,})?", triton.__version__)
    version = packaging.version.parse(triton.__version__)
    assert version.release == (3, 9, 0) and version >= packaging.version.parse("3.9.0")
    kernel = one_kernel.warmup(np.zeros(1, np.float32), grid=(1,))
    assert kernel.metadata.triton_version == triton.__version__
