#!/usr/bin/env bash
# Builds the wheels of all versions of Python, in dist/: those of 3.10 and 3.11, that of 3.12 and all later versions with a
# GIL, and those of the versions without one. PYTHONS names the interpreters, which are looked for in PATH, and then among
# those that pyenv and uv have installed.
set -euo pipefail
cd "$(dirname "$0")/.."
find_python() {
  for candidate in "$1" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/"$1" "${UV_PYTHON_INSTALL_DIR:-$HOME/.local/share/uv/python}"/*/bin/"$1"; do
    if "$candidate" -c "" 2> /dev/null; then
      echo "$candidate"
      return
    fi
  done
}
absent=()
for name in ${PYTHONS:-python3.10 python3.11 python3.12 python3.13t python3.14t}; do
  python=$(find_python "$name")
  if [ -n "$python" ]; then
    PYTHON=$python scripts/build_wheel.sh
  else
    absent+=("$name")
  fi
done
if [ ${#absent[@]} -gt 0 ]; then
  echo "no wheel was made for ${absent[*]}, which cannot be started: install them, or name others in PYTHONS" >&2
  exit 1
fi
