#!/usr/bin/env bash
# Says within about three minutes, once `make tests` has built all, whether the gate will pass for a usual change:
# everything that reads only sources, lint of the C++ files that changed since BASE, and the tests that the change can
# break, as far as scripts/select_tests.py knows. All run even when one fails. scripts/run_tests.sh runs the whole suite.
#
#   scripts/check_changes.sh [BUILD [BASE]]    BASE: a commit; by default where this branch left origin/main
set -uo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
base=${2:-$(git merge-base HEAD origin/main 2>/dev/null || echo HEAD)}
status=0

scripts/check_sources.sh || status=1
# shellcheck disable=SC2046 # several targets
cmake --build "$build" --parallel "$(nproc)" --target $(.venv/bin/python scripts/select_tests.py targets "$base") || exit 1
.venv/bin/python scripts/check_generated_docs.py "$build" || status=1
scripts/lint.sh "$build" --since "$base" || status=1

export OPENBLAS_NUM_THREADS=1 # as in run_tests.sh
tests=$(.venv/bin/python scripts/select_tests.py ctest "$base")
ctest --test-dir "$build" --output-on-failure -j "$(nproc)" -R "$tests" || status=1

mapfile -t files < <(.venv/bin/python scripts/select_tests.py pytest "$base")
echo "tests in Python: ${files[*]}"
env PYTHONPATH="$PWD/$build/python" .venv/bin/python -m pytest -q -n "$(nproc)" -p no:cacheprovider \
  --device cpu,sim:cuda:90 "${files[@]}" src/frontend/test/test_goldens.py || status=1
exit $status
