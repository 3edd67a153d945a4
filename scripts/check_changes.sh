#!/usr/bin/env bash
# Says within about three minutes, once `make tests` has built all, whether the gate will pass for a usual change:
# everything that reads only sources, lint of the C++ files that changed since BASE, and the tests that the change can
# break, as far as scripts/select_tests.py knows. Of a test with many variants one in four runs, unless its file changed.
# All run even when one fails. scripts/run_tests.sh runs the whole suite.
#
#   scripts/check_changes.sh [BUILD [BASE]]    BASE: a commit; by default where this branch left origin/main
set -uo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
base=${2:-$(git merge-base HEAD origin/main 2>/dev/null || echo HEAD)}
status=0
selected() { .venv/bin/python scripts/select_tests.py "$1" "$base"; }

scripts/check_sources.sh || status=1
mapfile -t targets < <(selected targets)
cmake --build "$build" --parallel "$(nproc)" --target "${targets[@]}" || exit 1
.venv/bin/python scripts/check_generated_docs.py "$build" || status=1

# clang-tidy reads one source on one processor; the tests run meanwhile.
findings=$(mktemp)
trap 'rm -f "$findings"' EXIT
scripts/lint.sh "$build" --since "$base" >"$findings" 2>&1 &
lint=$!

export OPENBLAS_NUM_THREADS=1 # as in run_tests.sh
ctest --test-dir "$build" --output-on-failure -j "$(nproc)" -R "$(selected ctest)" || status=1

# pytest_of ARGUMENTS...
pytest_of() {
  env PYTHONPATH="$PWD/$build/python" .venv/bin/python -m pytest -q -n "$(nproc)" -p no:cacheprovider \
    --one-in 4 --whole "$(selected changed | tr '\n' ' ')" "$@" || status=1
}
text=$(selected pytest) || status=1
mapfile -t files <<<"$text"
echo "tests in Python: ${files[*]}"
pytest_of --device suite "${files[@]}" src/frontend/test/test_goldens.py
mapfile -t interpreted < <(selected interpreted | grep .)
if [ ${#interpreted[@]} = 0 ]; then
  echo "not interpreted: the change is not one of the interpreter or of tests"
else
  pytest_of --device interpret "${interpreted[@]}"
fi
wait "$lint" || status=1
cat "$findings"
exit $status
