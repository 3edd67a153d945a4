"""Random kernels give what the same statements give in NumPy, and leave memory the same."""

import importlib.util

import numpy as np
import pytest
from random_kernels import RandomKernel


@pytest.mark.parametrize("seed", range(80))
def test_random_kernel(device, tmp_path, seed):
    program = RandomKernel(seed)
    path = tmp_path / f"random_{seed}.py"
    path.write_text(program.source())
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    rng = np.random.default_rng(seed)
    inputs = [rng.random((program.size, program.size), dtype=np.float32) for _ in range(3)]
    expected = [array.copy() for array in inputs] + [np.zeros((3, program.size, program.size), np.float32)]
    actual = [device.put(array.copy()) for array in inputs] + [device.put(np.full_like(expected[3], np.nan))]
    module.reference(*expected, 1, program.columns, program.rows, program.size)
    module.kernel[(1,)](*actual, 1, program.columns, program.rows, SIZE=program.size)
    for array, reference in zip(actual, expected, strict=True):
        np.testing.assert_allclose(device.get(array), reference, rtol=2e-3, atol=1e-3)
