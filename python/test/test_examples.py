"""The example programs run and agree with NumPy."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "python"


@pytest.mark.parametrize("name", ["vector_add", "fused_softmax", "matmul", "dropout", "layer_norm"])
def test_example(name):
    result = subprocess.run([sys.executable, EXAMPLES / f"{name}.py"], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    assert "ratio to NumPy" in result.stdout
