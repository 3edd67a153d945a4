#!/usr/bin/env bash
# What reads only sources, in some seconds and without a build: formatting, layers, documents, imports, lists of packages.
# All of them run even when one fails.
set -uo pipefail
cd "$(dirname "$0")/.."
status=0
for check in scripts/check_*.py; do
  [ "$check" = scripts/check_generated_docs.py ] || .venv/bin/python "$check" || status=1 # that one needs the tools
done
exit $status
