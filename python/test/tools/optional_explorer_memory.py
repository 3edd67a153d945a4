"""Launches on the simulator in the explorer's page, in two browsers."""

from browsers import ARROWS
from explorer_page import SOURCE, browser, kernels, page  # noqa: F401  fixtures


def simulate_what_never_ends(page):  # noqa: F811
    page.click("#kernel option[value='spin']")
    page.wait("the kernel", lambda: "spin on cuda:90" in page.text("#kernel-name"))
    page.click("[data-view='memory']")
    page.fill("#grid", "1")
    page.fill("#arguments", "x=zeros:i32[4]")
    page.click("#simulate")
    page.wait("the time", lambda: "simulating… 1 s" in page.text("#status"))


def test_a_simulation_while_the_assembler_runs(page):  # noqa: F811
    """Both say how long they take; the last one to end leaves the outcome of the compilation."""
    page.script("""window.fetched = window.fetch;
      window.fetch = async (path, more) => {
        if (path === "compile" && !JSON.parse(more.body).quick) await new Promise((go) => (window.assemble = go));
        return window.fetched(path, more);
      };""")
    page.click("#kernel option[value='shift']")
    page.wait("the assembler", lambda: "waiting for the assembler" in page.text("#status"))
    page.click("[data-view='memory']")
    page.fill("#grid", "1")
    page.click("#simulate")
    page.wait("the picture", lambda: page.all("[data-area]") or page.all("#simulation-problem"))
    page.script("window.assemble()")
    page.wait("the outcome", lambda: "compiled and shown" in page.text("#status"))
    assert not page.one("#cancel").is_displayed()


def test_a_simulation_outlives_its_view(page):  # noqa: F811
    page.script("""window.fetched = window.fetch;
      window.fetch = async (path, more) => {
        const answer = await window.fetched(path, more);
        if (path === "simulate") await new Promise((go) => (window.arrive = go));
        return answer;
      };""")
    page.click("#kernel option[value='shift']")
    page.wait("the kernel", lambda: "shift on cuda:90" in page.text("#kernel-name"))
    page.click("[data-view='memory']")
    page.click("#simulate")
    page.wait("the answer", lambda: page.script("return Boolean(window.arrive)"))
    page.click("[data-view='code']")
    page.click("[data-view='memory']")
    is_under_way = "return document.querySelector('#simulate').disabled"
    assert page.script(is_under_way)
    page.script("window.arrive()")
    page.wait("the map", lambda: page.all("[data-area='out']"))
    assert not page.script(is_under_way)
    assert page.script("return document.querySelector('#grid').value")


def test_a_changed_kernel_ends_its_simulation(page):  # noqa: F811
    """Its compilation does not wait for what was asked about another one."""
    simulate_what_never_ends(page)
    page.fill("#num-warps", "8")
    page.wait("the answer", lambda: "compiled and shown" in page.text("#status"))
    assert "given up, because the kernel has changed" in page.text("#simulation-problem")
    assert not page.script("return document.querySelector('#simulate').disabled")


def test_the_memory_of_a_launch(page):  # noqa: F811
    page.click("#kernel option[value='shift']")
    page.wait("the kernel", lambda: "shift on cuda:90" in page.text("#kernel-name"))
    page.script("document.querySelector('#status').textContent = ''")
    page.fill("#signature", "*fp32:16,*fp32:16,i32,BLOCK=64")
    page.wait("its signature", lambda: "compiled" in page.text("#status"))
    page.click("[data-view='memory']")
    page.click("#simulate")
    found = page.wait("the errors", lambda: page.all("#findings .fact"))
    assert len(found) == 2
    assert "n = 200, because" in page.text(".page .guess") and "guessed" in page.text("#guess-warning")
    assert "access out of bounds" in page.text("#findings") and "race on global memory" in page.text("#findings")
    value = "return [document.querySelector('#grid').value, document.querySelector('#arguments').value]"
    assert page.script(value) == ["4", "x=rand:fp32[200], out=rand:fp32[200], n=200, BLOCK=64"]
    about = ".holder"
    canvas = page.one("[data-area='out'] canvas")
    canvas.send_keys(ARROWS["right"] * 4)  # the first key chooses the first cell
    assert "bytes 12 to 16" in page.text(about) and "race on global memory" in page.text(about)
    stores = [number for number, line in enumerate(SOURCE.splitlines(), 1) if "tl.store(out + " in line][-2:]
    assert f"line {stores[0]}, line {stores[1]}" in page.text(about)
    canvas.send_keys(ARROWS["down"] * 3 + ARROWS["right"] * 5)
    assert "outside of the array" in page.text(about) and "access out of bounds" in page.text(about)
    page.hover(canvas, 0, 0)
    page.wait("the cell under the pointer", lambda: "outside of the array" not in page.text(about))
    canvas.click()
    page.click("[data-view='code']")
    assert page.wait("the lit line", lambda: page.all(".editor .light"))
    page.click("[data-view='memory']")
    assert "tl.load(x + i" in page.text("#costs")
    page.click("#findings .place")
    assert page.wait("the lit line", lambda: page.all(".editor .light"))
    page.click("[data-view='memory']")
    page.fill("#arguments", "n")
    page.click("#simulate")
    page.wait("a message", lambda: "name=value" in page.text("#simulation-problem"))
    assert not page.all("#findings")


def test_what_takes_long_can_be_cancelled(page):  # noqa: F811
    simulate_what_never_ends(page)
    page.click("#cancel")
    page.wait("the end", lambda: "cancelled" in page.text("#simulation-problem"))
    assert not page.one("#cancel").is_displayed()
