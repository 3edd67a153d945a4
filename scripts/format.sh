#!/usr/bin/env bash
# Formats all sources in place.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files -co --exclude-standard '*.cpp' '*.h' | xargs clang-format-22 -i
git ls-files -co --exclude-standard '*.js' | xargs .venv/bin/oxfmt >/dev/null
.venv/bin/ruff check --fix --quiet .
.venv/bin/ruff format --quiet .
