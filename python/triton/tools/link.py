"""`python -m triton.tools.link`: joins variants of kernels that `triton.tools.compile` wrote into one function.

`tritonc link` does the same without Python; see docs/aot.md.
"""

from argparse import ArgumentParser
from pathlib import Path

from .. import _C
from .._help import with_examples


class LinkerError(RuntimeError):
    """Headers that are damaged or do not fit together."""


def link_headers(headers, out):
    """Writes ``out`` with the extensions .h and .c; returns their paths."""
    try:
        return [Path(path) for path in _C.aot_link([str(header) for header in headers], str(out))]
    except ValueError as error:
        raise LinkerError(str(error)) from None


def main():
    parser = ArgumentParser(
        prog="python -m triton.tools.link",
        description="Writes functions that choose, at each call, among variants of a kernel by the hints that hold.",
        **with_examples("python -m triton.tools.link variants/add.*.h -o linked"),
    )
    parser.add_argument("headers", nargs="+", help="headers that triton.tools.compile wrote")
    parser.add_argument("--out", "-o", type=Path, required=True, help="the files to write, without extension")
    parser.add_argument("--prefix", default="", help="taken for the sake of scripts that give it; without effect")
    args = parser.parse_args()
    try:
        link_headers(args.headers, args.out)
    except LinkerError as error:
        parser.exit(1, f"error: {error}\n")


if __name__ == "__main__":
    main()
