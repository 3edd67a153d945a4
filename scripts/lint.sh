#!/usr/bin/env bash
# Reports, without changing files, what `make format` would change, ruff's findings and clang-tidy's.
#
#   scripts/lint.sh [BUILD]               clang-tidy reads every source
#   scripts/lint.sh BUILD FILE...         clang-tidy reads these files; nothing else is checked
#   scripts/lint.sh BUILD --since BASE    the files that differ from the commit BASE, committed or not
#   scripts/lint.sh BUILD --changed       for the gate: the files that are not as .ci/linted says that clang-tidy last read them
#   scripts/lint.sh BUILD --record        the same, and then says in .ci/linted that it has read them; commit it
#
# clang-tidy reads a header through the source of its name, or else through the first source that includes it.
set -uo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
mode=${2:-}
record=.ci/linted
status=0 files=()
case $mode in
  --since)
    git rev-parse --quiet --verify "$3^{commit}" >/dev/null || { echo "$0: there is no commit $3" >&2; exit 1; } ;;
  "" | --changed | --record) ;;
  -*) echo "$0: there is no option $mode; there are --since BASE, --changed and --record" >&2; exit 1 ;;
  *) files=("${@:2}") mode=--files ;;
esac
[ -n "$mode" ] || .venv/bin/python scripts/check_format.py || status=1 # otherwise scripts/check_sources.sh has done it

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

# A line for each file: a hash of its content and its path.
list_contents() {
  git ls-files --cached --others --exclude-standard -- .clang-tidy "${sources[@]}" "${headers[@]}" | sort -u |
    while read -r file; do [ ! -f "$file" ] || echo "$file"; done >"$names"
  paste -d' ' <(git hash-object --stdin-paths <"$names" | cut -c1-12) "$names"
}

select_sources() {
  case $mode in
    --files) printf '%s\n' "${files[@]}" | to_sources ;;
    --since)
      { git diff --name-only --diff-filter=d "$1" -- "${sources[@]}" "${headers[@]}"
        git ls-files --others --exclude-standard -- "${sources[@]}" "${headers[@]}"; } | to_sources ;;
    --changed | --record)
      # With other rules everything is read again.
      if grep -qxF "$(grep ' \.clang-tidy$' "$contents")" $record; then
        grep -vxFf $record "$contents" | cut -d' ' -f2- | to_sources
      else
        git ls-files "${sources[@]}"
      fi ;;
    *) git ls-files "${sources[@]}" ;;
  esac
}

names=$(mktemp) contents=$(mktemp) selected=$(mktemp)
trap 'rm -f "$names" "$contents" "$selected"' EXIT
list_contents >"$contents"
for file in "${files[@]}"; do
  grep -qxF -- "$file" "$names" ||
    { echo "$0: clang-tidy does not read $file; name a C++ source or header from the root, such as src/base/Files.cpp" >&2; exit 1; }
done
select_sources "${@:3}" >"$selected"
echo "clang-tidy reads $(wc -l <"$selected") of $(git ls-files "${sources[@]}" | wc -l) sources"
.venv/bin/python scripts/run_clang_tidy.py "$build" <"$selected" || status=1
if [ "$mode" = --record ] && [ $status = 0 ]; then
  cp "$contents" $record
fi
exit $status
