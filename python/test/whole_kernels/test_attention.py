"""Attention as libraries of kernels have it: through block pointers and through pointers, over ragged lengths and over
pages. Each is compared with NumPy in float64."""

import numpy as np
import pytest
import triton
import triton.language as tl
from comparison import close, f32_product_tolerance, poisoned, softmax64, strides

pytestmark = pytest.mark.usefixtures("device")


def attention64(q, k, v, scale, causal):
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    scores = q @ k.swapaxes(-1, -2) * scale
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -np.inf)
    return softmax64(scores) @ v


@triton.jit
def _attention_inner(
    acc,
    l_i,
    m_i,
    q,
    K_block_ptr,
    V_block_ptr,
    start_m,
    qk_scale,
    BLOCK_M: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    BLOCK_N: tl.constexpr,
    STAGE: tl.constexpr,
    offs_m: tl.constexpr,
    offs_n: tl.constexpr,
    N_CTX: tl.constexpr,
):
    if STAGE == 1:
        lo, hi = 0, start_m * BLOCK_M
    elif STAGE == 2:
        lo, hi = start_m * BLOCK_M, (start_m + 1) * BLOCK_M
        lo = tl.multiple_of(lo, BLOCK_M)
    else:
        lo, hi = 0, N_CTX
    K_block_ptr = tl.advance(K_block_ptr, (0, lo))
    V_block_ptr = tl.advance(V_block_ptr, (lo, 0))
    for start_n in range(lo, hi, BLOCK_N):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        k = tl.load(K_block_ptr)
        qk = tl.dot(q, k)
        if STAGE == 2:
            mask = offs_m[:, None] >= (start_n + offs_n[None, :])
            qk = qk * qk_scale + tl.where(mask, 0, -1.0e6)
            m_ij = tl.maximum(m_i, tl.max(qk, 1))
            qk -= m_ij[:, None]
        else:
            m_ij = tl.maximum(m_i, tl.max(qk, 1) * qk_scale)
            qk = qk * qk_scale - m_ij[:, None]
        p = tl.math.exp2(qk)
        l_ij = tl.sum(p, 1)
        alpha = tl.math.exp2(m_i - m_ij)
        l_i = l_i * alpha + l_ij
        acc = acc * alpha[:, None]
        v = tl.load(V_block_ptr)
        acc = tl.dot(p.to(v.dtype), v, acc)
        m_i = m_ij
        V_block_ptr = tl.advance(V_block_ptr, (BLOCK_N, 0))
        K_block_ptr = tl.advance(K_block_ptr, (0, BLOCK_N))
    return acc, l_i, m_i


