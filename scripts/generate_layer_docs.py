#!/usr/bin/env python3
"""Writes the table of rooms in docs/architecture.md from scripts/layers.py."""

import os
import pathlib

from layers import ROOMS

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/architecture.md"
BEGIN = "<!-- Rooms: written by scripts/generate_layer_docs.py from scripts/layers.py. -->\n"
END = "<!-- End of the rooms. -->\n"


def short(path):
    return path.removeprefix("src/")


def table():
    lines = ["| folder | what lives there | may include |", "| --- | --- | --- |"]
    for room in ROOMS:
        link = os.path.relpath(room.path, "docs")
        uses = ", ".join(short(used) for used in room.uses) or "–"
        lines.append(f"| [{room.path}]({link}) | {room.purpose} | {uses} |")
    return "\n".join(lines) + "\n"


def documents():
    """Path and content of every generated document."""
    text = DOCUMENT.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    return {DOCUMENT: before + BEGIN + table() + END + rest.split(END)[1]}


if __name__ == "__main__":
    for path, content in documents().items():
        path.write_text(content, encoding="utf-8")
