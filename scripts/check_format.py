#!/usr/bin/env python3
"""Fails when a source is not formatted as make format leaves it, or ruff or oxlint finds fault with it."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ROOT / ".venv/bin"


def files(*patterns):
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.split() if (ROOT / name).exists()]


def main():
    scripts = files("*.js")
    commands = (
        ["clang-format-22", "--dry-run", "-Werror", *files("*.cpp", "*.h")],
        [TOOLS / "ruff", "check", "--quiet", "."],
        [TOOLS / "ruff", "format", "--check", "--quiet", "."],
        [TOOLS / "oxlint", "--quiet", "--format=unix", *scripts],
        [TOOLS / "oxfmt", "--list-different", *scripts],
    )
    results = [subprocess.run(command, cwd=ROOT).returncode for command in commands]
    if any(results):
        print("run make format", file=sys.stderr)
    return 1 if any(results) else 0


if __name__ == "__main__":
    sys.exit(main())
