"""Rows that must have the same bits in any batch."""

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.audit import assert_invariant
from triton.runtime.interpreter import InterpretedFunction


@triton.jit
def total(x, out, n, PARTS: tl.constexpr, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    value = tl.load(x + row * n + i, mask=i < n, other=0)
    parts = tl.sum(tl.reshape(value, PARTS, BLOCK // PARTS), 1)
    sum = 0.0
    for part in tl.static_range(PARTS):
        sum += tl.sum(tl.where(tl.arange(0, PARTS) == part, parts, 0))
    tl.store(out + row, sum)


@triton.jit
def whole(x, out, count, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < count * n, other=0)
    all = tl.sum(value)
    for row in range(count):
        tl.store(out + row, all - tl.sum(tl.where(i // n == row, 0, value)))


def totals(choose_parts, x):
    out = np.empty(len(x), np.float32)
    total[(len(x),)](x, out, x.shape[1], PARTS=choose_parts(len(x)), BLOCK=256)
    return out


def test_invariance(device, rng):
    x = rng.standard_normal((6, 200), dtype=np.float32)
    assert_invariant(lambda x: (totals(lambda rows: 1, x), x * 2), x)
    assert_invariant(lambda x: x.cumsum(0), x, axis=1)
    with pytest.raises(AssertionError) as caught:
        assert_invariant(lambda x: totals(lambda rows: 4 if rows == 1 else 1, x), x)
    text = str(caught.value)
    assert " has other bits alone than among 6: in launch 1, of `total`, `PARTS` is 4 in place of 1" in text

    def mixed(x):
        out = np.empty(len(x), np.float32)
        whole[(1,)](x, out, len(x), x.shape[1], BLOCK=2048)
        return x, out

    with pytest.raises(AssertionError, match="row . of result 1 has other bits .*the order in which `whole` adds up"):
        assert_invariant(mixed, x)


@triton.jit
def blocked(x, out, n, BLOCK: tl.constexpr):
    row, sum = tl.program_id(0), 0.0
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        sum += tl.sum(tl.load(x + row * n + i, mask=i < n, other=0))
    tl.store(out + row, sum)


def once(call, quantiles):
    call()
    return [1.0] * len(quantiles)


def test_launches_that_measure_do_not_count(device, rng):
    """A tuned kernel measures for the whole batch alone; the launch after it is the one that differs."""
    x, out = rng.standard_normal((6, 200), dtype=np.float32), np.empty(6, np.float32)
    configs = [triton.Config({"BLOCK": size}) for size in (128, 256)]
    tuned = triton.autotune(configs, key=["n"], do_bench=once)(blocked)

    def sums(x):
        tuned[(len(x),)](x, out, x.shape[1])
        return totals(lambda rows: 4 if rows == 1 else 1, x)

    with pytest.raises(AssertionError, match="alone than among 6: in launch 2, of `total`, `PARTS` is 4 in place of 1"):
        assert_invariant(sums, x)


def test_interpreted_launches_count(rng):
    x = rng.standard_normal((6, 200), dtype=np.float32)
    interpreted = InterpretedFunction(blocked.fn)

    def sums(x):
        out = np.empty(len(x), np.float32)
        interpreted[(len(x),)](x, out, x.shape[1], BLOCK=64 if len(x) == 1 else 256)
        return out

    with pytest.raises(AssertionError) as caught:
        assert_invariant(sums, x)
    line = blocked.fn.__code__.co_firstlineno + 5
    assert "in launch 1, of `blocked`, `BLOCK` is 64 in place of 256: " in str(caught.value)
    assert f"`sum` in line {line} adds up 64 values at a time in place of 256" in str(caught.value)


def test_wrong_uses():
    with pytest.raises(ValueError, match="there is 1 row along axis 0; give at least 2"):
        assert_invariant(lambda x: x, np.zeros((1, 3)))
    with pytest.raises(ValueError, match="axis -1 of arrays of 2 dimensions; it must be from 0 to 1"):
        assert_invariant(lambda x: x, np.zeros((4, 4)), axis=-1)
    with pytest.raises(ValueError, match="a result has 3 rows along axis 0, but 4 were given"):
        assert_invariant(lambda x: x[:3], np.zeros((4, 3)))
