#!/bin/bash
# Packs the Python package for a machine without this build: the package folder with an extension module built for that
# machine's version of Python, as .device/triton.tar.xz. There: `tar -xf triton.tar.xz -C DIR` and PYTHONPATH=DIR.
#
#   scripts/pack_for_device.sh [PYTHON]     PYTHON: an interpreter of that version with its headers; default python3.12
#
# Needs a finished build of triton_python, whose archives it links again.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build
out=$PWD/.device
python=${1:-python3.12}
if ! "$python" -c "" 2> /dev/null; then
  python=$(ls -d "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"${python#python}"*/bin/"$python" | tail -1)
fi
nanobind=$(find .venv/lib -maxdepth 3 -name nanobind -type d | head -1)
include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
module=_C$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
objects=$out/objects
package=$out/package/triton
mkdir -p "$objects"

compile() { # source, object: with the flags of the build's own extension, for the other Python
  [ "$2" -nt "$1" ] && [ -z "$(find python/bindings src -name '*.h' -newer "$2" -print -quit)" ] && return
  echo "compiling $1"
  ${CXX:-clang++-22} -I"$include" -Isrc -Iinclude -Itools -I$build/src -I"$nanobind/include" -I"$nanobind/ext/robin_map/include" \
    -isystem /usr/lib/llvm-22/include -O2 -DNDEBUG -fPIC -fvisibility=hidden -fvisibility-inlines-hidden \
    -fno-strict-aliasing -ffunction-sections -fdata-sections -fno-stack-protector -std=c++20 -w -c "$1" -o "$2"
}
for source in python/bindings/*.cpp "$nanobind/src/nb_combined.cpp"; do
  compile "$source" "$objects/$(basename "$source").o"
done

# The build's own link command, with these objects in place of its own and no library that the other machine may lack.
command=$(ninja -C $build -t commands triton_python | tail -1)
command=$(sed -E "s| python/CMakeFiles/triton_python.dir/[^ ]*| |g; s| python/libnanobind-static.a| $objects/*.o|
                  s|-o [^ ]+|-o $out/$module|; s| -lzstd| -l:libzstd.a|; s| [^ ]*/libz.so| -l:libz.a|
                  s|-shared|-shared -static-libstdc++ -static-libgcc|; s| && cd .*||" <<< "$command")
(cd $build && eval "$command")

rm -rf "$out/package"
mkdir -p "$package"
tar -C python/triton --exclude __pycache__ -cf - . | tar -C "$package" -xf -
cp -r src/frontend/prelude "$package/_prelude" # the interpreter runs it
strip "$out/$module"
/usr/lib/llvm-22/bin/llvm-objcopy --update-section .triton_version=$build/version.txt "$out/$module"
mv "$out/$module" "$package/"
tar -C "$out/package" -cf - triton | xz -3 -T0 > "$out/triton.tar.xz"
rm -rf "$out/package"
ls -lh "$out/triton.tar.xz"
