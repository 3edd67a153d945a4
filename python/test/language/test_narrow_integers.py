"""Integers of 8 and 16 bits wrap like NumPy's, whatever widens or reduces them afterwards. An assembler has kept
-(-32768) as +32768, and half of the constant of a packed addition."""

import numpy as np
import pytest
import triton
import triton.language as tl


def values(dtype, count):
    """All values of 8 bits; extremes and their neighbours of 16 bits."""
    info = np.iinfo(dtype)
    if info.bits == 8:
        chosen = np.arange(info.min, info.max + 1)
    else:
        near = np.arange(-4, 5)
        chosen = np.concatenate([(anchor + near) for anchor in (info.min, -256, 0, 255, info.max // 2, info.max)])
        chosen = chosen[(chosen >= info.min) & (chosen <= info.max)]
    return np.resize(chosen.astype(dtype), count)


@triton.jit
def widen_kernel(x, negated, magnitude, total, largest, quotient, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(negated + i, (-v).to(tl.int32))
    tl.store(magnitude + i, tl.abs(v).to(tl.int32))
    tl.store(total, tl.sum(-v))
    tl.store(largest, tl.max(tl.abs(v)))
    tl.store(quotient + i, -v // 7)


@pytest.mark.parametrize("dtype", ["int8", "int16"])
def test_results_wrap_before_they_are_widened(device, dtype):
    n = 256
    x = values(dtype, n)
    negated, magnitude = np.zeros(n, np.int32), np.zeros(n, np.int32)
    total, largest, quotient = np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros(n, dtype)
    widen_kernel[(1,)](x, negated, magnitude, total, largest, quotient, N=n)
    wrapped, absolute = -x, np.abs(x)
    np.testing.assert_array_equal(negated, wrapped.astype(np.int32))
    np.testing.assert_array_equal(magnitude, absolute.astype(np.int32))
    assert total[0] == wrapped.astype(np.int32).sum()
    assert largest[0] == absolute.max()
    truncated = np.sign(wrapped.astype(np.int32)) * (np.abs(wrapped.astype(np.int32)) // 7)
    np.testing.assert_array_equal(quotient, truncated.astype(dtype))


@triton.jit
def operations_kernel(x, y, o, N: tl.constexpr, SHIFT: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(o + i, (a + b).to(tl.int32))
    tl.store(o + N + i, (a - b).to(tl.int32))
    tl.store(o + 2 * N + i, (a * b).to(tl.int32))
    tl.store(o + 3 * N + i, (a << SHIFT).to(tl.int32))
    tl.store(o + 4 * N + i, ((a + b) >> SHIFT).to(tl.int32))
    tl.store(o + 5 * N + i, tl.minimum(a - b, b).to(tl.int32))
    tl.store(o + 6 * N + i, tl.maximum(a - b, b).to(tl.int32))
    tl.store(o + 7 * N + i, (~(a + b)).to(tl.int32))
    tl.store(o + 8 * N + i, (a + b < b).to(tl.int32))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16"])
def test_operations_wrap(device, dtype):
    n = 1024
    x = values(dtype, n)
    y = np.roll(x, 77)[::-1].copy()
    out = np.zeros((9, n), np.int32)
    operations_kernel[(1,)](x, y, out, N=n, SHIFT=3)
    expected = [x + y, x - y, x * y, x << 3, (x + y) >> 3, np.minimum(x - y, y), np.maximum(x - y, y), ~(x + y)]
    for row, values_of_row in enumerate([*expected, x + y < y]):
        np.testing.assert_array_equal(out[row], values_of_row.astype(np.int32), err_msg=f"row {row}")


@triton.jit
def beside_halves_kernel(x, y, z, selected, remainder, low, smallest, bounded, squares, N: tl.constexpr):
    i = tl.arange(0, N)
    half, word, byte = tl.load(x + i), tl.load(y + i), tl.load(z + i)
    divisor = tl.where((word == 0) | (word == -1), 3, word).to(tl.int16)
    least = tl.minimum(half, half)
    tl.store(selected + i, divisor)
    tl.store(remainder + i, word % divisor)
    tl.store(low + i, word.to(tl.uint8))
    tl.store(smallest + i, least)
    tl.store(bounded + i, tl.minimum(least, byte))
    tl.store(squares + i, least * least)


def test_integers_beside_halves(device):
    n = 128
    half = np.linspace(-2, 2, n, dtype=np.float16)
    word, byte = values("int16", n), values("int8", n)
    selected, remainder, low = np.zeros(n, np.int16), np.zeros(n, np.int16), np.zeros(n, np.uint8)
    smallest, bounded, squares = (np.zeros(n, np.float16) for _ in range(3))
    beside_halves_kernel[(1,)](half, word, byte, selected, remainder, low, smallest, bounded, squares, N=n)
    divisor = np.where((word == 0) | (word == -1), 3, word).astype(np.int16)
    np.testing.assert_array_equal(selected, divisor)
    np.testing.assert_array_equal(remainder, np.fmod(word, divisor))
    np.testing.assert_array_equal(low, word.astype(np.uint8))
    np.testing.assert_array_equal(smallest, half)
    np.testing.assert_array_equal(bounded, np.minimum(half, byte.astype(np.float16)))
    np.testing.assert_array_equal(squares, half * half)


@triton.jit
def words_kernel(x, y, remainder, least, greatest, wide, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(remainder + i, tl.abs(a) % tl.load(y + i))
    tl.store(least, tl.min(-a))
    tl.store(greatest, tl.max(-a))
    tl.store(wide + i, tl.abs(-a).to(tl.uint32).to(tl.float32))


@pytest.mark.parametrize("seed", range(4))
def test_negations_of_words_wrap(device, seed):
    """What other tests of narrow integers look for, of 32 bits: the smallest integer stays what it is."""
    n = 512
    generator = np.random.default_rng(seed)
    x = (generator.integers(-(2**31), 2**31, n) << generator.choice([0, 0, 22, 31], n)).astype(np.int32)
    x[::7] = -(2**31)
    y = generator.integers(3, 1000, n).astype(np.int32)
    remainder, least, greatest = np.zeros(n, np.int32), np.zeros(1, np.int32), np.zeros(1, np.int32)
    wide = np.zeros(n, np.float32)
    words_kernel[(1,)](x, y, remainder, least, greatest, wide, N=n)
    np.testing.assert_array_equal(remainder, np.fmod(np.abs(x), y))
    assert least[0] == (-x).min() and greatest[0] == (-x).max()
    np.testing.assert_array_equal(wide, np.abs(-x).view(np.uint32).astype(np.float32))
