"""Results do not depend on the passes that only improve code: kernels without each of them, and without all, with the
rules of TTGIR checked after each pass that is left (conftest.py)."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
import triton
import triton.language as tl

#: The package lies in the build folder, as the tools do.
BUILD = Path(triton.__file__).parents[2]


def optional_passes():
    """What only improves the code of GPUs, as the program names it. Conversions of layouts, places in shared memory and
    barriers are required."""
    command = [BUILD / "tools/tritonc/tritonc", "show", "--passes", "--target", "cuda:90"]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    (names,) = (line for line in listing.splitlines() if line.startswith("optional: "))
    return names.removeprefix("optional: ").split(", ")


OPTIONAL = optional_passes()


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


@pytest.mark.parametrize("run", [run_product, run_attention, run_rows])
@pytest.mark.parametrize(
    "skipped", ["", *OPTIONAL, ",".join(OPTIONAL)], ids=lambda names: names.count(",") and "all" or names
)
def test_results_do_not_depend_on_optional_passes(device, rng, monkeypatch, skipped, run):
    monkeypatch.setenv("TRITON_SKIP_PASSES", skipped)
    for kernel in (product_kernel, attention_kernel, rows_kernel):
        kernel.device_caches.clear()
    run(rng)
