#!/usr/bin/env bash
# What reads only sources, in some seconds and without a build: formatting, layers, documents, imports, lists of packages.
# All of them run at once, even when one fails.
set -uo pipefail
cd "$(dirname "$0")/.."
status=0 running=()
for check in scripts/check_*.py; do
  [ "$check" != scripts/check_generated_docs.py ] || continue # needs the tools
  .venv/bin/python "$check" &
  running+=($!)
done
for check in "${running[@]}"; do
  wait "$check" || status=1
done
exit $status
