"""Layer normalization of the rows of a matrix, forward, compared with the NumPy expression."""

import numpy as np
import triton
from common import Row, check, measure, print_table
from kernels.layer_norm import layer_norm_kernel


def layer_norm(x, weight, bias, y, mean, rstd, eps=1e-5):
    n_rows, n_cols = x.shape
    layer_norm_kernel[(n_rows,)](
        x,
        y,
        weight,
        bias,
        mean,
        rstd,
        x.strides[0] // x.itemsize,
        n_cols,
        eps,
        BLOCK_SIZE=triton.next_power_of_2(min(n_cols, 65536)),
    )
    return y


def numpy_layer_norm(x, weight, bias, eps=1e-5):
    centred = x - x.mean(axis=1, keepdims=True)
    variance = (centred * centred).mean(axis=1, keepdims=True)
    return centred / np.sqrt(variance + eps) * weight + bias


def run(n_rows=4096, n_cols=2048):
    generator = np.random.default_rng(0)
    x = generator.normal(1.0, 2.0, (n_rows, n_cols)).astype(np.float32)
    weight = generator.random(n_cols, dtype=np.float32)
    bias = generator.random(n_cols, dtype=np.float32)
    y = np.full_like(x, np.nan)
    mean, rstd = np.full(n_rows, np.nan, np.float32), np.full(n_rows, np.nan, np.float32)
    expected = numpy_layer_norm(x.astype(np.float64), weight, bias)
    error = check(layer_norm(x, weight, bias, y, mean, rstd), expected, 1e-5)
    check(mean, x.astype(np.float64).mean(axis=1), 1e-5)
    check(rstd, 1 / np.sqrt(x.astype(np.float64).var(axis=1) + 1e-5), 1e-5)
    ours, numpys = measure(
        lambda: layer_norm(x, weight, bias, y, mean, rstd), lambda: numpy_layer_norm(x, weight, bias)
    )
    return [Row("layer norm", f"{n_rows}x{n_cols} f32", ours, 2 * x.nbytes / ours * 1e-6, "GB/s", numpys, error)]


if __name__ == "__main__":
    print_table(run())
