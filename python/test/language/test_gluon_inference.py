"""Kernels of inference on AMD's GPUs as users of Gluon write them: narrow floats with scales, routing of tokens to
experts, and attention that looks back. test_gluon_serving.py has others."""

import ml_dtypes
import numpy as np
import pytest
from gluon_devices import simulated  # noqa: F401
from gluon_units import multiply
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd import AMDMFMALayout, AMDWMMALayout, cdna3, cdna4, gfx1250

#: (layout of sums, k_width) of products of halves, and of floats of 8 bits, by architecture.
HALVES = {
    "gfx942": (AMDMFMALayout(3, [16, 16, 16], True, [4, 1]), 4),
    "gfx950": (AMDMFMALayout(4, [16, 16, 32], True, [4, 1]), 8),
    "gfx1250": (AMDWMMALayout(3, True, [[1, 0], [2, 0]], [], [16, 16, 32]), 8),
}
BYTES = {
    "gfx942": (AMDMFMALayout(3, [16, 16, 32], True, [2, 2]), 8),
    "gfx950": (AMDMFMALayout(4, [16, 16, 128], True, [2, 2]), 16),
    "gfx1250": (AMDWMMALayout(3, True, [[0, 1], [1, 0]], [], [16, 16, 64]), 8),
}


def lanes(arch):
    return 32 if arch == "gfx1250" else 64


def narrow(arch):
    """The float of 8 bits that the units multiply, and its largest number."""
    return (ml_dtypes.float8_e4m3fnuz, 240.0) if arch == "gfx942" else (ml_dtypes.float8_e4m3fn, 448.0)


