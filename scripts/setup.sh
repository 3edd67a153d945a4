#!/usr/bin/env bash
# Installs what a bare Debian machine lacks: system packages by name, and a virtual environment in .venv.
# Does nothing, quickly, when everything is there. PYTHON names the interpreter (3.10 to 3.14).
set -euo pipefail
cd "$(dirname "$0")/.."

# Reasons stand in docs/dependencies.md.
packages=(
  clang-22 lld-22 liblld-22-dev llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools clang-format-22 clang-tidy-22
  libpolly-22-dev libclang-rt-22-dev libzstd-dev zlib1g-dev
  cmake ninja-build ccache libgtest-dev libgmock-dev libomp-22-dev libcpp-httplib-dev binutils gdb
)
python=${PYTHON:-python3}
if ! command -v "$python" >/dev/null; then
  packages+=(python3 python3-dev python3-venv)
elif [ "$(readlink -f "$(command -v "$python")")" = "$(readlink -f /usr/bin/python3)" ]; then
  packages+=(python3-dev python3-venv)
fi

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "installing ${#missing[@]} packages of the system, which takes some minutes: ${missing[*]}"
  sudo=$([ "$(id -u)" = 0 ] || echo sudo)
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

if [ ! -x .venv/bin/python ]; then
  "$python" -m venv .venv
fi
# install FILE [OPTION...]: the packages that the file lists, unless they are there already
install() {
  local file=$1 installed=.venv/$(basename "$1" .txt).installed
  shift
  cmp -s "$file" "$installed" && return
  echo "installing $(basename "$file" .txt) into .venv"
  .venv/bin/python -m pip install --quiet --disable-pip-version-check "$@" -r "$file" && cp "$file" "$installed"
}
install python/requirements.txt
# Without the packages that these name: the compiler runs the assembler and reads the library, and needs no more.
install python/requirements-cuda.txt --no-deps ||
  echo "NVIDIA's assembler and library of functions could not be installed. Kernels cannot be assembled for NVIDIA GPUs," \
    "and the tests of that fail, unless the machine has the CUDA toolkit (docs/gpu.md); everything else works." >&2

# The built package is importable from the environment, and the command-line tools are on its path.
site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
echo "$PWD/${BUILD:-build}/python" > "$site/triton-build.pth"
ln -sfn "$PWD/${BUILD:-build}/tools/tritonc/tritonc" .venv/bin/tritonc
scripts/link_commands.sh .venv
