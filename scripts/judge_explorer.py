#!/usr/bin/env python3
"""Does ten tasks of a kernel's author on the explorer's page, in Chromium and Firefox, and says what each took.

    scripts/run_optional_tests.sh                       # once: installs browsers and .venv-optional
    PYTHONPATH=build/python .venv-optional/bin/python scripts/judge_explorer.py [--browser chromium] [--axe axe.min.js]

A task fails if the page does not show what the author looks for. ``--axe`` names the script of axe-core, such as that
in the package `axe-playwright-python`; what it finds that is serious or critical fails the last task. ``--pictures``
names a folder for a picture of each task, ``--edit`` a kernel whose answers to edits are timed besides those of matmul,
with options of `tritonc explore`. ``--json`` prints JSON. The exit status is 1 if a task fails.
"""

import argparse
import base64
import contextlib
import json
import shlex
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python/test/tools"))

from browsers import ARROWS, Browser, serving  # noqa: E402

HEAD = """import triton
import triton.language as tl


@triton.jit
def kernel(a, b, table, out, count, n, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    total = tl.zeros((N, N), tl.float32)
    for k in range(n):
        total += tl.dot(tl.load(a + at + k * N), tl.load(b + at + k * N))
    column = tl.sum(tl.load(table + at * 16), 0)
    row = column
    for k in range(n):
        row = tl.load(table + k * N + (row > 0).to(tl.int32) + i)
"""
#: What the author looks for in it.
SLOW_LOAD = 1 + HEAD.splitlines().index("    column = tl.sum(tl.load(table + at * 16), 0)")
CHAINED_LOOP = 1 + max(k for k, line in enumerate(HEAD.splitlines()) if line == "    for k in range(n):")
LINES = [
    *HEAD.splitlines(),
    *(f"    row = row * {k}.5 + column" for k in range(380)),
    "    tl.store(out + tl.program_id(0) * N * N + at, total + row[None, :])",
    "    tl.store(count, tl.program_id(0))",
    "",
]
RACE = LINES.index("    tl.store(count, tl.program_id(0))") + 1
SIGNATURE = "*fp16:16,*fp16:16,*fp32:16,*fp32:16,*i32:16,i32,N=32"
LAUNCH = ["a=rand:f16[2048]", "b=rand:f16[2048]", "table=rand:f32[16384]", "out=zeros:f32[2048]", "count=zeros:i32[1]"]
LAUNCH += ["n=2", "N=32"]
MATMUL = [f"{ROOT}/examples/kernels/matmul.py:matmul_kernel", "--target", "cuda:90", "--num-warps", "8", "--signature"]
MATMUL += ["*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,i32:16,1,i32:16,1,i32:16,1,128,256,64,8,None"]
VIEWS = ("code", "passes", "layouts", "facts", "times", "compare", "memory")
TAB, ENTER = "\ue004", "\ue007"


class Judge:
    """A browser that counts what an author does in it."""

    def __init__(self, browser, address, axe, pictures):
        self.page, self.address, self.axe, self.pictures = browser, address, axe, pictures
        self.actions = 0
        self.results = []

    def begin(self):
        """The page as it is when it is opened for the first time."""
        self.page.script("try { localStorage.clear() } catch { /* of no page of ours */ }")
        self.page.open("about:blank")
        self.page.open(self.address)
        self.compiled()

    @contextlib.contextmanager
    def task(self, name):
        """What the block does is one task."""
        begin, before, problem = time.monotonic(), self.actions, ""
        result = {"task": name, "notes": {}}
        try:
            yield result["notes"]
        except AssertionError as error:
            problem = str(error).splitlines()[0] if str(error) else "the page does not show it"
        result |= {"actions": self.actions - before, "seconds": round(time.monotonic() - begin, 2), "problem": problem}
        self.results.append(result)
        if self.pictures:
            self._draw(f"{len(self.results):02}-{self.page.name}.png")

    def _draw(self, name):
        driver = self.page.driver
        picture = driver.get_screenshot_as_base64() if self.page.name == "chromium" else driver.screenshot(full=False)
        (self.pictures / name).write_bytes(base64.b64decode(picture))

    def click(self, css):
        self.actions += 1
        self.page.click(css)

    def view(self, name):
        self.click(f"[data-view='{name}']")

    def keys(self, css, keys):
        self.actions += len(keys)
        element = self.page.one(css)
        for key in keys:
            element.send_keys(key)

    def focused_keys(self, keys):
        """Keys for whatever has the focus."""
        self.actions += len(keys)
        for key in keys:
            if self.page.name == "chromium":
                self.page.driver.switch_to.active_element.send_keys(key)
            else:
                self.page.driver.get_active_element().send_keys(key)

    def shown(self, what, css, text):
        return self.page.wait(what, lambda: text in self.page.text(css))

    def compiled(self):
        self.shown("an answer", "#status", "compiled and shown in")

    def lit_line(self):
        rows = "return Number(document.querySelector('.editor .light')?.dataset.line ?? 0)"
        return self.page.wait("a lit line", lambda: self.page.script(rows))


