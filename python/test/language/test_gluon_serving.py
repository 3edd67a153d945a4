"""Small kernels like those that serve models on AMD's GPUs, in Gluon: accesses by offsets, buffers, and the matrix
units of CDNA 3, CDNA 4 and gfx1250."""

import numpy as np
import pytest
from gluon_units import multiply
from triton.backends.amd.driver import SimulatedHIPDriver
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd import AMDMFMALayout, AMDWMMALayout, cdna3
from triton.runtime import driver

BLOCKED = {64: gl.BlockedLayout([1, 4], [4, 16], [4, 1], [1, 0]), 32: gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])}
#: (layout of sums, k_width, lanes of a warp) by architecture
UNITS = {
    "gfx942": (AMDMFMALayout(3, [16, 16, 16], True, [4, 1]), 4, 64),
    "gfx950": (AMDMFMALayout(4, [16, 16, 32], True, [4, 1]), 8, 64),
    "gfx1250": (AMDWMMALayout(3, True, [[1, 0], [2, 0]], [], [16, 16, 32]), 8, 32),
}


@pytest.fixture(params=UNITS)
def arch(request):
    driver.set_active(SimulatedHIPDriver(request.param))
    yield request.param
    driver.set_active_to_cpu()


def random(*shape, dtype=np.float16, seed=0):
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(dtype)


@gluon.jit
def places(M: gl.constexpr, N: gl.constexpr, layout: gl.constexpr):
    """The rows and columns of a block, as blocks of one column and of one row."""
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    return rows[:, None], columns[None, :]


@gluon.jit
def multiply_blocks(a, b, acc, width: gl.constexpr):
    """acc + a b, by the unit whose layout `acc` has, of blocks in any layouts."""
    layout: gl.constexpr = acc.type.layout
    left = gl.convert_layout(a, gl.DotOperandLayout(0, layout, width))
    right = gl.convert_layout(b, gl.DotOperandLayout(1, layout, width))
    return multiply(left, right, acc)


@gluon.jit
def rms_norm(x, weight, y, n, eps, layout: gl.constexpr, M: gl.constexpr, N: gl.constexpr):
    rows, columns = places(M, N, layout)
    offsets = (gl.program_id(0) * M + rows) * n + columns
    block = cdna3.buffer_load(x, offsets, mask=columns < n, other=0).to(gl.float32)
    scale = gl.rsqrt(gl.sum(block * block, 1) / n + eps)
    gains = cdna3.buffer_load(weight, 0 * rows + columns, mask=columns < n, other=0).to(gl.float32)
    cdna3.buffer_store((block * scale[:, None] * gains).to(gl.float16), y, offsets, mask=columns < n)


def test_rms_norm(arch):
    x, weight = random(32, 50), random(50, seed=1)
    y = np.zeros_like(x)
    rms_norm[(2,)](x, weight, y, 50, 1e-5, BLOCKED[UNITS[arch][2]], 16, 64)
    numbers = x.astype(np.float32)
    expected = numbers / np.sqrt((numbers**2).mean(1, keepdims=True) + 1e-5) * weight
    np.testing.assert_allclose(y, expected, rtol=2e-3)


