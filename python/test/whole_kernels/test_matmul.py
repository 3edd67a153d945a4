"""Matrix products as libraries of kernels have them: tuned, batched, split, quantized, persistent; convolutions and
gradients. Each is compared with NumPy in float64."""

import numpy as np
import pytest
import triton
import triton.language as tl
from comparison import close, f32_product_tolerance, poisoned, strides

pytestmark = pytest.mark.usefixtures("device")

# Products


def _configurations():
    return [
        triton.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": 32, "GROUP_M": 4}, num_warps=4, num_stages=s)
        for m, n, s in [(32, 32, 2), (64, 32, 3), (32, 64, 4)]
    ]


def _drop_large_tiles(configurations, named_args, **kwargs):
    return [c for c in configurations if c.kwargs["BLOCK_M"] <= named_args["M"]]


@triton.jit
def leaky_relu(x, slope: tl.constexpr = 0.01):
    return tl.where(x >= 0, x, slope * x)


@triton.autotune(
    configs=_configurations(), key=["M", "N", "K"], prune_configs_by={"early_config_prune": _drop_large_tiles}
)
@triton.heuristics({"EVEN_K": lambda args: args["K"] % args["BLOCK_K"] == 0})
@triton.jit
def tuned_matmul(
    a_ptr,
    b_ptr,
    c_ptr,
    bias_ptr,
    M,
    N,
    K,
    stride_am,
    stride_ak,
    stride_bk,
    stride_bn,
    stride_cm,
    stride_cn,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
    EVEN_K: tl.constexpr,
    ACTIVATION: tl.constexpr,
):
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(M, BLOCK_M)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    num_pid_in_group = GROUP_M * num_pid_n
    group_id = pid // num_pid_in_group
    first_pid_m = group_id * GROUP_M
    group_size_m = min(num_pid_m - first_pid_m, GROUP_M)
    pid_m = first_pid_m + ((pid % num_pid_in_group) % group_size_m)
    pid_n = (pid % num_pid_in_group) // group_size_m
    offs_am = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    offs_bn = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (offs_am[:, None] * stride_am + offs_k[None, :] * stride_ak)
    b_ptrs = b_ptr + (offs_k[:, None] * stride_bk + offs_bn[None, :] * stride_bn)
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        if EVEN_K:
            a = tl.load(a_ptrs)
            b = tl.load(b_ptrs)
        else:
            a = tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BLOCK_K, other=0.0)
            b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BLOCK_K, other=0.0)
        accumulator = tl.dot(a, b, accumulator)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    offs_cn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    if bias_ptr is not None:
        accumulator += tl.load(bias_ptr + offs_cn, mask=offs_cn < N, other=0.0)[None, :]
    if ACTIVATION == "leaky_relu":
        accumulator = leaky_relu(accumulator)
    c = accumulator.to(c_ptr.dtype.element_ty)
    offs_cm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    c_ptrs = c_ptr + stride_cm * offs_cm[:, None] + stride_cn * offs_cn[None, :]
    tl.store(c_ptrs, c, mask=(offs_cm[:, None] < M) & (offs_cn[None, :] < N))


@pytest.mark.parametrize("m, n, k, bias", [(100, 70, 64, True), (33, 130, 45, False)])
@pytest.mark.parametrize("transposed", [False, True])
def test_tuned_matmul(m, n, k, bias, transposed, rng):
    a = rng.standard_normal((m, k)).astype(np.float16)
    b = (rng.standard_normal((n, k)).T if transposed else rng.standard_normal((k, n))).astype(np.float16, order="K")
    c = poisoned((m, n))
    vector = rng.standard_normal(n).astype(np.float32) if bias else None
    tuned_matmul[lambda meta: (triton.cdiv(m, meta["BLOCK_M"]) * triton.cdiv(n, meta["BLOCK_N"]),)](
        a, b, c, vector, m, n, k, *strides(a), *strides(b), *strides(c), ACTIVATION="leaky_relu"
    )
    expected = a.astype(np.float64) @ b.astype(np.float64) + (vector.astype(np.float64) if bias else 0)
    close(c, np.where(expected >= 0, expected, 0.01 * expected), 1e-5)
    assert tuned_matmul.best_config.kwargs["BLOCK_M"] <= m


