#!/usr/bin/env python3
"""Runs every test there is, nothing left out, and writes .ci/nightly.json, to be committed.

    scripts/run_nightly.py [PART...]      all parts, or those that are named
    scripts/run_nightly.py --missing      those that have not passed on the last commit

All parts take some hours, so each writes its result as it ends: a run that is cut is continued by --missing. The
entry of a part names the commit that it ran on, since the parts of such a run may be of several. Run it as root, for
the parts in a bare system. It works on the last commit and refuses other changes, but for those that parts make.
"""

import datetime
import json
import os
import subprocess
import sys
import time
from pathlib import Path

RESULTS = Path(".ci/nightly.json")
PARTS = {
    # Without a cache, so that all times in Ninja's log are those of compilations.
    "build": "rm -rf build && CCACHE_DISABLE=1 make tests",
    "slowest sources": "scripts/slowest_sources.py build",
    "lint": "scripts/lint.sh build",
    "tests": "TRITON_TEST_DEVICES=full make test",
    "simulator both ways": "scripts/run_both_ways.sh build",
    "optional": "make test-optional",
    "sanitizers": "scripts/run_sanitizer_tests.sh --lit",
    "thread sanitizer": "scripts/run_thread_sanitizer_tests.py build",
    "wheel": "make test-wheel",
    "package": "make test-package",
    "bare system": "make test-bare",
}
WRITTEN_BY_PARTS = [".ci", "docs/testing.md"]


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def write_result(name, entry):
    """Replaces the part's entry and keeps those of the others, in the order of PARTS. The file is written whole."""
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    results[name] = entry
    lines = [f"  {json.dumps(part)}: {json.dumps(results[part])}" for part in PARTS if part in results]
    unfinished = RESULTS.with_suffix(".unfinished")
    unfinished.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    unfinished.replace(RESULTS)


def is_same(commit, other):
    """Whether the two differ in nothing but what the parts write, so that their results may have been committed."""
    if commit == other:
        return True
    command = ["git", "diff", "--quiet", commit, other, "--", ".", *(f":!{path}" for path in WRITTEN_BY_PARTS)]
    return subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0


def parts_to_run(arguments, commit):
    if arguments != ["--missing"]:
        unknown = set(arguments) - PARTS.keys()
        if unknown:
            sys.exit(f"{sys.argv[0]}: there is no part {', '.join(sorted(unknown))}; the parts are {', '.join(PARTS)}")
        return arguments or list(PARTS)
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    done = {part for part, entry in results.items() if entry["result"] == "passed" and is_same(entry["commit"], commit)}
    return [part for part in PARTS if part not in done]


def main():
    os.chdir(Path(__file__).parent.parent)
    changed = output_of("git", "status", "--porcelain", "--", ".", *(f":!{path}" for path in WRITTEN_BY_PARTS))
    if changed:
        sys.exit(f"{sys.argv[0]}: commit first, so that the result has a commit:\n{changed}")
    commit = output_of("git", "rev-parse", "HEAD")
    failed = False
    for name in parts_to_run(sys.argv[1:], commit):
        print(f"=== {name}", flush=True)
        begin = time.monotonic()
        passed = subprocess.run(["bash", "-c", PARTS[name]]).returncode == 0
        seconds = round(time.monotonic() - begin)
        date = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
        result = "passed" if passed else "failed"
        write_result(name, {"result": result, "seconds": seconds, "date": date, "commit": commit})
        print(f"=== {name} {result} after {seconds} s", flush=True)
        failed |= not passed
    return failed


if __name__ == "__main__":
    sys.exit(main())
