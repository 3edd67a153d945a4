"""What the explorer's page keeps and gives away: its address, changed texts, a page to save; and columns of code."""

import json
import time

from browsers import ARROWS
from explorer_page import SIGNATURE, SOURCE, browser, kernels, page  # noqa: F401  fixtures

AREA = "const a = document.querySelector('textarea');"
LAST = len(SOURCE.splitlines())


def value_of(page):  # noqa: F811
    return page.script(f"{AREA} return a.value")


def answered(page):  # noqa: F811
    page.wait("an answer", lambda: "compiled and shown" in page.text("#status"))


def test_a_link_leads_to_what_is_shown(page):  # noqa: F811
    page.fill("#num-warps", "8")
    answered(page)
    page.wait("the address", lambda: "num_warps=8" in page.script("return location.search"))
    line = 1 + SOURCE.splitlines().index("    tl.store(out + at, total)")
    page.click(".column:last-of-type select option[value='ptx']")
    page.scroll_to(f".column:last-child .line.linked[data-line='{line}']", ".column:last-child .text").click()
    page.click("#copy-link")
    link = page.script("return location.href")
    assert f"line={line}" in link and "target=cuda%3A90" in link
    page.open("about:blank")
    page.open(link)
    page.wait("the lit line", lambda: page.all(f".editor .light[data-line='{line}']"))
    assert page.script("return document.querySelector('#num-warps').value") == "8"
    assert page.script("return document.querySelector('#signature').value") == SIGNATURE
    page.open(link.replace("#code", "") + "#facts")
    page.wait("the facts", lambda: page.all(".fact"))


def test_changes_outlive_the_page(page, kernels):  # noqa: F811
    page.script(f"{AREA} a.focus(); a.setSelectionRange(1e6, 1e6)")
    page.one("textarea").send_keys("# mine")
    page.wait("an answer", lambda: "# mine" in value_of(page))
    assert page.one("#discard").is_displayed()
    page.reload()
    page.wait("the changed text", lambda: "# mine" in value_of(page))
    page.click("#discard")
    page.wait("the text of the file", lambda: value_of(page) == SOURCE)
    assert not page.one("#discard").is_displayed()
    page.reload()
    page.wait("the page", lambda: value_of(page) == SOURCE)
    assert kernels.read_text() == SOURCE


def test_a_page_is_saved(page, tmp_path):  # noqa: F811
    page.script("""window.saved = null;
      const make = URL.createObjectURL;
      URL.createObjectURL = (blob) => { blob.text().then((text) => window.saved = text); return make(blob); };
      document.addEventListener("click", (event) => event.target.download && event.preventDefault(), true);""")
    page.click("#save-page")
    text = page.wait("the saved page", lambda: page.script("return window.saved"))
    assert "the page is saved" in page.text("#status")
    file = tmp_path / "saved.html"
    file.write_text(text)
    page.open(f"file://{file}")
    page.wait("the page", lambda: "product on cuda:90" in page.text("#kernel-name"))
    assert not page.one("#links").is_displayed() and not page.all("textarea")
    # All scripts are one there; each view is its own.
    page.click("[data-view='layouts']")
    page.wait("a layout", lambda: page.all("canvas") and page.all(".legend .swatch"))
    page.one("canvas").send_keys(ARROWS["right"])
    page.wait("who holds it", lambda: "lane" in page.text(".holder") or "bank" in page.text(".holder"))


def test_counts_beside_the_lines(page):  # noqa: F811
    assert not page.one("#cost").is_displayed()
    page.click("[data-view='memory']")
    page.click("#simulate")
    page.wait("the launch", lambda: page.all("#costs"))
    page.click("[data-view='code']")
    page.click("#cost option[value='sectors']")
    counts = page.script("""const costs = [...document.querySelectorAll('.editor .line .live')];
      const known = costs.filter((each) => each.textContent);
      return Object.fromEntries(known.map((each) => [each.parentElement.dataset.line, each.title]))""")
    line = 1 + SOURCE.splitlines().index("    tl.store(out + at, total)")
    assert "sectors of all programs: " in counts[str(line)]
    starts = page.script(f"""{AREA} const left = (each) => each.getBoundingClientRect().left;
      const row = document.querySelector('.editor .line .content');
      return [left(row), left(a) + parseFloat(getComputedStyle(a).paddingLeft)]""")
    assert abs(starts[0] - starts[1]) < 2, "the caret stands where the text is"
    page.click("#cost option[value='']")
    assert not page.all(".editor .live")


