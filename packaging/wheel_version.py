"""The version of the wheel, for scikit-build-core: what the build writes into the extension module."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def dynamic_metadata(field, settings=None):
    """The version, from the first line of the top-level CMakeLists and the commit, as cmake/TritonVersion.cmake."""
    if field != "version":
        raise ValueError(f"{field!r} does not follow from the sources")
    base = re.search(r"^project\(Triton VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
    command = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    commit = None
    if (ROOT / ".git").exists():
        commit = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return f"{base}+nereid" + (f".g{commit}" if commit else "")
