"""`kernel.explain` and `kernel.explore`: what the compiler makes of one launch, also where kernels read what Python
alone knows."""

import base64
import http.client
import importlib.util
import json
import os
import re
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
import triton
import triton.language as tl
from programs import PATIENCE

TRITONC = Path(triton.__file__).parents[2] / "tools/tritonc/tritonc"

#: As libraries do, it chooses functions when it is imported, and its kernels are in several files.
CHOICES = """
import os
import triton
import triton.language as tl
from triton.language.extra import libdevice

if os.environ.get("FAST", "1") == "1":
    exp2 = libdevice.exp2
else:
    exp2 = tl.math.exp2

SCALES = {"half": tl.constexpr(0.5)}
SCALE = SCALES["half"]
LIMITS = tuple(tl.constexpr(limit) for limit in (-8, 8))


@triton.jit
def clamp(x, low, high):
    return tl.minimum(tl.maximum(x, low), high)


clamped = clamp if SCALE else None
"""
KERNELS = """
import triton
import triton.language as tl
from choices import SCALE, clamped, exp2


@triton.jit
def powers(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    tl.store(out + i, exp2(clamped(value * SCALE, -8.0, 8.0)), mask=i < n)
"""


@triton.jit
def gather(x, at, out, n, stride, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + tl.load(at + i, mask=i < n) * stride, mask=i < n), mask=i < n)


@triton.autotune(configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128}, num_warps=2)], key=["n"])
@triton.heuristics({"IS_LARGE": lambda bound: bound["n"] > 1000})
@triton.jit
def tuned(x, n, BLOCK: tl.constexpr, IS_LARGE: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, i + IS_LARGE, mask=i < n)


def arguments_of_gather():
    """The array of places is the only one with which no access is out of bounds."""
    x, at = np.arange(10, dtype=np.float32), np.array([9, 0, 4, 2, 2, 7], np.int32)
    return x, at, np.zeros(6, np.float32), 6, 1


