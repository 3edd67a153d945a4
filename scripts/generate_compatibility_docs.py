#!/usr/bin/env python3
"""Writes the tables of names and of what has no effect in docs/triton-compatibility.md, from
python/test/package/api_differences.py and python/triton/_differences.py."""

import importlib.util
import sys

from marked_section import ROOT, MarkedSection, write

DOCUMENT = "docs/triton-compatibility.md"
NAMES = MarkedSection(
    document=DOCUMENT,
    begin="<!-- Names: written by scripts/generate_compatibility_docs.py from api_differences.py. -->",
    end="<!-- End of the names. -->",
)
WITHOUT_EFFECT = MarkedSection(
    document=DOCUMENT,
    begin="<!-- Without effect: written by scripts/generate_compatibility_docs.py from _differences.py. -->",
    end="<!-- End of what has no effect. -->",
)

sys.path.insert(0, str(ROOT / "python/test/package"))
from api_differences import DIFFERENT, NOT_YET  # noqa: E402


def rows(differences):
    for reason, names in differences.items():
        shown = ", ".join(f"`{name.removeprefix('triton.')}`" for name in sorted(names))
        yield f"| {reason} | {shown} |"


def names():
    header = ["| reason | names; `()` stands for the parameters |", "| --- | --- |"]
    lines = ["On purpose:", "", *header, *rows(DIFFERENT)]
    if NOT_YET:
        header = ["| what is missing | names |", "| --- | --- |"]
        lines += ["", "Not yet:", "", *header, *rows(NOT_YET)]
    return "\n".join(lines) + "\n"


def load_differences():
    """The module with the tables, without the package, which has to be built."""
    spec = importlib.util.spec_from_file_location("differences", ROOT / "python/triton/_differences.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


OCCASIONS = {
    "compilation": "any",
    "hip": "compilations for AMD's GPUs",
    "cpu": "compilations for the processor",
    "profiler": "the profiler",
}
TARGETS = {"cuda": "NVIDIA's GPUs", "hip": "AMD's GPUs", "cpu": "the processor"}


def setting_row(setting, where):
    knob = f"`{setting.knob}`" if setting.knob else ""
    values = f", with a value other than {', '.join(setting.taken[:2])} and the like" if setting.taken else ""
    return f"| `{setting.variable}`{values} | {knob} | {where} | {setting.reason} |"


def without_effect():
    differences = load_differences()
    lines = ["| variable | `triton.knobs` | for | why, and what to do |", "| --- | --- | --- | --- |"]
    for occasion, settings in differences.SETTINGS.items():
        lines += [setting_row(setting, OCCASIONS[occasion]) for setting in settings]
    lines += ["", "| option | for | why, and what to do |", "| --- | --- | --- |"]
    for target, options in differences.OPTIONS.items():
        reasons = {}
        for name, reason in options.items():
            reasons.setdefault(reason, []).append(f"`{name}`")
        lines += [f"| {', '.join(names)} | {TARGETS[target]} | {reason} |" for reason, names in reasons.items()]
    return "\n".join(lines) + "\n"


def documents():
    """Path and content of every generated document."""
    ((path, content),) = WITHOUT_EFFECT.documents(without_effect()).items()
    return NAMES.documents(names(), content)


if __name__ == "__main__":
    write(documents())
