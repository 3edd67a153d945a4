#!/usr/bin/env bash
# Runs every test of a built tree: C++ unit tests and lit through ctest, then the Python suite. All of them run even when
# one fails; the exit status says whether all passed. docs/testing.md describes the run under sanitizers.
set -uo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
status=0
jobs=$(nproc)
# The tree under test, whichever the virtual environment points to.
python=(env PYTHONPATH="$PWD/$build/python")

if grep -q '^TRITON_SANITIZE:BOOL=ON' "$build/CMakeCache.txt"; then
  . scripts/sanitizer_environment.sh
  # Python itself is not instrumented: the runtime that the extension module needs must be there first. libstdc++ too,
  # so that the runtime finds the functions of exceptions, which it wraps.
  python+=(LD_PRELOAD="$(clang++-22 -print-file-name=libclang_rt.asan-x86_64.so) $(clang++-22 -print-file-name=libstdc++.so.6)")
fi

ctest --test-dir "$build" --output-on-failure -j "$jobs" || status=1
for check in scripts/check_*.py; do
  .venv/bin/python "$check" "$build" || status=1
done
"${python[@]}" .venv/bin/python -m pytest -q -n "$jobs" -p no:cacheprovider python/test src/frontend/test || status=1
# Everything that takes a device again, as the code of GPUs, in the simulator.
"${python[@]}" .venv/bin/python -m pytest -q -n "$jobs" -p no:cacheprovider --device sim:cuda:80,sim:cuda:90,sim:hip:gfx942 \
  python/test || status=1
# Matrix products of the other GPUs of AMD; with waves of 32 lanes also mathematics, launches and messages.
"${python[@]}" .venv/bin/python -m pytest -q -n "$jobs" -p no:cacheprovider \
  --device sim:hip:gfx90a,sim:hip:gfx950,sim:hip:gfx1100,sim:hip:gfx1201 python/test/test_dot.py || status=1
"${python[@]}" .venv/bin/python -m pytest -q -n "$jobs" -p no:cacheprovider --device sim:hip:gfx1100 \
  python/test/test_libdevice_table.py python/test/test_libdevice.py python/test/test_math.py \
  python/test/test_{debug,launch,reduction,target_functions}.py || status=1
# The language again, interpreted: the tests that are left out, and why, are in python/test/interpreted.py.
"${python[@]}" .venv/bin/python -m pytest -q -n "$jobs" -p no:cacheprovider --device interpret \
  python/test/test_{aggregate,atomic_access,atomics,autotune,control_flow,debug,dot,dot_scaled,elementwise,float8,functions}.py \
  python/test/test_{launch,libdevice,math,memory,random,reduction,selection,shape,target_functions,tensor_descriptors}.py || status=1
# Mathematics once more as on a machine without CUDA.
TRITON_PTXAS_PATH=/nowhere/ptxas TRITON_LIBDEVICE_PATH=/nowhere/libdevice.bc "${python[@]}" .venv/bin/python -m pytest -q \
  -n "$jobs" -p no:cacheprovider --device sim:cuda:90 python/test/test_math.py python/test/test_libdevice.py \
  python/test/test_elementwise.py || status=1
exit $status
