"""Random kernels give what the same statements give in NumPy, and leave memory the same; a GPU gives what its simulator
gives, and that what the processor gives."""

import importlib.util

import numpy as np
import pytest
from random_kernels import FIRST_RICH, RandomKernel


def load(program, path):
    path.write_text(program.source())
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def assert_agree(actual, expected, tolerance):
    for array, reference in zip(actual, expected, strict=True):
        np.testing.assert_allclose(array, reference, rtol=2 * tolerance, atol=tolerance)


@pytest.mark.parametrize("seed", range(FIRST_RICH + 60))
def test_random_kernel(device, tmp_path, seed):
    program = RandomKernel(seed, barriers=device.name != "cpu")
    module = load(program, tmp_path / f"random_{seed}.py")
    rng = np.random.default_rng(seed)
    inputs = [rng.random((program.size, program.size), dtype=np.float32) for _ in range(3)]
    scalars = 1, program.columns, program.rows
    expected = [array.copy() for array in inputs] + [np.zeros((3, program.size, program.size), np.float32)]
    module.reference(*expected, *scalars, program.size)
    results = {}
    for name in device.counterparts():
        arrays = [array.copy() for array in inputs] + [np.full_like(expected[3], np.nan)]
        module.kernel[(1,)](*arrays, *scalars, SIZE=program.size, **program.options)
        assert_agree(arrays, expected, 1e-3)  # Products of GPUs read tf32.
        results[name] = arrays
    if device.name == "cuda":
        _, simulated, actual = results.values()
        assert_agree(actual, simulated, 1e-5)
