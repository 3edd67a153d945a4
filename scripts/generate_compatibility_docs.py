#!/usr/bin/env python3
"""Writes the lists of names in docs/triton-compatibility.md from python/test/api_differences.py."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/triton-compatibility.md"
BEGIN = "<!-- Names: written by scripts/generate_compatibility_docs.py from python/test/api_differences.py. -->\n"
END = "<!-- End of the names. -->\n"

sys.path.insert(0, str(ROOT / "python/test"))
from api_differences import DIFFERENT, NOT_YET  # noqa: E402


def rows(differences):
    for reason, names in differences.items():
        shown = ", ".join(f"`{name.removeprefix('triton.')}`" for name in sorted(names))
        yield f"| {reason} | {shown} |"


def tables():
    header = ["| reason | names; `()` stands for the parameters |", "| --- | --- |"]
    lines = ["On purpose:", "", *header, *rows(DIFFERENT)]
    if NOT_YET:
        header = ["| what is missing | names |", "| --- | --- |"]
        lines += ["", "Not yet:", "", *header, *rows(NOT_YET)]
    return "\n".join(lines) + "\n"


def documents():
    """Path and content of every generated document."""
    text = DOCUMENT.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    return {DOCUMENT: before + BEGIN + tables() + END + rest.split(END)[1]}


if __name__ == "__main__":
    for path, content in documents().items():
        path.write_text(content, encoding="utf-8")
