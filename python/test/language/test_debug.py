"""Printing and asserting, while compiling and while running."""

import numpy as np
import programs
import pytest
import triton
import triton.language as tl


@triton.jit
def static_kernel(x_ptr, N: tl.constexpr):
    tl.static_print("size", N, "of", x_ptr.dtype)
    tl.static_assert(N > 2, "too small")
    tl.store(x_ptr, N)


def test_static_print_and_assert(device, capfd, fresh_cache):
    x = np.zeros(1, np.int32)
    static_kernel[(1,)](x, N=3)
    assert x[0] == 3
    output = capfd.readouterr().out
    assert "size 3 of pointer<" in output
    with pytest.raises(triton.compiler.CompileTimeAssertionFailure, match="too small"):
        static_kernel[(1,)](x, N=2)


@triton.jit
def print_kernel(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.device_print("value", x)
    tl.device_print("scalar", n, n + 1)
    tl.device_print("only text")
    print("python print", n)


def test_device_print(device, capfd):
    x = np.array([1.5, -2.0, 3.25, 0.0], np.float32)
    print_kernel[(1,)](x, 42, BLOCK=4)
    output = capfd.readouterr().out
    for text in ("value", "1.5", "-2", "3.25", "scalar", "42", "43", "only text", "python print"):
        assert text in output, output
    assert "(0, 0, 0)" in output


@triton.jit
def hex_kernel(x_ptr):
    tl.device_print("bits", tl.load(x_ptr), hex=True)


def test_device_print_in_hexadecimal(device, capfd):
    hex_kernel[(1,)](np.array([0xBEEF], np.int32))
    assert "beef" in capfd.readouterr().out.lower()


@triton.jit
def assert_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=-1)
    tl.device_assert(x >= 0, "negative element", mask=i < n)
    tl.store(out_ptr + i, x, mask=i < n)


def test_device_assert_holds_only_in_debug(host_device):
    x, out = np.arange(20, dtype=np.int32), np.zeros(20, np.int32)
    assert_kernel[(2,)](x, out, 20, BLOCK=16, debug=True)
    np.testing.assert_array_equal(out, x)
    x[7] = -3
    assert_kernel[(2,)](x, out, 20, BLOCK=16)  # without debug nothing is checked
    assert out[7] == -3
    with pytest.raises(RuntimeError, match="negative element") as failure:
        assert_kernel[(2,)](x, out, 20, BLOCK=16, debug=True)
    assert "test_debug.py" in str(failure.value)
    x[7] = 3
    assert_kernel[(2,)](x, out, 20, BLOCK=16, debug=True)  # the process goes on


@triton.jit
def python_assert_kernel(x):
    assert x > 0, "must be positive"


def test_assert_statement(host_device):
    python_assert_kernel[(1,)](5, debug=True)
    with pytest.raises(RuntimeError, match="must be positive"):
        python_assert_kernel[(1,)](-5, debug=True)


def test_debug_of_the_decorator(host_device):
    @triton.jit(debug=True)
    def kernel(x):
        tl.device_assert(x > 0, "decorated")

    with pytest.raises(RuntimeError, match="decorated"):
        kernel[(1,)](-5)


FAILING = """
import triton, triton.language as tl
from triton.runtime.driver import driver
@triton.jit
def kernel(x):
    tl.device_assert(x > 0, "must be positive")
kernel[(1,)](5, debug=True)
kernel[(1,)](-5)
driver.active.get_device_interface().synchronize()
print("so far")
kernel[(1,)](-5, debug=True)
driver.active.get_device_interface().synchronize()
"""


def test_failed_assertion_ends_a_program(device, tmp_path):
    """In a process of its own: no other kernel runs on a GPU's context after that."""
    process = programs.start(tmp_path, FAILING, **device.environment)
    output, errors = process.communicate(timeout=programs.PATIENCE)
    assert "so far" in output, errors
    assert process.returncode != 0 and "must be positive" in errors, errors


@triton.jit
def checked_load(x_ptr, i):
    tl.device_assert(i < 3, "too far")
    return tl.load(x_ptr + i)


@triton.jit
def assert_in_function_kernel(x_ptr, out_ptr):
    tl.store(out_ptr + tl.arange(0, 4), checked_load(x_ptr, tl.arange(0, 4)))


def test_assert_in_an_inlined_function(host_device):
    x = np.arange(4, dtype=np.float32)
    with pytest.raises(RuntimeError, match="too far"):
        assert_in_function_kernel[(1,)](x, np.zeros_like(x), debug=True)
