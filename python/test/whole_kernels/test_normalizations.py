"""Kernels in the forms that libraries of kernels use, whole programs rather than single operations: normalizations,
losses and activations. Each is compared with NumPy in float64."""

import numpy as np
import pytest
import triton
import triton.language as tl
from comparison import close, poisoned, softmax64, strides
from triton.language.extra import libdevice
from triton.language.extra.cuda.libdevice import tanh as device_tanh

pytestmark = pytest.mark.usefixtures("device")

# Normalizations


@triton.jit
def rms_norm_kernel(
    X,
    stride_x,
    Y,
    stride_y,
    W,
    RSTD,
    n_cols,
    eps,
    OFFSET: tl.constexpr,
    CASTING: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    X += row * stride_x
    Y += row * stride_y
    x = tl.load(X + cols, mask=mask, other=0)
    x_dtype = x.dtype
    w = tl.load(W + cols, mask=mask, other=0)
    if CASTING == "full":
        w = w.to(tl.float32)
        x = x.to(tl.float32)
    elif CASTING == "input":
        x = x.to(tl.float32)
    rstd = tl.math.rsqrt(tl.sum(x * x, axis=0) / n_cols + eps)
    tl.store(RSTD + row, rstd)
    x = x * rstd
    if CASTING == "input":
        x = x.to(x_dtype)
    y = x * (OFFSET + w)
    if CASTING == "full":
        y = y.to(x_dtype)
    tl.store(Y + cols, y, mask=mask)


@pytest.mark.parametrize("casting, offset", [("full", 1.0), ("input", 0.0), ("none", 0.0)])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_rms_norm(casting, offset, dtype, rng):
    rows, columns = 7, 300
    x = rng.standard_normal((rows, columns)).astype(dtype)
    w = rng.standard_normal(columns).astype(dtype)
    y, rstd = poisoned((rows, columns), dtype), poisoned(rows)
    block = triton.next_power_of_2(columns)
    rms_norm_kernel[(rows,)](
        x,
        strides(x)[0],
        y,
        strides(y)[0],
        w,
        rstd,
        columns,
        1e-6,
        OFFSET=offset,
        CASTING=casting,
        BLOCK_SIZE=block,
        num_warps=8,
    )
    x64 = x.astype(np.float64)
    expected_rstd = 1 / np.sqrt((x64**2).mean(axis=1) + 1e-6)
    tolerance = 2e-6 if dtype == np.float32 else 5e-3
    close(rstd, expected_rstd, tolerance)
    close(y, x64 * expected_rstd[:, None] * (offset + w.astype(np.float64)), tolerance)


@triton.jit
def group_norm_kernel(
    input_ptr,
    output_ptr,
    weight_ptr,
    bias_ptr,
    mean_ptr,
    rstd_ptr,
    group_size,
    C,
    HW,
    num_groups,
    eps,
    HAS_AFFINE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    pid = tl.program_id(0)
    group = pid % num_groups
    num_elements = group_size * HW
    base = pid * num_elements
    total = tl.zeros([BLOCK], dtype=tl.float32)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, num_elements, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        x = tl.load(input_ptr + base + offsets, mask=offsets < num_elements, other=0.0).to(tl.float32)
        total += x
        squares += x * x
    mean = tl.sum(total, axis=0) / num_elements
    variance = tl.sum(squares, axis=0) / num_elements - mean * mean
    rstd = 1.0 / tl.sqrt(variance + eps)
    tl.store(mean_ptr + pid, mean)
    tl.store(rstd_ptr + pid, rstd)
    for start in range(0, num_elements, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        mask = offsets < num_elements
        x = tl.load(input_ptr + base + offsets, mask=mask)
        y = (x - mean) * rstd
        if HAS_AFFINE:
            channel = group * group_size + offsets // HW
            y = y * tl.load(weight_ptr + channel, mask=mask) + tl.load(bias_ptr + channel, mask=mask)
        tl.store(output_ptr + base + offsets, y, mask=mask)


@pytest.mark.parametrize("affine", [True, False])
def test_group_norm(affine, rng):
    batch, channels, height, width, groups = 3, 12, 5, 7, 4
    x = rng.standard_normal((batch, channels, height, width)).astype(np.float32)
    weight, bias = rng.standard_normal((2, channels)).astype(np.float32)
    y, mean, rstd = poisoned(x.shape), poisoned((batch, groups)), poisoned((batch, groups))
    group_norm_kernel[(batch * groups,)](
        x,
        y,
        weight if affine else None,
        bias if affine else None,
        mean,
        rstd,
        channels // groups,
        channels,
        height * width,
        groups,
        1e-5,
        HAS_AFFINE=affine,
        BLOCK=64,
    )
    grouped = x.astype(np.float64).reshape(batch, groups, -1)
    expected_mean, variance = grouped.mean(-1), grouped.var(-1)
    expected = ((grouped - expected_mean[..., None]) / np.sqrt(variance + 1e-5)[..., None]).reshape(x.shape)
    if affine:
        expected = expected * weight[None, :, None, None] + bias[None, :, None, None]
    close(mean, expected_mean, 1e-5)
    close(y, expected, 1e-5)


@triton.jit
def online_softmax_kernel(output_ptr, input_ptr, M, N, TILE_N: tl.constexpr):
    pid = tl.program_id(0)
    m = tl.full([TILE_N], value=float("-inf"), dtype=tl.float32)
    z = tl.full([TILE_N], value=0.0, dtype=tl.float32)
    input_ptr += pid * N
    output_ptr += pid * N
    prev_multiple = (tl.cdiv(N, TILE_N) - 1) * TILE_N
    for start in range(0, prev_multiple, TILE_N):
        offsets = start + tl.arange(0, TILE_N)
        x = tl.load(input_ptr + offsets, eviction_policy="evict_last")
        m_new = tl.maximum(m, x)
        all_neg_inf = m_new == float("-inf")
        z = tl.where(all_neg_inf, z, z * tl.exp(m - m_new) + tl.exp(x - m_new))
        m = m_new
    for start in range(prev_multiple, N, TILE_N):
        offsets = start + tl.arange(0, TILE_N)
        x = tl.load(input_ptr + offsets, mask=offsets < N, other=-float("inf"))
        m_new = tl.maximum(m, x)
        all_neg_inf = m_new == float("-inf")
        z = tl.where(all_neg_inf, z, z * tl.exp(m - m_new) + tl.exp(x - m_new))
        m = m_new
    m_reduced = tl.max(m, 0)
    z = tl.sum(z * tl.exp(m - m_reduced), 0)
    m = m_reduced
    for start in tl.range(0, N, TILE_N, num_stages=2):
        offsets = start + tl.arange(0, TILE_N)
        x = tl.load(input_ptr + offsets, mask=offsets < N, other=-float("inf"))
        tl.store(output_ptr + offsets, tl.exp(x - m) / z, mask=offsets < N)


@pytest.mark.parametrize("columns", [1, 64, 333, 1024])
def test_online_softmax(columns, rng):
    x = (10 * rng.standard_normal((6, columns))).astype(np.float32)
    x[2, : columns // 2] = -np.inf
    y = poisoned(x.shape)
    online_softmax_kernel[(6,)](y, x, 6, columns, TILE_N=128)
    close(y, softmax64(x), 1e-5)


@triton.jit
def _combine_softmax(m_a, s_a, m_b, s_b):
    m = tl.maximum(m_a, m_b)
    return m, s_a * tl.exp(m_a - m) + s_b * tl.exp(m_b - m)


@triton.jit
def log_softmax_pair_reduce(out, x, stride_row, n, BLOCK: tl.constexpr):
    """The maximum and the normalizer in one reduction over a pair."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    values = tl.load(x + row * stride_row + cols, cols < n, -1e30)
    m, s = tl.reduce((values, tl.where(cols < n, 1.0, 0.0)), 0, _combine_softmax)
    tl.store(out + row * stride_row + cols, values - m - tl.log(s), cols < n)


def test_log_softmax_with_pair_reduction(rng):
    x = (5 * rng.standard_normal((4, 200))).astype(np.float32)
    y = poisoned(x.shape)
    log_softmax_pair_reduce[4,](y, x, strides(x)[0], x.shape[1], BLOCK=256)
    close(y, np.log(softmax64(x)), 1e-5)


# Rotary embedding, losses, activations


@triton.jit
def rope_kernel(
    q_ptr,
    q_row_stride,
    cos,
    sin,
    cos_row_stride,
    sl,
    n_heads: tl.constexpr,
    pad_heads: tl.constexpr,
    head_dim: tl.constexpr,
    BACKWARD: tl.constexpr = False,
):
    pid = tl.program_id(0)
    q_ptr = q_ptr + pid * q_row_stride
    position = pid % sl
    half = tl.arange(0, head_dim // 2)
    cos_row = tl.load(cos + position * cos_row_stride + half)
    sin_row = tl.load(sin + position * cos_row_stride + half)
    first = tl.arange(0, pad_heads)[:, None] * head_dim + half[None, :]
    mask = (tl.arange(0, pad_heads)[:, None] < n_heads) & (half[None, :] < head_dim // 2)
    q1 = tl.load(q_ptr + first, mask=mask, other=0).to(sin_row.dtype)
    second = first + (head_dim // 2)
    q2 = tl.load(q_ptr + second, mask=mask, other=0).to(sin_row.dtype)
    if not BACKWARD:
        tl.store(q_ptr + first, q1 * cos_row - q2 * sin_row, mask=mask)
        tl.store(q_ptr + second, q2 * cos_row + q1 * sin_row, mask=mask)
    else:
        tl.store(q_ptr + first, q1 * cos_row + q2 * sin_row, mask=mask)
        tl.store(q_ptr + second, q2 * cos_row - q1 * sin_row, mask=mask)


def test_rope_and_its_inverse(rng):
    batch, length, heads, size = 2, 9, 6, 32
    q = rng.standard_normal((batch * length, heads, size)).astype(np.float32)
    original = q.copy()
    angle = np.arange(length)[:, None] / 10000 ** (np.arange(size // 2) / (size // 2))
    cos, sin = np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)
    arguments = (q, strides(q)[0], cos, sin, strides(cos)[0], length, heads, triton.next_power_of_2(heads), size)
    rope_kernel[(batch * length,)](*arguments)
    c = np.tile(np.cos(angle), (batch, 1))[:, None]
    s = np.tile(np.sin(angle), (batch, 1))[:, None]
    a, b = original[..., : size // 2].astype(np.float64), original[..., size // 2 :].astype(np.float64)
    close(q, np.concatenate([a * c - b * s, b * c + a * s], -1))
    rope_kernel[(batch * length,)](*arguments, BACKWARD=True)
    close(q, original)


@triton.jit
def cross_entropy_kernel(
    X_ptr,
    X_stride,
    Y_ptr,
    loss_ptr,
    n_cols,
    n_non_ignore,
    ignore_index,
    label_smoothing: tl.constexpr,
    reduction: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
):
    """Writes the loss, and the gradient over the logits."""
    program_id = tl.program_id(0).to(tl.int64)
    y = tl.load(Y_ptr + program_id)
    X_ptr += program_id * X_stride
    if y == ignore_index:
        for i in range(0, n_cols, BLOCK_SIZE):
            X_offsets = i + tl.arange(0, BLOCK_SIZE)
            tl.store(X_ptr + X_offsets, 0.0, mask=X_offsets < n_cols)
        return
    loss_ptr += program_id
    m = float("-inf")
    d = 0.0
    ori_X_y = tl.load(X_ptr + y).cast(tl.float32)
    scaled_x_sum = 0.0
    eps = label_smoothing / n_cols
    for i in range(0, n_cols, BLOCK_SIZE):
        X_offsets = i + tl.arange(0, BLOCK_SIZE)
        X_block = tl.load(X_ptr + X_offsets, mask=X_offsets < n_cols, other=float("-inf")).cast(tl.float32)
        block_max = tl.max(X_block)
        if label_smoothing > 0:
            scaled_x_sum += tl.sum(tl.where(X_offsets < n_cols, -eps * X_block, 0.0))
        m_new = tl.maximum(m, block_max)
        d = d * tl.exp(m - m_new) + tl.sum(tl.exp(X_block - m_new))
        m = m_new
    lse = m + tl.log(d)
    for i in range(0, n_cols, BLOCK_SIZE):
        X_offsets = i + tl.arange(0, BLOCK_SIZE)
        X_block = tl.load(X_ptr + X_offsets, mask=X_offsets < n_cols, other=float("-inf")).cast(tl.float32)
        X_block = tl.exp(X_block - m) / d - eps
        X_block = tl.where(X_offsets != y, X_block, X_block - (1 - label_smoothing))
        if reduction == "mean":
            X_block = X_block / n_non_ignore
        tl.store(X_ptr + X_offsets, X_block, mask=X_offsets < n_cols)
    tl.debug_barrier()
    loss = lse - ori_X_y
    if label_smoothing > 0:
        smooth_loss = scaled_x_sum + label_smoothing * lse
        loss = loss * (1 - label_smoothing) + smooth_loss
    if reduction == "mean":
        loss = loss / n_non_ignore
    tl.store(loss_ptr, loss)


@pytest.mark.parametrize("smoothing, reduction", [(0.0, "mean"), (0.1, "sum")])
def test_cross_entropy_with_gradient(smoothing, reduction, rng):
    rows, columns = 9, 301
    logits = rng.standard_normal((rows, columns)).astype(np.float32)
    target = rng.integers(0, columns, rows)
    target[[2, 5]] = -100
    kept = target != -100
    gradient, loss = logits.copy(), np.zeros(rows, np.float32)
    cross_entropy_kernel[(rows,)](
        gradient,
        strides(gradient)[0],
        target,
        loss,
        columns,
        int(kept.sum()),
        -100,
        label_smoothing=smoothing,
        reduction=reduction,
        BLOCK_SIZE=128,
    )
    p = softmax64(logits)
    one_hot = np.zeros((rows, columns))
    one_hot[kept, target[kept]] = 1
    q = one_hot * (1 - smoothing) + smoothing / columns
    scale = kept.sum() if reduction == "mean" else 1
    close(loss, np.where(kept, -(q * np.log(p)).sum(1), 0) / scale, 1e-5)
    close(gradient, np.where(kept[:, None], p - q, 0) / scale, 1e-5)


@triton.jit
def silu(x):
    return x * tl.sigmoid(x)


@triton.jit
def swiglu_forward_kernel(a_ptr, b_ptr, c_ptr, stride, n_cols: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    program_id = tl.program_id(0).to(tl.int64)
    a_ptr += program_id * stride
    b_ptr += program_id * stride
    c_ptr += program_id * stride
    col_offsets = tl.arange(0, BLOCK_SIZE)
    mask = col_offsets < n_cols
    a_row = tl.load(a_ptr + col_offsets, mask=mask, other=0).to(tl.float32)
    b_row = tl.load(b_ptr + col_offsets, mask=mask, other=0)
    c_row = silu(a_row).cast(b_row.dtype) * b_row
    tl.store(c_ptr + col_offsets, c_row, mask=mask)


def test_swiglu(rng):
    a, b = rng.standard_normal((2, 5, 100)).astype(np.float16)
    c = poisoned(a.shape, np.float16)
    swiglu_forward_kernel[(5,)](a, b, c, strides(c)[0], n_cols=100, BLOCK_SIZE=128)
    a64 = a.astype(np.float64)
    close(c, a64 / (1 + np.exp(-a64)) * b, 3e-3)


@triton.jit
def gelu_kernel(x_ptr, y_ptr, n_elements, APPROXIMATE: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    if APPROXIMATE == "tanh":
        sqrt_2_over_pi: tl.constexpr = 0.7978845608028654
        y = 0.5 * x * (1 + device_tanh(sqrt_2_over_pi * (x + 0.044715 * x * x * x)))
    else:
        y = 0.5 * x * (1 + libdevice.erf(x * 0.7071067811865476))
    tl.store(y_ptr + offsets, y, mask=mask)


@pytest.mark.parametrize("approximate", ["tanh", "none"])
def test_gelu_with_the_device_library(approximate, rng):
    from scipy.special import erf

    x = (3 * rng.standard_normal(1000)).astype(np.float32)
    y = poisoned(x.shape)
    gelu_kernel[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](x, y, 1000, approximate, BLOCK=256)
    x64 = x.astype(np.float64)
    inner = np.tanh(np.sqrt(2 / np.pi) * (x64 + 0.044715 * x64**3)) if approximate == "tanh" else erf(x64 / np.sqrt(2))
    close(y, 0.5 * x64 * (1 + inner), 2e-6)


@triton.jit
def seeded_dropout_kernel(x_ptr, output_ptr, keep_ptr, n_elements, p, seed, offset, BLOCK: tl.constexpr):
    block_start = tl.program_id(0) * BLOCK * 4
    c0, c1, c2, c3 = tl.rand4x(seed, offset + block_start // 4 + tl.arange(0, BLOCK))
    for_all = block_start + tl.arange(0, BLOCK)
    for part in tl.static_range(4):
        if part == 0:
            random = c0
        elif part == 1:
            random = c1
        elif part == 2:
            random = c2
        else:
            random = c3
        offsets = for_all + part * BLOCK
        mask = offsets < n_elements
        keep = random > p
        x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
        tl.store(output_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=mask)
        tl.store(keep_ptr + offsets, keep, mask=mask)


def test_dropout_of_four_lanes_a_draw(rng):
    n = 10_000
    x = (rng.standard_normal(n) + 10).astype(np.float32)
    y, keep = poisoned(n), np.zeros(n, np.bool_)
    seeded_dropout_kernel[(triton.cdiv(n, 4 * 256),)](x, y, keep, n, 0.3, 42, 0, BLOCK=256)
    assert 0.67 < keep.mean() < 0.73
    close(y, np.where(keep, x.astype(np.float64) / 0.7, 0), 1e-6)
    again = poisoned(n)
    seeded_dropout_kernel[(triton.cdiv(n, 4 * 256),)](x, again, keep, n, 0.3, 42, 0, BLOCK=256)
    np.testing.assert_array_equal(y, again)
