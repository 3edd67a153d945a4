#!/usr/bin/env bash
# Runs the tests of what Nereid works with but does not need (python/test/optional_*.py), in an environment of their own,
# .venv-optional: .venv must show that everything else works without it. Needs a finished build.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
environment=.venv-optional
if [ ! -x $environment/bin/python ]; then
  .venv/bin/python -m venv $environment
fi
if ! cmp -s python/requirements-optional.txt $environment/requirements.installed; then
  echo "installing $(tr '\n' ' ' < python/requirements-optional.txt)into $environment"
  $environment/bin/python -m pip install --quiet --disable-pip-version-check -r python/requirements-optional.txt
  cp python/requirements-optional.txt $environment/requirements.installed
fi
# What .venv has, this one has too.
paths='import sysconfig; print(sysconfig.get_paths()["purelib"])'
echo "import site; site.addsitedir('$(.venv/bin/python -c "$paths")')" \
  > "$($environment/bin/python -c "$paths")/required.pth"

status=0
for device in cpu sim:cuda:80,sim:cuda:90; do
  PYTHONPATH=$PWD/$build/python $environment/bin/python -m pytest -q -n "$(nproc)" -p no:cacheprovider \
    --device $device python/test/optional_*.py || status=1
done
exit $status
