"""bench/zero_jit.py, which compares this package with Triton on a GPU, on the processor alone."""

import json
import os
import pathlib
import subprocess
import sys

import triton

PROGRAM = pathlib.Path(__file__).parents[3] / "bench/zero_jit.py"


def test_requests_from_a_bundle_are_right_and_compile_nothing(tmp_path):
    """Also those of classes that the canary did not have."""
    words = [sys.executable, PROGRAM, "compare", "--check", "--requests", "8", "--canary", "1", "--output", "out.json"]
    package = str(pathlib.Path(triton.__file__).parents[1])
    environment = {**os.environ, "TRITON_CPU_BACKEND": "1", "PYTHONPATH": package}
    environment.pop("TRITON_FALLBACK", None)
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ours = json.loads((tmp_path / "out.json").read_text())["ours"]
    assert (ours["launches"], ours["compilations"]) == (8 * 5, 0) and ours["fallbacks"] > 0
    assert "compilations               0" in done.stdout
