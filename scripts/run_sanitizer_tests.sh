#!/usr/bin/env bash
# Builds with assertions and sanitizers the rooms that need no code generator, and runs their tests.
# `make test PRESET=debug` runs everything.
#
#   scripts/run_sanitizer_tests.sh                 all of them
#   scripts/run_sanitizer_tests.sh --if-changed    for the gate: those whose rooms are not as they were when they last passed
#   scripts/run_sanitizer_tests.sh --lit           all of them, and the lit tests of passes and code generators
#
# .ci/sanitizers.passed holds a hash of the rooms of each test that has passed (scripts/room_hashes.py); commit it.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=${1:-}
record=.ci/sanitizers.passed
make setup # .venv keeps pointing to the release build.

# Each test, and the rooms whose code it runs, with all that these use.
rooms=(
  "base-test src/base"
  "layout-test src/layout"
  "frontend-test src/frontend/lowering"
  "triton-promotion-test src/frontend/lowering"
  "runtime-test src/runtime src/frontend/lowering"
  "tritonSimulatorTest src/simulator"
  "analysis-test src/analysis"
  "gpu-ir-test src/gpu/ir"
  "gpu-analysis-test src/gpu/analysis"
)
tests=() unchanged=() hashes=()
for line in "${rooms[@]}"; do
  read -r name used <<<"$line"
  # shellcheck disable=SC2086 # several rooms
  hash=$(.venv/bin/python scripts/room_hashes.py $used)
  hashes+=("$name $hash")
  if [ "$mode" = --if-changed ] && grep -qxF "$name $hash" $record 2>/dev/null; then
    unchanged+=("$name")
  else
    tests+=("$name")
  fi
done
[ ${#unchanged[@]} = 0 ] || echo "not run, because they passed with these sources ($record): ${unchanged[*]}"
[ ${#tests[@]} != 0 ] || exit 0

targets=("${tests[@]}")
if [ "$mode" = --lit ]; then
  tests+=(lit)
  targets+=(triton-opt tritonc)
fi
cmake --preset debug -DPython_EXECUTABLE="$PWD/.venv/bin/python" --log-level=WARNING
cmake --build build-debug --target "${targets[@]}"
. scripts/sanitizer_environment.sh
pattern=$(IFS='|'; echo "${tests[*]}")
ctest --test-dir build-debug --output-on-failure -j "$(nproc)" -R "^($pattern)\$"
if [ "$(printf '%s\n' "${hashes[@]}")" != "$(cat $record 2>/dev/null)" ]; then
  printf '%s\n' "${hashes[@]}" >$record
  echo "sanitizers: passed; commit $record"
fi
