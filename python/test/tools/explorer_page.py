"""The explorer's page of one kernel, in two browsers."""

import os
import subprocess

import pytest
from browsers import TRITONC, Browser
from programs import PATIENCE

SOURCE = """import triton
import triton.language as tl


@triton.jit
def product(a, b, out, n, N: tl.constexpr):
    # <img src=x onerror="document.title='broken'"> is text
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    total = tl.zeros((N, N), tl.float32)
    for k in range(n):
        total += tl.dot(tl.load(a + at + k * N), tl.load(b + at + k * N))
    tl.store(out + at, total)


@triton.jit
def scale(x, factor):
    tl.store(x, tl.load(x) * factor)


@triton.jit
def shift(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    tl.store(out + i + 1, value, mask=i < n)
    tl.store(out + 3, tl.sum(value))


@triton.jit
def spin(x):
    while tl.load(x + 1, volatile=True) == 0:
        tl.atomic_add(x, 1)
"""
SIGNATURE = "*fp16:16,*fp16:16,*fp32:16,i32,N=64"


@pytest.fixture(scope="module", params=["chromium", "firefox"])
def browser(request):
    browser = Browser(request.param)
    yield browser
    if browser.name == "chromium":
        problems = [entry["message"] for entry in browser.driver.get_log("browser") if entry["level"] == "SEVERE"]
        # Servers end with their tests, perhaps while they answer; `serving` says if one ended before.
        found = [problem for problem in problems if "favicon" not in problem and "net::ERR_" not in problem]
        assert not found, found
    browser.close()


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    path = tmp_path_factory.mktemp("explorer") / "kernels.py"
    path.write_text(SOURCE)
    return path


@pytest.fixture
def page(browser, kernels):
    command = [TRITONC, "explore", f"{kernels}:product", "--target", "cuda:90", "--signature", SIGNATURE]
    # Threads load the operands, so that there is a software pipeline to show.
    environment = {**os.environ, "TRITON_SKIP_PASSES": "triton-describe-loads"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    browser.open(process.stdout.readline().split()[1])
    browser.wait("the first picture", lambda: "product on cuda:90" in browser.text("#kernel-name"))
    yield browser
    browser.open("about:blank")  # The server cuts short what it still answers when it ends: an error of the page.
    process.terminate()
    assert process.wait(timeout=PATIENCE) == 0
