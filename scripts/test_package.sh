#!/usr/bin/env bash
# Installs the newest Debian package of dist/ in a bare Debian 12 and uses it there as people would: the tools without a
# compiler; then, with Debian's own, a program that compiles a kernel at run time, and one with kernels that were compiled
# ahead of time for a processor and a GPU. Those of NVIDIA would need its assembler, which Debian lacks. As root.
set -euo pipefail
cd "$(dirname "$0")/.."
package=$(ls -t dist/nereid_*.deb | head -1)
. scripts/bare_system.sh
cp "$package" "$root/root/"
cat > "$root/root/scale.py" <<'END'
import triton
import triton.language as tl

@triton.jit
def scale(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)
END
mkdir "$root/root/project"
cat > "$root/root/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(application CXX)
find_package(Triton REQUIRED)
add_executable(ahead main.cpp)
target_compile_options(ahead PRIVATE -Wall -Wextra -Werror)
triton_add_kernels(ahead ../scale.py:scale SIGNATURE "*fp32, i32, 64" GRID "(n + 63) / 64, 1, 1"
  TARGETS cpu:x86-64-v2 hip:gfx942)
END
cat > "$root/root/project/main.cpp" <<'END'
#include "scale.h"
#include <cstdio>
int main() {
  float x[100] = {21};
  kernels::ScaleOperator scale(triton_aot::Device::cpu());
  scale(nullptr, x, 100);
  std::printf("%g on %s\n", double(x[0]), scale.target());
  try {
    kernels::ScaleOperator gpu(triton_aot::Device::hip());
  } catch (const triton_aot::Error &error) {
    std::printf("%s\n", error.what());
  }
  return x[0] != 42;
}
END
cat > "$root/root/resident.cpp" <<'END'
#include <triton/triton.h>
#include <cstdio>
#include <vector>
int main() {
  std::vector<float> x(100, 21);
  triton::Module::load("scale.py").kernel("scale").launch({.grid = 2}, x, 100, triton::constant("BLOCK", 64));
  std::printf("%g by %s\n", double(x[0]), triton::version());
  return x[0] != 42;
}
END
run_in_bare_system 'apt-get install -y -qq --no-install-recommends ./nereid_*.deb > /dev/null
! command -v cc
tritonc --version
test "$(dpkg-query -W -f "\${Version}" nereid)" = "$(tritonc --version | grep -o "[0-9][^ ]*+nereid[^ ]*")"
triton-opt --version | head -1
ls /usr/share/man/man1/tritonc.1* /usr/share/bash-completion/completions/tritonc
tritonc compile scale.py:scale --signature "*fp32:16, i32, 64" --emit=c --grid "(n + 63) / 64, 1, 1" --target hip:gfx942 -o c
tritonc bundle scale.py:scale --signature "*fp32:16, i32, 64" --target cpu:x86-64-v3,cpu:neoverse-v2,hip:gfx942 -o scale.ttb
tritonc run scale.py:scale --target sim:cuda:90 --grid 2 --arg x=rand:f32[100] --arg n=100 --arg BLOCK=64 > /dev/null
apt-get install -y -qq --no-install-recommends g++ cmake make pkg-config > /dev/null
cmake -S project -B build > /dev/null
cmake --build build > /dev/null
build/ahead
g++ -std=c++20 resident.cpp $(pkg-config --cflags --libs triton) -o resident
./resident'
ls -l "$package"
