"""`tritonc classes` and `python -m triton.tools.classes`: the classes of a kernel, on the command line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from triton.tools.classes import declaration_of

TRITONC = [Path(sys.executable).with_name("tritonc"), "classes"]
SOURCE = """import triton
import triton.language as tl


@triton.jit
def scale(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.static_print("a block of", BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@triton.jit
def other(x):
    tl.store(x, 1)
"""


@pytest.fixture
def run(tmp_path):
    (tmp_path / "scale.py").write_text(SOURCE)
    environment = {**os.environ, "VIRTUAL_ENV": sys.prefix}

    def run(*arguments, command=tuple(TRITONC)):
        return subprocess.run([*command, *arguments], cwd=tmp_path, capture_output=True, text=True, env=environment)

    return run


def test_what_may_be_declared():
    import triton.language as tl

    assert declaration_of("1..65536") == "1..65536" and declaration_of(" *fp32:16") == "*fp32:16"
    assert declaration_of("any") is any and declaration_of("tl.float16") is tl.float16
    assert declaration_of("64,128") == declaration_of("{64, 128}") == declaration_of("[64,128]") == [64, 128]
    assert declaration_of("1, 16..64:16") == [1, "16..64:16"]
    assert declaration_of("None") is None and declaration_of('"relu"') == "relu" and declaration_of("0.5") == 0.5
    for wrong in ("many", "tl.nothing", "64,"):
        with pytest.raises(ValueError, match="declares nothing; give a range"):
            declaration_of(wrong)


def test_a_table_and_json(run):
    given = ["scale.py:scale", "--arg", "x=*fp32:16", "--arg", "n=1..65536", "--arg", "BLOCK=64,128"]
    done = run(*given, "--target", "cuda:90")
    assert done.returncode == 0, done.stderr
    first, *lines = done.stdout.splitlines()
    assert first == "scale: 6 classes for cuda:90" and len(lines) == 2 + 6
    assert '  `n` multiplies them by 3; do_not_specialize=["n"] leaves 2 classes' in lines
    data = json.loads(run(*given, "--json").stdout)
    assert data["number"] == len(data["classes"]) == 6 and data["factors"] == {"n": 3, "BLOCK": 2}
    assert data["classes"][0] == {"x": "*fp32, divisible by 16", "n": "1", "BLOCK": "64"}
    assert "costs" not in data


def test_what_do_not_specialize_costs(run):
    given = ["scale.py:scale", "--arg", "x=*fp32:16", "--arg", "n=1..65536", "--arg", "BLOCK=1024", "--costs"]
    done = run(*given, "--json", "--target", "cuda:90")
    assert done.returncode == 0, done.stderr
    costs = json.loads(done.stdout)["costs"]["n"]
    assert costs["i32, divisible by 16, not negative"] > 1.1, "the mask is not known to hold for 4 elements at once"
    assert costs["1"] == 1 == costs["i32, not negative"]
    assert "a block of 1024" in done.stderr, "what a kernel prints is not in the table"
    done = run(*given[:-2], "BLOCK=1000", "--costs", "--target", "cuda:90")
    assert done.returncode == 1 and "error: " in done.stderr and "Traceback" not in done.stderr
    done = run(*given, "--target", "cpu")
    assert done.returncode == 2 and "clocks are those of a simulated GPU; list them for one" in done.stderr


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["scale.py"], "`scale.py` has 2 kernels; name one of them: scale, other"),
        (["scale.py:shift"], "`scale.py` has no kernel `shift`; it has scale, other"),
        (["absent.py:scale"], "there is no file `absent.py`"),
        (["scale.py:scale", "--arg", "n"], "`n` is not a declaration"),
        (["scale.py:scale", "--arg", "n=many"], "`many` declares nothing"),
        (["scale.py:scale", "--arg", "n=1"], "the parameter `x`, of which nothing was declared"),
        (["scale.py:other", "--arg", "x=*fp32", "--target", "vax"], "vax"),
        ([], "name a kernel as file.py:kernel"),
        (["scale.py:other", "--python", "/nowhere/python"], "`/nowhere/python` does not start"),
    ],
)
def test_wrong_command_lines(run, arguments, message):
    done = run(*arguments)
    assert done.returncode == 2 and message in done.stderr and "Traceback" not in done.stderr
