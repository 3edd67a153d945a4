"""Where the lit tests are: beside the pass or operation that they are about, those of several rooms in test/lit."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("src", "test/lit")
SUFFIXES = (".mlir", ".ttir", ".ll")


def is_lit_test(path):
    """Of a path relative to the root."""
    return path.endswith(SUFFIXES) and path.startswith(tuple(folder + "/" for folder in FOLDERS))


def lit_tests():
    paths = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))
    return sorted(path for path in paths if path.suffix in SUFFIXES)
