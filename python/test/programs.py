"""Small programs that tests run in processes of their own."""

import os
import subprocess
import sys

#: Seconds for what never takes so long, beside whatever else the machine does: a test that waits longer waits for ever.
PATIENCE = 600

ADD = """
import numpy as np, triton, triton.language as tl
@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)
def check(block=64):
    x = np.arange(100, dtype=np.float32)
    out = np.full(100, np.nan, np.float32)
    kernel = add[(triton.cdiv(100, block),)](x, x, out, 100, BLOCK=block)
    assert np.array_equal(out, x + x)
    return kernel
"""


def start(tmp_path, text, name="program.py", **environment):
    """Starts a program from a file: kernels need a source that can be read."""
    path = tmp_path / name
    path.write_text(text)
    return subprocess.Popen(
        [sys.executable, path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def run(tmp_path, text, **environment):
    """Runs a program to its end; gives what it wrote to standard output and standard error."""
    with start(tmp_path, text, **environment) as process:
        try:
            output, errors = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    assert process.returncode == 0, f"exit status {process.returncode}\n{output}\n{errors}"
    return output, errors
