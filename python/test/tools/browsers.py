"""Two browsers with one interface, and the explorer's server, for the tests of its page."""

import contextlib
import os
import subprocess
import time
from pathlib import Path

import triton
from marionette_driver.marionette import ActionSequence, Marionette
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder

TRITONC = Path(triton.__file__).parents[2] / "tools/tritonc/tritonc"
ARROWS = {"down": "\ue015", "right": "\ue014"}
#: The pairs of a text's color and what is behind it, with their contrast, that are less than WCAG's level AA asks for.
FAINT = """
  const parts = (color) => color.match(/[\\d.]+/g).map(Number);
  const shown = (color, under) => {
    const [r, g, b, a = 1] = parts(color);
    return [r, g, b].map((c, i) => c * a + under[i] * (1 - a));
  };
  const behind = (element) => {
    if (!element) return [255, 255, 255];
    const color = getComputedStyle(element).backgroundColor;
    return parts(color)[3] === 0 ? behind(element.parentElement) : shown(color, behind(element.parentElement));
  };
  const light = (color) => color.map((c) => c / 255).map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const found = [];
  for (const element of document.body.querySelectorAll("*")) {
    const isText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const isOther = element instanceof SVGElement || element.tagName === "TEXTAREA";
    if (!isText || isOther || !element.checkVisibility?.()) continue;
    const back = behind(element), front = shown(getComputedStyle(element).color, back);
    const [low, high] = [light(back), light(front)].sort((a, b) => a - b);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < 4.5) found.push(`${element.className} ${element.textContent.slice(0, 20)}: ${contrast}`);
  }
  return found;"""


class Browser:
    """What Selenium's and Marionette's drivers have in common."""

    def __init__(self, name):
        if name == "chromium":
            options = webdriver.ChromeOptions()
            options.binary_location = "/usr/bin/chromium"
            for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,900"):
                options.add_argument(argument)
            options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
            self.driver = webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver"))
            self.open, self.close = self.driver.get, self.driver.quit
        else:
            port = 2828 + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])  # each worker has a browser
            self.driver = Marionette(
                bin="/usr/bin/firefox-esr",
                gecko_log="-",  # a file of that name would be deleted first, /dev/null too
                headless=True,
                port=port,
                prefs={"marionette.port": port},
            )
            self.driver.start_session()
            self.open, self.close = self.driver.navigate, self.driver.quit
            self.driver.set_window_rect(width=1400, height=900)
        self.name = name

    def all(self, css):
        return self.driver.find_elements("css selector", css)

    def script(self, text):
        if self.name == "chromium":
            return self.driver.execute_script(text)
        return self.driver.execute_script(text, sandbox=None)

    def reload(self):
        """Loads the page again. What follows meets the new page: the old one answers for a while."""
        self.script("window.isOld = true; location.reload()")
        self.wait("the page again", lambda: not self.script("return window.isOld"))

    def resize(self, width, height):
        if self.name == "chromium":
            self.driver.set_window_size(width, height)
        else:
            self.driver.set_window_rect(width=width, height=height)

    def wait(self, what, condition, seconds=60):
        """Until the condition holds; what it throws counts as false, because elements come and go."""
        end = time.monotonic() + seconds
        problem = None
        while time.monotonic() < end:
            try:
                if found := condition():
                    return found
            except Exception as error:
                problem = error
            time.sleep(0.05)
        raise AssertionError(f"{what} did not happen: {problem}")

    def one(self, css):
        return self.wait(f"`{css}`", lambda: self.all(css))[0]

    def text(self, css):
        return self.script(f"return document.querySelector({css!r})?.textContent ?? ''")

    def click(self, css):
        """Clicks what is there. The page may have replaced it since it was found, when the assembler's answer came."""
        self.wait(f"a click on `{css}`", lambda: self.all(css)[0].click() or True)

    def hover(self, element, x, y):
        """Moves the pointer to a place that is given from the middle of the element."""
        if self.name == "chromium":
            return ActionChains(self.driver).move_to_element_with_offset(element, x, y).perform()
        sequence = ActionSequence(self.driver, "pointer", "mouse", {"pointerType": "mouse"})
        # From somewhere else, because the pointer may be there already.
        return sequence.pointer_move(1, 1).pointer_move(x, y, origin=element).perform()

    def click_at(self, x, y):
        """Clicks a place of the window."""
        if self.name == "chromium":
            actions = ActionBuilder(self.driver)
            actions.pointer_action.move_to_location(x, y).click()
            return actions.perform()
        sequence = ActionSequence(self.driver, "pointer", "mouse", {"pointerType": "mouse"})
        return sequence.pointer_move(x, y).pointer_down(0).pointer_up(0).perform()

    def move_to(self, x, y):
        """Moves the pointer to a place of the window."""
        if self.name == "chromium":
            actions = ActionBuilder(self.driver)
            actions.pointer_action.move_to_location(x, y)
            return actions.perform()
        return ActionSequence(self.driver, "pointer", "mouse", {"pointerType": "mouse"}).pointer_move(x, y).perform()

    def scroll_to(self, css, pane):
        """Scrolls until the element is there: lines that are far from the visible ones are plain text."""

        def shown():
            if not self.all(css):
                self.script(f"document.querySelector({pane!r}).scrollTop += 1200")
            return self.all(css)

        return self.wait(f"`{css}`", shown)[0]

    def fill(self, css, value):
        """As a person does: all that is there is replaced, and the field is left. What it is folded in opens for it."""
        element = self.one(css)
        pane = f"document.querySelector({css!r}).closest('details')"
        is_folded = self.script(f"const pane = {pane}; return pane && !pane.open && (pane.open = true)")
        element.click()
        element.send_keys("\ue009a")  # Control and A; WebDriver's clear() would leave the field in between
        element.send_keys(value)
        self.script(f"document.querySelector({css!r}).blur()")
        if is_folded:
            self.script(f"{pane}.open = false")


@contextlib.contextmanager
def serving(*command):
    """The address of a server that ends with the block, however that ends."""
    with subprocess.Popen([TRITONC, "explore", *command], stdout=subprocess.PIPE, text=True) as server:
        try:
            yield server.stdout.readline().split()[1]
            assert server.poll() is None, f"the server ended with status {server.returncode}"
        finally:
            server.kill()