def open_the_page(judge):
    with judge.task("open a kernel of 400 lines") as notes:
        judge.actions += 1
        judge.page.open(judge.address)
        judge.shown("the kernel", "#kernel-name", "kernel on")
        judge.compiled()
        paint = "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
        notes["first paint, ms"] = judge.page.script(paint)
        notes["answer"] = judge.page.text("#status")


def find_the_slowest_load(judge):
    with judge.task("find the line of the slowest load"):
        judge.view("memory")
        judge.click("#simulate")
        judge.page.wait("the launch", lambda: judge.page.all("#costs"), seconds=60)
        judge.view("code")
        judge.click("#cost option[value='sectors']")
        most = """const loads = [...document.querySelectorAll('.editor .line')].filter((row) =>
            row.querySelector('.gauge') && row.textContent.includes("tl.load("));
          const width = (row) => parseFloat(row.querySelector('.gauge').style.width);
          const most = loads.sort((x, y) => width(y) - width(x))[0];
          return [Number(most.dataset.line), most.querySelector('.live').title]"""
        line, title = judge.page.script(most)
        assert line == SLOW_LOAD and "sectors" in title, (line, title)


def see_why_a_loop_is_not_pipelined(judge):
    with judge.task("see why a loop is not pipelined") as notes:
        judge.view("facts")
        about = f"""return [...document.querySelectorAll('.fact')].filter((each) =>
          each.querySelector('.place')?.textContent === 'line {CHAINED_LOOP}' ||
          each.querySelector('.place')?.textContent === 'line {CHAINED_LOOP + 1}')
          .map((each) => each.querySelector('.advice')?.textContent).filter(Boolean).join('; ')"""
        notes["says"] = judge.page.wait("the reason", lambda: judge.page.script(about), seconds=10)


def edit_and_compare(judge):
    with judge.task("edit and compare"):
        judge.view("compare")
        judge.click("#keep")
        judge.view("code")
        judge.page.script("""const a = document.querySelector('textarea'); a.focus();
          const at = a.value.indexOf('row * 0.5') + 6; a.setSelectionRange(at, at)""")
        judge.keys("textarea", "2 * ")
        judge.view("compare")
        judge.shown("the difference", "#changes", "lines differ")


def find_a_race(judge):
    with judge.task("find a race") as notes:
        judge.view("memory")
        judge.click("#simulate")
        judge.page.wait("the findings", lambda: judge.page.all("#findings .missed"), seconds=60)
        notes["says"] = judge.page.text("#findings .missed")
        judge.click("#findings .place")
        assert judge.lit_line() == RACE, judge.lit_line()


def read_a_layout(judge):
    with judge.task("read a layout") as notes:
        judge.view("layouts")
        number = """return 1 + [...document.querySelectorAll('.list button')].findIndex((each) =>
          each.textContent.includes('nvidia_mma'))"""
        number = judge.page.wait("a layout", lambda: judge.page.script(number))
        judge.click(f".list button:nth-of-type({number})")
        judge.actions += 1
        judge.page.hover(judge.page.one("canvas"), 10, 10)
        judge.page.wait("who holds it", lambda: "lane" in judge.page.text(".holder"))
        notes["says"] = judge.page.text(".variables").strip() + ": " + judge.page.text(".holder").splitlines()[1]
        assert judge.page.all(".legend .swatch")


def copy_a_link(judge):
    with judge.task("copy a link"):
        judge.click(".column:last-child .line.linked")
        line = judge.lit_line()
        judge.click("#copy-link")
        link = judge.page.script("return location.href")
        judge.page.open("about:blank")
        judge.page.open(link)
        judge.shown("the same kernel", "#kernel-name", "kernel on cuda:90")
        judge.compiled()
        assert "kernel=kernel" in link and "target=cuda" in link, link
        assert judge.lit_line() == line, "the link leads to the line that was lit"


def use_the_keyboard_only(judge):
    with judge.task("use it by keyboard alone"):
        judge.page.script("document.activeElement.blur()")
        judge.keys("body", "4")
        judge.page.wait("the facts", lambda: judge.page.all(".fact .place"))
        for _ in range(40):
            judge.focused_keys(TAB)
            if judge.page.script("return document.activeElement.className") == "place":
                break
        judge.focused_keys(ENTER)
        assert judge.lit_line()
        judge.page.wait("the code", lambda: judge.page.all(".editor"))
        judge.page.script("document.activeElement.blur()")
        judge.keys("body", "3")
        judge.page.one("canvas").send_keys(ARROWS["right"])
        judge.actions += 1
        judge.page.wait("who holds it", lambda: "lane" in judge.page.text(".holder"))


