"""Random kernels on 8- to 32-bit elements store what NumPy computes: every extreme wraps, widens and divides alike."""

import importlib.util

import pytest
from random_elements import RandomElements, write_module


@pytest.mark.parametrize("group", range(6))
def test_random_elements(device, tmp_path, group):
    programs = [RandomElements(seed) for seed in range(group * 10, group * 10 + 10)]
    path = tmp_path / f"elements_{group}.py"
    write_module(path, programs)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for program in programs:
        wrong = program.mistakes(program.launch(getattr(module, f"k{program.seed}")))
        assert not wrong, f"{wrong[0][1]}\n{program.source('kernel', [wrong[0][0]])}"
