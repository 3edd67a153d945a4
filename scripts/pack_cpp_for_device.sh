#!/bin/bash
# Packs the installed C++ library and the example that uses a GPU for a machine without this build: x86-64 Linux with
# glibc 2.36 or newer. There: `tar -xf triton-cpp.tar.xz -C DIR` and `DIR/triton-cpp/run`.
#
# Needs a finished build.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build
out=$PWD/.device
package=$out/triton-cpp
rm -rf "$package"
mkdir -p "$package/bin"
cmake --install $build --component library --prefix "$package" --strip > /dev/null
cp -r examples/kernels "$package/"
${CXX:-clang++-22} -std=c++20 -O2 -static-libstdc++ -static-libgcc -DKERNELS='"kernels"' -I"$package/include" \
  examples/cpp/vector_add_gpu.cpp -L"$package/lib" -ltriton -Wl,-rpath,'$ORIGIN/../lib' -o "$package/bin/vector_add_gpu"
# What the library needs besides glibc.
for library in libz.so.1 libzstd.so.1 libstdc++.so.6 libgcc_s.so.1; do
  cp -L "$(ldconfig -p | sed -n "s/^\s*$library .*x86-64.* => //p" | head -1)" "$package/lib/"
done
cat > "$package/run" << 'RUN'
#!/bin/sh
# The vector add, on the GPU and simulated.
cd "$(dirname "$0")" || exit 1
export LD_LIBRARY_PATH="$PWD/lib"
bin/vector_add_gpu cuda && bin/vector_add_gpu sim:cuda:90
RUN
chmod +x "$package/run"
rm "$package/bin/tritonc"
tar -C "$out" -cf - triton-cpp | xz -3 -T0 > "$out/triton-cpp.tar.xz"
rm -rf "$package"
ls -lh "$out/triton-cpp.tar.xz"
