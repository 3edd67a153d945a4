"""Random numbers against an independent Philox 4x32 and 4x64."""

import numpy as np
import pytest
import triton
import triton.language as tl
from values import poisoned

CONSTANTS = {
    32: ((0x9E3779B9, 0xBB67AE85), (0xD2511F53, 0xCD9E8D57)),
    64: ((0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B), (0xD2E7470EE14C6C93, 0xCA5A826395121157)),
}


def philox(counters, keys, width, rounds=10):
    """The generator in Python's integers; counters are lists of equal length."""
    mask = (1 << width) - 1
    (add0, add1), (multiply0, multiply1) = CONSTANTS[width]
    result = []
    for c0, c1, c2, c3 in zip(*counters, strict=True):
        k0, k1 = keys
        for _ in range(rounds):
            product0, product1 = multiply0 * c0, multiply1 * c2
            high0, high1 = product0 >> width, product1 >> width
            c0, c1, c2, c3 = high1 ^ c1 ^ k0, product1 & mask, high0 ^ c3 ^ k1, product0 & mask
            k0, k1 = (k0 + add0) & mask, (k1 + add1) & mask
        result.append((c0, c1, c2, c3))
    return np.array(result, np.uint64).astype(f"uint{width}").T


def counters_of(offsets):
    offsets = [int(offset) for offset in offsets]
    return [[o & 0xFFFFFFFF for o in offsets], [o >> 32 for o in offsets], [0] * len(offsets), [0] * len(offsets)]


def keys_of(seed):
    seed &= 2**64 - 1
    return seed & 0xFFFFFFFF, seed >> 32


@triton.jit
def randint_kernel(out_ptr, seed, N: tl.constexpr, ROUNDS: tl.constexpr):
    i = tl.arange(0, N)
    a, b, c, d = tl.randint4x(seed, i, ROUNDS)
    tl.static_assert(a.dtype == tl.uint32)
    tl.store(out_ptr + i, a)
    tl.store(out_ptr + N + i, b)
    tl.store(out_ptr + 2 * N + i, c)
    tl.store(out_ptr + 3 * N + i, d)
    tl.store(out_ptr + 4 * N + i, tl.randint(seed, i, ROUNDS))


@pytest.mark.parametrize("rounds", [10, 7])
@pytest.mark.parametrize("seed", [0, 1, 42, 2**31 - 1, 2**40 + 17, 2**63 - 1, -5])
def test_randint(device, seed, rounds):
    out = poisoned((5, 64), "uint32")
    randint_kernel[(1,)](out, seed, N=64, ROUNDS=rounds)
    expected = philox(counters_of(range(64)), keys_of(seed), 32, rounds)
    np.testing.assert_array_equal(out[:4], expected)
    np.testing.assert_array_equal(out[4], expected[0])


@triton.jit
def long_offset_kernel(out_ptr, seed, start, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.randint(seed, start + i.to(tl.int64)))


def test_offsets_beyond_32_bits(device):
    start = 2**33 + 5
    out = poisoned(32, "uint32")
    long_offset_kernel[(1,)](out, 9, start, N=32)
    np.testing.assert_array_equal(out, philox(counters_of(range(start, start + 32)), keys_of(9), 32)[0])


@triton.jit
def uniform_kernel(out_ptr, seed, N: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.rand(seed, i))
    a, b, c, d = tl.rand4x(seed, i)
    tl.store(out_ptr + N + i, a + b + c + d)
    tl.store(out_ptr + 2 * N + i, tl.randn(seed, i))


def to_uniform(bits32):
    signed = bits32.astype(np.uint32).view(np.int32)
    folded = np.where(signed < 0, -signed - 1, signed)
    return folded.astype(np.float32) * np.float32(4.6566127342e-10)


def test_uniform_and_normal(device):
    n = 1 << 16
    out = poisoned((3, n), "float32")
    uniform_kernel[(n // 1024,)](out, 1234, N=n, BLOCK=1024)
    words = philox(counters_of(range(512)), keys_of(1234), 32)
    uniform = to_uniform(words)
    np.testing.assert_array_equal(out[0, :512], uniform[0])
    np.testing.assert_allclose(out[1, :512], uniform.sum(axis=0), rtol=1e-6)
    radius = np.sqrt(-2 * np.log(np.maximum(uniform[0].astype(np.float64), 1e-7)))
    np.testing.assert_allclose(out[2, :512], radius * np.cos(2 * np.pi * uniform[1].astype(np.float64)), atol=2e-5)
    assert out[0].min() >= 0 and out[0].max() < 1
    assert abs(out[0].mean() - 0.5) < 5 / np.sqrt(12 * n) and abs(out[2].mean()) < 5 / np.sqrt(n)
    assert abs(out[2].std() - 1) < 0.02


@triton.jit
def largest_bits_kernel(out_ptr):
    for width in tl.static_range(32, 65, 32):
        kind: tl.constexpr = tl.uint32 if width == 32 else tl.uint64
        bits = tl.full((2,), 1, kind) << (width - 1 - tl.arange(0, 2)).to(kind)
        tl.store(out_ptr + width // 32 * 2 - 2 + tl.arange(0, 2), tl.uint_to_uniform_float(bits))


def test_no_overflow_is_reported_in_the_library(device):
    out = poisoned(4, "float32")
    largest_bits_kernel[(1,)](out, debug=True)
    np.testing.assert_allclose(out, [1, 0.5, 1, 0.5], rtol=1e-6)
    values = poisoned((3, 1024), "float32")
    uniform_kernel[(1,)](values, 1234, N=1024, BLOCK=1024, debug=True)
    assert values[0].max() < 1


@triton.jit
def wide_kernel(out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    zero = tl.zeros((N,), tl.uint64)
    a, b, c, d = tl.philox(77, i.to(tl.uint64), zero, zero, zero)
    tl.static_assert(a.dtype == tl.uint64)
    tl.store(out_ptr + i, a)
    tl.store(out_ptr + N + i, d)


def test_philox_of_64_bits(device):
    out = poisoned((2, 16), "uint64")
    wide_kernel[(1,)](out, N=16)
    expected = philox([list(range(16)), [0] * 16, [0] * 16, [0] * 16], (77, 0), 64)
    np.testing.assert_array_equal(out, expected[[0, 3]])


@triton.jit
def block_independent_kernel(out_ptr, seed, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.rand(seed, i), mask=i < n)


def test_numbers_do_not_depend_on_the_block(device):
    results = []
    for block in (16, 128, 2048):
        out = poisoned(1000, "float32")
        block_independent_kernel[(triton.cdiv(1000, block),)](out, 3, 1000, BLOCK=block)
        results.append(out)
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])
