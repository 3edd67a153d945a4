#!/usr/bin/env python3
"""Writes docs/tuned-numbers.md from src/gpu/analysis/TunedNumbers.def."""

import posixpath
import re

from marked_section import ROOT, write

SOURCE = "src/gpu/analysis/TunedNumbers.def"
DOCUMENT = "docs/tuned-numbers.md"

HEAD = f"""# Tuned numbers

Written by `scripts/generate_tuned_docs.py` from [TunedNumbers.def](../{SOURCE}).

Passes for GPUs decide by these numbers, which follow from no rule of a machine: somebody measured or guessed them. They
can be changed there and measured again, on another machine or with a kernel that one of them serves badly. The column
"measured" repeats what the commit says that brought the number; "not recorded" means that it says nothing. Numbers of
machines are not here but in their targets ([TargetInfo.h](../src/gpu/target/TargetInfo.h)).
"""

ENTRY = re.compile(
    r"^TRITON_TUNED\((?P<name>\w+), [\w:]+, (?P<value>[^\",]+), "
    r'(?P<texts>"(?:[^"\\]|\\.)*"(?:,?\s+"(?:[^"\\]|\\.)*")*)\)$',
    re.MULTILINE,
)
#: Texts of an entry: the literals between commas, of which neighbours are one text.
TEXT = re.compile(r'"(?:[^"\\]|\\.)*"(?:\s+"(?:[^"\\]|\\.)*")*')


def read(text):
    """A list of (heading, rows) with the cells of each row; the heading of a group is the comment before it."""
    groups = []
    body = text.split("// clang-format off\n")[1].split("#undef")[0]
    for part in body.strip().split("\n\n"):
        heading, entries = part.split("\n", 1)
        if not heading.startswith("// "):
            raise SystemExit(f"{SOURCE}: `{heading}`: a group begins with a comment, its heading")
        rows = []
        for entry in ENTRY.finditer(entries):
            unit, place, why, measured = (
                "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', found)) for found in TEXT.findall(entry["texts"])
            )
            paths = [posixpath.normpath(f"gpu/{path}") for path in place.split(", ")]
            links = ", ".join(f"[{path}](../src/{path})" for path in paths)
            rows.append((f"`{entry['name']}`", f"{entry['value']} {unit}", why, measured, links))
        if len(rows) != entries.count("TRITON_TUNED("):
            raise SystemExit(f"{SOURCE}: {heading}: an entry is not written like the others")
        groups.append((heading.removeprefix("// "), rows))
    return groups


def documents():
    """Path and content of every generated document."""
    lines = [HEAD]
    for heading, rows in read((ROOT / SOURCE).read_text(encoding="utf-8")):
        lines += [f"## {heading}", "", "| name | value | why | measured | where |", "| --- | --- | --- | --- | --- |"]
        lines += [f"| {' | '.join(row)} |" for row in rows]
        lines.append("")
    return {ROOT / DOCUMENT: "\n".join(lines)}


if __name__ == "__main__":
    write(documents())
