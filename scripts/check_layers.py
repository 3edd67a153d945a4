#!/usr/bin/env python3
"""Fails when a file includes a room that scripts/layers.py does not allow, or the table allows what nothing needs.

Tests may include every room. What CMake generates counts as part of the room whose folder it is included from.
"""

import os
import pathlib
import re
import sys

from layers import ROOMS

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#?\s*include\s+"([^"]+)"', re.MULTILINE)
EXTENSIONS = (".h", ".cpp", ".td", ".def")


def room_of(path):
    """The innermost room that holds this path, relative to the root; None outside of all rooms."""
    holders = [room for room in ROOMS if path == room.path or path.startswith(room.path + "/")]
    return max(holders, key=lambda room: len(room.path), default=None)


def included_path(name, folder):
    """Where an include of this project leads, relative to the root; None for what is not the project's."""
    for candidate in (f"{folder}/{name}", f"src/{name}", f"include/{name}", f"tools/{name}"):
        if (ROOT / candidate).exists():
            return os.path.normpath(candidate)
    generated = f"src/{name}"
    return generated if room_of(generated) and name.count("/") else None


def sources():
    for top in ("include", "src", "python/bindings", "tools"):
        for path in sorted((ROOT / top).rglob("*")):
            relative = path.relative_to(ROOT).as_posix()
            if path.suffix in EXTENSIONS and "/test/" not in relative:
                yield path, relative


def check_table():
    """A room may use only rooms that stand before it, so that no circle can be written down."""
    seen = set()
    for room in ROOMS:
        for used in room.uses:
            if used not in seen:
                yield f"scripts/layers.py: `{room.path}` uses `{used}`, which does not stand before it"
        seen.add(room.path)


def check_sources():
    used = set()
    for path, relative in sources():
        room = room_of(relative)
        if not room:
            yield f"{relative}: belongs to no room of scripts/layers.py"
            continue
        text = path.read_text(encoding="utf-8")
        for match in INCLUDE.finditer(text):
            target = included_path(match[1], os.path.dirname(relative))
            other = room_of(target) if target else None
            if not other or other == room:
                continue
            used.add((room.path, other.path))
            if other.path not in room.uses:
                line = text.count("\n", 0, match.start(1)) + 1
                yield f"{relative}:{line}: `{room.path}` may not include `{match[1]}` of `{other.path}`"
    for room in ROOMS:
        for allowed in room.uses:
            if (room.path, allowed) not in used:
                yield f"scripts/layers.py: `{room.path}` is allowed `{allowed}` but does not include it"


def main():
    findings = [*check_table(), *check_sources()]
    for finding in findings:
        print(finding, file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
