"""The example programs run and agree with NumPy."""

import importlib
import os
import subprocess
import sys

import pytest
from comparison import f32_product_tolerance
from example_programs import EXAMPLES, SMALL
from programs import PATIENCE


@pytest.mark.parametrize("name", SMALL)
def test_example_at_its_size(name):
    result = subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, "TRITON_CPU_BACKEND": "1"},
    )
    assert result.returncode == 0, result.stderr
    assert "ratio to NumPy" in result.stdout


@pytest.mark.parametrize("name", SMALL)
def test_small_example(device, monkeypatch, name):
    monkeypatch.syspath_prepend(EXAMPLES)
    tolerance = {"tolerance": f32_product_tolerance(device)} if name == "matmul" else {}
    rows = importlib.import_module(name).run(**SMALL[name], **tolerance)
    assert all(row.error < 1e-3 for row in rows)
