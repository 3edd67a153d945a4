"""Atomic loads, stores and polls."""

import time

import numpy as np
import pytest
import triton
import triton.language as tl
from triton import CompilationError
from triton.runtime.errors import InterpreterError, SimulationError


@triton.jit
def copy_kernel(source, target, n, BLOCK: tl.constexpr, SEM: tl.constexpr, SCOPE: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.atomic_load(source + i, mask=i < n, sem=None if SEM == "default" else SEM, scope=SCOPE)
    tl.atomic_store(target + i, x, mask=i < n, sem="relaxed" if SEM == "relaxed" else "release", scope=SCOPE)


TYPES = "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 bool".split()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("sem, scope", [("default", None), ("acquire", "sys"), ("relaxed", "cta")])
def test_masked_blocks_of_every_type(device, rng, dtype, sem, scope):
    x = rng.integers(0, 2, 300).astype(bool) if dtype == "bool" else (rng.standard_normal(300) * 50).astype(dtype)
    out = np.full(320, 1, dtype) if dtype == "bool" else np.full(320, 99, dtype)
    expected = np.concatenate([x, out[300:]])
    copy_kernel[(3,)](x, out, 300, BLOCK=128, SEM=sem, SCOPE=scope)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e5m2", "float8_e4m3fn"])
def test_types_that_numpy_lacks(device, rng, dtype):
    if not device.knows(dtype):
        pytest.skip("the device does not know the type")
    kind = {"bfloat16": tl.bfloat16, "float8_e5m2": tl.float8e5, "float8_e4m3fn": tl.float8e4nv}[dtype]
    x = rng.integers(0, 256, 256 * kind.itemsize).astype(np.uint8)
    if kind.itemsize == 2:
        x = x.view(np.uint16)
    if device.name == "interpret":  # Its tensors hold numbers: the bits of a NaN do not come back.
        greatest = {"bfloat16": 0x7F80, "float8_e5m2": 0x7C, "float8_e4m3fn": 0x7E}[dtype]
        x[(x & np.iinfo(x.dtype).max // 2) > greatest] = greatest
    out = np.full_like(x, 77)
    copy_kernel[(2,)](triton.reinterpret(x, kind), triton.reinterpret(out, kind), 256, BLOCK=128, SEM="default",
                      SCOPE=None)  # fmt: skip
    np.testing.assert_array_equal(out, x)


@triton.jit
def scalar_kernel(p, out):
    value = p.atomic_load()
    (out + tl.arange(0, 64)).atomic_store(value + tl.arange(0, 64))
    tl.atomic_store(out + 64, 2.5)
    tl.atomic_store(out + 65, 7, mask=value > 100)


def test_scalars_and_methods(device):
    x, out = np.full(1, 5, np.float32), np.full(66, -1, np.float32)
    scalar_kernel[(1,)](x, out)
    np.testing.assert_array_equal(out, [*(5 + np.arange(64)), 2.5, -1])


@triton.jit
def square_kernel(source, target, M: tl.constexpr, N: tl.constexpr):
    """The loaded block is used in another layout, and each element is held by several threads."""
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.atomic_load(source + i)
    tl.atomic_store(target + tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :], tl.trans(x))


@pytest.mark.parametrize("m, n", [(2, 4), (16, 32)])
def test_elements_that_many_threads_hold(device, rng, m, n):
    x = rng.integers(0, 1000, (m, n)).astype(np.int32)
    out = np.full((n, m), -1, np.int32)
    square_kernel[(1,)](x, out, M=m, N=n)
    np.testing.assert_array_equal(out, x.T)


@triton.jit
def chain_kernel(data, flags, BLOCK: tl.constexpr, SEM: tl.constexpr):
    """Each program waits for the one before it, adds to what that one wrote, and passes it on."""
    program = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    if program > 0:
        tl.atomic_poll(flags + program - 1, 1, sem="relaxed" if SEM == "relaxed" else None)
    before = tl.load(data + program * BLOCK + i)
    tl.store(data + (program + 1) * BLOCK + i, before + i)
    tl.atomic_store(flags + program, 1, sem="relaxed" if SEM == "relaxed" else None)


def test_polls_pass_data_on(device, rng):
    x = rng.integers(0, 1000, 256).astype(np.int32)
    data = np.full((21, 256), -1, np.int32)
    data[0] = x
    chain_kernel[(20,)](data, np.zeros(20, np.int16), BLOCK=256, SEM="release")
    np.testing.assert_array_equal(data, x + np.arange(21)[:, None] * np.arange(256))


@triton.jit
def late_kernel(flags, data, out, BLOCK: tl.constexpr):
    """The first program waits for those that come after it."""
    i = tl.arange(0, BLOCK)
    if tl.program_id(0) == 0:
        reached = tl.atomic_poll(flags + i, i + 1, timeout_ns=3_600_000_000_000)
        tl.store(out + i, tl.load(data + i) + reached.to(tl.int32))
    elif tl.program_id(0) == 1:
        tl.store(data + i, i * 3)
        tl.atomic_store(flags + i, i + 1)


def test_programs_may_wait_for_later_ones(device):
    if not device.is_simulated:
        pytest.skip("the processor need not run programs beside one another, nor the interpreter")
    data, out = np.full(64, -1, np.int32), np.full(64, -1, np.int32)
    late_kernel[(2,)](np.zeros(64, np.uint64), data, out, BLOCK=64)
    np.testing.assert_array_equal(out, np.arange(64) * 3 + 1)


@triton.jit
def timeout_kernel(flags, out, timeout, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.atomic_poll(flags + i, 5, timeout_ns=timeout))
    tl.store(out + BLOCK, (flags + 1).atomic_poll(5, timeout_ns=0))
    tl.store(out + BLOCK + 1, tl.atomic_poll(flags, 5, sem="relaxed", scope="cta", timeout_ns=timeout))


@pytest.mark.parametrize("dtype", ["int16", "uint32", "int64"])
@pytest.mark.parametrize("timeout", [0, 1000, 20_000_000])
def test_timeouts(device, dtype, timeout):
    flags, out = np.full(16, 5, dtype), np.full(18, 1, np.int8)
    flags[1::2] = 4
    start = time.perf_counter_ns()
    timeout_kernel[(1,)](flags, out, timeout, BLOCK=16)
    waited = time.perf_counter_ns() - start
    np.testing.assert_array_equal(out, [*(flags == 5), False, True])
    if device.name == "cpu":
        assert waited >= timeout


@pytest.fixture
def simulated(device):
    if not device.is_simulated:
        pytest.skip("the simulator reports it")


def test_a_poll_that_can_never_end_is_a_deadlock(simulated):
    with pytest.raises(SimulationError, match="deadlock in program .* of `p` to change"):
        ordering_kernel[(2,)](np.zeros(1, np.int32), SEM="acquire", NAME="poll", SCOPE="gpu")


def test_relaxed_polls_race(simulated):
    with pytest.raises(SimulationError, match="race on global memory"):
        chain_kernel[(4,)](np.zeros(5 * 64, np.int32), np.zeros(4, np.int16), BLOCK=64, SEM="relaxed")


@triton.jit
def ordering_kernel(p, SEM: tl.constexpr, NAME: tl.constexpr, SCOPE: tl.constexpr):
    if NAME == "load":
        tl.atomic_load(p, sem=SEM, scope=SCOPE)
    elif NAME == "store":
        tl.atomic_store(p, 1, sem=SEM, scope=SCOPE)
    else:
        tl.atomic_poll(p, 1, sem=SEM, scope=SCOPE)


@pytest.mark.parametrize("name, sem", [("load", "release"), ("store", "acquire"), ("poll", "acq_rel")])
def test_orderings_that_an_access_cannot_have(device, name, sem):
    with pytest.raises((CompilationError, InterpreterError), match="`sem`.* (cannot|must) be"):
        ordering_kernel[(1,)](np.zeros(1, np.int32), SEM=sem, NAME=name, SCOPE=None)


@triton.jit
def poll_kernel(p, timeout, TIMEOUT: tl.constexpr):
    tl.atomic_poll(p, 1, timeout_ns=timeout if TIMEOUT is None else TIMEOUT)


@pytest.mark.parametrize(
    "dtype, timeout, constant, message",
    [
        ("float32", 1, None, "`tl.atomic_poll`.*integers"),
        ("int8", 1, None, "`tl.atomic_poll`.*integers"),
        ("int32", 1.5, None, "timeout_ns"),
        ("int32", 1, -1, "timeout_ns"),
    ],
)
def test_what_a_poll_refuses(device, dtype, timeout, constant, message):
    with pytest.raises((CompilationError, InterpreterError), match=message):
        poll_kernel[(1,)](np.ones(1, dtype), timeout, TIMEOUT=constant)
