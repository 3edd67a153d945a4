"""Writes kernels, and everything that they use, to one file."""

import argparse
import contextlib
import sys
from pathlib import Path

from ...errors import TritonError
from ._sources import Slice, find
from .translator import TARGETS, check_target, gluon_slice

_HEADER = ("import triton", "import triton.language as tl")


def _below(module, roots):
    return any(module == root or module.startswith(root + ".") for root in roots)


def slice_kernel(
    root_paths,
    leaf_modules,
    include_below=None,
    leaf_paths=None,
    translate_to_gluon=False,
    rewrite_spec=None,
    *,
    target,
):
    """The text of a file with the kernels `root_paths`, `module.path:object` each, and all that they use.

    What is defined in `leaf_modules`, outside of `include_below`, or named in `leaf_paths`, is imported in place of
    being copied. With `translate_to_gluon` the kernels are written in Gluon.
    """
    check_target(target)
    if rewrite_spec is not None:
        raise TritonError("`rewrite_spec` of `slice_kernel` is not implemented yet; change the file that it writes")
    leaves = [find(path) for path in leaf_paths or ()]

    def is_leaf(value, module):
        is_outside = include_below is not None and not _below(module, include_below)
        return is_outside or module in leaf_modules or any(value is leaf for leaf in leaves)

    slice_ = gluon_slice(is_leaf) if translate_to_gluon else Slice(is_leaf, header=_HEADER)
    for path in root_paths:
        slice_.add(find(path))
    return slice_.text()


def main(arguments=None):
    """``python -m triton.tools.triton_to_gluon_translator.slice_kernel ROOT... --target TARGET``"""
    parser = argparse.ArgumentParser(prog="slice_kernel", description=__doc__)
    parser.add_argument("roots", nargs="+", metavar="ROOT", help="module.path:object")
    parser.add_argument("--leaf-module", action="append", default=[], help="a module to import from")
    parser.add_argument("--include-below", action="append", help="a package to copy from, and from no others")
    parser.add_argument("--leaf-path", action="append", default=[], help="module.path:object to import")
    parser.add_argument("--translate-to-gluon", action="store_true", help="write the kernels in Gluon")
    parser.add_argument("--output-path", type=Path, help="the file to write (default: standard output)")
    parser.add_argument("--target", required=True, choices=TARGETS)
    given = parser.parse_args(arguments)
    try:
        # Standard output is the file's: the modules of the kernels may print while they are imported.
        with contextlib.redirect_stdout(sys.stderr):
            text = slice_kernel(
                given.roots,
                given.leaf_module,
                given.include_below,
                given.leaf_path,
                given.translate_to_gluon,
                target=given.target,
            )
    except TritonError as error:
        sys.exit(f"error: {error}")
    if given.output_path:
        given.output_path.write_text(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
