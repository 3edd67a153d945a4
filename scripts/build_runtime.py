#!/usr/bin/env python3
"""Builds the package `nereid_runtime`, which launches kernels of bundles without the compiler, as a wheel for all
versions of Python, and its library in C.

    scripts/build_runtime.py OUTPUT [--compiler CC]"""

import argparse
import base64
import hashlib
import platform
import re
import subprocess
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "nereid_runtime"
LARGEST = 100_000  # bytes of the wheel, which docs/aot.md promises
FLAGS = ("-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-s")


def files(library):
    """{name in the wheel: bytes}."""
    version = re.search(r"^project\(Triton VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
    facts = f"nereid_runtime-{version}.dist-info"
    metadata = [
        "Metadata-Version: 2.1",
        "Name: nereid-runtime",
        f"Version: {version}",
        "Summary: Launches kernels that Nereid compiled, without the compiler",
        "License: MIT",
        "Requires-Python: >=3.10",
    ]
    tag = f"py3-none-linux_{platform.machine()}"
    wheel = ["Wheel-Version: 1.0", "Generator: nereid", "Root-Is-Purelib: false", f"Tag: {tag}"]
    contents = {
        "nereid_runtime/__init__.py": (PACKAGE / "__init__.py").read_bytes(),
        "nereid_runtime/libnereid_runtime.so": library.read_bytes(),
        **{f"nereid_runtime/include/triton/{name}": (ROOT / "include/triton" / name).read_bytes() for name in HEADERS},
        f"{facts}/METADATA": "\n".join([*metadata, ""]).encode(),
        f"{facts}/WHEEL": "\n".join([*wheel, ""]).encode(),
        f"{facts}/licenses/LICENSE": (ROOT / "LICENSE").read_bytes(),
    }
    contents[f"{facts}/RECORD"] = record(contents, f"{facts}/RECORD")
    return f"nereid_runtime-{version}-{tag}.whl", contents


HEADERS = ("bundle.h", "launch.h")


def record(contents, own_name):
    lines = []
    for name, data in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}")
    return "\n".join([*lines, f"{own_name},,", ""]).encode()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("output", type=Path, help="the folder of the wheel")
    parser.add_argument("--compiler", default="cc")
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "libnereid_runtime.so"
        command = [args.compiler, *FLAGS, f"-I{ROOT / 'include'}", PACKAGE / "loader.c", "-o", library, "-ldl"]
        subprocess.run(command, check=True)
        name, contents = files(library)
    path = args.output / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in contents.items():
            entry = zipfile.ZipInfo(member)  # without a time
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    size = path.stat().st_size
    if size > LARGEST:
        raise SystemExit(f"{path} has {size} bytes; it may have {LARGEST}")
    print(f"{path} ({size} bytes)")


if __name__ == "__main__":
    main()
