#!/usr/bin/env bash
# Builds with assertions and sanitizers what the gate has time for, and runs the tests of that: the rooms that need no
# code generator. `make test PRESET=debug` runs everything.
#
#   scripts/run_sanitizer_tests.sh          what the gate runs
#   scripts/run_sanitizer_tests.sh --lit    the lit tests of passes and code generators too
set -euo pipefail
cd "$(dirname "$0")/.."
make setup # .venv keeps pointing to the release build.
cmake --preset debug -DPython_EXECUTABLE="$PWD/.venv/bin/python" --log-level=WARNING
tests=(base-test layout-test frontend-test triton-promotion-test runtime-test tritonSimulatorTest analysis-test
  gpu-ir-test gpu-analysis-test)
targets=("${tests[@]}")
if [ "${1:-}" = --lit ]; then
  tests+=(lit)
  targets+=(triton-opt)
fi
cmake --build build-debug --target "${targets[@]}"
. scripts/sanitizer_environment.sh
pattern=$(IFS='|'; echo "${tests[*]}")
ctest --test-dir build-debug --output-on-failure -j "$(nproc)" -R "^($pattern)\$"
