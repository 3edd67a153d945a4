#!/usr/bin/env bash
# Runs the tests of simulated kernels with each launch by the fast and by the plain code of the simulator, which must
# leave the same bytes, findings and texts (src/simulator/core/BothWays.h). A launch for which they differ ends its
# process with a text that says what differs.
#
#   scripts/run_both_ways.sh [BUILD] [PATH...]    `build` by default; PATH: only these Python tests
set -uo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
shift || true
status=0
export TRITON_SIMULATE_BOTH_WAYS=1 OPENBLAS_NUM_THREADS=1
if [ $# = 0 ]; then
  ctest --test-dir "$build" --output-on-failure -R simulator-both-ways || status=1
  "$build"/src/simulator/test/tritonSimulatorTest --gtest_brief=1 --gtest_filter='Deadlock.*' || status=1
  set -- python/test/language python/test/whole_kernels python/test/simulator python/test/audit python/test/backends
fi
PYTHONPATH="$PWD/$build/python" .venv/bin/python -m pytest -q -n "$(nproc)" -p no:cacheprovider \
  --device sim:cuda:80,sim:cuda:90,sim:hip:gfx942 "$@" || status=1
exit $status
