#!/usr/bin/env bash
# Reports, without changing files, what `make format` would change, ruff's findings and clang-tidy's.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
.venv/bin/python scripts/check_format.py
git ls-files 'src/*.cpp' 'tools/*.cpp' 'python/bindings/*.cpp' |
  xargs -P "$(nproc)" -n 4 clang-tidy-22 -p "$build" --quiet -header-filter="^$PWD/(src|include|tools|python)/.*\.h$"
