#!/usr/bin/env python3
"""Writes the table of rooms in docs/rooms.md from scripts/layers.py."""

import os

from layers import ROOMS
from marked_section import MarkedSection, write

SECTION = MarkedSection(
    document="docs/rooms.md",
    begin="<!-- Rooms: written by scripts/generate_layer_docs.py from scripts/layers.py. -->",
    end="<!-- End of the rooms. -->",
)


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
    return SECTION.documents(table())


if __name__ == "__main__":
    write(documents())
