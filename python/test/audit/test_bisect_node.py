"""`python -m triton.audit bisect`: the first pass after which a test fails."""

import os
import subprocess
import sys

import pytest
from triton.audit._bisect import first_wrong

SUITE = """
import numpy as np
import triton
import triton.language as tl


@triton.jit
def twice(x, out):
    i = tl.arange(0, 32)
    tl.store(out + i, tl.exp(tl.load(x + i)) + tl.exp(tl.load(x + i)))


def launch():
    x, out = np.ones(32, np.float32), np.zeros(32, np.float32)
    return twice[(1,)](x, out)


def test_both_are_there():
    assert launch().asm["ttir"].count("math.exp") == 2


def test_right():
    launch()


def test_wrong():
    launch()
    assert False
"""


@pytest.mark.parametrize("total, culprit", [(5, 1), (5, 5), (64, 64), (65, 65), (300, 1), (300, 129), (300, 300)])
def test_the_interval_is_halved(total, culprit):
    runs = []

    def run(limit):
        runs.append(limit)
        return limit < culprit, [f"pass {limit + 1}"] if limit < total else []

    right, names = first_wrong(run, lambda text: None)
    assert right == culprit - 1 and (right == 0 or names == [f"pass {culprit}"]) and len(runs) < 14


def bisect(folder, *arguments):
    command = [sys.executable, "-m", "triton.audit", "bisect", *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_a_test_that_a_pass_breaks(tmp_path):
    (tmp_path / "test_suite.py").write_text(SUITE)
    found = bisect(tmp_path, "test_suite.py::test_both_are_there", "-p", "no:cacheprovider")
    assert found.returncode == 1, found.stdout + found.stderr
    assert "the first pass after which `test_suite.py::test_both_are_there` fails is `cse`, number" in found.stdout
    right = bisect(tmp_path, "test_suite.py::test_right")
    assert (right.returncode, right.stdout) == (0, "`test_suite.py::test_right` succeeds with all passes\n")
    wrong = bisect(tmp_path, "--target", "gfx942", "test_suite.py::test_wrong")
    assert wrong.returncode == 0 and "the kernel or the test is wrong" in wrong.stdout
    missing = bisect(tmp_path, "test_suite.py::test_missing")
    assert missing.returncode == 2 and "cannot run" in missing.stderr
