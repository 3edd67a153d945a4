"""Many threads that compile, launch, forget and drop kernels at the same time: every result is right, every launch is
counted, and nothing crashes. Python without a GIL runs them side by side."""

import gc
import random
import sys
import threading

import numpy as np
import pytest
import triton
import triton.language as tl

FACTOR = tl.constexpr(3)


@triton.jit
def scaled(value, factor: tl.constexpr):
    return value * factor


@triton.jit
def shared_kernel(x, out, n, shift, FACTORS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n)
    for i in tl.static_range(len(FACTORS)):
        value = scaled(value, FACTORS[i])
    tl.store(out + at, value * FACTOR + shift, mask=at < n)


def own_kernel(number):
    """A function of its own, which dies with its last user."""
    added = tl.constexpr(number)

    @triton.jit
    def kernel(x, out, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + at, tl.load(x + at, mask=at < n) + added, mask=at < n)

    return kernel


def launch_shared(rng):
    n = rng.randrange(1, 300)
    dtype = rng.choice((np.float32, np.int32, np.float64, np.int64))
    x, out = np.arange(n + 1, dtype=dtype), np.zeros(n + 1, dtype)
    start = rng.randrange(2)  # arrays that are aligned, and those that are not
    x, out = x[start : start + n], out[start : start + n]
    factors = [rng.choice((1, 2)) for _ in range(rng.randrange(3))]
    block, shift = rng.choice((64, 128)), rng.choice((1, 2, 16))
    shared_kernel[[triton.cdiv(n, block)]](x, out, n, shift, FACTORS=factors, BLOCK=block)
    assert np.array_equal(out, x * np.prod(factors, dtype=dtype) * dtype(3) + dtype(shift)), (n, dtype, factors, shift)
    return 1


def launch_own(rng):
    number, n = rng.randrange(4), rng.randrange(1, 100)
    kernel, x, out = own_kernel(number), np.arange(n, dtype=np.int32), np.zeros(n, np.int32)
    for _ in range(3):
        kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n, BLOCK=64)
    assert np.array_equal(out, x + number)
    return 3


def run_threads(threads, rounds, seed):
    """The launches that the threads made, and those that hooks have counted."""
    counted, made, failures, start = [], [], [], threading.Barrier(threads)

    def work(number):
        rng = random.Random(seed * 1000 + number)
        try:
            start.wait()
            for round in range(rounds):
                made.append(launch_own(rng) if rng.random() < 0.2 else launch_shared(rng))
                if number == 0 and round % 8 == 7:
                    shared_kernel.device_caches.clear()
                    gc.collect()
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    triton.knobs.runtime.launch_enter_hook.add(counted.append)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        running = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
        triton.knobs.runtime.launch_enter_hook.remove(counted.append)
    if failures:
        raise failures[0]
    return sum(made), len(counted)


@pytest.mark.parametrize("seed", range(2))
def test_threads_compile_and_launch(device, seed):
    if device.name != "cpu":
        pytest.skip("arrays of the host alone")
    made, counted = run_threads(threads=16, rounds=12, seed=seed)
    assert made == counted
