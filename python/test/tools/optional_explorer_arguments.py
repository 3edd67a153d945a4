"""The table of arguments of the explorer's page, in two browsers, by mouse and by keyboard."""

import os
import subprocess
import sys

import pytest
from browsers import serving
from explorer_page import browser  # noqa: F401  a fixture

SOURCE = """import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 128}, num_warps=8, num_stages=2), triton.Config({"BLOCK": 256, "MODE": "fast"})],
    key=["n"],
)
@triton.jit
def scale(x, out, n, factor, BLOCK: tl.constexpr, MODE: tl.constexpr = "exact"):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    tl.store(out + i, value * factor, mask=i < n)


@triton.jit
def fill(x, value):
    tl.store(x, value)
"""
TAB, SPACE, ENTER = "\ue004", " ", "\ue007"


@pytest.fixture
def page(browser, tmp_path):  # noqa: F811
    path = tmp_path / "kernels.py"
    path.write_text(SOURCE)
    with serving(f"{path}:scale", "--target", "cuda:90") as address:
        browser.open(address)
        browser.wait("the first picture", lambda: "scale on cuda:90" in browser.text("#kernel-name"))
        browser.click("#arguments-summary")
        yield browser
        browser.open("about:blank")


def cell(name, field):
    return f"[data-argument='{name}'] [data-field='{field}']"


def compiled(page, signature):
    """Waits until the page shows the kernel for a signature with this part."""
    page.wait(f"`{signature}`", lambda: signature in page.script("return document.querySelector('#signature').value"))
    page.wait("the answer", lambda: page.script("return document.body.className") == "")


def test_what_is_guessed_and_given(page):
    assert "(6 guessed)" in page.text("#arguments-summary")
    row = "[data-argument='x']"
    assert "guessed, because it is used as a pointer" in page.text(row)
    page.fill(cell("factor", "item"), "fp32")
    compiled(page, "factor=fp32")
    assert page.text("[data-argument='factor'] td:last-child") == "given"
    assert "guessed, because" in page.text(row), "the other arguments stay guesses"
    assert "(5 guessed)" in page.text("#arguments-summary")


def test_hints_by_keyboard(page):
    page.one(cell("n", "item")).click()
    page.driver.switch_to.active_element.send_keys(TAB) if page.name == "chromium" else page.one(
        cell("n", "item")
    ).send_keys(TAB)
    active = "return document.activeElement.getAttribute('aria-label')"
    assert page.script(active) == "n: a multiple of 16"
    page.one(cell("n", "hint 16")).send_keys(SPACE)
    compiled(page, "n=i32:16")
    assert page.script(active) == "n: a multiple of 16", "the focus stays when the table is drawn again"
    page.one(cell("n", "hint 1")).send_keys(SPACE)
    compiled(page, "n=i32:1,")
    assert not page.script(f"return document.querySelector({cell('n', 'hint 16')!r}).checked")


def test_an_error_keeps_the_table(page):
    page.fill(cell("x", "item"), "*fp33")
    page.wait("the error", lambda: "`*fp33:16` is neither a type nor a constant" in page.text("#error"))
    page.fill(cell("x", "item"), "*fp16:16")
    compiled(page, "x=*fp16:16")
    assert not page.one("#error").is_displayed()


def test_presets_of_the_autotuner(page):
    options = "return [...document.querySelectorAll('#preset option')].map((each) => each.textContent)"
    assert page.script(options)[1:] == ["BLOCK = 128, num_warps = 8, num_stages = 2", 'BLOCK = 256, MODE = "fast"']
    page.click("#preset option[value='0']")
    compiled(page, "BLOCK=128")
    assert page.script("return document.querySelector('#num-warps').value") == "8"
    page.click("#preset option[value='1']")
    compiled(page, 'MODE="fast"')
    page.click("#kernel option[value='fill']")
    page.wait("the other kernel", lambda: "fill on" in page.text("#kernel-name"))
    assert not page.all("#preset") and len(page.all("#argument-table tbody tr")) == 2


RECORDED = """

if __name__ == "__main__":
    import numpy
    x = numpy.arange(300, dtype=numpy.float32)
    scale.fn[(3,)](x, numpy.empty(300, numpy.float32), 300, 2.0, BLOCK=128, num_warps=2)
"""


def test_a_recorded_launch_is_chosen(browser, tmp_path):  # noqa: F811
    path = tmp_path / "kernels.py"
    path.write_text(SOURCE + RECORDED)
    environment = {**os.environ, "TRITON_RECORD": str(tmp_path / "launches")}
    subprocess.run([sys.executable, path], check=True, env=environment)
    (launch,) = (tmp_path / "launches").iterdir()
    options = ["--target", "cuda:90", "--signature", "*fp16,*fp16,i32,fp32,64", "--python", sys.executable]
    with serving(f"{path}:scale", "--launch", launch, *options) as address:
        browser.open(address)
        browser.wait("the first picture", lambda: "scale on cuda:90" in browser.text("#kernel-name"))
        browser.click("#arguments-summary")
        assert "the launch scale-" in browser.text("#preset option[value='2']")
        browser.click("#preset option[value='2']")
        compiled(browser, "BLOCK=128")
        assert browser.script("return document.querySelector('#num-warps').value") == "2"
        field = f"return document.querySelector({cell('x', 'value')!r}).value"
        assert browser.script(field).startswith("@") and browser.script(field).endswith(":fp32[300]")
        browser.open("about:blank")


def test_the_values_of_a_launch(page):
    page.click("[data-view='memory']")
    page.click("#simulate")
    page.wait("the map", lambda: page.all("[data-area='out']"))
    value = f"return document.querySelector({cell('n', 'value')!r}).value"
    assert page.script(value) == "200"
    page.fill(cell("n", "value"), "30")
    assert "n=30" in page.script("return document.querySelector('#arguments').value")
    page.click("#simulate")
    page.wait("the other map", lambda: "n=30" in page.script("return document.querySelector('#arguments').value"))
    assert page.script("return location.hash") == "#memory"


def test_names_for_screen_readers(page):
    labels = page.script(
        "return [...document.querySelectorAll('#argument-table input')].map((each) => each.getAttribute('aria-label'))"
    )
    assert len(set(labels)) == len(labels) and all(labels)
    assert page.script("return document.querySelectorAll('#argument-table th[scope=row]').length") == 6
    assert page.text("#argument-table caption") == "arguments"
