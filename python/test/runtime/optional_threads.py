"""Launches in a process whose threads belong to PyTorch's OpenMP runtime."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import os, sys
import torch
import triton
import triton.language as tl

@triton.jit
def work(x, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at)
    for _ in range(50):
        value = tl.sin(value) + 1.0
    tl.store(out + at, value)

def names():
    found = []
    for task in os.listdir("/proc/self/task"):
        try:
            found.append(open(f"/proc/self/task/{task}/comm").read().strip())
        except OSError:  # it has ended
            pass
    return found

def launch():
    x, out = torch.rand(64 * 1024), torch.empty(64 * 1024)
    for _ in range(3):
        out.fill_(float("nan"))
        work[(64,)](x, out, BLOCK=1024)
    expected = x.double()
    for _ in range(50):
        expected = torch.sin(expected) + 1.0
    torch.testing.assert_close(out.double(), expected, rtol=1e-4, atol=1e-4)
    return names()
"""


@pytest.fixture
def run(tmp_path):
    return lambda body, **environment: run_program(tmp_path / "program.py", body, environment)


def run_program(path, body, environment):
    path.write_text(PROGRAM + body)
    result = subprocess.run(
        [sys.executable, path],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"OMP_NUM_THREADS": "", **environment},
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


@pytest.mark.parametrize("setting, workers", [("1", 0), ("0", 2)])
def test_launches_run_on_its_threads(run, setting, workers):
    # A machine with fewer processors still lets PyTorch have three threads.
    body = "torch.set_num_threads(3)\ntorch.rand(1 << 20).sin()\nfound = launch()\nprint(found.count('triton-worker'))"
    (count,) = run(body, TRITON_CPU_OPENMP=setting)
    assert (int(count) > 0) == (workers > 0)


def test_one_thread_in_pytorch_is_one_here(run):
    body = """
torch.set_num_threads(1)
alone = launch()
torch.set_num_threads(3)
print(len(launch()) - len(alone))
"""
    assert run(body) == ["2"]


def test_forked_children_launch(run):
    body = """
launch()
child = os.fork()
if child == 0:
    torch.set_num_threads(1)  # PyTorch's own operations would wait for threads that the child does not have
    launch()
    os._exit(0)
print(os.waitpid(child, 0)[1])
"""
    assert run(body) == ["0"]


def test_other_threads_launch(run):
    body = """
import threading
failures = []
def attempt():
    try:
        launch()
    except BaseException as error:
        failures.append(error)
threads = [threading.Thread(target=attempt) for _ in range(3)]
for thread in threads: thread.start()
launch()
for thread in threads: thread.join()
print(failures or "fine")
"""
    assert run(body) == ["fine"]