@triton.jit
def split_k_matmul(
    A,
    B,
    C,
    M,
    N,
    K,
    stride_am,
    stride_ak,
    stride_bk,
    stride_bn,
    stride_cm,
    stride_cn,
    dot_out_dtype: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    SPLIT_K: tl.constexpr,
):
    pid = tl.program_id(0)
    pid_z = tl.program_id(1)
    grid_n = tl.cdiv(N, BLOCK_N)
    pid_m = pid // grid_n
    pid_n = pid % grid_n
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    ram = tl.max_contiguous(tl.multiple_of(rm % M, BLOCK_M), BLOCK_M)
    rbn = tl.max_contiguous(tl.multiple_of(rn % N, BLOCK_N), BLOCK_N)
    rk = pid_z * BLOCK_K + tl.arange(0, BLOCK_K)
    A = A + (ram[:, None] * stride_am + rk[None, :] * stride_ak)
    B = B + (rk[:, None] * stride_bk + rbn[None, :] * stride_bn)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=dot_out_dtype)
    for k in range(0, tl.cdiv(K, BLOCK_K * SPLIT_K)):
        k_remaining = K - k * (BLOCK_K * SPLIT_K)
        _0 = tl.zeros((1, 1), dtype=C.dtype.element_ty)
        a = tl.load(A, mask=rk[None, :] < k_remaining, other=_0)
        b = tl.load(B, mask=rk[:, None] < k_remaining, other=_0)
        acc += tl.dot(a, b, out_dtype=dot_out_dtype)
        A += BLOCK_K * SPLIT_K * stride_ak
        B += BLOCK_K * SPLIT_K * stride_bk
    acc = acc.to(C.dtype.element_ty)
    C = C + (rm[:, None] * stride_cm + rn[None, :] * stride_cn)
    mask = (rm < M)[:, None] & (rn < N)[None, :]
    if SPLIT_K == 1:
        tl.store(C, acc, mask=mask)
    else:
        tl.atomic_add(C, acc, mask=mask)


@pytest.mark.parametrize("split", [1, 4])
def test_split_reduction_with_atomics(split, rng, device):
    m, n, k = 64, 64, 200
    a, b = rng.standard_normal((m, k)).astype(np.float32), rng.standard_normal((k, n)).astype(np.float32)
    c = np.zeros((m, n), np.float32)
    split_k_matmul[(4, split)](a, b, c, m, n, k, *strides(a), *strides(b), *strides(c), tl.float32, 32, 32, 16, split)
    close(c, a.astype(np.float64) @ b.astype(np.float64), f32_product_tolerance(device))


@triton.jit
def batched_matmul(a_ptr, b_ptr, c_ptr, K, stride_ab, stride_bb, stride_cb, BLOCK: tl.constexpr, BATCH: tl.constexpr):
    """Several matrices a program: a product of three-dimensional tensors."""
    batch = tl.program_id(0) * BATCH + tl.arange(0, BATCH)[:, None, None]
    i = tl.arange(0, BLOCK)
    acc = tl.zeros((BATCH, BLOCK, BLOCK), tl.float32)
    for k in range(0, K, BLOCK):
        a = tl.load(a_ptr + batch * stride_ab + i[None, :, None] * K + (k + i)[None, None, :])
        b = tl.load(b_ptr + batch * stride_bb + (k + i)[None, :, None] * BLOCK + i[None, None, :])
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + batch * stride_cb + i[None, :, None] * BLOCK + i[None, None, :], acc)


def test_batched_matmul(rng, device):
    a, b = rng.standard_normal((8, 16, 64)).astype(np.float32), rng.standard_normal((8, 64, 16)).astype(np.float32)
    c = poisoned((8, 16, 16))
    batched_matmul[(2,)](a, b, c, 64, strides(a)[0], strides(b)[0], strides(c)[0], BLOCK=16, BATCH=4)
    close(c, a.astype(np.float64) @ b.astype(np.float64), f32_product_tolerance(device))


@triton.jit
def products_of_few_blocks(x_ptr, y_ptr, out_ptr, n, ITERATIONS: tl.constexpr, BLOCK: tl.constexpr):
    """Chunks of linear attention do so: the loop over blocks of K has few iterations, which the compiler knows."""
    rows, columns = tl.arange(0, BLOCK), tl.arange(0, BLOCK)
    size: tl.constexpr = BLOCK * ITERATIONS
    for chunk in range(n):
        total = tl.zeros([BLOCK, BLOCK], tl.float32)
        for i in range(ITERATIONS):
            k = i * BLOCK + columns
            x = tl.load(x_ptr + (chunk * BLOCK + rows[:, None]) * size + k[None, :])
            y = tl.load(y_ptr + (chunk * size + k[:, None]) * BLOCK + columns[None, :])
            total = tl.dot(x, y, total)
        tl.store(out_ptr + (chunk * BLOCK + rows[:, None]) * BLOCK + columns[None, :], total)


