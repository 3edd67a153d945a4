# ruff: noqa: F811
"""The kernels of Gluon that bench/gluon_products.py times, at small sizes."""

import sys
from pathlib import Path

import numpy as np
import pytest
from gluon_devices import hopper  # noqa: F401
from values import aligned

sys.path.append(str(Path(__file__).resolve().parents[3] / "bench"))
from gluon_kernels import attend, multiply


@pytest.mark.parametrize("blocks, slots, warps", [((64, 64, 32), 3, 4), ((128, 32, 32), 2, 8)])
def test_products(hopper, blocks, slots, warps):
    generator = np.random.default_rng(0)
    a, b = (aligned(generator.integers(-3, 4, shape).astype(np.float16)) for shape in ((192, 96), (96, 128)))
    arrays = [hopper.put(array) for array in (a, b, aligned(np.zeros((192, 128), np.float16)))]
    multiply(*arrays, 2, blocks, slots, warps)
    np.testing.assert_array_equal(hopper.get(arrays[2]), a.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.parametrize("causal", [False, True])
def test_attention(hopper, causal):
    heads, length, depth = 2, 256, 64
    generator = np.random.default_rng(0)
    q, k, v = (aligned(generator.standard_normal((heads * length, depth)).astype(np.float16)) for _ in range(3))
    arrays = [hopper.put(array) for array in (q, k, v, aligned(np.zeros_like(q)))]
    kernel = attend(*arrays, length, causal, (64, 64), 2)
    assert kernel is None or "shared_by_groups" in kernel.asm["ttgir"]  # Both groups of warps attend by the same code.
    result = hopper.get(arrays[3]).reshape(heads, length, depth)
    parts = (array.reshape(heads, length, depth).astype(np.float32) for array in (q, k, v))
    for head, (queries, keys, values) in enumerate(zip(*parts, strict=True)):
        scores = queries @ keys.T * depth**-0.5
        scores = np.where(np.tril(np.ones_like(scores)) > 0, scores, -np.inf) if causal else scores
        weights = np.exp(scores - scores.max(1, keepdims=True))
        np.testing.assert_allclose(result[head], weights @ values / weights.sum(1, keepdims=True), atol=4e-3)
