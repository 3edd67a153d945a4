"""Why the extension module cannot be imported: it may be built for another version of Python."""

import importlib.machinery
import re
import sys
from pathlib import Path


def explain(error, folder=Path(__file__).parent):
    """The error, or one that says for which Python the package in this folder is built."""
    modules = [path.name for path in folder.glob("_C.*.so")]
    if any(name == f"_C{suffix}" for name in modules for suffix in importlib.machinery.EXTENSION_SUFFIXES):
        return error  # it is for this Python, and something else is wrong
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    versions = sorted(
        {f"{found[1]}.{found[2]}" for name in modules if (found := re.search(r"cpython-(\d)(\d+)", name))}
    )
    if versions:
        text = f"`triton` in {folder} is built for Python {' and '.join(versions)}, and this is Python {own}"
    else:
        text = f"`triton` in {folder} has no extension module, which the build makes"
    return ImportError(
        f"{text}\nhelp: build it for this one, with `make build PYTHON={sys.executable}`", name="triton._C"
    )
