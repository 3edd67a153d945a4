"""A kernel in Gluon in the explorer's page, in two browsers: its layouts, its buffers and its launch over time."""

import sys

import pytest
from browsers import serving
from explorer_page import browser  # noqa: F401  a fixture
from gluon_files import LAUNCH, PRODUCT, SIGNATURE, line_of


@pytest.fixture
def page(browser, tmp_path):  # noqa: F811
    path = tmp_path / "product.py"
    path.write_text(PRODUCT)
    values = [f"--arg={value}" for value in LAUNCH]
    options = ["--target=cuda:90", f"--signature={SIGNATURE}", f"--python={sys.executable}", "--grid=1", *values]
    with serving(f"{path}:product", *options) as address:
        browser.open(address)
        browser.wait("the first picture", lambda: "product on cuda:90" in browser.text("#kernel-name"))
        yield browser
        browser.open("about:blank")


def test_a_launch_over_time(page):
    page.click("[data-view='memory']")
    page.click("#simulate")
    page.wait("the lanes", lambda: page.all("#time .event"))
    lanes = [element.text for element in page.all("#time text")]
    assert lanes[:4] == ["warps 0 to 3", "multiply", "warp 4", "load_blocks"]
    wait, copy = line_of(PRODUCT, "mbarrier.wait(full"), line_of(PRODUCT, "tma.async_load(a")
    assert page.all(f"#time [data-kind='product'][data-line='{line_of(PRODUCT, 'acc = warpgroup_mma')}']")
    page.hover(page.one(f"#time [data-kind='copy'][data-line='{copy}']"), 1, 1)
    page.wait("the copy", lambda: "in flight" in page.text(".holder") and f"line {copy}" in page.text(".holder"))
    bar = page.one(f"#time [data-kind='wait'][data-line='{wait}']")
    page.hover(bar, 1, 1)
    page.wait("the wait", lambda: "warps 0 to 3: waiting" in page.text(".holder"))
    bar.click()
    page.click("[data-view='code']")
    assert page.wait("the lit line", lambda: page.all(".editor .light"))


def test_layouts_and_buffers(page):
    page.click("[data-view='layouts']")
    page.wait("the layouts", lambda: "acc" in page.text("#view") and "shared" in page.text("#view"))
