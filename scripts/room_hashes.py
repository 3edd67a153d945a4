#!/usr/bin/env python3
"""Prints a hash of all that decides how the code of some rooms behaves: their files, those of the rooms that they use,
their tests, and how they are built. What has passed with a hash need not run again.

    scripts/room_hashes.py ROOM [ROOM...]     for example src/simulator
"""

import hashlib
import subprocess
import sys

from layers import ROOMS

BUILD = ("CMakeLists.txt", "CMakePresets.json", "cmake", "scripts/sanitizer_environment.sh")


def closure(paths):
    """These rooms and all that they use, directly or not."""
    known = {room.path: room for room in ROOMS}
    wanted, found = list(paths), set()
    while wanted:
        path = wanted.pop()
        if path not in known:
            sys.exit(f"scripts/room_hashes.py: there is no room `{path}` in scripts/layers.py")
        if path not in found:
            found.add(path)
            wanted += known[path].uses
    return sorted(found)


def hash_of(paths):
    """Of files and folders as they lie here, committed or not."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths]
    files = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
    contents = hashlib.sha256()
    for file in sorted(set(filter(None, files))):
        contents.update(file.encode() + b"\0")
        try:
            with open(file, "rb") as stream:
                contents.update(hashlib.sha256(stream.read()).digest())
        except FileNotFoundError:  # removed, but not from the index
            contents.update(b"absent")
    return contents.hexdigest()


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    print(hash_of([*BUILD, *closure(sys.argv[1:])]))


if __name__ == "__main__":
    main()
