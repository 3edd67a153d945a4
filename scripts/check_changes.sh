#!/usr/bin/env bash
# The checks before a commit, on a built tree: everything that reads only sources, lint of the C++ files that changed
# since BASE, the C++ unit and lit tests, and the fast part of the Python suite with the test files that changed. All of
# them run even when one fails. scripts/run_tests.sh runs the whole suite.
#
#   scripts/check_changes.sh [BUILD [BASE]]    BASE: a commit; by default where this branch left origin/main
set -uo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
base=${2:-$(git merge-base HEAD origin/main 2>/dev/null || echo HEAD)}
status=0

# Names of the files that match the patterns and differ from BASE, committed or not.
changed() {
  { git diff --name-only --diff-filter=d "$base" -- "$@"; git ls-files --others --exclude-standard -- "$@"; } | sort -u
}

for check in scripts/check_*.py; do
  [ "$check" = scripts/check_format.py ] || .venv/bin/python "$check" "$build" || status=1 # lint.sh runs that one
done
scripts/lint.sh "$build" --since "$base" || status=1

ctest --test-dir "$build" --output-on-failure -j "$(nproc)" || status=1

fast=(python/test/test_errors.py python/test/test_functions.py python/test/test_pitfalls.py)
mapfile -t tests < <({ printf '%s\n' "${fast[@]}"; changed 'python/test/test_*.py'; } | sort -u)
pytest=(env PYTHONPATH="$PWD/$build/python" .venv/bin/python -m pytest -q -n "$(nproc)" -p no:cacheprovider)
"${pytest[@]}" --device cpu,sim:cuda:90 "${tests[@]}" || status=1
"${pytest[@]}" src/frontend/test/test_goldens.py || status=1
exit $status
