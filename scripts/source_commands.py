#!/usr/bin/env python3
"""Writes BUILD/sources/compile_commands.json: how each source would be compiled for itself.

    scripts/source_commands.py BUILD

The build compiles several sources of a room as one (cmake/TritonBuild.cmake), so that its own compile_commands.json
does not name them. Linters and editors read a source alone: they also find the headers that it forgot to include.
"""

import json
import re
import sys
from pathlib import Path


def sources_of(entry):
    """The sources that a batch of CMake includes; the file itself where it is not a batch."""
    file = Path(entry["file"])
    if "/Unity/unity_" not in entry["file"]:
        return [str(file)]
    return re.findall(r'^#include "(.+)"$', file.read_text(), re.MULTILINE)


def commands_of_sources(build):
    """Entries like those of compile_commands.json, with one source each. Raises OSError for a tree without a build."""
    entries = []
    for entry in json.loads((Path(build) / "compile_commands.json").read_text()):
        for source in sources_of(entry):
            entries.append({**entry, "file": source, "command": entry["command"].replace(entry["file"], source)})
    return entries


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder = Path(sys.argv[1]) / "sources"
    folder.mkdir(exist_ok=True)
    (folder / "compile_commands.json").write_text(json.dumps(commands_of_sources(sys.argv[1]), indent=0))


if __name__ == "__main__":
    main()
