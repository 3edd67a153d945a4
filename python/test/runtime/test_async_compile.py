"""`triton.AsyncCompileMode`: kernels that are compiled by threads and by other processes."""

import multiprocessing
import pickle
import threading
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pytest
import triton
import triton.language as tl
from programs import PATIENCE
from triton.runtime._async_compile import FutureKernel, active_mode
from triton.runtime._transport import dump

pytestmark = pytest.mark.usefixtures("host_device")

OFFSET = tl.constexpr(5)


@triton.constexpr_function
def twice(n):
    return n * 2


@triton.jit
def helper(x, depth: tl.constexpr):
    if depth == 0:
        return x + OFFSET
    return helper(x, depth - 1) * twice(1)


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr, DEPTH: tl.constexpr = 2):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, helper(tl.load(x + i, mask=i < n), DEPTH), mask=i < n)


@triton.jit
def wrong(x, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK > 100, "too small")
    tl.store(x, BLOCK)


class Inline(Executor):
    """Compiles at the call of `submit`, as another process would: the task and its result cross as bytes."""

    def __init__(self):
        self.sizes = []

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        sent = pickle.dumps(fn)
        self.sizes.append(len(sent))
        try:
            future.set_result(pickle.loads(pickle.dumps(pickle.loads(sent)())))
        except Exception as error:
            future.set_exception(error)
        return future


def check(compiled, blocks):
    for block in blocks:
        x = np.arange(100, dtype=np.float32)
        kernel[(triton.cdiv(100, block),)](x, 100, BLOCK=block)
        np.testing.assert_array_equal(x, (np.arange(100) + 5) * 4)
    assert all(future.result().asm.keys() for future in compiled)


@pytest.mark.parametrize("executor", ["threads", "inline"])
def test_warmups_are_futures(executor, fresh_cache):
    pool = ThreadPoolExecutor(2) if executor == "threads" else Inline()
    kernel.device_caches.clear()
    x = np.zeros(100, np.float32)
    with pool, triton.AsyncCompileMode(pool) as mode:
        futures = [kernel.warmup(x, 100, BLOCK=block, grid=(1,)) for block in (16, 32, 64)]
        assert all(isinstance(future, FutureKernel) for future in futures)
        assert kernel.warmup(x, 100, BLOCK=16, grid=(1,)) is futures[0]
        assert active_mode.get() is mode and len(mode.raw_futures) == 3
    assert active_mode.get() is None
    assert len({future.hash for future in futures}) == 3 and futures[0].name == "kernel"
    check(futures, (16, 32, 64))


def test_other_process(fresh_cache, monkeypatch, tmp_path):
    """Another process compiles into its own cache; this one takes the files."""
    kernel.device_caches.clear()
    x = np.zeros(100, np.float32)
    theirs = str(tmp_path / "theirs")
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context, initializer=use_cache, initargs=(theirs,)) as pool:
        with triton.AsyncCompileMode(pool):
            future = kernel.warmup(x, 100, BLOCK=128, grid=(1,))
    assert future.result()._handle.is_from_cache
    assert entries(tmp_path / "theirs") == entries(fresh_cache)
    check([future], (128,))


def entries(folder):
    """The kernels of a cache, without its own records."""
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


def use_cache(path):
    import os

    os.environ["TRITON_CACHE_DIR"] = path


def make_function(count):
    @triton.jit
    def add_count(x):
        return x + count

    return add_count


@triton.jit
def applying(x, FUNCTION: tl.constexpr):
    tl.store(x, FUNCTION(tl.load(x)))


def test_functions_of_one_definition(fresh_cache):
    """Their texts are the same, what they captured is not."""
    functions = make_function(tl.constexpr(1)), make_function(tl.constexpr(20))
    x = np.zeros(1, np.float32)
    with ThreadPoolExecutor(1) as pool, triton.AsyncCompileMode(pool) as mode:
        futures = [applying.warmup(x, FUNCTION=function, grid=(1,)) for function in functions]
        assert applying.warmup(x, FUNCTION=functions[0], grid=(1,)) is futures[0]
        assert futures[0] is not futures[1] and len(mode.raw_futures) == 2
    for function, future, expected in zip(functions, futures, (1, 20), strict=True):
        x[:] = 0
        future[(1,)](x, function)
        assert x[0] == expected
        x[:] = 0
        applying[(1,)](x, FUNCTION=function)
        assert x[0] == expected


def test_launch_waits():
    kernel.device_caches.clear()
    with ThreadPoolExecutor(1) as pool, triton.AsyncCompileMode(pool):
        check([], (256,))
        x = np.zeros(100, np.float32)
        future = kernel.warmup(x, 100, BLOCK=512, grid=(1,))
        check([future] if isinstance(future, FutureKernel) else [], (512,))


def constant_of(number):
    def constant():
        return number

    return constant


class Scale(NamedTuple):
    factor: int
    of: object


@triton.jit
def scaled(x, SCALE: tl.constexpr):
    tl.store(x, SCALE.factor)


