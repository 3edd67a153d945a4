#!/usr/bin/env bash
# Builds the wheels of all versions of Python, in dist/: those of 3.10 and 3.11, that of 3.12 and all later versions with a
# GIL, and those of the versions without one. PYTHONS names the interpreters.
set -euo pipefail
cd "$(dirname "$0")/.."
absent=()
for python in ${PYTHONS:-python3.10 python3.11 python3.12 python3.13t python3.14t}; do
  if "$python" -c "" 2> /dev/null; then
    PYTHON=$python scripts/build_wheel.sh
  else
    absent+=("$python")
  fi
done
if [ ${#absent[@]} -gt 0 ]; then
  echo "no wheel was made for ${absent[*]}, which cannot be started: install them, or name others in PYTHONS" >&2
  exit 1
fi