@pytest.fixture
def library(tmp_path, monkeypatch):
    """(the module of KERNELS, its file)."""
    (tmp_path / "choices.py").write_text(CHOICES)
    (tmp_path / "library.py").write_text(KERNELS)
    monkeypatch.syspath_prepend(tmp_path)
    spec = importlib.util.spec_from_file_location("library", tmp_path / "library.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module, tmp_path / "library.py"
    sys.modules.pop("choices", None)


def read_page(file):
    data = re.search(r'id="data">([^<]*)</script>', Path(file).read_text())[1]
    return json.loads(zlib.decompress(base64.b64decode(data)))


def explained(file, kernel, signature, *options):
    command = [TRITONC, "explain", f"{file}:{kernel}", "--target", "cuda:90", "--signature", signature, *options]
    return subprocess.run(command, capture_output=True, text=True)


def test_explain_is_about_the_launch():
    """The same text as of a signature that has all facts of the launch."""
    signature = "*fp32:16:own,*i32:16:own,*fp32:16:own,i32:natural,1,64"
    done = explained(__file__, "gather", signature, "--num-warps", "2")
    text = gather.explain(*arguments_of_gather(), BLOCK=64, num_warps=2, target="cuda:90", grid=(1,))
    assert text == done.stdout, done.stderr
    assert "gather for cuda:90, num_warps 2" in text
    known = json.loads(gather.explain(*arguments_of_gather(), BLOCK=64, target="hip:gfx942", as_json=True))
    assert known["target"] == "hip:gfx942" and known["accesses"]


def test_explore_has_the_launch(tmp_path):
    page = tmp_path / "page.html"
    written = gather.explore(*arguments_of_gather(), BLOCK=64, target="cuda:90", grid=(1,), output=page)
    assert written == str(page)
    data = read_page(page)
    assert data["kernel"] == "gather" and data["guessed"] == []
    assert "x=*fp32:16:own" in data["signature"] and "stride=1" in data["signature"]
    assert "n=i32:natural" in data["signature"]
    assert data["memory"]["findings"] == [], "the arrays have the launch's contents"
    assert "n=6" in data["memory"]["arguments"]


def test_a_page_that_is_served(tmp_path):
    address = gather.explore(*arguments_of_gather(), BLOCK=64, target="cuda:90", open_browser=False)
    host, path = re.fullmatch(r"http://(127\.0\.0\.1:\d+)(/\?key=.*)", address).groups()
    connection = http.client.HTTPConnection(host, timeout=PATIENCE)
    connection.request("GET", path)
    opened = connection.getresponse()
    opened.read()
    connection.request("GET", "/question", headers={"Cookie": opened.getheader("Set-Cookie").partition(";")[0]})
    question = json.loads(connection.getresponse().read())
    assert question["kernel"] == "gather" and question["target"] == "cuda:90"
    assert "BLOCK=64" in question["signature"]


def test_values_that_only_python_knows(library, tmp_path):
    module, file = library
    x, out = np.zeros(100, np.float32), np.zeros(100, np.float32)
    text = module.powers.explain(x, out, 100, BLOCK=128, target="cuda:90")
    assert "library.py" in text or "powers for cuda:90" in text
    module.powers.explore(x, out, 100, BLOCK=128, target="cuda:90", output=tmp_path / "page.html")
    data = read_page(tmp_path / "page.html")
    assert data["source"] == KERNELS
    assert "ex2" in next(text["text"] for text in data["assembly"] if text["name"] == "ptx")


def test_tritonc_asks_the_python_at_hand(library, monkeypatch):
    """It gives the choice that the environment makes; without Python, the error says why the name is not known."""
    _, file = library
    signature = "*fp32:16,*fp32:16,i32,128"
    done = explained(file, "powers", signature, "--python", sys.executable)
    assert done.returncode == 0, done.stderr
    done = explained(file, "powers", signature, "--python", "no-such-python")
    assert done.returncode == 1
    assert "the global `exp2` is a value that only Python can compute; `no-such-python` does not start" in done.stderr
    assert "--python" in done.stderr
    (file.parent / "choices.py").write_text("raise RuntimeError('no device')")
    done = explained(file, "powers", signature, "--python", sys.executable)
    assert done.returncode == 1 and "does not import the file: RuntimeError: no device" in done.stderr


def test_kernels_that_no_file_defines(tmp_path):
    """Of a closure, the page has a text of its own, and the values of the enclosing function."""
    rows = tl.constexpr(32)

    @triton.jit
    def inner(x):
        return x + rows

    @triton.jit
    def local(out):
        i = tl.arange(0, rows)
        tl.store(out + i, inner(i))

    local.explore(np.zeros(32, np.int32), target="cuda:90", grid=(1,), output=tmp_path / "page.html")
    data = read_page(tmp_path / "page.html")
    assert "def local(out):" in data["source"] and "def inner" not in data["source"]
    assert data["memory"]["findings"] == []


def test_an_autotuned_kernel():
    x = np.zeros(2000, np.int32)
    with pytest.raises(ValueError, match=r"none was chosen for these arguments yet; launch it once, or give one"):
        tuned.explain(x, 2000, target="cuda:90")
    known = json.loads(tuned.explain(x, 2000, target="cuda:90", config=tuned.configs[1], as_json=True))
    assert known["num_warps"] == 2
    assert known["accesses"][0]["shape"] == [128]


@pytest.mark.parametrize(
    "call, kind, message",
    [
        (lambda: gather.explain(*arguments_of_gather(), target="cuda:90"), TypeError, "`gather`: missing a required"),
        (lambda: gather.explain(*arguments_of_gather(), BLOCK=64, target="gpu"), ValueError, "gpu"),
        (lambda: gather.explain(*arguments_of_gather(), BLOCK=64, target="cpu"), ValueError, "target='cuda:90'"),
        (lambda: gather.explain(*arguments_of_gather(), BLOK=64, BLOCK=64, target="cuda:90"), KeyError, "BLOCK"),
        (
            lambda: gather.explore((1, 2), *arguments_of_gather()[1:], BLOCK=64, target="cuda:90", output="page.html"),
            ValueError,
            "`x` is a tuple, which the page's fields do not take",
        ),
        (
            lambda: gather.explore(*arguments_of_gather(), BLOCK=60, target="cuda:90", output=os.devnull),
            RuntimeError,
            "no page was written: .*power of two",
        ),
    ],
)
def test_wrong_calls(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