@gluon.jit
def rotary(x, cos, sin, y, layout: gl.constexpr, M: gl.constexpr, D: gl.constexpr):
    rows, columns = places(M, D, layout)
    pairs = cdna3.buffer_load(x, rows * D + columns).to(gl.float32)
    first, second = gl.split(gl.reshape(pairs, [M, D // 2, 2]))
    half_rows, half_columns = places(M, D // 2, layout)
    angles = half_rows * (D // 2) + half_columns
    c = gl.convert_layout(cdna3.buffer_load(cos, angles), first.type.layout)
    s = gl.convert_layout(cdna3.buffer_load(sin, angles), first.type.layout)
    turned = gl.join(first * c - second * s, first * s + second * c)
    cdna3.buffer_store(gl.convert_layout(turned.reshape([M, D]), layout).to(gl.float16), y, rows * D + columns)


def test_rotary_embedding(arch):
    x, angles = random(16, 128), np.random.default_rng(1).random((16, 64)).astype(np.float32)
    y = np.zeros_like(x)
    rotary[(1,)](x, np.cos(angles), np.sin(angles), y, BLOCKED[UNITS[arch][2]], 16, 128)
    turned = (x[:, ::2] + 1j * x[:, 1::2]) * np.exp(1j * angles)
    np.testing.assert_allclose(y, np.stack([turned.real, turned.imag], -1).reshape(16, 128), atol=1e-2)


@gluon.jit
def silu_and_mul(x, y, n, layout: gl.constexpr, M: gl.constexpr, N: gl.constexpr):
    rows, columns = places(M, N, layout)
    mask = columns < n
    gate = cdna3.buffer_load(x, rows * (2 * n) + columns, mask=mask, other=0).to(gl.float32)
    up = cdna3.buffer_load(x, rows * (2 * n) + n + columns, mask=mask, other=0).to(gl.float32)
    cdna3.buffer_store((gate / (1 + gl.exp2(-1.44269504 * gate)) * up).to(gl.float16), y, rows * n + columns, mask=mask)


def test_gated_activation(arch):
    x = random(16, 100)
    y = np.zeros((16, 50), np.float16)
    silu_and_mul[(1,)](x, y, 50, BLOCKED[UNITS[arch][2]], 16, 64)
    gate, up = x[:, :50].astype(np.float32), x[:, 50:]
    np.testing.assert_allclose(y, gate / (1 + np.exp(-gate)) * up, rtol=2e-3, atol=1e-3)


@gluon.jit
def quantized_rows(x, y, scales, layout: gl.constexpr, M: gl.constexpr, N: gl.constexpr):
    rows, columns = places(M, N, layout)
    block = cdna3.buffer_load(x, rows * N + columns).to(gl.float32)
    scale = gl.maximum(gl.max(gl.abs(block), 1), 1e-6) / 127
    cdna3.buffer_store(gl.floor(block / scale[:, None] + 0.5).to(gl.int8), y, rows * N + columns)
    gl.store(scales + gl.arange(0, M, layout=gl.SliceLayout(1, layout)), scale)


def test_quantization_of_rows(arch):
    x = np.random.default_rng(0).standard_normal((16, 128)).astype(np.float32)
    y, scales = np.zeros((16, 128), np.int8), np.zeros(16, np.float32)
    quantized_rows[(1,)](x, y, scales, BLOCKED[UNITS[arch][2]], 16, 128)
    np.testing.assert_allclose(scales, np.abs(x).max(1) / 127, rtol=1e-6)
    assert np.abs(y * scales[:, None] - x).max() <= scales.max() * 0.51


@gluon.jit
def written_cache(key, slots, cache, layout: gl.constexpr, M: gl.constexpr, D: gl.constexpr):
    rows, columns = places(M, D, layout)
    slot = gl.load(slots + rows)
    block = cdna3.buffer_load(key, rows * D + columns)
    cdna3.buffer_store(block, cache, slot * D + columns, mask=slot >= 0)


def test_keys_written_to_slots(arch):
    key, cache = random(16, 64), np.zeros((40, 64), np.float16)
    slots = np.random.default_rng(1).permutation(40)[:16].astype(np.int32)
    slots[3] = -1
    written_cache[(1,)](key, slots, cache, BLOCKED[UNITS[arch][2]], 16, 64)
    expected = np.zeros_like(cache)
    expected[slots[slots >= 0]] = key[slots >= 0]
    np.testing.assert_array_equal(cache, expected)


@gluon.jit
def best_experts(logits, ids, weights, layout: gl.constexpr, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr):
    rows, columns = places(M, N, layout)
    block = cdna3.buffer_load(logits, rows * N + columns)
    row = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    raised = gl.exp(block - gl.max(block, 1)[:, None])
    share = raised / gl.sum(raised, 1)[:, None]
    for k in gl.static_range(K):
        most = gl.max(share, 1)
        place = gl.min(gl.where(share == most[:, None], columns, N), 1)
        gl.store(ids + row * K + k, place)
        gl.store(weights + row * K + k, most)
        share = gl.where(columns == place[:, None], -1.0, share)


def test_choice_of_experts(arch):
    logits = np.random.default_rng(0).standard_normal((16, 64)).astype(np.float32)
    ids, weights = np.zeros((16, 2), np.int32), np.zeros((16, 2), np.float32)
    best_experts[(1,)](logits, ids, weights, BLOCKED[UNITS[arch][2]], 16, 64, 2)
    np.testing.assert_array_equal(ids, np.argsort(-logits, 1)[:, :2])
    share = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    np.testing.assert_allclose(weights, np.take_along_axis(share, ids, 1), rtol=1e-5)


@gluon.jit
def gemm(
    a, b, c, n, k, layout: gl.constexpr, unit: gl.constexpr, width: gl.constexpr, shared: gl.constexpr, B: gl.constexpr
):
    rows, columns = places(B, B, layout)
    first_row, first_column = gl.program_id(0) * B, gl.program_id(1) * B
    left = gl.allocate_shared_memory(gl.float16, [2, B, B], shared)
    right = gl.allocate_shared_memory(gl.float16, [2, B, B], shared)
    acc = gl.zeros([B, B], gl.float32, unit)
    steps = gl.cdiv(k, B)
    next_left = cdna3.buffer_load(a, (first_row + rows) * k + columns)
    next_right = cdna3.buffer_load(b, rows * n + first_column + columns)
    for step in range(steps):
        left.index(step % 2).store(next_left)
        right.index(step % 2).store(next_right)
        at = (step + 1) * B
        next_left = cdna3.buffer_load(a, (first_row + rows) * k + at + columns, mask=at + columns < k, other=0)
        next_right = cdna3.buffer_load(b, (at + rows) * n + first_column + columns, mask=at + rows < k, other=0)
        one = left.index(step % 2).load(gl.DotOperandLayout(0, unit, width))
        other = right.index(step % 2).load(gl.DotOperandLayout(1, unit, width))
        acc = multiply_blocks(one, other, acc, width)
    block = gl.convert_layout(acc.to(gl.float16), layout)
    cdna3.buffer_store(block, c, (first_row + rows) * n + first_column + columns)


@pytest.mark.parametrize("padded", [False, True])
def test_product_through_two_buffers(arch, padded):
    unit, width, lanes = UNITS[arch]
    shared = gl.SwizzledSharedLayout(8, 1, 8, [1, 0])
    if padded:
        shared = gl.PaddedSharedLayout.with_identity_for([[64, 8]], [64, 64], [1, 0])
    a, b, c = random(128, 192), random(192, 64, seed=1), np.zeros((128, 64), np.float16)
    gemm[(2, 1)](a, b, c, 64, 192, BLOCKED[lanes], unit, width, shared, 64)
    np.testing.assert_array_equal(c, (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16))


@gluon.jit
def experts_gemm(
    x,
    w,
    y,
    tokens,
    experts,
    gains,
    count,
    layout: gl.constexpr,
    unit: gl.constexpr,
    width: gl.constexpr,
    B: gl.constexpr,
):
    rows, columns = places(B, B, layout)
    program = gl.program_id(0)
    expert = gl.load(experts + program)
    token = gl.load(tokens + program * B + rows)  # Those of one expert, then `count` for the places that are left.
    gain = gl.load(gains + token, mask=token < count, other=0.0)
    block = cdna3.buffer_load(x, token * B + columns, mask=token < count, other=0)
    weight = cdna3.buffer_load(w + expert * B * B, rows * B + columns)
    acc = multiply_blocks(block, weight, gl.zeros([B, B], gl.float32, unit), width)
    result = (gl.convert_layout(acc, layout) * gain).to(gl.float16)
    cdna3.buffer_store(result, y, token * B + columns, mask=token < count)


def test_products_of_experts(arch):
    unit, width, lanes = UNITS[arch]
    x, w, y = random(40, 64), random(3, 64, 64, seed=1), np.zeros((40, 64), np.float16)
    gains = np.random.default_rng(2).integers(1, 4, 40).astype(np.float32)
    of_token = np.arange(40) % 3
    tokens = np.full((3, 64), 40, np.int32)
    for expert in range(3):
        chosen = np.flatnonzero(of_token == expert)
        tokens[expert, : len(chosen)] = chosen
    experts = np.arange(3, dtype=np.int32)
    experts_gemm[(3,)](x, w, y, tokens, experts, gains, 40, BLOCKED[lanes], unit, width, 64)
    products = np.einsum("td,tdn->tn", x.astype(np.float32), w.astype(np.float32)[of_token])
    np.testing.assert_array_equal(y, (products * gains[:, None]).astype(np.float16))


@gluon.jit
def paged_attention(
    q,
    keys,
    values,
    pages,
    out,
    length,
    scale,
    layout: gl.constexpr,
    unit: gl.constexpr,
    width: gl.constexpr,
    M: gl.constexpr,
    PAGE: gl.constexpr,
    D: gl.constexpr,
):
    rows, columns = places(M, D, layout)
    page_rows, _ = places(PAGE, D, layout)
    row: gl.constexpr = gl.SliceLayout(1, unit)
    query = cdna3.buffer_load(q, rows * D + columns)
    acc = gl.zeros([M, D], gl.float32, unit)
    most = gl.full([M], -1.0e30, gl.float32, row)
    total = gl.zeros([M], gl.float32, row)
    for block in range(gl.cdiv(length, PAGE)):
        page = gl.load(pages + block) * PAGE
        key = cdna3.buffer_load(keys, (page + page_rows) * D + columns)
        scores = multiply_blocks(query, key.T, gl.zeros([M, PAGE], gl.float32, unit), width) * scale
        place = block * PAGE + gl.arange(0, PAGE, layout=gl.SliceLayout(0, unit))
        scores = gl.where(place[None, :] < length, scores, -1.0e30)
        highest = gl.maximum(most, gl.max(scores, 1))
        weights = gl.exp2(scores - highest[:, None])
        factor = gl.exp2(most - highest)
        total = total * factor + gl.sum(weights, 1)
        value = cdna3.buffer_load(values, (page + page_rows) * D + columns)
        acc = multiply_blocks(weights.to(gl.float16), value, acc * factor[:, None], width)
        most = highest
    result = gl.convert_layout(acc / total[:, None], layout)
    cdna3.buffer_store(result.to(gl.float16), out, rows * D + columns)


def attention(q, k, v, scale):
    scores = q.astype(np.float32) @ k.astype(np.float32).T * scale
    weights = np.exp(scores - scores.max(1, keepdims=True))
    return weights / weights.sum(1, keepdims=True) @ v.astype(np.float32)


def test_attention_over_pages(arch):
    unit, width, lanes = UNITS[arch]
    generator = np.random.default_rng(0)
    q, keys, values = (
        generator.standard_normal(shape).astype(np.float16) for shape in ((64, 64), (256, 64), (256, 64))
    )
    pages, out = np.array([3, 0, 2], np.int32), np.zeros((64, 64), np.float16)
    scale = 0.125
    paged_attention[(1,)](q, keys, values, pages, out, 150, scale * 1.44269504, BLOCKED[lanes], unit, width, 64, 64, 64)
    order = (pages[:, None] * 64 + np.arange(64)).ravel()[:150]
    np.testing.assert_allclose(out, attention(q, keys[order], values[order], scale), atol=5e-3)


@gluon.jit
def latent_attention(
    q, q_rope, latent, rope, out, scale, layout: gl.constexpr, unit: gl.constexpr, width: gl.constexpr, N: gl.constexpr
):
    rows, columns = places(64, 64, layout)
    query = cdna3.buffer_load(q, rows * 64 + columns)
    query_rope = cdna3.buffer_load(q_rope, rows * 64 + columns)
    acc = gl.zeros([64, 64], gl.float32, unit)
    total = gl.zeros([64], gl.float32, gl.SliceLayout(1, unit))
    most = gl.full([64], -1.0e30, gl.float32, gl.SliceLayout(1, unit))
    for block in gl.static_range(N):
        both = cdna3.buffer_load(latent, (block * 64 + rows) * 64 + columns)  # keys, and values as well
        turned = cdna3.buffer_load(rope, (block * 64 + rows) * 64 + columns)
        scores = multiply_blocks(query, both.T, gl.zeros([64, 64], gl.float32, unit), width)
        scores = multiply_blocks(query_rope, turned.T, scores, width) * scale
        highest = gl.maximum(most, gl.max(scores, 1))
        weights, factor = gl.exp2(scores - highest[:, None]), gl.exp2(most - highest)
        total = total * factor + gl.sum(weights, 1)
        acc = multiply_blocks(weights.to(gl.float16), both, acc * factor[:, None], width)
        most = highest
    cdna3.buffer_store(gl.convert_layout(acc / total[:, None], layout).to(gl.float16), out, rows * 64 + columns)


def test_attention_over_latent_keys(arch):
    unit, width, lanes = UNITS[arch]
    generator = np.random.default_rng(0)
    q, q_rope = (generator.standard_normal((64, 64)).astype(np.float16) for _ in range(2))
    latent, rope = (generator.standard_normal((128, 64)).astype(np.float16) for _ in range(2))
    out = np.zeros((64, 64), np.float16)
    latent_attention[(1,)](q, q_rope, latent, rope, out, 0.1 * 1.44269504, BLOCKED[lanes], unit, width, 2)
    keys = np.concatenate([latent, rope], 1)
    np.testing.assert_allclose(out, attention(np.concatenate([q, q_rope], 1), keys, latent, 0.1), atol=5e-3)
