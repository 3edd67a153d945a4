#!/usr/bin/env bash
# Puts the commands that the wheel would install (pyproject.toml) into an environment that has the build on its path, but for
# those that are links to programs of the build.
#
#   scripts/link_commands.sh ENVIRONMENT
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(realpath "$1/bin")
while read -r command module function; do
  [ ! -L "$folder/$command" ] || continue
  text="#!$folder/python
import sys

from $module import $function

sys.exit($function())"
  [ "$(cat "$folder/$command" 2> /dev/null)" = "$text" ] || printf '%s\n' "$text" > "$folder/$command"
  chmod +x "$folder/$command"
done < <(sed -nE '/^\[project.scripts\]/,/^$/s/^([a-z-]+) = "([a-z_.]+):([a-z_]+)"$/\1 \2 \3/p' pyproject.toml)
