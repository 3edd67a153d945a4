#!/usr/bin/env python3
"""Rewrites the expected outputs of the frontend's golden tests from what the compiler does now.

A golden is a source file src/frontend/test/<folder>/<name>.py with its expected output beside it in <name>.expected.
The folder decides what is printed; the first line of an expectation is the command that prints it. A file's name begins
with `fail_` exactly when its output holds errors.
"""

import argparse
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TESTS = ROOT / "src" / "frontend" / "test"
#: What triton-frontend-dump prints for the files of a folder.
MODES = {"ast": "ast", "diagnostics": "diagnostics", "lowering": "lowering", "builtins": "lowering"}


def cases():
    return [path for folder in MODES for path in sorted((TESTS / folder).glob("*.py"))]


def expected_path(case):
    return case.with_suffix(".expected")


def actual(case, build):
    """The output for a golden, or an AssertionError when the tool crashes or the file's name says otherwise."""
    mode = MODES[case.parent.name]
    tool = (ROOT / build / "bin" / "triton-frontend-dump").resolve()
    done = subprocess.run([str(tool), f"--mode={mode}", case.name], cwd=case.parent, capture_output=True, timeout=60)
    output = done.stdout.decode("utf-8", "backslashreplace")
    assert done.returncode in (0, 1), f"exit {done.returncode} for {case}\n{done.stderr.decode(errors='replace')}"
    fails = ": error: " in output
    assert fails == case.name.startswith("fail_"), f"{case} {'fails' if fails else 'does not fail'}:\n{output[:2000]}"
    folder = case.parent.relative_to(ROOT)
    return f"# cd {folder} && triton-frontend-dump --mode={mode} {case.name}\n{output}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", help="the build folder (default: %(default)s)")
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="goldens to rewrite (default: all)")
    options = parser.parse_args()
    status = 0
    for case in [file.resolve() for file in options.files] or cases():
        try:
            output = actual(case, options.build)
        except AssertionError as error:
            print(error, file=sys.stderr)
            status = 1
            continue
        path = expected_path(case)
        if not path.exists() or path.read_text("utf-8") != output:
            path.write_text(output, "utf-8")
            print(f"rewrote {path.relative_to(ROOT)}")
    known = {expected_path(case) for case in cases()}
    for folder in MODES:
        for path in (TESTS / folder).glob("*.expected"):
            if path not in known:
                path.unlink()
                print(f"removed {path.relative_to(ROOT)}, whose source is gone")
    return status


if __name__ == "__main__":
    sys.exit(main())
