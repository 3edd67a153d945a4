"""The kernels of examples/serving against NumPy in float64, with products as exact as its Makefile asks for. (Softmax
is that of examples/kernels.)"""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

PATH = Path(__file__).resolve().parents[3] / "examples/serving/kernels.py"
#: Sequences of a batch begin here.
STARTS = np.array([0, 1, 38, 70], np.int32)
HEAD_SIZE = 64


@pytest.fixture(scope="module")
def kernels():
    specification = importlib.util.spec_from_file_location("serving_kernels", PATH)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def draw(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def check(out, expected):
    np.testing.assert_allclose(out, expected, rtol=0, atol=2e-6 * np.abs(expected).max())


def longest():
    return int(np.diff(STARTS).max())


def test_embed(device, kernels):
    token_rows, position_rows = draw(100, 96), draw(64, 96, seed=1)
    tokens = np.random.default_rng(2).integers(0, 100, STARTS[-1]).astype(np.int32)
    out = np.full((len(tokens), 96), np.nan, np.float32)
    sequences = len(STARTS) - 1
    grid = (longest(), sequences)
    kernels.embed[grid](tokens, STARTS, token_rows, position_rows, out, sequences, longest(), 96, BLOCK=128)
    places = np.concatenate([np.arange(length) for length in np.diff(STARTS)])
    np.testing.assert_array_equal(out, token_rows[tokens] + position_rows[places])


@pytest.mark.parametrize("rows, block_rows", [(9, 16), (70, 64)])
@pytest.mark.parametrize("activation, has_residual", [("none", False), ("none", True), ("gelu", False)])
def test_linear(device, kernels, rows, block_rows, activation, has_residual):
    inner, columns = 96, 128
    x, weight, bias = draw(rows, inner), draw(inner, columns, seed=1), draw(columns, seed=2)
    residual = draw(rows, columns, seed=3) if has_residual else None
    out = np.full((rows, columns), np.nan, np.float32)
    grid = (-(-rows // block_rows) * (columns // 64),)
    operands = (x, weight, bias, residual, out, rows, columns, inner)
    kernels.linear[grid](*operands, activation, "tf32x3", BLOCK_ROWS=block_rows, BLOCK_COLUMNS=64, BLOCK_INNER=32)
    expected = x.astype(np.float64) @ weight + bias
    if activation == "gelu":
        expected *= 0.5 * (1 + np.tanh(np.sqrt(2 / np.pi) * (expected + 0.044715 * expected**3)))
    check(out, expected + (residual if has_residual else 0))


@pytest.mark.parametrize("of_last", [False, True])
def test_layer_norm(device, kernels, of_last):
    x, weight, bias = draw(STARTS[-1], 96), draw(96, seed=1), draw(96, seed=2)
    rows = len(STARTS) - 1 if of_last else len(x)
    out = np.full((rows, 96), np.nan, np.float32)
    starts = STARTS if of_last else None
    kernels.layer_norm[(rows,)](x, starts, weight, bias, out, rows, 96, 1e-5, BLOCK=128)
    source = x[STARTS[1:] - 1 if of_last else slice(None)].astype(np.float64)
    normalized = (source - source.mean(1, keepdims=True)) / np.sqrt(source.var(1, keepdims=True) + 1e-5)
    check(out, normalized * weight + bias)


def test_attention(device, kernels):
    heads, sequences = 2, len(STARTS) - 1
    qkv = draw(STARTS[-1], 3 * heads * HEAD_SIZE)
    out = np.full((len(qkv), heads * HEAD_SIZE), np.nan, np.float32)
    scale = HEAD_SIZE**-0.5
    grid = (-(-longest() // 32), heads, sequences)
    blocks = {"HEAD_SIZE": HEAD_SIZE, "BLOCK_QUERIES": 32, "BLOCK_KEYS": 32}
    kernels.attention[grid](qkv, out, STARTS, sequences, longest(), heads, scale, "tf32x3", **blocks)
    expected = np.zeros(out.shape)
    for start, end in zip(STARTS[:-1], STARTS[1:], strict=True):
        parts = qkv[start:end].astype(np.float64).reshape(end - start, 3, heads, HEAD_SIZE).transpose(1, 2, 0, 3)
        q, k, v = parts
        scores = np.where(np.tri(end - start, dtype=bool), q @ k.transpose(0, 2, 1) * scale, -np.inf)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        attended = weights / weights.sum(-1, keepdims=True) @ v
        expected[start:end] = attended.transpose(1, 0, 2).reshape(end - start, -1)
    check(out, expected)
