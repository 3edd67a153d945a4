#!/usr/bin/env bash
# Installs the newest wheel of dist/ for Debian's Python in a bare Debian 12, with NumPy and nothing else of the package
# index and without a compiler, and runs the README's first kernel there. Says how large the wheel is and how long
# `import triton` takes. As root.
set -euo pipefail
cd "$(dirname "$0")/.."
wheel=$(ls -t dist/*cp311-*.whl | head -1)
. scripts/bare_system.sh
cp "$wheel" "$root/root/"
# The first Python program of the README.
sed -n '/^```python$/,/^```$/p;/^\*\*In C++/q' README.md | sed '/^```/d;/^\*\*/,$d' > "$root/root/add.py"
cat > "$root/root/import_time.py" <<'END'
import subprocess
import sys
import time


def seconds(statement):
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return time.perf_counter() - begin


print(f"import triton: {1e3 * min(seconds('import triton') - seconds('pass') for _ in range(9)):.0f} ms")
END
run_in_bare_system 'apt-get install -y -qq --no-install-recommends python3 python3-venv > /dev/null
python3 -m venv v
v/bin/pip install --quiet --disable-pip-version-check *.whl numpy
! command -v cc
v/bin/python add.py
v/bin/python -c "import triton; print(triton.__version__, triton.__commit__)"
v/bin/python import_time.py'
ls -l "$wheel"