def test_equal_constants_are_one(fresh_cache):
    """Values that were built anew; functions of one definition are not equal."""
    one, other = (triton.jit(constant_of(number)) for number in range(2))
    x = np.zeros(1, np.int32)
    scaled.device_caches.clear()
    with ThreadPoolExecutor(1) as pool, triton.AsyncCompileMode(pool) as mode:
        futures = [scaled.warmup(x, Scale(3, of), grid=(1,)) for of in (None, None, one, one, other)]
        assert futures[0] is futures[1] and futures[2] is futures[3] and len(mode.raw_futures) == 3
    before = triton.monitor.snapshot()
    scaled[(1,)](x, Scale(3, None))
    now = triton.monitor.snapshot()
    assert x[0] == 3 and now.compilations == before.compilations and now.events[-1].origin == "elsewhere"


def test_identities_of_constants():
    from triton.runtime._variants import _identities

    assert _identities((Scale(3, None), 1)) == _identities((Scale(3, None), 1)) != _identities((Scale(4, None), 1))
    assert _identities(Scale(3, None)) != _identities(Scale(3, [])) != _identities(Scale(3, []))


def test_errors():
    x = np.zeros(1, np.float32)
    wrong.device_caches.clear()
    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(triton.compiler.errors.CompileTimeAssertionFailure, match="too small"):
            with triton.AsyncCompileMode(pool):
                wrong.warmup(x, BLOCK=64, grid=(1,))
        with triton.AsyncCompileMode(pool, ignore_errors=True):
            future = wrong.warmup(x, BLOCK=64, grid=(1,))
        assert future.result(ignore_errors=True) is None
        with pytest.raises(triton.compiler.errors.CompileTimeAssertionFailure):
            future.result()
        with pytest.raises(triton.compiler.errors.CompileTimeAssertionFailure):
            wrong[(1,)](x, BLOCK=64)
        with triton.AsyncCompileMode(pool):
            with pytest.raises(RuntimeError, match="nest"):
                with triton.AsyncCompileMode(pool):
                    pass
        with pytest.raises(KeyError, match="own"):
            with triton.AsyncCompileMode(pool):
                wrong.warmup(x, BLOCK=32, grid=(1,))
                raise KeyError("own")
    assert active_mode.get() is None


def test_interface_of_the_mode():
    calls = []
    with ThreadPoolExecutor(1) as pool, triton.AsyncCompileMode(pool) as mode:
        finalize = lambda result: calls.append(("final", result))
        first = mode.submit("key", lambda: 7, finalize, calls.append)
        assert mode.submit("key", lambda: 8, finalize, calls.append) is first
        failing = mode.submit("other", lambda: 1 // 0, finalize, calls.append)
        assert failing.result(ignore_errors=True) is None and calls.pop() is failing
        mode.raw_futures.remove(failing.future)
    assert first.result() == 7 and calls == [("final", 7)] and first.bit_length() == 3
    assert triton.FutureKernel is FutureKernel
    with pytest.raises(TypeError, match="the executor is 3; it must have `submit`"):
        triton.AsyncCompileMode(3)


def test_compilations_run_side_by_side(monkeypatch):
    """The compiler releases the interpreter's lock, so that compilations of two threads overlap."""
    from triton import _C

    both = threading.Barrier(2, timeout=PATIENCE)
    ran = []
    kernel.device_caches.clear()

    def observe(**facts):
        ran.append(threading.current_thread().name)

    # The frontend asks for a constant while it compiles: both compilations are inside the compiler then.
    meeting = triton.constexpr_function(lambda n: (both.wait(), n)[1])

    @triton.jit
    def meets(x, N: tl.constexpr):
        tl.store(x, meeting(N))

    monkeypatch.setattr(triton.knobs.compilation, "listener", observe)
    x = np.zeros(1, np.float32)
    with ThreadPoolExecutor(2, thread_name_prefix="side") as pool, triton.AsyncCompileMode(pool):
        for number in (1, 2):
            meets.warmup(x, N=number, grid=(1,))
    assert len(set(ran)) == 2 and all(name.startswith("side") for name in ran) and _C.version()


def test_kernels_as_bytes():
    """Text, place, captured values, and functions that call themselves or each other survive."""
    again = pickle.loads(dump(kernel))
    assert again is not kernel and again.cache_key == kernel.cache_key and again.src == kernel.src
    assert again.fn.__globals__["helper"].fn.__globals__["helper"] is again.fn.__globals__["helper"]
    x = np.arange(10, dtype=np.float32)
    again[(1,)](x, 10, BLOCK=16, DEPTH=1)
    np.testing.assert_array_equal(x, (np.arange(10) + 5) * 2)

    def local():
        scale = tl.constexpr(3)

        @triton.jit
        def inner(x):
            tl.store(x, scale)

        return inner

    inner = pickle.loads(dump(local()))
    y = np.zeros(1, np.float32)
    inner[(1,)](y)
    assert y[0] == 3
