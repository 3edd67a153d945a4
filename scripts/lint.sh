#!/usr/bin/env bash
# Reports, without changing files, what `make format` would change, ruff's findings and clang-tidy's.
#
#   scripts/lint.sh [BUILD [COUNT]]    COUNT: clang-tidy reads only the sources that were changed last, so many of them
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
count=${2:-}
.venv/bin/python scripts/check_format.py

sources=('src/*.cpp' 'tools/*.cpp' 'python/bindings/*.cpp')
last_changed() {
  git log --format= --name-only --diff-filter=d -- "${sources[@]}" | awk '!seen[$0]++' |
    while read -r file; do [ ! -f "$file" ] || echo "$file"; done
}
{ if [ -n "$count" ]; then last_changed | head -n "$count" || true; else git ls-files "${sources[@]}"; fi; } |
  xargs -P "$(nproc)" -n 4 clang-tidy-22 -p "$build" --quiet -header-filter="^$PWD/(src|include|tools|python)/.*\.h$"
