"""Results do not depend on the passes that only improve code: kernels without each of them, and without all, with the
rules of TTGIR checked after each pass that is left (conftest.py)."""

import numpy as np
import pytest
import triton
import triton.language as tl
from skippable import optional_passes

OPTIONAL = optional_passes("cuda:90")


def test_the_program_names_its_optional_passes():
    assert {"canonicalize", "tritongpu-coalesce", "tritongpu-flatten-loops", "tritongpu-pipeline"} <= set(OPTIONAL)
    assert not {"convert-triton-to-tritongpu", "allocate-shared-memory", "tritongpu-insert-barriers"} & set(OPTIONAL)


@triton.jit
def product_kernel(x_ptr, y_ptr, out_ptr, steps, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)
    total = tl.zeros((N, N), tl.float32)
    for step in tl.range(steps, num_stages=3):
        at = step * K + k
        x = tl.load(x_ptr + m * (steps * K) + at[None, :])
        total = tl.dot(x, tl.load(y_ptr + at[:, None] * N + n), total)
    tl.store(out_ptr + m * N + n, total)


def run_product(rng):
    x, y = rng.integers(-4, 5, (32, 64)).astype(np.float16), rng.integers(-4, 5, (64, 32)).astype(np.float16)
    out = np.full((32, 32), np.nan, np.float32)
    product_kernel[(1,)](x, y, out, 4, N=32, K=16)
    np.testing.assert_array_equal(out, x.astype(np.float32) @ y.astype(np.float32))


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, out_ptr, length, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    m, n, d = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    q = tl.load(q_ptr + m[:, None] * D + d[None, :])
    largest = tl.full((M,), float("-inf"), tl.float32)
    total = tl.zeros((M,), tl.float32)
    sums = tl.zeros((M, D), tl.float32)
    for start in range(0, length, N):
        k = tl.load(k_ptr + (start + n)[:, None] * D + d[None, :])
        scores = tl.dot(q, tl.trans(k))
        new = tl.maximum(largest, tl.max(scores, 1))
        p = tl.exp(scores - new[:, None])
        scale = tl.exp(largest - new)
        v = tl.load(v_ptr + (start + n)[:, None] * D + d[None, :])
        sums = tl.dot(p.to(tl.float16), v, sums * scale[:, None])
        total = total * scale + tl.sum(p, 1)
        largest = new
    tl.store(out_ptr + m[:, None] * D + d[None, :], sums / total[:, None])


def run_attention(rng):
    q, k, v = (rng.uniform(-1, 1, (n, 16)).astype(np.float16) for n in (32, 64, 64))
    out = np.full((32, 16), np.nan, np.float32)
    attention_kernel[(1,)](q, k, v, out, 64, M=32, N=32, D=16)
    scores = q.astype(np.float64) @ k.astype(np.float64).T
    p = np.exp(scores - scores.max(1, keepdims=True))
    np.testing.assert_allclose(out, p / p.sum(1, keepdims=True) @ v.astype(np.float64), atol=2e-3)


@triton.jit
def rows_kernel(x_ptr, softmax_ptr, sums_ptr, scan_ptr, transposed_ptr, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    tile = m[:, None] * N + n[None, :]
    x = tl.load(x_ptr + tile)
    e = tl.exp(x - tl.max(x, 1)[:, None])
    tl.store(softmax_ptr + tile, e / tl.sum(e, 1)[:, None])
    tl.store(sums_ptr + n, tl.sum(x, 0))
    tl.store(scan_ptr + tile, tl.cumsum(x, 1))
    tl.store(transposed_ptr + n[:, None] * M + m[None, :], tl.trans(x))


def run_rows(rng):
    x = rng.integers(-4, 5, (16, 64)).astype(np.float32)
    softmax, scan = np.full_like(x, np.nan), np.full_like(x, np.nan)
    sums, transposed = np.full(64, np.nan, np.float32), np.full((64, 16), np.nan, np.float32)
    rows_kernel[(1,)](x, softmax, sums, scan, transposed, M=16, N=64)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    np.testing.assert_allclose(softmax, e / e.sum(1, keepdims=True), atol=1e-6)
    np.testing.assert_array_equal(sums, x.sum(0))
    np.testing.assert_array_equal(scan, x.cumsum(1))
    np.testing.assert_array_equal(transposed, x.T)


@triton.jit
def lookups_kernel(x_ptr, counts_ptr, gathered_ptr, first_ptr, sums_ptr, N: tl.constexpr, BINS: tl.constexpr):
    n = tl.arange(0, N)
    x = tl.load(x_ptr + n)
    tl.store(counts_ptr + tl.arange(0, BINS), tl.histogram(x, BINS))
    tl.store(gathered_ptr + n, tl.gather(x, (n * 7) % N, 0))
    tl.atomic_add(sums_ptr + x, n, mask=x > 3)
    step, largest = 0, tl.max(x)
    while tl.load(x_ptr + step) != largest:
        step += 1
    tl.store(first_ptr, step)


def run_lookups(rng):
    x = rng.integers(0, 16, 64).astype(np.int32)
    gathered, first = np.full(64, -1, np.int32), np.full(1, -1, np.int32)
    counts, sums = np.full(16, -1, np.int32), np.zeros(16, np.int32)
    lookups_kernel[(1,)](x, counts, gathered, first, sums, N=64, BINS=16)
    np.testing.assert_array_equal(counts, np.bincount(x, minlength=16))
    np.testing.assert_array_equal(gathered, x[np.arange(64) * 7 % 64])
    assert first == x.argmax()
    expected = np.bincount(x, weights=np.arange(64), minlength=16)
    np.testing.assert_array_equal(sums, np.where(np.arange(16) > 3, expected, 0))


@triton.jit
def tiles_kernel(x_ptr, y_ptr, out_ptr, M, N, K, B: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [M, K], [K, 1], [B, B])
    y = tl.make_tensor_descriptor(y_ptr, [K, N], [N, 1], [B, B])
    out = tl.make_tensor_descriptor(out_ptr, [M, N], [N, 1], [B, B])
    columns = N // B
    for tile in tl.range(tl.program_id(0), M // B * columns, tl.num_programs(0), flatten=True):
        row, column = tile // columns * B, tile % columns * B
        total = tl.zeros((B, B), tl.float32)
        for k in range(0, K, B):
            total = tl.dot(x.load([row, k]), y.load([k, column]), total)
        out.store([row, column], total.to(tl.float16))


def run_tiles(rng):
    x, y = rng.integers(-4, 5, (64, 32)).astype(np.float16), rng.integers(-4, 5, (32, 64)).astype(np.float16)
    out = np.full((64, 64), np.nan, np.float16)
    tiles_kernel[(2,)](x, y, out, 64, 64, 32, B=16)
    np.testing.assert_array_equal(out, x.astype(np.float32) @ y.astype(np.float32))


@pytest.mark.parametrize("run", [run_product, run_attention, run_rows, run_lookups, run_tiles])
@pytest.mark.parametrize(
    "skipped", ["", *OPTIONAL, ",".join(OPTIONAL)], ids=lambda names: names.count(",") and "all" or names
)
def test_results_do_not_depend_on_optional_passes(device, rng, monkeypatch, skipped, run):
    monkeypatch.setenv("TRITON_SKIP_PASSES", skipped)
    for kernel in (product_kernel, attention_kernel, rows_kernel, lookups_kernel, tiles_kernel):
        kernel.device_caches.clear()
    run(rng)
