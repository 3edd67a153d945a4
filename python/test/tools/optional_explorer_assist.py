"""Completion and help in the editor of the explorer's page, in two browsers, by keyboard and by mouse."""

from browsers import ARROWS
from explorer_page import SOURCE, browser, kernels, page  # noqa: F401  fixtures

AREA = "const a = document.querySelector('textarea');"
LIST, HELP = "#completions li", "#help-on-name"
CONTROL_SPACE, CONTROL_SHIFT_SPACE, ESCAPE, ENTER, TAB = "\ue009 ", "\ue009\ue008 ", "\ue00c", "\ue007", "\ue004"
BODY = SOURCE[: SOURCE.index("    total = tl.zeros")]


def start(page, text):  # noqa: F811
    """The editor holds this text, with the caret at its end."""
    page.script(f"{AREA} a.focus(); a.value = {text!r}; a.dispatchEvent(new InputEvent('input'))")
    page.script(f"{AREA} a.setSelectionRange(1e6, 1e6)")


def type_keys(page, *keys):  # noqa: F811
    for key in keys:
        page.one("textarea").send_keys(key)


def value_of(page):  # noqa: F811
    return page.script(f"{AREA} return a.value")


def options(page):  # noqa: F811
    """The names that are offered."""
    shown = f"[...document.querySelectorAll('{LIST}')].filter((each) => each.checkVisibility())"
    return page.script(f"return {shown}.map((each) => each.textContent)")


def active(page):  # noqa: F811
    """The name that a screen reader says to be chosen."""
    active = "document.getElementById(a.getAttribute('aria-activedescendant'))"
    return page.script(f"{AREA} return {active}?.textContent ?? ''")


def focused(page):  # noqa: F811
    return page.script("return document.activeElement.tagName")


def test_names_are_completed_by_keys(page):  # noqa: F811
    start(page, BODY + "    ")
    type_keys(page, "tl.", "atomic_a")
    page.wait("the names", lambda: options(page) == ["atomic_add", "atomic_and"])
    assert active(page) == "atomic_add" and "tl.atomic_add(" in page.text(".popup .help")
    selected = page.script(f"return [...document.querySelectorAll('{LIST}')].map((each) => each.ariaSelected)")
    assert selected == ["true", "false"]
    type_keys(page, ARROWS["down"])
    assert active(page) == "atomic_and" and "tl.atomic_and(" in page.text(".popup .help")
    type_keys(page, TAB)
    assert value_of(page).endswith("    tl.atomic_and") and options(page) == [] and active(page) == ""
    type_keys(page, ENTER, "at")
    page.wait("the names", lambda: "at" not in options(page) and not options(page))  # it is a whole name
    assert value_of(page).endswith("tl.atomic_and\n    at")


def test_the_list_closes_and_opens(page):  # noqa: F811
    start(page, BODY + "    tl.")
    type_keys(page, CONTROL_SPACE)
    page.wait("all names", lambda: len(options(page)) > 100)
    type_keys(page, ESCAPE)
    assert options(page) == [] and focused(page) == "TEXTAREA"
    type_keys(page, ESCAPE)
    assert focused(page) != "TEXTAREA"
    start(page, BODY + "    # tl.")
    type_keys(page, CONTROL_SPACE, "l")
    assert options(page) == [], "in a comment nothing is completed"


def test_a_name_is_chosen_by_mouse(page):  # noqa: F811
    start(page, BODY + "    ")
    type_keys(page, "tl.", "stor")
    page.wait("the names", lambda: options(page)[0] == "store")
    page.click(LIST)
    assert value_of(page).endswith("    tl.store") and focused(page) == "TEXTAREA"


def test_help_on_calls_and_names(page):  # noqa: F811
    start(page, BODY + "    tl.store")
    type_keys(page, "(")
    page.wait("the signature", lambda: page.text(f"{HELP} strong").startswith("pointer"))
    type_keys(page, "out", ",")
    page.wait("the next parameter", lambda: page.text(f"{HELP} strong").startswith("value"))
    type_keys(page, ESCAPE)
    assert not page.one(HELP).is_displayed()
    page.script(f"{AREA} const at = a.value.indexOf('tl.arange') + 5; a.setSelectionRange(at, at)")
    type_keys(page, CONTROL_SHIFT_SPACE)
    page.wait("the help", lambda: "tl.arange(start" in page.text(f"{HELP} pre"))


def test_help_where_the_pointer_rests(page):  # noqa: F811
    line = "    total = tl.zeros((N, N), tl.float32)"
    row = f".editor .line[data-line='{1 + SOURCE.splitlines().index(line)}'] .content"
    left, middle, width = page.script(f"""const box = document.querySelector("{row}").getBoundingClientRect();
      return [box.left, box.top + box.height / 2, box.width]""")
    page.move_to(round(left + 6 * width / len(line)), round(middle))
    page.wait("the type", lambda: "total: fp32[64, 64]" in page.text(f"{HELP} pre"))
    assert page.one(HELP).is_displayed()
    page.move_to(5, 5)
    page.wait("it has gone", lambda: not page.one(HELP).is_displayed())
