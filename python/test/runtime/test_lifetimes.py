"""What lives how long: variants that are forgotten during a launch, kernels in circles of references."""

import gc
import pathlib
import threading
import weakref

import numpy as np
import pytest
import triton
import triton.language as tl
from programs import run


@triton.jit
def fill_kernel(x, value, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(x + i, value)


def test_variants_forgotten_by_the_grid_function():
    x = np.zeros(64, np.float32)

    def grid(arguments):
        fill_kernel.device_caches.clear()
        gc.collect()
        return (4,)

    for value in (1.5, 2.5, 3.5):
        kernel = fill_kernel[grid](x, value, N=16)
        assert (x == value).all() and kernel.name == "fill_kernel"


def test_variants_forgotten_by_a_launch_hook():
    x = np.zeros(64, np.float32)
    forget = lambda data: fill_kernel.device_caches.clear()
    triton.knobs.runtime.launch_enter_hook.add(forget)
    try:
        fill_kernel[(4,)](x, 2.5, N=16)
    finally:
        triton.knobs.runtime.launch_enter_hook.remove(forget)
    assert (x == 2.5).all()


def test_variants_forgotten_by_another_thread():
    @triton.jit
    def slow_kernel(x, n):
        total = 0.0
        for i in range(n):
            total = total * 0.5 + tl.load(x + i % 16)
        tl.store(x + 16 + tl.program_id(0) % 16, total)

    x = np.ones(32, np.float32)
    slow_kernel[(1,)](x, 5)
    done = threading.Event()

    def forget():
        while not done.is_set():
            slow_kernel.device_caches.clear()
            gc.collect()

    thread = threading.Thread(target=forget)
    thread.start()
    for _ in range(5):
        slow_kernel[(64,)](x, 100_000)
    done.set()
    thread.join()
    np.testing.assert_allclose(x[16:], 2.0)


def test_comparison_of_a_captured_value_that_forgets_the_variants():
    """A captured value that compares by Python code is compared at each launch once it is another object."""

    class Name(str):
        __hash__ = str.__hash__

        def __eq__(self, other):
            kernel.device_caches.clear()
            gc.collect()
            return str(self) == str(other)

    scale = tl.constexpr(Name("three"))

    @triton.jit
    def kernel(x):
        if scale == "three":
            tl.store(x, 3.0)

    x = np.zeros(1, np.float32)
    kernel[(1,)](x)
    for _ in range(3):
        scale = tl.constexpr(Name("three"))
        try:
            kernel[(1,)](x)
        except RuntimeError as error:  # constexpr compares to another constexpr, which is true
            assert "has changed" in str(error)
    assert x[0] == 3.0


def make_recursive_kernel():
    @triton.jit
    def countdown(x, n: tl.constexpr):
        tl.store(x + n, n)
        if n > 0:
            countdown(x, n - 1)

    return countdown


def make_capturing_kernel():
    size = tl.constexpr(4)

    @triton.jit
    def kernel(x, n: tl.constexpr):
        tl.store(x + tl.arange(0, size), n)

    kernel.itself = size.kernel = kernel  # a circle through a captured value
    return kernel


def make_hooked_kernel():
    @triton.jit
    def kernel(x, n: tl.constexpr):
        tl.store(x, n)

    kernel.add_pre_run_hook(lambda *args, **keywords: kernel)
    return kernel


@pytest.mark.parametrize("make", [make_recursive_kernel, make_capturing_kernel, make_hooked_kernel])
def test_kernels_in_circles_are_collected(make):
    kernel = make()
    x = np.zeros(8, np.int32)
    kernel[(1,)](x, 3)
    assert x.any()
    reference = weakref.ref(kernel)
    del kernel
    gc.collect()
    assert reference() is None


def test_kernels_work_after_a_collection():
    kernel = make_recursive_kernel()
    for n in (2, 4, 6):
        x = np.zeros(8, np.int32)
        kernel[(1,)](x, n)
        np.testing.assert_array_equal(x[: n + 1], np.arange(n + 1))
        gc.collect()
        kernel.device_caches.clear()
        gc.collect()


FAKE_CUDA = pathlib.Path(triton.__file__).parents[2] / "src/backends/nvidia/test/libtritonFakeCuda.so"


def test_exceptions_of_the_driver_become_pythons(tmp_path):
    """The stand-in driver refuses to name its context, as a real one does after a kernel has failed."""
    text = """
import os
import numpy as np, triton, triton.language as tl

@triton.jit
def kernel(x):
    tl.store(x, 1.0)

triton.runtime.driver.active.get_current_target()
os.environ["FAKE_CUDA_CONTEXT_FAILURE"] = "700"
try:
    kernel[(1,)](np.zeros(4, np.float32))
except RuntimeError as error:
    print(type(error).__name__, "CUDA_ERROR_ILLEGAL_ADDRESS" in str(error))
"""
    output, _ = run(tmp_path, text, TRITON_LIBCUDA_PATH=str(FAKE_CUDA), TRITON_DEFAULT_BACKEND="nvidia")
    assert output.split() == ["RuntimeError", "True"]
