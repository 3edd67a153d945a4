"""`pytest -p triton._compile_warmup`: the cache of a test suite, filled without running its kernels."""

import inspect
import json
import os
import subprocess
import sys

import numpy as np
import pytest
import triton
import triton.language as tl
from programs import PATIENCE
from triton._compile_warmup import compile_warmup_only, process_pool_compile_warmup, summarize_compile_trace
from triton._compile_warmup_state import is_compile_warmup

SUITE = """
import numpy as np
import pytest
import triton
import triton.language as tl
from triton._compile_warmup_state import is_compile_warmup

@triton.jit
def scale(x, n, FACTOR: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * FACTOR, mask=i < n)

@triton.jit
def lonely(x):
    tl.store(x, 1)

@pytest.mark.enable_warmup(priority=1)
@pytest.mark.parametrize("factor", [2, 3])
def test_scale(factor):
    x = np.ones(100, np.float32)
    scale[(4,)](x, 100, factor, 32)
    np.testing.assert_allclose(x, factor)
    scale[(2,)](x, 100, factor, 64)
    assert x[0] == factor**2 or is_compile_warmup()

@pytest.mark.enable_warmup(priority=5)
def test_first():
    x = np.ones(100, np.float32)
    scale[(4,)](x, 100, 7, 32)
    assert x[0] == 7
    scale[(4,)](x, 100, 8, 32)

def test_not_marked():
    lonely[(1,)](np.zeros(1, np.int32))

@pytest.mark.enable_warmup
class TestClass:
    @pytest.mark.disable_warmup
    def test_disabled(self):
        lonely[(1,)](np.zeros(1, np.int32))

@pytest.mark.enable_warmup(min_capability=10_000)
def test_capability():
    pass
"""


@pytest.fixture
def suite(tmp_path):
    """Runs pytest on the suite, with a cache of its own; its output."""
    (tmp_path / "test_suite.py").write_text(inspect.cleandoc(SUITE))

    def run(*flags):
        command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-p", "triton._compile_warmup"]
        environment = {**os.environ, "TRITON_CACHE_DIR": str(tmp_path / "cache"), "TRITON_CPU_BACKEND": "1"}
        command += ["--rootdir", str(tmp_path), "--warmup-trace", "traces", *flags, "test_suite.py"]
        process = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=PATIENCE
        )
        assert process.returncode == 0, process.stdout + process.stderr
        return process.stdout

    return run


def test_a_suite_is_warmed_up_and_then_run(suite, tmp_path):
    output = suite("--warmup-only", "--warmup-workers", "2")
    assert "4 passed, 2 deselected" in output and "ended early" in output
    assert output.index("test_first") < output.index("test_scale"), "priorities order the tests"
    rows = [json.loads(line) for path in (tmp_path / "traces").glob("*.jsonl") for line in path.open()]
    assert len(rows) == 5 and {row["kernel"] for row in rows} == {"scale"}
    fields = "phase test kernel hash source_hash cache_hit duration_us worker gpu compiler_worker cache_dir"
    assert list(rows[0]) == fields.split()
    assert all(row["compiler_worker"] != os.getpid() and not row["cache_hit"] for row in rows)
    assert {row["test"].partition("[")[0] for row in rows} == {"test_suite.py::test_scale", "test_suite.py::test_first"}

    output = suite("--warmup-phase", "test_suite.py=night")
    assert "6 passed" in output and "71% of the kernels were warm" in output
    summary = summarize_compile_trace(tmp_path / "traces")
    assert summary["phases"]["warmup"]["tests"] == 4 and summary["phases"]["warmup"]["kernels"] == 5
    assert summary["phases"]["night"]["kernels"] == 7 and summary["phases"]["night"]["cache_hits"] == 5
    assert summary["coverage"] == pytest.approx(5 / 7)


@triton.jit
def add_one(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i) + 1)


def test_launches_compile_and_do_not_run(fresh_cache):
    tuned = triton.autotune([triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32})], key=[])(add_one)
    x = np.zeros(64, np.int32)
    assert not is_compile_warmup()
    with compile_warmup_only():
        assert is_compile_warmup()
        add_one[(1,)](x, BLOCK=64)
        add_one.run(x, BLOCK=64, grid=(1,), warmup=False)
        tuned[(1,)](x)
        np.testing.assert_array_equal(x, 5)
    assert not x.any() and not is_compile_warmup()
    assert len([path for path in fresh_cache.iterdir() if len(path.name) == 52]) == 3
    add_one[(1,)](x, BLOCK=64)
    assert x.all()
    with pytest.raises(AssertionError):
        np.testing.assert_array_equal(x, 5)


def test_a_pool_of_processes(fresh_cache, tmp_path):
    x = np.zeros(64, np.int32)
    with process_pool_compile_warmup(workers=1, directory=tmp_path / "traces", phase="pool") as dispatcher:
        dispatcher.test = "here"
        add_one[(1,)](x, BLOCK=8)
    assert not x.any()
    summary = summarize_compile_trace(tmp_path / "traces")
    assert summary["phases"]["pool"]["requests"] == 1 and summary["coverage"] == 0
