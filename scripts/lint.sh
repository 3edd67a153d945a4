#!/usr/bin/env bash
# Reports, without changing files, what `make format` would change, ruff's findings and clang-tidy's.
#
#   scripts/lint.sh [BUILD]                   clang-tidy reads every source
#   scripts/lint.sh BUILD --since BASE        the files that differ from the commit BASE, committed or not
#   scripts/lint.sh BUILD --last COUNT        the COUNT files that changed last
#   scripts/lint.sh BUILD --changed [BASE]    for the gate: the files that differ from BASE or, without one, from where this
#                                             branch left origin/main; on main itself the 24 that changed last
#
# clang-tidy reads a header through the source of its name, or else through the first source that includes it.
set -uo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
status=0
if [ $# = 3 ] && [ "$2" != --last ]; then
  git rev-parse --quiet --verify "$3^{commit}" >/dev/null || { echo "$0: there is no commit $3" >&2; exit 1; }
fi
.venv/bin/python scripts/check_format.py || status=1
.venv/bin/python scripts/source_commands.py "$build" || exit 1

sources=('src/*.cpp' 'tools/*.cpp' 'python/bindings/*.cpp' 'examples/cpp/*.cpp' 'bench/*.cpp')
headers=('src/*.h' 'tools/*.h' 'python/bindings/*.h' 'include/*.h')

# The sources through which clang-tidy reads the files of the input, each once.
to_sources() {
  while read -r file; do
    if [ "${file%.h}" = "$file" ]; then
      echo "$file"
    elif [ -f "${file%.h}.cpp" ]; then
      echo "${file%.h}.cpp"
    else
      git grep -lE "#include \"([^\"]*/)?${file##*/}\"" -- "${sources[@]}" | sed -n 1p
    fi
  done | awk '!seen[$0]++'
}

# No more sources than the gate has time for.
select_changed() {
  local base=${1:-$(git merge-base HEAD origin/main 2>/dev/null)} most=60 names
  if [ -n "$base" ] && [ "$base" != "$(git rev-parse HEAD)" ]; then
    mapfile -t names < <(select_sources --since "$base")
  else
    mapfile -t names < <(select_sources --last 24)
  fi
  [ ${#names[@]} -le $most ] || echo "clang-tidy reads $most of ${#names[@]} sources; make lint reads all" >&2
  printf '%s\n' "${names[@]:0:most}"
}

select_sources() {
  case ${1:-} in
    --changed) select_changed "${@:2}" ;;
    --since)
      { git diff --name-only --diff-filter=d "$2" -- "${sources[@]}" "${headers[@]}"
        git ls-files --others --exclude-standard -- "${sources[@]}" "${headers[@]}"; } | to_sources ;;
    --last)
      git log --format= --name-only --diff-filter=d -- "${sources[@]}" "${headers[@]}" | awk '!seen[$0]++' |
        while read -r file; do [ ! -f "$file" ] || echo "$file"; done | sed -n "1,$2p" | to_sources ;;
    *) git ls-files "${sources[@]}" ;;
  esac
}

select_sources "${@:2}" | xargs -r -P "$(nproc)" -n 2 clang-tidy-22 -p "$build/sources" --quiet \
  -header-filter="^$PWD/(src|include|tools|python)/.*\.h$" || status=1
exit $status
