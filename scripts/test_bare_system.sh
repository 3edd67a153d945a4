#!/usr/bin/env bash
# Follows the README to the letter in a bare Debian 12: debootstrap's smallest variant, without Python packages and CUDA.
#
#   scripts/test_bare_system.sh               always
#   scripts/test_bare_system.sh --if-changed  unless it has passed with what decides the set-up as it is now
#
# What decides it: the set-up and its lists, the Makefile, CMake's top level, the README's commands and the modules that
# Python code imports. .ci/bare-system.passed holds their hash when this has passed; commit it. Works on the last commit,
# as root. The cache of ccache is lent to the bare system to save time; CCACHE_DISABLE=1 leaves it out.
set -euo pipefail
cd "$(dirname "$0")/.."
record=.ci/bare-system.passed
commands=$(grep -oE '^make (demo|test)\b|apt-get install -y [a-z ]+' README.md)

hash_inputs() {
  local python=.venv/bin/python
  [ -x $python ] || python=python3
  {
    echo "$commands"
    "$python" scripts/check_requirements.py --modules
    git ls-files -z scripts/setup.sh scripts/link_commands.sh scripts/run_tests.sh scripts/test_bare_system.sh scripts/bare_system.sh \
      'python/requirements*.txt' Makefile CMakeLists.txt CMakePresets.json cmake | xargs -0 sha256sum
  } | sha256sum | cut -d' ' -f1
}

inputs=$(hash_inputs)
if [ "${1:-}" = --if-changed ] && [ "$(cat $record 2>/dev/null)" = "$inputs" ]; then
  echo "The bare system has passed with this set-up: $record."
  exit 0
fi
. scripts/bare_system.sh

# A fresh clone, under the path that it has here: compilations then hash alike.
mkdir -p "$root$PWD"
git clone --quiet --no-hardlinks . "$root$PWD"
[ -z "$(git status --porcelain)" ] || echo "bare system: changes that are not committed are not tested" >&2
cache=
if [ -z "${CCACHE_DISABLE:-}" ] && command -v ccache >/dev/null; then
  cache=$(ccache --get-config cache_dir)
  mkdir -p "$cache" "$root/root/.cache/ccache"
fi

echo "bare system: ${commands//$'\n'/; }"
run_in_bare_system "$commands" "$cache" "$PWD"

if [ -z "$(git status --porcelain)" ] && [ "$(cat $record 2>/dev/null)" != "$inputs" ]; then
  echo "$inputs" > $record
  echo "bare system: passed; commit $record"
fi
