"""How much of the IR that Triton itself makes of Liger-Kernel's kernels is read here, and compiled for the processor.

scripts/run_optional_tests.sh puts the releases of Triton beside the environment's packages.
"""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "scripts"))
from read_triton_ir import read_folder  # noqa: E402

RELEASES = ["3.6.0", "3.9.0"]


@pytest.fixture(params=RELEASES)
def version(request, client_device):
    if client_device != "cpu":
        pytest.skip("text is the same everywhere")
    return request.param


def test_kernels_of_liger(version, tmp_path):
    triton = pathlib.Path(sys.prefix) / f"triton-{version}"
    program = pathlib.Path(__file__).with_name("dump_triton_ir.py")
    tests = program.with_name("optional_liger.py")
    subprocess.run(
        [sys.executable, program, tmp_path, tests],
        env={**os.environ, "PYTHONPATH": str(triton)},
        check=True,
        capture_output=True,
    )
    counts, failures = read_folder(ROOT / "build", tmp_path, steps=["parse", "verify", "cpu"])
    (files, ttir), (others, ttgir) = counts[".ttir"], counts[".ttgir"]
    assert files == others and files > 100
    assert ttir == {"parse": files, "verify": files, "cpu": files}, failures
    assert ttgir == {"parse": files, "verify": files}, failures
