#!/usr/bin/env python3
"""Fails when a reference generated from TableGen is out of date."""

import sys

import generate_ir_docs


def main():
    stale = [
        path
        for path, content in generate_ir_docs.documents().items()
        if not path.exists() or path.read_text(encoding="utf-8") != content
    ]
    for path in stale:
        name = path.relative_to(generate_ir_docs.ROOT)
        print(f"{name} is out of date; run scripts/generate_ir_docs.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
