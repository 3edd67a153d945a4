"""Dropout whose random numbers come from a seed instead of a stored mask."""

import numpy as np
import triton
from common import Row, measure, print_table
from kernels.dropout import seeded_dropout_kernel


def dropout(x, output, p, seed):
    n_elements = x.size
    grid = lambda meta: (triton.cdiv(n_elements, meta["BLOCK_SIZE"]),)
    seeded_dropout_kernel[grid](x, output, n_elements, p, seed, BLOCK_SIZE=1024)
    return output


def numpy_dropout(x, p, generator):
    return np.where(generator.random(x.size, dtype=np.float32) > p, x / np.float32(1 - p), np.float32(0))


def check_dropout(x, p):
    """Kept elements are scaled, the others zero; the share that is kept fits p; the seed decides which."""
    first, again, other = (dropout(x, np.full_like(x, np.nan), p, seed) for seed in (123, 123, 512))
    kept = first != 0
    assert np.array_equal(first, again), "the same seed gave another result"
    assert not np.array_equal(first, other), "another seed gave the same result"
    deviation = abs(kept.mean() - (1 - p)) / np.sqrt(p * (1 - p) / x.size)
    assert deviation < 5, f"{kept.mean():.4f} of the elements are kept, not {1 - p:.4f}"
    return float(np.max(np.abs(first[kept] - x[kept].astype(np.float64) / (1 - p))))


def run(n_elements=1 << 22, p=0.5):
    generator = np.random.default_rng(0)
    x = generator.uniform(0.5, 1.5, n_elements).astype(np.float32)
    error = check_dropout(x, p)
    assert error < 1e-5, f"kept elements are wrong by {error}"
    output = np.empty_like(x)
    ours, numpys = measure(lambda: dropout(x, output, p, 123), lambda: numpy_dropout(x, p, generator))
    return [Row("seeded dropout", f"{n_elements} f32", ours, 2 * x.nbytes / ours * 1e-6, "GB/s", numpys, error)]


if __name__ == "__main__":
    print_table(run())
