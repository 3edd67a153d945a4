#!/usr/bin/env bash
# Runs every test of a built tree: C++ unit tests and lit through ctest, then the Python suite. All of them run even when
# one fails; the exit status says whether all passed.
set -uo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
status=0
jobs=$(nproc)

ctest --test-dir "$build" --output-on-failure -j "$jobs" || status=1
for check in scripts/check_*.py; do
  .venv/bin/python "$check" || status=1
done
.venv/bin/python -m pytest -q -n "$jobs" -p no:cacheprovider python/test src/frontend/test || status=1
exit $status
