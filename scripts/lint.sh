#!/usr/bin/env bash
# Reports, without changing files, what `make format` would change, ruff's findings and clang-tidy's.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
git ls-files '*.cpp' '*.h' | xargs clang-format-22 --dry-run -Werror
.venv/bin/ruff check .
.venv/bin/ruff format --check .
git ls-files 'src/*.cpp' 'tools/*.cpp' 'python/bindings/*.cpp' |
  xargs -P "$(nproc)" -n 4 clang-tidy-22 -p "$build" --quiet -header-filter="^$PWD/(src|include|tools|python)/.*\.h$"
