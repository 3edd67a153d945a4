#!/usr/bin/env python3
"""Fails when a document that is generated, from TableGen or by the tool of the build folder, is out of date."""

import sys

import draw_shapes
import generate_compatibility_docs
import generate_ir_docs
import generate_layer_docs
import generate_layout_docs
import generate_tuned_docs


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else "build"
    documents = generate_ir_docs.documents() | generate_layer_docs.documents() | generate_layout_docs.documents(build)
    documents |= generate_compatibility_docs.documents(build) | generate_tuned_docs.documents()
    documents |= draw_shapes.documents()
    stale = [
        path for path, content in documents.items() if not path.exists() or path.read_text(encoding="utf-8") != content
    ]
    for path in stale:
        print(f"{path.relative_to(generate_ir_docs.ROOT)} is out of date; run make golden", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
