"""`tritonc bisect` finds the pass behind which a mistake is made (`--plant`), and finds none where there is none."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from programs import PATIENCE

TRITONC = Path(sys.executable).with_name("tritonc")
KERNELS = """import triton
import triton.language as tl


@triton.jit
def product(x, y, out, sums, steps, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)
    total = tl.zeros((N, N), tl.float32)
    for step in tl.range(steps, num_stages=3):
        at = step * K + k
        left = tl.load(x + m * (steps * K) + at[None, :])
        total = tl.dot(left, tl.load(y + at[:, None] * N + n), total)
    total = total + 1.5
    tl.store(out + m * N + n, total)
    tl.store(sums + tl.arange(0, N), tl.sum(tl.exp(total * 0.1), 1))


@triton.jit
def rounded(x, y, out, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, tl.dot(tl.load(x + at), tl.load(y + at)))


@triton.jit
def faults(x, n):
    tl.store(x + n, 1.0)


@triton.jit
def endless(x):
    while tl.load(x) == 0:
        tl.store(x, 0)
"""
PRODUCT = (
    "product --arg x=randn:f16[32,64] --arg y=randn:f16[64,32] --arg out=empty:f32[32,32] --arg sums=empty:f32[32] "
    "--arg steps=4 --arg N=32 --arg K=16"
)


@pytest.fixture
def bisect(tmp_path):
    (tmp_path / "kernels.py").write_text(KERNELS)

    def run(arguments, *more):
        return subprocess.run(
            [TRITONC, "bisect", *f"kernels.py:{arguments}".split(), *more],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )

    return run


@pytest.mark.parametrize("target", ["cpu", "sim:cuda:80", "sim:cuda:90", "sim:hip:gfx942"])
def test_finds_nothing_in_a_right_kernel(bisect, target):
    done = bisect(PRODUCT, "--target", target)
    assert (done.returncode, done.stderr) == (0, ""), done
    assert "the result is the same without optional passes and with all" in done.stdout


@pytest.mark.parametrize(
    "target, name",
    [
        ("cpu", "triton-combine"),
        ("cpu", "triton-licm"),
        ("sim:cuda:80", "triton-licm"),
        ("sim:cuda:80", "tritongpu-coalesce"),
        ("sim:cuda:80", "tritongpu-remove-layout-conversions"),
        ("sim:cuda:80", "tritongpu-pipeline"),
        ("sim:cuda:90", "tritongpu-accelerate-matmul"),
        ("sim:cuda:90", "tritongpu-remove-barriers"),
        ("sim:hip:gfx942", "tritongpu-reorder-instructions"),
        ("sim:hip:gfx942", "cse"),
    ],
)
def test_finds_a_planted_mistake(bisect, target, name):
    done = bisect(PRODUCT, "--target", target, "--plant", name)
    assert done.returncode == 1, done
    assert f"the first pass after which the result differs: {name}, stage " in done.stdout
    before, after = re.split(r"===== (?:before|after) \S+ =====\n", done.stdout)[1:]
    assert before != after and "product(" in before and "product(" in after


def test_names_the_needed_passes_where_none_can_be_left_out(bisect):
    done = bisect(PRODUCT, "--target", "sim:cuda:80", "--plant", "convert-triton-to-tritongpu")
    assert done.returncode == 1, done
    assert "without optional passes, the result already differs from that on cpu" in done.stdout
    assert re.search(r"these change the IR: convert-triton-to-tritongpu.*allocate-shared-memory", done.stdout)


@pytest.mark.parametrize("target", ["cpu", "sim:cuda:90"])
def test_finds_a_needed_pass_of_stage_ttir(bisect, target):
    done = bisect(PRODUCT, "--target", target, "--plant", "triton-inline-calls")
    assert done.returncode == 1, done
    assert "differs: triton-inline-calls, stage ttir, which the target needs" in done.stdout
    assert "===== after triton-inline-calls =====" in done.stdout


def test_products_in_tf32_are_no_difference(bisect):
    arguments = "rounded --arg x=randn:f32[32,32] --arg y=randn:f32[32,32] --arg out=empty:f32[32,32] --arg N=32"
    done = bisect(arguments, "--target", "sim:cuda:80")
    assert done.returncode == 0, done
    exact = bisect(arguments, "--target", "sim:cuda:80", "--bitwise")
    assert exact.returncode == 1, exact
    assert "differs: tritongpu-accelerate-matmul, stage ttgir" in exact.stdout


@pytest.mark.parametrize(
    "arguments, status, message",
    [
        ("faults --arg x=ones:f32[8] --arg n=9 --target sim:cuda:90", 1, "write of 4 bytes at byte 36 of `x`"),
        ("endless --arg x=zeros:i32[1] --time-limit 1", 1, "it does not end within 1 s"),
        ("faults --arg x=ones:f32[8]", 2, "argument `n`"),
        ("missing", 2, "defines no kernel named `missing`"),
        (f"{PRODUCT} --plant triton-imagined", 2, "no such pass runs; `tritonc show --passes` names those that do"),
        (f"{PRODUCT} --reference nowhere", 2, "no target `nowhere`"),
        (f"{PRODUCT} --time-limit 0", 2, "at least 1 second"),
        (f"{PRODUCT} --grid many", 2, "`many` is not an integer"),
    ],
)
def test_errors(bisect, arguments, status, message):
    done = bisect(arguments)
    assert (done.returncode, message in done.stderr) == (status, True), done
