"""Whole kernels as libraries have them that look things up, count, scan, sample and quantize, compared with NumPy in
float64."""

import numpy as np
import pytest
import triton
import triton.language as tl
from comparison import close, poisoned, softmax64, strides
from triton.language.extra import libdevice

pytestmark = pytest.mark.usefixtures("device")

# Indexing and gathers


@triton.jit(do_not_specialize=["padding_idx"])
def embedding_kernel(out_ptr, in_ptr, weight_ptr, N: tl.constexpr, padding_idx, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0)
    out_ptr += pid * N
    row_idx = tl.load(in_ptr + pid)
    if row_idx == padding_idx:
        cols = tl.arange(0, BLOCK_SIZE)
        tl.store(out_ptr + cols, tl.zeros((BLOCK_SIZE,), out_ptr.dtype.element_ty), mask=cols < N)
        return
    weight_ptr += row_idx * N
    cols = tl.arange(0, BLOCK_SIZE)
    mask = tl.arange(0, BLOCK_SIZE) < N
    embedding_weight = tl.load(weight_ptr + cols, mask, other=0.0)
    tl.store(out_ptr + cols, embedding_weight, mask)


@triton.jit
def embedding_gradient_kernel(grad_out_ptr, in_ptr, grad_in_ptr, N: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < N
    row_idx = tl.load(in_ptr + pid).to(tl.int32)
    gradient = tl.load(grad_out_ptr + pid * N + cols, mask, other=0.0)
    tl.atomic_add(grad_in_ptr + row_idx * N + cols, gradient, mask=mask, sem="relaxed")


def test_embedding_and_its_gradient(rng):
    vocabulary, size, tokens = 50, 77, 200
    weight = rng.standard_normal((vocabulary, size)).astype(np.float32)
    indices = rng.integers(0, vocabulary, tokens)
    out = poisoned((tokens, size))
    embedding_kernel[(tokens,)](out, indices, weight, size, 3, BLOCK_SIZE=128)
    np.testing.assert_array_equal(out, np.where((indices == 3)[:, None], 0, weight[indices]))
    gradient, accumulated = rng.standard_normal((tokens, size)).astype(np.float32), np.zeros_like(weight)
    embedding_gradient_kernel[(tokens,)](gradient, indices, accumulated, size, BLOCK_SIZE=128)
    expected = np.zeros((vocabulary, size))
    np.add.at(expected, indices, gradient.astype(np.float64))
    close(accumulated, expected, 1e-5)


@triton.jit
def lower_bound_kernel(values_ptr, sorted_ptr, out_ptr, n, length, BLOCK: tl.constexpr):
    """Bisection, all lanes at once, as long as any of them is undecided."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    value = tl.load(values_ptr + offsets, mask=mask, other=0.0)
    low = tl.zeros((BLOCK,), tl.int32)
    high = tl.full((BLOCK,), length, tl.int32)
    while tl.max((low < high).to(tl.int32)) > 0:
        middle = (low + high) // 2
        active = low < high
        probe = tl.load(sorted_ptr + middle, mask=active, other=0.0)
        right = active & (probe < value)
        low = tl.where(right, middle + 1, low)
        high = tl.where(active & ~right, middle, high)
    tl.store(out_ptr + offsets, low, mask=mask)


def test_bisection_in_a_while_loop(rng):
    ordered = np.sort(rng.standard_normal(1000)).astype(np.float32)
    values = rng.standard_normal(300).astype(np.float32)
    out = poisoned(300, np.int32)
    lower_bound_kernel[(triton.cdiv(300, 128),)](values, ordered, out, 300, len(ordered), BLOCK=128)
    np.testing.assert_array_equal(out, np.searchsorted(ordered, values))


# Quantization


@triton.jit
def quantize_rows_kernel(
    x_ptr, q_ptr, scale_ptr, stride_xm, stride_qm, K, QMAX: tl.constexpr, DTYPE: tl.constexpr, BLOCK_K: tl.constexpr
):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK_K)
    maximum = 0.0
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        x = tl.load(x_ptr + row * stride_xm + k * BLOCK_K + columns, mask=columns < K - k * BLOCK_K, other=0.0)
        maximum = tl.maximum(maximum, tl.max(tl.abs(x).to(tl.float32)))
    scale = tl.maximum(maximum, 1e-10) / QMAX
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        mask = columns < K - k * BLOCK_K
        x = tl.load(x_ptr + row * stride_xm + k * BLOCK_K + columns, mask=mask, other=0.0).to(tl.float32)
        q = libdevice.rint(x / scale)
        tl.store(q_ptr + row * stride_qm + k * BLOCK_K + columns, tl.clamp(q, -QMAX, QMAX).to(DTYPE), mask=mask)
    tl.store(scale_ptr + row, scale)


@triton.jit
def dequantize_kernel(q_ptr, scale_ptr, x_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    mask = (rm < M)[:, None] & (rn < N)[None, :]
    scale = tl.load(scale_ptr + rm, mask=rm < M, other=1.0)
    q = tl.load(q_ptr + rm[:, None] * N + rn[None, :], mask=mask, other=0)
    tl.store(x_ptr + rm[:, None] * N + rn[None, :], q.to(tl.float32) * scale[:, None], mask=mask)


@pytest.mark.parametrize("dtype, limit", [(np.int8, 127), (np.int16, 32767)])
def test_quantization_and_back(dtype, limit, rng):
    x = rng.standard_normal((11, 150)).astype(np.float32)
    q, scale, back = poisoned(x.shape, dtype), poisoned(11), poisoned(x.shape)
    quantize_rows_kernel[(11,)](
        x,
        q,
        scale,
        strides(x)[0],
        strides(q)[0],
        x.shape[1],
        QMAX=limit,
        DTYPE=tl.int8 if dtype == np.int8 else tl.int16,
        BLOCK_K=64,
    )
    expected_scale = np.abs(x).max(1) / np.float32(limit)
    close(scale, expected_scale, 1e-6)
    np.testing.assert_array_equal(q, np.rint(x / expected_scale[:, None]).astype(dtype))
    dequantize_kernel[(triton.cdiv(11, 4), triton.cdiv(150, 32))](q, scale, back, 11, 150, 4, 32)
    close(back, q.astype(np.float64) * scale[:, None].astype(np.float64), 1e-6)


@triton.jit
def unpack_int4_kernel(
    packed_ptr, out_ptr, scales, zeros, K, N: tl.constexpr, GROUP: tl.constexpr, BLOCK_K: tl.constexpr
):
    """Eight 4-bit numbers a word along k, a scale and a zero point a group."""
    rk = tl.program_id(0) * BLOCK_K + tl.arange(0, BLOCK_K)
    rn = tl.arange(0, N)
    word = tl.load(packed_ptr + (rk // 8)[:, None] * N + rn[None, :], mask=rk[:, None] < K)
    shifter = (rk % 8) * 4
    q = (word >> shifter[:, None]) & 0xF
    group = rk // GROUP
    s = tl.load(scales + group[:, None] * N + rn[None, :], mask=rk[:, None] < K)
    z = tl.load(zeros + group[:, None] * N + rn[None, :], mask=rk[:, None] < K)
    tl.store(out_ptr + rk[:, None] * N + rn[None, :], (q - z) * s, mask=rk[:, None] < K)


def test_int4_weights(rng):
    k, n, group = 96, 32, 32
    q = rng.integers(0, 16, (k, n))
    packed = np.zeros((k // 8, n), np.int64)
    for i in range(8):
        packed |= q[i::8] << (4 * i)
    scales = rng.standard_normal((k // group, n)).astype(np.float32)
    zeros = rng.integers(0, 16, (k // group, n)).astype(np.int32)
    out = poisoned((k, n))
    unpack_int4_kernel[(2,)](packed.astype(np.uint32).view(np.int32), out, scales, zeros, k, n, group, BLOCK_K=64)
    close(out, (q - zeros.repeat(group, 0)) * scales.repeat(group, 0).astype(np.float64))


# Sampling, scans, counts


@triton.jit
def top_k_by_argmax_kernel(x_ptr, value_ptr, index_ptr, n, K: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + cols, mask=cols < n, other=-float("inf"))
    for k in tl.static_range(K):
        best, where = tl.max(x, axis=0, return_indices=True)
        tl.store(value_ptr + row * K + k, best)
        tl.store(index_ptr + row * K + k, where)
        x = tl.where(cols == where, -float("inf"), x)


def test_top_k_by_repeated_argmax(rng):
    x = rng.permutation(7 * 100).reshape(7, 100).astype(np.float32)
    values, indices = poisoned((7, 5)), poisoned((7, 5), np.int64)
    top_k_by_argmax_kernel[(7,)](x, values, indices, 100, K=5, BLOCK=128)
    order = np.argsort(-x, axis=1)[:, :5]
    np.testing.assert_array_equal(indices, order)
    np.testing.assert_array_equal(values, np.take_along_axis(x, order, 1))


@triton.jit
def nucleus_sample_kernel(probability_ptr, uniform_ptr, out_ptr, n, top_p, BLOCK: tl.constexpr):
    """Inverse-transform sampling among the most probable tokens of mass top_p; rows come sorted."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    p = tl.load(probability_ptr + row * n + cols, mask=cols < n, other=0.0)
    cumulative = tl.cumsum(p, axis=0)
    kept = tl.where(cumulative - p < top_p, p, 0.0)
    threshold = tl.load(uniform_ptr + row) * tl.sum(kept)
    below = tl.cumsum(kept, 0) <= threshold
    tl.store(out_ptr + row, tl.minimum(tl.sum(below.to(tl.int32)), n - 1))


def test_nucleus_sampling(rng):
    p = -np.sort(-softmax64(3 * rng.standard_normal((20, 60)))).astype(np.float32)
    u = rng.random(20).astype(np.float32)
    out = poisoned(20, np.int64)
    nucleus_sample_kernel[(20,)](p, u, out, 60, 0.9, BLOCK=64)
    p64 = p.astype(np.float64)
    kept = np.where(p64.cumsum(1) - p64 < 0.9, p64, 0)
    expected = np.minimum((kept.cumsum(1) <= (u * kept.sum(1))[:, None]).sum(1), 59)
    assert (np.abs(out - expected) <= (np.abs(kept.cumsum(1) - (u * kept.sum(1))[:, None]).min(1) < 1e-5)).all()


@triton.jit
def chunked_cumsum_kernel(inp, out, n, stride_row, BLOCK: tl.constexpr, REVERSE: tl.constexpr):
    row = tl.program_id(0)
    carry = tl.zeros([1], tl.float64)
    for chunk in range(tl.cdiv(n, BLOCK)):
        if REVERSE:
            start = n - (chunk + 1) * BLOCK
        else:
            start = chunk * BLOCK
        offsets = start + tl.arange(0, BLOCK)
        mask = (offsets >= 0) & (offsets < n)
        x = tl.load(inp + row * stride_row + offsets, mask=mask, other=0.0).to(tl.float64)
        y = tl.cumsum(x, axis=0, reverse=REVERSE) + carry
        carry += tl.sum(x, axis=0)
        tl.store(out + row * stride_row + offsets, y, mask=mask)


@pytest.mark.parametrize("reverse", [False, True])
def test_cumsum_with_a_carry(reverse, rng):
    x = rng.standard_normal((3, 1000)).astype(np.float32)
    y = poisoned(x.shape)
    chunked_cumsum_kernel[(3,)](x, y, 1000, strides(x)[0], BLOCK=128, REVERSE=reverse)
    x64 = x.astype(np.float64)
    close(y, x64[:, ::-1].cumsum(1)[:, ::-1] if reverse else x64.cumsum(1), 1e-6)


@triton.jit
def _linear_recurrence(decay_a, state_a, decay_b, state_b):
    return decay_a * decay_b, state_a * decay_b + state_b


@triton.jit
def selective_scan_kernel(decay_ptr, input_ptr, out_ptr, LENGTH: tl.constexpr, D: tl.constexpr):
    t = tl.arange(0, LENGTH)[:, None]
    d = tl.arange(0, D)[None, :]
    a = tl.load(decay_ptr + t * D + d)
    b = tl.load(input_ptr + t * D + d)
    _, h = tl.associative_scan((a, b), 0, _linear_recurrence)
    tl.store(out_ptr + t * D + d, h)


def test_linear_recurrence_as_a_scan(rng):
    a, b = rng.random((64, 8)).astype(np.float32), rng.standard_normal((64, 8)).astype(np.float32)
    out = poisoned(a.shape)
    selective_scan_kernel[(1,)](a, b, out, 64, 8)
    h, expected = np.zeros(8), []
    for t in range(64):
        h = h * a[t].astype(np.float64) + b[t]
        expected.append(h)
    close(out, np.array(expected), 1e-5)


@triton.jit
def histogram_kernel(x_ptr, out_ptr, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0)
    counts = tl.histogram(x, BINS, mask=offsets < n)
    tl.atomic_add(out_ptr + tl.arange(0, BINS), counts)


def test_histogram_over_programs(rng):
    x = rng.integers(0, 64, 5000).astype(np.int32)
    counts = np.zeros(64, np.int32)
    histogram_kernel[(triton.cdiv(5000, 512),)](x, counts, 5000, BINS=64, BLOCK=512)
    np.testing.assert_array_equal(counts, np.bincount(x, minlength=64))


@triton.jit
def _welford(mean_a, m2_a, weight_a, mean_b, m2_b, weight_b):
    delta = mean_b - mean_a
    weight = weight_a + weight_b
    ratio = tl.where(weight == 0.0, 0.0, weight_b / weight)
    return mean_a + delta * ratio, m2_a + m2_b + delta * delta * weight_a * ratio, weight


@triton.jit
def variance_kernel(x_ptr, mean_ptr, variance_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    mean = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    m2 = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    count = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for offset in range(0, N, BLOCK_N):
        columns = offset + tl.arange(0, BLOCK_N)[None, :]
        mask = (rows < M) & (columns < N)
        x = tl.load(x_ptr + rows * N + columns, mask=mask, other=0.0)
        count = count + mask.to(tl.float32)
        new_mean = mean + tl.where(mask, (x - mean) / count, 0.0)
        m2 = m2 + tl.where(mask, (x - mean) * (x - new_mean), 0.0)
        mean = new_mean
    mean, m2, count = tl.reduce((mean, m2, count), axis=1, combine_fn=_welford)
    tl.store(mean_ptr + rows, mean[:, None], rows < M)
    tl.store(variance_ptr + rows, (m2 / count)[:, None], rows < M)


def test_variance_with_a_reduction_of_triples(rng):
    x = (rng.standard_normal((10, 203)) + 100).astype(np.float32)
    mean, variance = poisoned(10), poisoned(10)
    variance_kernel[(triton.cdiv(10, 4),)](x, mean, variance, 10, 203, 4, 64)
    close(mean, x.astype(np.float64).mean(1), 1e-6)
    close(variance, x.astype(np.float64).var(1), 1e-4)
