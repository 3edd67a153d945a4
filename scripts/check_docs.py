"""Fails when a document links to a file or names a folder of the project that does not exist."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
PATH = re.compile(r"`((?:src|include|tools|python|examples|bench|docs|test|scripts|cmake)/[\w./-]*\w)`")


def missing_targets(document: Path):
    text = document.read_text(encoding="utf-8")
    for match in LINK.finditer(text):
        target = match.group(1)
        if "://" not in target and not (document.parent / target).exists():
            yield text.count("\n", 0, match.start()) + 1, target
    for match in PATH.finditer(text):
        if not (ROOT / match.group(1)).exists():
            yield text.count("\n", 0, match.start()) + 1, match.group(1)


def main() -> int:
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    failures = 0
    for name in listed.stdout.split():
        for line, target in missing_targets(ROOT / name):
            print(f"{name}:{line}: `{target}` does not exist")
            failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