@gluon.jit
def product_of_bytes(
    a, b, c, a_scales, b_scales, M, N, K, BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr, GROUP: gl.constexpr,
    WAVE: gl.constexpr, unit: gl.constexpr, width: gl.constexpr,
):  # fmt: skip
    """The next blocks are on their way while the unit multiplies those in shared memory."""
    pid, across = gl.program_id(0), GROUP * gl.cdiv(N, BN)
    first = pid // across * GROUP
    size = min(gl.cdiv(M, BM) - first, GROUP)
    row, column = (first + pid % size) * BM, pid % across // size * BN
    of_a: gl.constexpr = gl.BlockedLayout([1, 16], [WAVE // 4, 4], [4, 1], [1, 0])
    of_b: gl.constexpr = gl.BlockedLayout([16, 1], [4, WAVE // 4], [1, 4], [0, 1])
    left = gl.allocate_shared_memory(a.dtype.element_ty, [BM, BK], gl.SwizzledSharedLayout(16, 1, 8, [1, 0]))
    right = gl.allocate_shared_memory(b.dtype.element_ty, [BK, BN], gl.SwizzledSharedLayout(16, 1, 8, [0, 1]))
    i = (row + gl.arange(0, BM, layout=gl.SliceLayout(1, of_a))) % M
    j = (column + gl.arange(0, BN, layout=gl.SliceLayout(0, of_b))) % N
    a_k = gl.arange(0, BK, layout=gl.SliceLayout(0, of_a))
    b_k = gl.arange(0, BK, layout=gl.SliceLayout(1, of_b))
    a_places, b_places = i[:, None] * K + a_k[None, :], b_k[:, None] + j[None, :] * K
    next_a = cdna3.buffer_load(ptr=a, offsets=a_places, mask=a_k[None, :] < K, other=0.0)
    next_b = cdna3.buffer_load(ptr=b, offsets=b_places, mask=b_k[:, None] < K, other=0.0)
    acc = gl.zeros((BM, BN), dtype=gl.float32, layout=unit)
    for k in range(BK, K + BK, BK):
        left.store(next_a)
        right.store(next_b)
        next_a = cdna3.buffer_load(a + k, a_places, mask=a_k[None, :] < K - k, other=0.0)
        next_b = cdna3.buffer_load(b + k, b_places, mask=b_k[:, None] < K - k, other=0.0)
        x = left.load(layout=gl.DotOperandLayout(0, unit, width))
        y = right.load(layout=gl.DotOperandLayout(1, unit, width))
        acc = multiply(x, y, acc)
    m = row + gl.arange(0, BM, layout=gl.SliceLayout(1, unit))
    n = column + gl.arange(0, BN, layout=gl.SliceLayout(0, unit))
    row_scales = cdna3.buffer_load(a_scales, m, mask=m < M, other=0.0)
    acc *= row_scales[:, None] * cdna3.buffer_load(b_scales, n, mask=n < N, other=0.0)[None, :]
    inside = (m[:, None] < M) & (n[None, :] < N)
    cdna3.buffer_store(acc.to(c.dtype.element_ty), c, offsets=m[:, None] * N + n[None, :], mask=inside)


@pytest.mark.parametrize("arch", BYTES)
def test_product_of_bytes_with_scales(simulated, arch):  # noqa: F811
    simulated(arch)
    generator = np.random.default_rng(0)
    M, N, K = 70, 100, 320
    a, b = (generator.integers(-3, 4, (rows, K)).astype(np.float32).astype(narrow(arch)[0]) for rows in (M, N))
    of_rows, of_columns = generator.random(M, np.float32), generator.random(N, np.float32)
    c = np.zeros((M, N), np.float16)
    product_of_bytes[(4,)](a, b, c, of_rows, of_columns, M, N, K, 64, 64, 128, 4, lanes(arch), *BYTES[arch])
    expected = a.astype(np.float32) @ b.astype(np.float32).T * of_rows[:, None] * of_columns
    np.testing.assert_allclose(c, expected, rtol=2e-3, atol=2e-2)


@gluon.jit
def norm_of_sum(x, residual, weight, out, sums, scales, n, eps, LARGEST: gl.constexpr, layout: gl.constexpr):
    row, i = gl.program_id(0), gl.arange(0, 1024, layout=layout)
    inside, places = i < n, row * n + i
    total = cdna3.buffer_load(x, places, mask=inside, other=0.0, cache=".cg").to(gl.float32)
    total += cdna3.buffer_load(residual, places, mask=inside, other=0.0).to(gl.float32)
    cdna3.buffer_store(total.to(sums.dtype.element_ty), sums, places, mask=inside)
    gain = cdna3.buffer_load(weight, i, mask=inside, other=0.0).to(gl.float32)
    y = total * gl.rsqrt(gl.sum(total * total, axis=0) / n + eps) * gain
    scale = gl.maximum(gl.max(gl.abs(y), axis=0), 1e-10) / LARGEST
    cdna3.buffer_store((y / scale).to(out.dtype.element_ty), out, places, mask=inside)
    gl.store(scales + row, scale)


@pytest.mark.parametrize("arch", ["gfx942", "gfx1250"])
def test_norm_of_sum_in_bytes(simulated, arch):  # noqa: F811
    simulated(arch)
    generator = np.random.default_rng(1)
    x, residual = generator.standard_normal((2, 3, 1000)).astype(np.float16)
    weight, scales = generator.random(1000).astype(np.float16), np.zeros(3, np.float32)
    dtype, largest = narrow(arch)
    out, sums = np.zeros((3, 1000), dtype), np.zeros_like(x)
    layout = gl.BlockedLayout([8], [lanes(arch)], [4], [0])
    norm_of_sum[(3,)](x, residual, weight, out, sums, scales, 1000, 1e-6, largest, layout)
    total = x.astype(np.float32) + residual
    expected = total / np.sqrt((total**2).mean(1, keepdims=True) + 1e-6) * weight
    np.testing.assert_allclose(out.astype(np.float32) * scales[:, None], expected, rtol=0.08, atol=0.02)


@gluon.jit
def larger(a, b):
    return gl.maximum(a, b)


@gluon.jit
def plus(a, b):
    return a + b


@gluon.jit
def route(logits, weights, ids, T, E, EP: gl.constexpr, TOP: gl.constexpr, BT: gl.constexpr, layout: gl.constexpr):
    """The experts of each token. A key has a probability above the number of an expert, counted downwards."""
    t = gl.program_id(0) * BT + gl.arange(0, BT, layout=gl.SliceLayout(1, layout))
    e = gl.arange(0, EP, layout=gl.SliceLayout(0, layout))
    inside = (t[:, None] < T) & (e[None, :] < E)
    x = cdna3.buffer_load(logits, t[:, None] * E + e[None, :], mask=inside, other=-float("inf")).to(gl.float32)
    x = gl.exp2((x - gl.max(x, 1)[:, None]) * 1.4426950408889634)
    x = x / gl.sum(x, 1)[:, None]
    for k in gl.static_range(TOP):
        keys = x.to(gl.int32, bitcast=True).to(gl.int64) << 32 | (EP - 1 - e[None, :]).to(gl.int64)
        best = gl.reduce(keys, 1, larger)
        chosen = EP - 1 - (best & 0xFFFFFFFF).to(gl.int32)
        gl.store(weights + t * TOP + k, (best >> 32).to(gl.int32).to(gl.float32, bitcast=True), mask=t < T)
        gl.store(ids + t * TOP + k, chosen, mask=t < T)
        x = gl.where(e[None, :] == chosen[:, None], -1.0, x)


@gluon.jit
def align(ids, counts, starts, n, N: gl.constexpr, E: gl.constexpr, BLOCK: gl.constexpr, layout: gl.constexpr):
    """Where the tokens of each expert begin, in blocks of their own."""
    i, e = gl.arange(0, N, layout=layout), gl.arange(0, E, layout=layout)
    found = gl.histogram(gl.load(ids + i, mask=i < n, other=0), E, mask=i < n, layout=layout)
    padded = (found + BLOCK - 1) // BLOCK * BLOCK
    gl.store(counts + e, found)
    gl.store(starts + e, gl.associative_scan(padded, 0, plus) - padded)


@pytest.mark.parametrize("arch", ["gfx942", "gfx1250"])
def test_routes_to_experts(simulated, arch):  # noqa: F811
    simulated(arch)
    T, E, TOP, wave = 13, 60, 6, lanes(arch)
    logits = np.random.default_rng(2).standard_normal((T, E)).astype(np.float16)
    weights, ids = np.zeros((T, TOP), np.float32), np.zeros((T, TOP), np.int32)
    route[(2,)](logits, weights, ids, T, E, 64, TOP, 8, gl.BlockedLayout([1, 2], [wave // 32, 32], [4, 1], [1, 0]))
    order = np.argsort(-logits.astype(np.float32), 1, kind="stable")[:, :TOP]
    np.testing.assert_array_equal(ids, order)
    odds = np.exp(logits.astype(np.float32))
    odds /= odds.sum(1, keepdims=True)
    np.testing.assert_allclose(weights, np.take_along_axis(odds, order, 1), rtol=1e-3)
    counts, starts = np.zeros(64, np.int32), np.zeros(64, np.int32)
    align[(1,)](ids, counts, starts, ids.size, 128, 64, 16, gl.BlockedLayout([1], [wave], [4], [0]))
    np.testing.assert_array_equal(counts, np.bincount(ids.ravel(), minlength=64))
    np.testing.assert_array_equal(starts, np.cumsum((counts + 15) // 16 * 16) - (counts + 15) // 16 * 16)


@gluon.jit
def looking_back(
    q, k, v, o, L, scale, BM: gl.constexpr, BN: gl.constexpr, D: gl.constexpr, WAVE: gl.constexpr, unit: gl.constexpr,
    width: gl.constexpr,
):  # fmt: skip
    moved: gl.constexpr = gl.BlockedLayout([1, 8], [WAVE // (D // 8), D // 8], [4, 1], [1, 0])
    shared: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[D, 8]], [BN, D], [1, 0])
    first = gl.program_id(0) * BM
    i = first + gl.arange(0, BM, layout=gl.SliceLayout(1, moved))[:, None]
    j = gl.arange(0, BN, layout=gl.SliceLayout(1, moved))[:, None]
    d = gl.arange(0, D, layout=gl.SliceLayout(0, moved))[None, :]
    queries = cdna3.buffer_load(q, i * D + d, mask=i < L, other=0.0)
    queries = gl.convert_layout(queries, gl.DotOperandLayout(0, unit, width))
    keys = gl.allocate_shared_memory(gl.float16, [BN, D], shared)
    values = gl.allocate_shared_memory(gl.float16, [BN, D], shared)
    best = gl.full([BM], -1e30, gl.float32, gl.SliceLayout(1, unit))
    total = gl.full([BM], 0.0, gl.float32, gl.SliceLayout(1, unit))
    acc = gl.zeros([BM, D], gl.float32, unit)
    m = first + gl.arange(0, BM, layout=gl.SliceLayout(1, unit))
    n = gl.arange(0, BN, layout=gl.SliceLayout(0, unit))
    for start in range(0, min(first + BM, L), BN):
        keys.store(cdna3.buffer_load(k, (start + j) * D + d, mask=start + j < L, other=0.0))
        values.store(cdna3.buffer_load(v, (start + j) * D + d, mask=start + j < L, other=0.0))
        transposed = keys.permute([1, 0]).load(gl.DotOperandLayout(1, unit, width))
        scores = multiply(queries, transposed, gl.zeros([BM, BN], gl.float32, unit)) * scale
        seen = (m[:, None] >= start + n[None, :]) & (start + n[None, :] < L)
        scores = gl.where(seen, scores, -1e30)
        better = gl.maximum(best, gl.max(scores, 1))
        weights, shrunk = gl.exp2(scores - better[:, None]), gl.exp2(best - better)
        total = total * shrunk + gl.sum(weights, 1)
        weights = gl.convert_layout(weights.to(gl.float16), gl.DotOperandLayout(0, unit, width))
        acc = multiply(weights, values.load(gl.DotOperandLayout(1, unit, width)), acc * shrunk[:, None])
        best = better
    columns = gl.arange(0, D, layout=gl.SliceLayout(0, unit))
    result = (acc / total[:, None]).to(gl.float16)
    cdna3.buffer_store(result, o, m[:, None] * D + columns[None, :], mask=m[:, None] < L)


@pytest.mark.parametrize("arch", ["gfx950", "gfx1250"])
def test_attention_that_looks_back(simulated, arch):  # noqa: F811
    simulated(arch)
    L, D = 100, 64
    q, k, v = np.random.default_rng(3).standard_normal((3, L, D)).astype(np.float16)
    o = np.zeros_like(q)
    looking_back[(2,)](q, k, v, o, L, D**-0.5 * 1.4426950408889634, 64, 32, D, lanes(arch), *HALVES[arch])
    scores = q.astype(np.float32) @ k.astype(np.float32).T * D**-0.5
    scores[np.triu_indices(L, 1)] = -np.inf
    weights = np.exp(scores - scores.max(1, keepdims=True))
    np.testing.assert_allclose(o, weights / weights.sum(1, keepdims=True) @ v.astype(np.float32), atol=6e-3)


@gluon.jit
def product_of_halves_of_bytes(a, b, a_scales, b_scales, c, WAVE: gl.constexpr, unit: gl.constexpr, of: gl.constexpr):
    """64 rows of 256 floats of 4 bits, two in a byte, with a scale for 32 of them."""
    left: gl.constexpr = gl.DotOperandLayout(0, of, 16)
    right: gl.constexpr = gl.DotOperandLayout(1, of, 16)
    moved: gl.constexpr = gl.BlockedLayout([1, 16], [WAVE // 4, 4], [4, 1], [1, 0])
    i = gl.arange(0, 64, layout=gl.SliceLayout(1, moved))[:, None] * 128
    places = i + gl.arange(0, 128, layout=gl.SliceLayout(0, moved))[None, :]
    x = gl.convert_layout(cdna3.buffer_load(a, places), left)
    y = gl.convert_layout(cdna3.buffer_load(b, places).permute((1, 0)), right)
    acc = gl.zeros([64, 64], gl.float32, unit)
    if WAVE == 32:
        of_a: gl.constexpr = gfx1250.get_wmma_scale_layout(left, [64, 8])
        of_b: gl.constexpr = gfx1250.get_wmma_scale_layout(right, [64, 8])
        acc = gfx1250.wmma_scaled(x, scales_at(a_scales, of_a), "e2m1", y, scales_at(b_scales, of_b), "e2m1", acc)
    else:
        of_a: gl.constexpr = cdna4.get_mfma_scale_layout(left, [64, 8])
        of_b: gl.constexpr = cdna4.get_mfma_scale_layout(right, [64, 8])
        acc = cdna4.mfma_scaled(x, scales_at(a_scales, of_a), "e2m1", y, scales_at(b_scales, of_b), "e2m1", acc)
    m = gl.arange(0, 64, layout=gl.SliceLayout(1, unit))[:, None]
    cdna3.buffer_store(acc, c, m * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, unit))[None, :])


@gluon.jit
def scales_at(scales, layout: gl.constexpr):
    row = gl.arange(0, 64, layout=gl.SliceLayout(1, layout))[:, None]
    return cdna3.buffer_load(scales, row * 8 + gl.arange(0, 8, layout=gl.SliceLayout(0, layout))[None, :])


E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], np.float32)


@pytest.mark.parametrize("arch", ["gfx950", "gfx1250"])
def test_product_of_halves_of_bytes(simulated, arch):  # noqa: F811
    simulated(arch)
    generator = np.random.default_rng(4)
    a, b = generator.integers(0, 256, (2, 64, 128)).astype(np.uint8)
    scales = generator.integers(124, 130, (2, 64, 8)).astype(np.uint8)
    c = np.zeros((64, 64), np.float32)
    if arch == "gfx950":
        unit = of = AMDMFMALayout(4, [16, 16, 128], True, [2, 2])
    else:
        unit, of = (AMDWMMALayout(3, True, [[0, 1], [1, 0]], [], [16, 16, depth]) for depth in (128, 64))
    product_of_halves_of_bytes[(1,)](a, b, *scales, c, lanes(arch), unit, of)
    x, y = (
        np.stack([E2M1[packed & 15], E2M1[packed >> 4]], -1).reshape(64, 256)
        * np.repeat(np.exp2(of_rows.astype(np.float32) - 127), 32, 1)
        for packed, of_rows in zip((a, b), scales, strict=True)
    )
    np.testing.assert_allclose(c, x @ y.T, rtol=1e-5)
