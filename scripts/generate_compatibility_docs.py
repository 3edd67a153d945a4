#!/usr/bin/env python3
"""Writes the lists of names in docs/triton-compatibility.md from python/test/api_differences.py."""

import sys

from marked_section import ROOT, MarkedSection, write

SECTION = MarkedSection(
    document="docs/triton-compatibility.md",
    begin="<!-- Names: written by scripts/generate_compatibility_docs.py from python/test/api_differences.py. -->",
    end="<!-- End of the names. -->",
)

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
    return SECTION.documents(tables())


if __name__ == "__main__":
    write(documents())