@pytest.mark.parametrize("iterations,stages", [(2, 2), (2, 3), (2, 5), (3, 3), (3, 2), (4, 3)])
def test_loops_of_few_iterations(iterations, stages, rng):
    chunks, block = 3, 32
    x = rng.standard_normal((chunks, block, block * iterations)).astype(np.float16)
    y = rng.standard_normal((chunks, block * iterations, block)).astype(np.float16)
    out = poisoned((chunks, block, block), np.float32)
    products_of_few_blocks[(1,)](x, y, out, chunks, iterations, block, num_stages=stages)
    close(out, x.astype(np.float64) @ y.astype(np.float64), 1e-3)


@triton.jit
def int8_matmul(
    a_ptr,
    b_ptr,
    c_ptr,
    a_scale_ptr,
    b_scale_ptr,
    M,
    N,
    K,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.int32)
    for k in range(0, K, BLOCK_K):
        a = tl.load(
            a_ptr + rm[:, None] * K + (k + rk)[None, :], mask=(rm < M)[:, None] & (k + rk < K)[None, :], other=0
        )
        b = tl.load(
            b_ptr + (k + rk)[:, None] * N + rn[None, :], mask=(k + rk < K)[:, None] & (rn < N)[None, :], other=0
        )
        acc = tl.dot(a, b, acc, out_dtype=tl.int32)
    c = acc.to(tl.float32) * tl.load(a_scale_ptr + rm, rm < M, 0.0)[:, None] * tl.load(b_scale_ptr + rn, rn < N, 0.0)
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], c, mask=(rm < M)[:, None] & (rn < N)[None, :])


def test_int8_matmul_with_scales(rng):
    m, n, k = 50, 40, 100
    a, b = rng.integers(-128, 128, (m, k)).astype(np.int8), rng.integers(-128, 128, (k, n)).astype(np.int8)
    a_scale, b_scale = rng.random(m).astype(np.float32), rng.random(n).astype(np.float32)
    c = poisoned((m, n))
    int8_matmul[(triton.cdiv(m, 32), triton.cdiv(n, 32))](a, b, c, a_scale, b_scale, m, n, k, 32, 32, 32)
    close(c, (a.astype(np.float64) @ b) * a_scale[:, None].astype(np.float64) * b_scale.astype(np.float64), 1e-6)


@triton.jit
def persistent_matmul(
    a_desc,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    NUM_PROGRAMS: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """A few programs walk over all tiles; operands through descriptors made in the kernel."""
    start_pid = tl.program_id(0)
    num_pid_m = tl.cdiv(M, BLOCK_M)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    a = tl.make_tensor_descriptor(a_desc, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    b = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[K, 1], block_shape=[BLOCK_N, BLOCK_K])
    c = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    for tile_id in tl.range(start_pid, num_pid_m * num_pid_n, NUM_PROGRAMS, flatten=True):
        offs_m = (tile_id // num_pid_n) * BLOCK_M
        offs_n = (tile_id % num_pid_n) * BLOCK_N
        accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for ki in range(tl.cdiv(K, BLOCK_K)):
            accumulator = tl.dot(a.load([offs_m, ki * BLOCK_K]), b.load([offs_n, ki * BLOCK_K]).T, accumulator)
        c.store([offs_m, offs_n], accumulator)


def test_persistent_matmul_with_descriptors(rng, device):
    m, n, k = 70, 90, 40
    a, b = rng.standard_normal((m, k)).astype(np.float32), rng.standard_normal((n, k)).astype(np.float32)
    c = poisoned((m, n))
    persistent_matmul[(3,)](a, b, c, m, n, k, NUM_PROGRAMS=3, BLOCK_M=32, BLOCK_N=32, BLOCK_K=16)
    close(c, a.astype(np.float64) @ b.astype(np.float64).T, f32_product_tolerance(device))


# Convolutions and gradients


@triton.jit
def causal_conv1d_kernel(
    x_ptr,
    w_ptr,
    bias_ptr,
    out_ptr,
    DIM,
    LENGTH,
    WIDTH: tl.constexpr,
    SILU: tl.constexpr,
    BLOCK_T: tl.constexpr,
    BLOCK_D: tl.constexpr,
):
    batch, t_block, d_block = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    t = t_block * BLOCK_T + tl.arange(0, BLOCK_T)
    d = d_block * BLOCK_D + tl.arange(0, BLOCK_D)
    mask_d = d < DIM
    acc = tl.zeros([BLOCK_D, BLOCK_T], dtype=tl.float32)
    for j in tl.static_range(0, WIDTH):
        w = tl.load(w_ptr + d * WIDTH + j, mask=mask_d, other=0.0)
        source = t - (WIDTH - 1) + j
        x = tl.load(
            x_ptr + batch * DIM * LENGTH + d[:, None] * LENGTH + source[None, :],
            mask=mask_d[:, None] & (source >= 0)[None, :] & (source < LENGTH)[None, :],
            other=0.0,
        )
        acc += x * w[:, None]
    acc += tl.load(bias_ptr + d, mask=mask_d, other=0.0)[:, None]
    if SILU:
        acc = acc * (1 / (1 + tl.exp(-acc)))
    tl.store(
        out_ptr + batch * DIM * LENGTH + d[:, None] * LENGTH + t[None, :],
        acc,
        mask=mask_d[:, None] & (t < LENGTH)[None, :],
    )


@pytest.mark.parametrize("activation", [False, True])
def test_causal_convolution(activation, rng):
    batch, channels, length, width = 2, 10, 75, 4
    x = rng.standard_normal((batch, channels, length)).astype(np.float32)
    w, bias = (
        rng.standard_normal((channels, width)).astype(np.float32),
        rng.standard_normal(channels).astype(np.float32),
    )
    out = poisoned(x.shape)
    causal_conv1d_kernel[(batch, triton.cdiv(length, 32), triton.cdiv(channels, 8))](
        x, w, bias, out, channels, length, WIDTH=width, SILU=activation, BLOCK_T=32, BLOCK_D=8
    )
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (width - 1, 0)))
    expected = sum(padded[..., j : j + length] * w[:, j, None].astype(np.float64) for j in range(width)) + bias[:, None]
    close(out, expected / (1 + np.exp(-expected)) if activation else expected, 1e-5)


