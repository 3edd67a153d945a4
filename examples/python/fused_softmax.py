"""Softmax of the rows of a matrix in one pass over memory, compared with the NumPy expression."""

import numpy as np
import triton
from common import Row, check, measure, print_table
from kernels.fused_softmax import softmax_kernel


def softmax(x, output):
    n_rows, n_cols = x.shape
    softmax_kernel[(n_rows,)](
        output,
        x,
        x.strides[0] // x.itemsize,
        output.strides[0] // output.itemsize,
        n_rows,
        n_cols,
        BLOCK_SIZE=triton.next_power_of_2(n_cols),
    )
    return output


def numpy_softmax(x):
    exponentials = np.exp(x - x.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def run(n_rows=4096, n_cols=1500):
    x = np.random.default_rng(0).standard_normal((n_rows, n_cols), dtype=np.float32)
    output = np.full_like(x, np.nan)
    error = check(softmax(x, output), numpy_softmax(x.astype(np.float64)), 1e-5)
    ours, numpys = measure(lambda: softmax(x, output), lambda: numpy_softmax(x))
    return [Row("fused softmax", f"{n_rows}x{n_cols} f32", ours, 2 * x.nbytes / ours * 1e-6, "GB/s", numpys, error)]


if __name__ == "__main__":
    print_table(run())
