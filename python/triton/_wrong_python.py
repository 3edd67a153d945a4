"""Why the extension module cannot be imported: it may be built for another version of Python.

Older versions than those that can run the package read this file.
"""

import importlib.machinery
import re
import sys
from pathlib import Path

OLDEST = (3, 10)  # as in pyproject.toml


def explain(error, folder=Path(__file__).parent):
    """The error, or one that says for which Python the package in this folder is built."""
    modules = [path.name for path in folder.glob("_C.*.so")]
    if any(name == f"_C{suffix}" for name in modules for suffix in importlib.machinery.EXTENSION_SUFFIXES):
        return error  # it is for this Python, and something else is wrong
    flags = "t" if "t" in sys.abiflags else ""  # a Python without a GIL
    own = f"{sys.version_info.major}.{sys.version_info.minor}{flags}"
    found = [re.search(r"cpython-(\d)(\d+t?)", name) for name in modules]
    versions = sorted({f"{match[1]}.{match[2]}" for match in found if match})
    if versions:
        text = f"`triton` in {folder} is built for Python {' and '.join(versions)}, and this is Python {own}"
    else:
        text = f"`triton` in {folder} has no extension module, which the build makes"
    remedies = [f"start Python {' or '.join(versions)}"] if versions else []
    if sys.version_info >= OLDEST:
        remedies.append(f"build it for this one: `rm -rf .venv build && make build PYTHON={sys.executable}`")
    elif not versions:
        remedies.append(f"build it for Python {OLDEST[0]}.{OLDEST[1]} or later: `make build PYTHON=...`")
    return ImportError(f"{text}\nhelp: {', or '.join(remedies)}", name="triton._C")