def use_a_phone(judge):
    with judge.task("on a phone's width"):
        try:
            judge.page.resize(500, 844)  # as narrow as desktop browsers get
            for view in VIEWS:
                judge.view(view)
                time.sleep(0.1)
                fits = "return document.documentElement.scrollWidth <= innerWidth"
                assert judge.page.script(fits), f"the view {view} is wider than the window"
        finally:
            judge.page.resize(1400, 900)


AXE = """window.found = null; window.axe.run(document, {resultTypes: ['violations']}).then((result) => {
  window.found = result.violations.filter((each) => ['serious', 'critical'].includes(each.impact))
    .map((each) => `${each.id}: ${each.nodes.length} nodes, ${each.nodes[0].html.slice(0, 120)}`); })"""


def read_the_tree(judge):
    with judge.task("with a screen reader's tree") as notes:
        problems = []
        for view in VIEWS:
            judge.view(view)
            names = """const all = document.querySelectorAll('button, input, select, textarea, canvas, [role="img"]');
              return [...all].filter((each) => each.checkVisibility() && !(each.getAttribute('aria-label') ||
                each.textContent.trim() || each.labels?.length || each.title)).map((each) => each.outerHTML)"""
            problems += [f"{view}: no name: {each}" for each in judge.page.script(names)]
            if judge.axe:
                judge.page.script(judge.axe)
                judge.page.script(AXE)
                judge.page.wait("axe-core's answer", lambda: judge.page.script("return window.found !== null"))
                problems += [f"{view}: {each}" for each in judge.page.script("return window.found")]
        notes["axe-core"] = "run" if judge.axe else "not given"
        assert not problems, "; ".join(problems)


def answers_to_edits(browser, command):
    """Milliseconds from a key to the picture, of `tritonc explore` with these words.

    The page waits 80 of them for more keys.
    """
    with serving(*command) as address:
        browser.open(address)
        browser.wait("an answer", lambda: "compiled and shown in" in browser.text("#status"))
        paint = browser.script("return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null")
        took = []
        for _ in range(5):
            browser.script("""window.answer = null;
              const a = document.querySelector('textarea'), begin = performance.now();
              a.value += '\\n'; a.dispatchEvent(new InputEvent('input'));
              new MutationObserver((_, self) => { if (!document.body.classList.contains('stale')) {
                self.disconnect(); requestAnimationFrame(() => window.answer = performance.now() - begin); } })
                .observe(document.body, {attributes: true, attributeFilter: ['class']});""")
            took.append(browser.wait("an answer", lambda: browser.script("return window.answer")))
            time.sleep(1)  # for the assembler, which is asked next
    return {"first paint, ms": paint, "answers to edits, ms": [round(each) for each in took]}


def judge_in(name, axe, pictures, edited):
    browser = Browser(name)
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "long.py"
            path.write_text("\n".join(LINES))
            launch = [word for argument in LAUNCH for word in ("--arg", argument)]
            command = [f"{path}:kernel", "--target", "cuda:90", "--signature", SIGNATURE, "--grid", "2", *launch]
            with serving(*command) as address:
                judge = Judge(browser, address, axe, pictures)
                for task in (open_the_page, find_the_slowest_load, see_why_a_loop_is_not_pipelined, edit_and_compare,
                             read_a_layout, find_a_race, copy_a_link, use_the_keyboard_only, use_a_phone,
                             read_the_tree):  # fmt: skip
                    if judge.results:
                        judge.begin()
                    task(judge)
        edits = {shlex.join(command): answers_to_edits(browser, command) for command in edited}
        return {"browser": name, "tasks": judge.results, "edits": edits}
    finally:
        browser.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--browser", action="append", choices=["chromium", "firefox"], help="by default both")
    parser.add_argument("--axe", type=Path, metavar="FILE", help="axe.min.js of axe-core")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER")
    parser.add_argument("--edit", action="append", default=[], metavar="'FILE:KERNEL OPTIONS'", type=shlex.split,
                        help="of `tritonc explore`")  # fmt: skip
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
    axe = options.axe.read_text() if options.axe else ""
    edited = [MATMUL, *options.edit]
    judged = [judge_in(name, axe, options.pictures, edited) for name in options.browser or ["chromium", "firefox"]]
    if options.json:
        print(json.dumps(judged, indent=2))
    else:
        for each in judged:
            for command, edits in each["edits"].items():
                print(f"{each['browser']}: {command} {edits}")
            for task in each["tasks"]:
                print(f"  {task['actions']:3} actions {task['seconds']:6.2f} s  {task['task']}  "
                      f"{'FAILED: ' + task['problem'] if task['problem'] else task['notes'] or ''}")  # fmt: skip
    return any(task["problem"] for each in judged for task in each["tasks"])


if __name__ == "__main__":
    sys.exit(main())