@triton.jit
def layer_norm_backward_kernel(
    DX, DY, DW, DB, X, W, Mean, Rstd, Lock, stride, N, GROUP_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr
):
    """Weights' gradients accumulate into a few rows, each under a spin lock."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE_N)
    mask = cols < N
    X += row * stride
    DY += row * stride
    DX += row * stride
    lock_id = row % GROUP_SIZE_M
    Lock += lock_id
    Count = Lock + GROUP_SIZE_M
    DW = DW + lock_id * N + cols
    DB = DB + lock_id * N + cols
    x = tl.load(X + cols, mask=mask, other=0).to(tl.float32)
    dy = tl.load(DY + cols, mask=mask, other=0).to(tl.float32)
    w = tl.load(W + cols, mask=mask).to(tl.float32)
    mean = tl.load(Mean + row)
    rstd = tl.load(Rstd + row)
    xhat = (x - mean) * rstd
    wdy = w * dy
    xhat = tl.where(mask, xhat, 0.0)
    wdy = tl.where(mask, wdy, 0.0)
    c1 = tl.sum(xhat * wdy, axis=0) / N
    c2 = tl.sum(wdy, axis=0) / N
    tl.store(DX + cols, (wdy - (xhat * c1 + c2)) * rstd, mask=mask)
    partial_dw = (dy * xhat).to(w.dtype)
    partial_db = dy.to(w.dtype)
    while tl.atomic_cas(Lock, 0, 1) == 1:
        pass
    count = tl.load(Count)
    if count == 0:
        tl.atomic_xchg(Count, 1)
    else:
        partial_dw += tl.load(DW, mask=mask)
        partial_db += tl.load(DB, mask=mask)
    tl.store(DW, partial_dw, mask=mask)
    tl.store(DB, partial_db, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(Lock, 0)


def test_layer_norm_backward_under_locks(rng):
    rows, columns, groups = 37, 100, 4
    x, dy = rng.standard_normal((2, rows, columns)).astype(np.float32)
    w = rng.standard_normal(columns).astype(np.float32)
    x64, dy64 = x.astype(np.float64), dy.astype(np.float64)
    mean, rstd = x64.mean(1, keepdims=True), 1 / np.sqrt(x64.var(1, keepdims=True) + 1e-5)
    dx, dw, db = poisoned(x.shape), poisoned((groups, columns)), poisoned((groups, columns))
    layer_norm_backward_kernel[(rows,)](
        dx,
        dy,
        dw,
        db,
        x,
        w,
        mean.astype(np.float32),
        rstd.astype(np.float32),
        np.zeros(2 * groups, np.int32),
        columns,
        columns,
        groups,
        BLOCK_SIZE_N=128,
    )
    normalized, weighted = (x64 - mean) * rstd, w * dy64
    close(dw.astype(np.float64).sum(0), (dy64 * normalized).sum(0), 1e-5)
    close(db.astype(np.float64).sum(0), dy64.sum(0), 1e-5)
    c1, c2 = (normalized * weighted).mean(1, keepdims=True), weighted.mean(1, keepdims=True)
    close(dx, (weighted - (normalized * c1 + c2)) * rstd, 1e-5)
