"""bench/zero_jit.py, which compares this package with Triton on a GPU, and zero_jit_soak.py, on the processor alone."""

import json
import os
import pathlib
import re
import subprocess
import sys

import triton

BENCH = pathlib.Path(__file__).parents[3] / "bench"


def run(folder, program, *words):
    package = str(pathlib.Path(triton.__file__).parents[1])
    environment = {**os.environ, "TRITON_CPU_BACKEND": "1", "PYTHONPATH": package}
    environment.pop("TRITON_FALLBACK", None)
    words = [sys.executable, BENCH / program, *words]
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)


def test_requests_from_a_bundle_are_right_and_compile_nothing(tmp_path):
    """Also those of classes that the canary did not have."""
    words = ["compare", "--check", "--requests", "8", "--canary", "1", "--output", "out.json"]
    done = run(tmp_path, "zero_jit.py", *words)
    assert done.returncode == 0, done.stderr
    ours = json.loads((tmp_path / "out.json").read_text())["ours"]
    assert (ours["launches"], ours["compilations"]) == (8 * 5, 0) and ours["fallbacks"] > 0
    assert re.search(r"^compilations +0$", done.stdout, re.MULTILINE)


def test_a_soak_of_a_second(tmp_path):
    """With each trouble; and a bundle that is torn ends a server."""
    words = ["--seconds", "1", "--pause", "0.02", "--canary", "1", "--processes", "1", "--folder", tmp_path]
    done = run(tmp_path, "zero_jit_soak.py", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    seen = dict(line.rsplit(maxsplit=1) for line in done.stdout.splitlines() if line.startswith("  "))
    seen = {name.strip(): number for name, number in seen.items()}
    assert [seen[name] for name in ("compilations", "died", "lost", "torn")] == ["0"] * 4
    assert int(seen["replacements"]) > 0 and int(seen["caches removed"]) > 0
    damaged = tmp_path / "kernels.bundle"
    damaged.write_bytes(damaged.read_bytes()[:-1])
    done = run(tmp_path, "zero_jit_soak.py", "serve", "--bundle", damaged)
    assert done.returncode == 1 and "bytes in place of" in done.stderr


FAMILIES = """import os
from types import SimpleNamespace

import numpy as np
import triton
import triton.language as tl

DEVICE, SMALL = "cpu", os.environ.get("FAMILIES_SMALL") == "1"
torch, sync = SimpleNamespace(manual_seed=lambda seed: None), lambda: None


@triton.jit
def scale(out, x, n, stride, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i * stride, tl.load(x + i * stride, mask=i < n) * 2, mask=i < n)


def row(rec):
    x = np.ones(7 if SMALL else 64, np.float32)
    out = np.zeros_like(x)
    rec.go(lambda: scale[(1,)](out, x, len(x), 1, BLOCK=64), lambda: abs(out - 2).max(), tol=0)


ALL = [("sums", "scale", row, {})]
"""


def test_generic_variants_of_unseen_sizes(tmp_path):
    (tmp_path / "families.py").write_text(FAMILIES)
    done = run(tmp_path, "generic_variants.py", "families.py", "--check", "--turns", "1", "--output", "out.json")
    assert done.returncode == 0, done.stdout + done.stderr
    row = json.loads((tmp_path / "out.json").read_text())["scale"]
    assert row["sizes"] == 1, "the variant beside the class of 7 elements knows that 64 is a multiple of 16"
    assert row["types"] > 0 and row["types"] != 1, "and that beside a class without a 1 knows nothing of the stride"
