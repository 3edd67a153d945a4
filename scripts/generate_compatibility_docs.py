#!/usr/bin/env python3
"""Writes the tables of names, of what has no effect, and of Gluon in docs/triton-compatibility.md, from
python/test/package/api_differences.py, python/triton/_differences.py, and the package in the build folder."""

import importlib.util
import json
import os
import subprocess
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
GLUON = MarkedSection(
    document=DOCUMENT,
    begin="<!-- Gluon: written by scripts/generate_compatibility_docs.py from the package. -->",
    end="<!-- End of Gluon. -->",
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


#: Prints {module: [its names, those that are not here]} of Gluon.
COUNT_NAMES = """
import importlib, json
from triton.experimental.gluon import _names
print(json.dumps({
    module: [len(facts), [name for name in facts if _names.is_missing(getattr(importlib.import_module(module), name))]]
    for module, facts in _names.table().items() if module.startswith(_names.PACKAGE)
}))
"""


def gluon(build):
    environment = os.environ | {"PYTHONPATH": str(ROOT / build / "python")}
    printed = subprocess.check_output([sys.executable, "-c", COUNT_NAMES], env=environment, text=True)
    lines = [
        "| module below `triton.experimental.gluon` | names | work | can only be named |",
        "| --- | --- | --- | --- |",
    ]
    total = works = 0
    for module, (count, missing) in json.loads(printed).items():
        shown = module.removeprefix("triton.experimental.gluon").removeprefix(".") or "itself"
        listed = ", ".join(f"`{name}`" for name in missing)
        lines.append(f"| `{shown}` | {count} | {count - len(missing)} | {listed} |")
        total, works = total + count, works + count - len(missing)
    return "\n".join([*lines, f"| all | {total} | {works} | |"]) + "\n"


def documents(build):
    """Path and content of every generated document."""
    ((path, content),) = WITHOUT_EFFECT.documents(without_effect()).items()
    ((path, content),) = NAMES.documents(names(), content).items()
    return GLUON.documents(gluon(build), content)


if __name__ == "__main__":
    write(documents(sys.argv[1] if len(sys.argv) > 1 else "build"))
