#!/usr/bin/env bash
# Runs every test of a built tree: C++ unit tests and lit through ctest, then the Python suite. All of them run even when
# one fails; the exit status says whether all passed. docs/testing.md describes the run under sanitizers.
set -uo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
status=0
jobs=$(nproc)
# The tests' own products are small: threads of NumPy's library would spend more time on waiting than on them.
export OPENBLAS_NUM_THREADS=1
# The tree under test, whichever the virtual environment points to.
python=(env PYTHONPATH="$PWD/$build/python")

if grep -q '^TRITON_SANITIZE:BOOL=ON' "$build/CMakeCache.txt"; then
  . scripts/sanitizer_environment.sh
  # Python itself is not instrumented: the runtime that the extension module needs must be there first. libstdc++ too,
  # so that the runtime finds the functions of exceptions, which it wraps.
  python+=(LD_PRELOAD="$(clang++-22 -print-file-name=libclang_rt.asan-x86_64.so) $(clang++-22 -print-file-name=libstdc++.so.6)")
fi

# pytest_of ARGUMENTS...: on all processors; how long each test took goes into a file, for the list at the end.
times="$build/test-times.txt"
: >"$times"
pytest_of() {
  "${python[@]}" .venv/bin/python -m pytest -q -rs -n "$jobs" -p no:cacheprovider --times-to "$times" "$@" || status=1
}

scripts/check_sources.sh || status=1
.venv/bin/python scripts/check_generated_docs.py "$build" || status=1
ctest --test-dir "$build" --output-on-failure -j "$jobs" || status=1
# On the processor and, what takes a device, in the GPU simulators: python/test/suite_devices.py says which.
# TRITON_TEST_DEVICES=full leaves nothing out.
devices=${TRITON_TEST_DEVICES:-suite}
[ "$devices" != suite ] || echo "left out: on which simulated GPUs a test runs is its turn (python/test/suite_devices.py)"
pytest_of --device "$devices" python/test src/frontend/test
# The language again, interpreted: the files and tests that are left out, and why, are in python/test/interpreted.py.
echo "left out: what the interpreter has no words for, and files that say nothing more of it (python/test/interpreted.py)"
mapfile -t interpreted < <(.venv/bin/python python/test/interpreted.py)
pytest_of --device interpret "${interpreted[@]}"
# Mathematics once more as on a machine without CUDA; of operators, the one that calls a function.
echo "left out without CUDA: all operators but one (docs/testing.md)"
TRITON_PTXAS_PATH=/nowhere/ptxas TRITON_LIBDEVICE_PATH=/nowhere/libdevice.bc pytest_of --device sim:cuda:90 \
  python/test/language/test_math.py python/test/language/test_libdevice.py \
  python/test/language/test_elementwise.py::test_float_remainder_has_sign_of_dividend
echo "the slowest tests, in seconds:"
sort -rn "$times" | sed -n 1,50p
exit $status
