"""Threads that launch first at the same time: what the package asks Python for once lets the others run meanwhile."""

import os
import subprocess
import sys

from programs import PATIENCE

PROGRAM = """
import sys
import threading
import numpy as np
import triton
import triton.language as tl

@triton.jit
def twice(x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x + i, tl.load(x + i) * 2)

start = threading.Barrier(8)
results = []

def attempt(count):
    x = np.ones(count, np.float32)
    start.wait()
    twice[(1,)](x, count)
    results.append((x == 2).all())

sys.setswitchinterval(1e-6)
threads = [threading.Thread(target=attempt, args=(16 << n % 4,)) for n in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(results) == 8 and all(results))
"""


def test_threads_launch_first_at_the_same_time(tmp_path):
    """With initialization that holds the interpreter's lock, two or three processes in six ended here never."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    for attempt in range(6):
        environment = {**os.environ, "TRITON_CACHE_DIR": str(tmp_path / str(attempt))}
        done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=PATIENCE, env=environment)
        assert done.stdout == "True\n" and done.returncode == 0, done.stderr
