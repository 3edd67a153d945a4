"""What the tests of whole kernels share: element strides, outputs poisoned before the run, comparison in float64."""

import numpy as np


def strides(array):
    return [s // array.itemsize for s in array.strides]


def poisoned(shape, dtype=np.float32):
    return np.full(shape, np.nan if np.issubdtype(dtype, np.floating) else np.iinfo(dtype).max, dtype)


def close(actual, expected, tolerance=1e-5):
    """The error is bounded relative to each value and to the largest one."""
    expected = np.asarray(expected, np.float64)
    largest = max(1.0, float(np.abs(expected).max()))
    np.testing.assert_allclose(np.asarray(actual, np.float64), expected, rtol=tolerance, atol=tolerance * largest)


def f32_product_tolerance(device):
    """What products of f32 tiles, one after the other, are exact to: GPUs read operands as tf32, with 11 bits, to which
    Hopper's units cut off what lies in memory."""
    if device.name == "cpu":
        return 1e-5
    return 4e-3 if device.name in ("cuda", "sim:cuda:90") else 1e-3


def softmax64(x, axis=-1):
    x = x.astype(np.float64)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