def test_colors_of_lines(page):  # noqa: F811
    color = """return [...document.querySelectorAll('.line')].filter((row) => row.dataset.line === '%d')
      .map((row) => getComputedStyle(row).backgroundColor)"""
    line = 1 + SOURCE.splitlines().index("    tl.store(out + at, total)")
    page.script("document.querySelector('textarea').blur()")
    assert set(page.script(color % line)) == {"rgba(0, 0, 0, 0)"}
    page.click("#colors")
    time.sleep(0.2)
    colors = set(page.script(color % line))
    assert len(colors) == 1 and colors != {"rgba(0, 0, 0, 0)"}, "the source and what it became"
    comment = 1 + next(k for k, each in enumerate(SOURCE.splitlines()) if "<img" in each)
    assert set(page.script(color % comment)) == {"rgba(0, 0, 0, 0)"}, "it became nothing"
    assert colors != set(page.script(color % (line - 1)))
    page.click("#colors")


def test_columns_have_other_widths(page):  # noqa: F811
    widths = "return [...document.querySelectorAll('.column')].map((each) => each.offsetWidth)"
    before = page.script(widths)
    bar = page.one(".splitter")
    bar.send_keys(ARROWS["right"])
    bar.send_keys(ARROWS["right"])
    after = page.script(widths)
    assert after[0] >= before[0] + 60 and after[1] <= before[1] - 60 and abs(after[2] - before[2]) < 4
    page.click("[data-view='facts']")
    page.click("[data-view='code']")
    assert page.script(widths) == after
    assert int(page.one(".splitter").get_attribute("aria-valuenow")) > 50


def typed(page, text, *keys, start=None, end=None):  # noqa: F811
    """What is in the editor after the keys, pressed with a selection at the end of the text."""
    start = len(text) if start is None else start
    end = start if end is None else end
    page.script(f"{AREA} a.value = {json.dumps(text)}; a.focus(); a.setSelectionRange({start}, {end})")
    for key in keys:
        page.one("textarea").send_keys(key)
    return value_of(page)


def test_lines_are_indented(page):  # noqa: F811
    enter, tab, back_tab = "\ue007", "\ue004", "\ue008\ue004"
    page.click("textarea")
    assert typed(page, "def f(x):", enter, "y") == "def f(x):\n    y"
    assert typed(page, "    x = 1  # one:", enter, "y") == "    x = 1  # one:\n    y"
    assert typed(page, "    x = f(", enter, "y") == "    x = f(\n        y"
    assert typed(page, "        return x", enter, "y") == "        return x\n    y"
    assert typed(page, "a", tab) == "a    "
    assert typed(page, "a\nb\nc", tab, start=0, end=3) == "    a\n    b\nc"
    assert typed(page, "    a\n  b\nc", back_tab, start=0, end=9) == "a\nb\nc"
    assert typed(page, "    a", back_tab) == "a"


def test_layouts_have_the_names_of_the_source(page):  # noqa: F811
    page.click("[data-view='layouts']")
    buttons = page.wait("layouts", lambda: page.all(".list button"))
    next(button for button in buttons if "total" in button.text).click()
    line = 1 + SOURCE.splitlines().index("        total += tl.dot(tl.load(a + at + k * N), tl.load(b + at + k * N))")
    assert "total" in page.text(".variables") and f"line {line}" in page.text(".variables")
    assert [each for each in page.text(".legend").split("warp ") if each] and page.all(".legend .swatch")
    page.click(".variables .place")
    page.wait("the line", lambda: page.all(".editor .light"))


def test_instructions_are_explained(page):  # noqa: F811
    page.click(".column:last-of-type select option[value='ptx']")
    titles = page.script("return [...document.querySelectorAll('.column:last-of-type .line')].map((row) => row.title)")
    assert any(title.startswith("st.global") and "stores to global memory" in title for title in titles)
    assert any(title.startswith("wgmma.") or title.startswith("mma.") for title in titles)
