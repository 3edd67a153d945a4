"""`triton.freeze`: launches that would wait for the compiler are refused, with what is new about them."""

import concurrent.futures
import os

import numpy as np
import pytest
import triton
import triton.language as tl


@triton.jit
def fill(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, n, mask=i < n)


@pytest.fixture
def frozen():
    fill.device_caches.clear()
    fill[(1,)](np.zeros(64, np.float32), 16, BLOCK=16)
    yield triton.freeze
    triton.unfreeze()


def refused(*arguments, **options):
    with pytest.raises(triton.FrozenError) as error:
        fill[(1,)](*arguments, **options)
    return str(error.value)


def test_known_variants_run(frozen):
    frozen()
    x = np.zeros(64, np.float32)
    fill[(1,)](x, 32, BLOCK=16)
    assert (x[:16] == 32).all()


def test_what_is_new_is_named(frozen):
    frozen()
    x = np.zeros(64, np.float32)
    text = refused(x, 7, BLOCK=16)
    assert os.path.basename(__file__) in text.splitlines()[0]
    assert "`fill`" in text and "`n` = 7 is i32, there i32, divisible by 16" in text
    assert "name ['n'] in `do_not_specialize`" in text
    text = refused(x, 32, BLOCK=32)
    assert "`BLOCK` is 32, there 16" in text and "do_not_specialize" not in text
    assert "`x` is *i32, divisible by 16, there *fp32, divisible by 16" in refused(x.view(np.int32), 32, BLOCK=16)
    assert "`num_warps` is 8, there not given" in refused(x, 32, BLOCK=16, num_warps=8)
    assert not x.any()


def test_the_first_variant_and_warmup(frozen):
    fill.device_caches.clear()
    frozen()
    x = np.zeros(64, np.float32)
    assert "has no variant yet" in refused(x, 32, BLOCK=16)
    fill.warmup(x, 32, BLOCK=16, grid=(1,))
    fill[(1,)](x, 32, BLOCK=16)
    assert x[0] == 32


def test_the_end_of_a_freeze(frozen):
    frozen()
    triton.unfreeze()
    x = np.zeros(64, np.float32)
    fill[(1,)](x, 7, BLOCK=16)
    assert x[6] == 7


def test_warnings_in_place_of_errors(frozen):
    frozen("warn")
    x = np.zeros(64, np.float32)
    with pytest.warns(UserWarning, match="needs a variant that is not compiled"):
        fill[(1,)](x, 7, BLOCK=16)
    assert x[6] == 7
    with pytest.raises(ValueError, match='must be one of "raise", "warn", "log"'):
        frozen("stop")


def test_log_lines_in_place_of_errors(frozen, caplog):
    frozen("log")
    x = np.zeros(64, np.float32)
    fill[(1,)](x, 7, BLOCK=16)
    (line,) = [record.message for record in caplog.records if record.name == "triton.freeze"]
    assert f"{os.path.basename(__file__)}:" in line and "`n` = 7 is i32, there i32, divisible by 16" in line
    fill[(1,)](x, 9, BLOCK=16)
    assert len([record for record in caplog.records if record.name == "triton.freeze"]) == 1


def test_a_block_ends_what_it_began(frozen):
    x = np.zeros(64, np.float32)
    with frozen("log"):
        with frozen():
            refused(x, 7, BLOCK=16)
        fill[(1,)](x, 7, BLOCK=16)
    fill[(1,)](x, 7, BLOCK=16, num_warps=2)
    assert x[6] == 7


@triton.jit
def fill_typed(x, n: tl.int32):
    tl.store(x, n)


def test_one_is_no_class_of_its_own_where_the_type_is_given(frozen):
    x = np.zeros(64, np.int32)
    fill_typed[(1,)](x, 3)
    frozen()
    fill_typed[(1,)](x, 1)
    assert x[0] == 1


def test_what_is_compiled_in_the_background_is_waited_for(frozen):
    """A launch before the end of the compilation would wait, and one after it does not."""
    x = np.zeros(64, np.float32)
    executor = Later()
    with triton.AsyncCompileMode(executor):
        future = fill.warmup(x, 7, BLOCK=16, grid=(1,))
        frozen()
        refused(x, 7, BLOCK=16)
        executor.run()
        fill[(1,)](x, 7, BLOCK=16)
    assert x[6] == 7 and future.result().name == "fill"


class Later:
    """An executor that does all of its work when it is told to."""

    def __init__(self):
        self.tasks = []

    def submit(self, function):
        self.tasks.append((concurrent.futures.Future(), function))
        return self.tasks[-1][0]

    def run(self):
        for future, function in self.tasks:
            future.set_result(function())


def test_tuning_runs_are_refused(frozen):
    tuned = triton.autotune([triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32})], key=["n"])(fill)
    x = np.zeros(64, np.float32)
    tuned[(1,)](x, 16)
    frozen()
    tuned[(1,)](x, 16)
    with pytest.raises(triton.FrozenError, match=r"`fill` needs a tuning run for the key \(48, "):
        tuned[(1,)](x, 48)
