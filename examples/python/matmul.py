"""Matrix multiplication with grouped tiles and a fused activation, which is another kernel, compared with NumPy."""

import numpy as np
import triton
from common import Row, check, measure, print_table
from kernels.matmul import matmul_kernel


def matmul(a, b, c, activation=""):
    M, K = a.shape
    N = b.shape[1]
    grid = lambda meta: (triton.cdiv(M, meta["BLOCK_SIZE_M"]) * triton.cdiv(N, meta["BLOCK_SIZE_N"]),)
    strides = [stride // array.itemsize for array in (a, b, c) for stride in array.strides]
    matmul_kernel[grid](
        a,
        b,
        c,
        M,
        N,
        K,
        *strides,
        BLOCK_SIZE_M=64,
        BLOCK_SIZE_N=64,
        BLOCK_SIZE_K=64,
        GROUP_SIZE_M=8,
        ACTIVATION=activation,
    )
    return c


def leaky_relu(x):
    return np.where(x >= 0, x, 0.01 * x)


def run(size=1024, tolerance=1e-5):
    generator = np.random.default_rng(0)
    a = generator.standard_normal((size, size), dtype=np.float32)
    b = generator.standard_normal((size, size), dtype=np.float32)
    c = np.full((size, size), np.nan, dtype=np.float32)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    rows = []
    for activation, expected, reference in (
        ("", exact, lambda: np.matmul(a, b)),
        ("leaky_relu", leaky_relu(exact), lambda: leaky_relu(np.matmul(a, b))),
    ):
        c.fill(np.nan)
        error = check(matmul(a, b, c, activation), expected, tolerance)
        ours, numpys = measure(lambda activation=activation: matmul(a, b, c, activation), reference)
        name = "matmul + leaky relu" if activation else "matmul"
        rows.append(Row(name, f"{size}^3 f32", ours, 2 * size**3 / ours * 1e-6, "GFLOP/s", numpys, error))
    return rows


if __name__ == "__main__":
    print_table(run())
