#!/usr/bin/env bash
# Runs every test there is, nothing left out, and writes .ci/nightly.json: the commit, the date, each part's result and
# seconds. Takes some hours; as root, for the parts in a bare system. Commit the file. Works on the last commit: changes that
# are not committed are refused.
set -uo pipefail
cd "$(dirname "$0")/.."
[ -z "$(git status --porcelain)" ] || { echo "$0: commit first, so that the result has a commit" >&2; exit 1; }
parts=() failed=0

part() {
  local name=$1 begin=$SECONDS result=passed
  shift
  echo "=== $name"
  "$@" || { result=failed; failed=1; }
  parts+=("$(printf '    {"part": "%s", "result": "%s", "seconds": %d}' "$name" "$result" $((SECONDS - begin)))")
  echo "=== $name $result"
}

build_anew() {
  rm -rf build # so that all times in Ninja's log are those of compilations
  CCACHE_DISABLE=1 make tests
}

part build build_anew
part "slowest sources" scripts/slowest_sources.py build
part lint scripts/lint.sh build
part tests env TRITON_TEST_DEVICES=full make test
part optional make test-optional
part sanitizers scripts/run_sanitizer_tests.sh --lit
part "thread sanitizer" scripts/run_thread_sanitizer_tests.py build
part wheel make test-wheel
part package make test-package
part "bare system" make test-bare
{
  printf '{\n  "commit": "%s",\n  "date": "%s",\n  "parts": [\n' "$(git rev-parse HEAD)" "$(date -u +%Y-%m-%d)"
  (IFS=$'\n'; echo "${parts[*]}" | sed '$!s/$/,/')
  printf '  ]\n}\n'
} >.ci/nightly.json
cat .ci/nightly.json
exit $failed
