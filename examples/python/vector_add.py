"""Adds two vectors of 2**24 numbers with a kernel and compares with NumPy."""

import numpy as np
import triton
from common import Row, check, measure, print_table
from kernels.vector_add import add_kernel


def add(x, y, output):
    n_elements = output.size
    grid = lambda meta: (triton.cdiv(n_elements, meta["BLOCK_SIZE"]),)
    add_kernel[grid](x, y, output, n_elements, BLOCK_SIZE=4096)
    return output


def run(n_elements=1 << 24):
    generator = np.random.default_rng(0)
    x = generator.random(n_elements, dtype=np.float32)
    y = generator.random(n_elements, dtype=np.float32)
    output = np.full_like(x, np.nan)
    error = check(add(x, y, output), x.astype(np.float64) + y, 1e-6)
    ours, numpys = measure(lambda: add(x, y, output), lambda: np.add(x, y, out=output))
    return [Row("vector add", f"{n_elements} f32", ours, 3 * x.nbytes / ours * 1e-6, "GB/s", numpys, error)]


if __name__ == "__main__":
    print_table(run())
