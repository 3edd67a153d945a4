"""Stepping through kernels in the explorer's page, which the debugger serves, in two browsers."""

import os
import re
import subprocess
import sys

import pytest
from explorer_page import browser  # noqa: F401  a fixture
from programs import PATIENCE

PROGRAM = """\
import numpy as np
import triton
import triton.language as tl


@triton.jit
def half(value):
    return value * 0.5


@triton.jit
def scale(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    value = half(value)
    tl.store(out + i, value, mask=i < n)


x, out = np.arange(24, dtype=np.float32), np.zeros(24, np.float32)
scale[(2,)](x, out, 20, BLOCK=16)
print("sum", out.sum())
"""
LINES = PROGRAM.splitlines()


def line_of(text):
    return next(number for number, line in enumerate(LINES, 1) if text in line)


@pytest.fixture
def steps(browser, tmp_path):  # noqa: F811
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "triton.debug", "--page", program]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        browser.open(server.stdout.readline().split()[1])
        browser.wait("the program", lambda: "program.py, 2 kernels" in browser.text("#status"))
        yield browser
        browser.open("about:blank")
        server.terminate()
        assert server.wait(PATIENCE) == 0


def at(page, line):
    text = LINES[line - 1].strip()
    page.wait(f"line {line}", lambda: page.text(".line.current").removeprefix(str(line)).strip() == text)


def shown_value(page, key):
    return page.text(f'[data-value="{key}"] > summary')


def test_a_program_forwards_and_backwards(steps):
    page = steps
    page.click(f"[data-line='{line_of('value = tl.load')}'].margin")
    page.click(f"[data-line='{line_of('value = tl.load') - 3}'].margin")  # the decorator: moves to a statement
    page.click("#start")
    at(page, line_of("i = tl.program_id"))
    page.click("[data-step='continue']")
    at(page, line_of("value = tl.load"))
    assert "scale, program (0, 0, 0): a breakpoint" in page.text("#stop")
    page.click("[data-step='next']")
    at(page, line_of("value = half"))
    page.wait("the values", lambda: "fp32[16], 0 to 15" in shown_value(page, "Locals/value"))
    page.click("[data-step='stepIn']")
    at(page, line_of("return value"))
    assert "half, program.py" in page.text(".frames") and "scale, program.py" in page.text(".frames")
    page.click("[data-step='stepOut']")
    at(page, line_of("tl.store"))
    page.click("[data-step='stepBack']")
    at(page, line_of("value = half"))
    page.one("body").send_keys("b")
    at(page, line_of("value = tl.load"))
    page.click("[data-step='reverseContinue']")
    at(page, line_of("i = tl.program_id"))
    page.click("#start")  # again
    at(page, line_of("i = tl.program_id"))
    page.click(f"[data-line='{line_of('value = tl.load')}'].margin")
    page.click(".margin.point")
    page.wait("no breakpoints", lambda: not page.all(".margin.point"))
    page.click("[data-step='continue']")
    page.wait("the end", lambda: "has ended with status 0" in page.text("#stop"))
    assert "sum 95.0" in page.text("#output")


def test_the_elements_of_a_tensor(steps):
    page = steps
    page.fill("#step-program", "1")
    page.click("#start")
    at(page, line_of("i = tl.program_id"))
    page.click("[data-step='next']")
    at(page, line_of("value = tl.load"))
    page.click("[data-step='next']")
    at(page, line_of("value = half"))
    page.click('[data-value="Locals/value"] > summary')
    page.wait("the grid", lambda: "[16 17 18 19  .  ." in page.text('[data-value="Locals/value"]'))
    threads = '[data-value="Locals/value/threads"]'
    page.click(f"{threads} > summary")
    layout = page.wait("a layout", lambda: page.all(f"{threads} details"))[0]
    layout.click()
    page.wait("the threads", lambda: "0:0:0" in page.text(f"{threads} details"))
    assert "lanes that are masked off" in page.text(threads)
    page.click("[data-step='next']")
    at(page, line_of("tl.store"))
    page.wait("the next grid", lambda: "8.5" in page.text('[data-value="Locals/value"]'))
    assert page.all(".value.changed")
    page.click("[data-step='next']")
    page.fill("#expression", "last_write(out + 17)")
    page.one("#expression").send_keys("\ue007")
    page.wait(
        "the writer", lambda: re.search(r"program\.py`:\d+ in program \(1, 0, 0\).*8\.5", page.text("#expressions"))
    )


def test_what_cannot_be_done_is_said(steps):
    page = steps
    page.fill("#step-program", "first")
    page.click("#start")
    page.wait("a sentence", lambda: "one to three numbers such as [0, 2]" in page.text("#stop"))
    page.fill("#step-program", "0")
    page.click("#start")
    at(page, line_of("i = tl.program_id"))
    page.fill("#expression", "y + 1")
    page.one("#expression").send_keys("\ue007")
    page.wait("a sentence", lambda: "name 'y' is not defined" in page.text("#expressions"))
    page.click("#stop-program")
    page.wait("the end", lambda: "the program was ended" in page.text("#stop"))
