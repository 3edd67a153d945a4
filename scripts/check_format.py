#!/usr/bin/env python3
"""Fails when a source is not formatted as make format leaves it, or ruff finds fault with it."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUFF = str(ROOT / ".venv/bin/ruff")


def main():
    listed = subprocess.run(
        ["git", "ls-files", "*.cpp", "*.h"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    commands = (
        ["clang-format-22", "--dry-run", "-Werror", *(name for name in listed if (ROOT / name).exists())],
        [RUFF, "check", "--quiet", "."],
        [RUFF, "format", "--check", "--quiet", "."],
    )
    results = [subprocess.run(command, cwd=ROOT).returncode for command in commands]
    if any(results):
        print("run make format", file=sys.stderr)
    return 1 if any(results) else 0


if __name__ == "__main__":
    sys.exit(main())