@triton.jit
def block_pointer_attention(
    Q,
    K,
    V,
    sm_scale,
    M,
    Out,
    stride_qz,
    stride_qh,
    stride_qm,
    stride_qk,
    stride_kz,
    stride_kh,
    stride_kn,
    stride_kk,
    stride_vz,
    stride_vh,
    stride_vk,
    stride_vn,
    stride_oz,
    stride_oh,
    stride_om,
    stride_on,
    Z,
    H,
    N_CTX,
    HEAD_DIM: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    STAGE: tl.constexpr,
):
    tl.static_assert(BLOCK_N <= HEAD_DIM)
    start_m = tl.program_id(0)
    off_hz = tl.program_id(1)
    off_z = off_hz // H
    off_h = off_hz % H
    qvk_offset = off_z.to(tl.int64) * stride_qz + off_h.to(tl.int64) * stride_qh
    Q_block_ptr = tl.make_block_ptr(
        base=Q + qvk_offset,
        shape=(N_CTX, HEAD_DIM),
        strides=(stride_qm, stride_qk),
        offsets=(start_m * BLOCK_M, 0),
        block_shape=(BLOCK_M, HEAD_DIM),
        order=(1, 0),
    )
    v_order: tl.constexpr = (0, 1) if V.dtype.element_ty == tl.float8e5 else (1, 0)
    V_block_ptr = tl.make_block_ptr(
        base=V + qvk_offset,
        shape=(N_CTX, HEAD_DIM),
        strides=(stride_vk, stride_vn),
        offsets=(0, 0),
        block_shape=(BLOCK_N, HEAD_DIM),
        order=v_order,
    )
    K_block_ptr = tl.make_block_ptr(
        base=K + qvk_offset,
        shape=(HEAD_DIM, N_CTX),
        strides=(stride_kk, stride_kn),
        offsets=(0, 0),
        block_shape=(HEAD_DIM, BLOCK_N),
        order=(0, 1),
    )
    O_block_ptr = tl.make_block_ptr(
        base=Out + qvk_offset,
        shape=(N_CTX, HEAD_DIM),
        strides=(stride_om, stride_on),
        offsets=(start_m * BLOCK_M, 0),
        block_shape=(BLOCK_M, HEAD_DIM),
        order=(1, 0),
    )
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32) + 1.0
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    qk_scale = sm_scale
    qk_scale *= 1.44269504
    q = tl.load(Q_block_ptr)
    if STAGE & 1:
        acc, l_i, m_i = _attention_inner(
            acc,
            l_i,
            m_i,
            q,
            K_block_ptr,
            V_block_ptr,
            start_m,
            qk_scale,
            BLOCK_M,
            HEAD_DIM,
            BLOCK_N,
            4 - STAGE,
            offs_m,
            offs_n,
            N_CTX,
        )
    if STAGE & 2:
        acc, l_i, m_i = _attention_inner(
            acc,
            l_i,
            m_i,
            q,
            K_block_ptr,
            V_block_ptr,
            start_m,
            qk_scale,
            BLOCK_M,
            HEAD_DIM,
            BLOCK_N,
            2,
            offs_m,
            offs_n,
            N_CTX,
        )
    m_i += tl.math.log2(l_i)
    acc = acc / l_i[:, None]
    m_ptrs = M + off_hz * N_CTX + offs_m
    tl.store(m_ptrs, m_i)
    tl.store(O_block_ptr, acc.to(Out.type.element_ty))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_attention_with_block_pointers(causal, dtype, rng, device):
    batch, heads, length, size = 2, 3, 128, 64
    q, k, v = rng.standard_normal((3, batch, heads, length, size)).astype(dtype)
    out, m = poisoned(q.shape, dtype), poisoned((batch, heads, length))
    block_pointer_attention[(length // 64, batch * heads, 1)](
        q,
        k,
        v,
        0.125,
        m,
        out,
        *strides(q),
        *strides(k),
        *strides(v),
        *strides(out),
        batch,
        heads,
        N_CTX=length,
        HEAD_DIM=size,
        BLOCK_M=64,
        BLOCK_N=32,
        STAGE=3 if causal else 1,
        num_warps=4,
        num_stages=3,
    )
    close(out, attention64(q, k, v, 0.125, causal), 3e-3 if dtype == np.float16 else f32_product_tolerance(device))


@triton.jit
def pointer_attention(
    q_ptr,
    k_ptr,
    v_ptr,
    o_ptr,
    lengths_ptr,
    stride_qb,
    stride_qh,
    stride_qm,
    stride_kb,
    stride_kh,
    stride_kn,
    heads_q,
    heads_k,
    max_q,
    scale,
    D: tl.constexpr,
    D_PADDED: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    """Ragged lengths, grouped queries, a head size that is not a power of two."""
    start_m = tl.program_id(0)
    batch = tl.program_id(1) // heads_q
    head = tl.program_id(1) % heads_q
    length = tl.load(lengths_ptr + batch)
    if start_m * BLOCK_M >= length:
        return
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, D_PADDED)
    kv_head = head // (heads_q // heads_k)
    q_ptrs = q_ptr + batch * stride_qb + head * stride_qh + offs_m[:, None] * stride_qm + offs_d[None, :]
    k_ptrs = k_ptr + batch * stride_kb + kv_head * stride_kh + offs_n[None, :] * stride_kn + offs_d[:, None]
    v_ptrs = v_ptr + batch * stride_kb + kv_head * stride_kh + offs_n[:, None] * stride_kn + offs_d[None, :]
    mask_d = offs_d < D
    q = tl.load(q_ptrs, mask=(offs_m < length)[:, None] & mask_d[None, :], other=0.0)
    m_i = tl.full([BLOCK_M], float("-inf"), tl.float32)
    l_i = tl.zeros([BLOCK_M], tl.float32)
    acc = tl.zeros([BLOCK_M, D_PADDED], tl.float32)
    end = tl.minimum((start_m + 1) * BLOCK_M, length) if CAUSAL else length
    for start_n in tl.range(0, end, BLOCK_N, num_stages=2, warp_specialize=False):
        valid = start_n + offs_n < length
        k = tl.load(k_ptrs + start_n * stride_kn, mask=mask_d[:, None] & valid[None, :], other=0.0)
        scores = tl.dot(q, k, input_precision="ieee") * scale
        allowed = valid[None, :]
        if CAUSAL:
            allowed = allowed & (offs_m[:, None] >= (start_n + offs_n)[None, :])
        scores = tl.where(allowed, scores, float("-inf"))
        m_new = tl.maximum(m_i, tl.max(scores, axis=1))
        p = tl.exp(scores - m_new[:, None])
        correction = tl.exp(m_i - m_new)
        l_i = l_i * correction + tl.sum(p, axis=1)
        v = tl.load(v_ptrs + start_n * stride_kn, mask=valid[:, None] & mask_d[None, :], other=0.0)
        acc = acc * correction[:, None] + tl.dot(p.to(v.dtype), v, allow_tf32=False)
        m_i = m_new
    o_ptrs = o_ptr + batch * stride_qb + head * stride_qh + offs_m[:, None] * stride_qm + offs_d[None, :]
    tl.store(o_ptrs, (acc / l_i[:, None]).to(o_ptr.dtype.element_ty), mask=(offs_m < length)[:, None] & mask_d[None, :])


@pytest.mark.parametrize("causal", [False, True])
def test_ragged_grouped_query_attention(causal, rng):
    batch, heads_q, heads_k, longest, size = 3, 4, 2, 70, 40
    lengths = np.array([70, 1, 33], np.int32)
    q = rng.standard_normal((batch, heads_q, longest, size)).astype(np.float32)
    k, v = rng.standard_normal((2, batch, heads_k, longest, size)).astype(np.float32)
    out = np.full_like(q, -7)
    pointer_attention[(triton.cdiv(longest, 32), batch * heads_q)](
        q,
        k,
        v,
        out,
        lengths,
        *strides(q)[:3],
        *strides(k)[:3],
        heads_q,
        heads_k,
        longest,
        size**-0.5,
        D=size,
        D_PADDED=64,
        BLOCK_M=32,
        BLOCK_N=16,
        CAUSAL=causal,
    )
    for b, length in enumerate(lengths):
        keys, values = (x[b, :, :length].repeat(heads_q // heads_k, 0) for x in (k, v))
        close(out[b, :, :length], attention64(q[b, :, :length], keys, values, size**-0.5, causal))
    assert (out[1, :, 1:] == -7).all()


@triton.jit
def decode_attention_kernel(
    q_ptr,
    k_cache,
    v_cache,
    block_table,
    seq_lens,
    out_ptr,
    scale,
    MAX_BLOCKS: tl.constexpr,
    PAGE: tl.constexpr,
    D: tl.constexpr,
):
    """One query against keys and values in pages."""
    sequence = tl.program_id(0)
    length = tl.load(seq_lens + sequence)
    d = tl.arange(0, D)
    slot = tl.arange(0, PAGE)
    q = tl.load(q_ptr + sequence * D + d)
    m, l = float("-inf"), 0.0
    acc = tl.zeros([D], tl.float32)
    page = 0
    while page * PAGE < length:
        physical = tl.load(block_table + sequence * MAX_BLOCKS + page).to(tl.int64)
        k = tl.load(k_cache + physical * PAGE * D + slot[:, None] * D + d[None, :])
        scores = tl.sum(q[None, :] * k, 1) * scale
        scores = tl.where(page * PAGE + slot < length, scores, float("-inf"))
        m_new = max(m, tl.max(scores, 0))
        p = tl.exp(scores - m_new)
        alpha = tl.exp(m - m_new)
        v = tl.load(v_cache + physical * PAGE * D + slot[:, None] * D + d[None, :])
        acc = acc * alpha + tl.sum(p[:, None] * v, 0)
        l = l * alpha + tl.sum(p, 0)
        m = m_new
        page += 1
    tl.store(out_ptr + sequence * D + d, acc / l)


def test_paged_decoding(rng):
    sequences, pages, page, size, most = 4, 20, 16, 32, 5
    lengths = np.array([1, 16, 37, 80], np.int32)
    table = rng.permutation(pages)[: sequences * most].reshape(sequences, most).astype(np.int32)
    q = rng.standard_normal((sequences, size)).astype(np.float32)
    k, v = rng.standard_normal((2, pages, page, size)).astype(np.float32)
    out = poisoned(q.shape)
    decode_attention_kernel[(sequences,)](q, k, v, table, lengths, out, size**-0.5, most, page, size)
    for s, length in enumerate(lengths):
        keys, values = (x[table[s]].reshape(-1, size)[:length] for x in (k, v))
        close(out[s], attention64(q[s : s + 1], keys, values, size**-0.5, False)[0])
