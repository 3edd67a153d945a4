#!/usr/bin/env bash
# Builds with assertions and sanitizers what the gate has time for, and runs the tests of that: the rooms that need no
# code generator, and lit. `make test PRESET=debug` runs everything.
set -euo pipefail
cd "$(dirname "$0")/.."
make setup # .venv keeps pointing to the release build.
cmake --preset debug -DPython_EXECUTABLE="$PWD/.venv/bin/python" --log-level=WARNING
tests=(base-test layout-test frontend-test triton-promotion-test runtime-test tritonSimulatorTest analysis-test
  gpu-ir-test gpu-analysis-test)
cmake --build build-debug --target "${tests[@]}" triton-opt
. scripts/sanitizer_environment.sh
pattern=$(IFS='|'; echo "${tests[*]}")
ctest --test-dir build-debug --output-on-failure -j "$(nproc)" -R "^($pattern|lit)\$"
