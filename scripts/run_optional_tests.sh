#!/usr/bin/env bash
# Runs the tests of what Nereid works with but does not need (python/test/*/optional_*.py) and of libraries of kernels
# (python/test/clients/optional_*.py), in an environment of their own, .venv-optional: .venv must show that everything
# else works without it. Needs a finished build.
#
#   scripts/run_optional_tests.sh [BUILD]                all of them
#   scripts/run_optional_tests.sh BUILD --if-changed     for the gate: scripts/select_optional_tests.py says which
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
selected=$(.venv/bin/python scripts/select_optional_tests.py ${2:+"$2"})
[ -n "$selected" ] || exit 0
mapfile -t tests <<<"$selected"
mapfile -t simulated < <(grep -v /clients/ <<<"$selected" || true)
environment=.venv-optional
if [ ! -x $environment/bin/python ]; then
  .venv/bin/python -m venv $environment
fi
requirements=(python/requirements-optional.txt python/requirements-clients.txt)
if ! cat "${requirements[@]}" | cmp -s - $environment/requirements.installed; then
  echo "installing $(cat "${requirements[@]}" | tr '\n' ' ')into $environment"
  install="$environment/bin/python -m pip install --quiet --disable-pip-version-check"
  $install -r python/requirements-optional.txt
  # These name Triton among what they need.
  $install --no-deps -r python/requirements-clients.txt
  cat "${requirements[@]}" > $environment/requirements.installed
fi
# Releases of Triton, whose IR is read. They lie apart, because this environment's `triton` is the build's.
for version in 3.6.0 3.9.0; do
  if [ ! -d "$environment/triton-$version" ]; then
    echo "installing triton==$version into $environment/triton-$version"
    $environment/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
      --target "$environment/triton-$version" "triton==$version"
  fi
done
# redis-server: tests of the remote cache start one. g++ and nlohmann-json3-dev: they build examples/serving. qemu-user
# and its neighbours run kernels for AArch64. The browsers show the explorer's page, the editors ask the language server; nodejs
# runs the extension for Visual Studio Code.
missing=()
for package in redis-server g++ nlohmann-json3-dev chromium chromium-driver firefox-esr neovim emacs-nox elpa-lsp-mode nodejs \
  qemu-user libc6-dev-arm64-cross libgcc-12-dev-arm64-cross gcc-aarch64-linux-gnu; do
  dpkg-query -W -f='${Status}' "$package" 2> /dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "installing ${missing[*]}"
  sudo=$([ "$(id -u)" = 0 ] || echo sudo)
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" > /dev/null
fi
# What .venv has, this one has too.
paths='import sysconfig; print(sysconfig.get_paths()["purelib"])'
echo "import site; site.addsitedir('$(.venv/bin/python -c "$paths")')" \
  > "$($environment/bin/python -c "$paths")/required.pth"

status=0
run_pytest() {
  PYTHONPATH=$PWD/$build/python $environment/bin/python -m pytest -q -n "$(nproc)" -p no:cacheprovider "$@" || status=1
}
run_pytest --device cpu "${tests[@]}"
[ ${#simulated[@]} = 0 ] || run_pytest --device sim:cuda:80,sim:cuda:90 "${simulated[@]}"
if [ $status = 0 ]; then
  .venv/bin/python scripts/select_optional_tests.py --record
  [ -z "$(git status --porcelain .ci/optional.passed)" ] || echo "optional: passed; commit .ci/optional.passed"
fi
exit $status
