"""Control-C ends launches and compilations soon, whatever they are doing, and the process can go on."""

import os
import signal
import subprocess

import pytest
from programs import PATIENCE, run, start

# Sends SIGINT to the process after `delay` seconds, runs the action and tells how late the exception came. The launches
# never end by themselves; ten seconds are for slow machines. What other processes take meanwhile does not count.
INTERRUPT = """
import os, signal, threading, time
import numpy as np, triton, triton.language as tl

def interrupted(action, delay=0.3):
    sent = []
    def send():
        sent.append((time.monotonic(), time.process_time()))
        os.kill(os.getpid(), signal.SIGINT)
    timer = threading.Timer(delay, send)
    timer.start()
    try:
        action()
        timer.cancel()
        print("not-interrupted", end=" ")
    except KeyboardInterrupt:
        late = min(time.monotonic() - sent[0][0], time.process_time() - sent[0][1])
        print("soon" if late < 10 else f"late:{late:.1f}", end=" ")

@triton.jit
def spin(x, n):
    total = 0.0
    for i in range(n):
        total += tl.load(x + i % 16)
    tl.store(x + 16 + tl.program_id(0) % 16, total)

@triton.jit
def spin_tiles(x, n, N: tl.constexpr):
    i = tl.arange(0, N)
    total = tl.zeros([N], tl.float32)
    for k in range(n):
        total += tl.load(x + (i + k) % 16)
    tl.store(x + 16, tl.sum(total, 0))

@triton.jit
def wait_for_ever(x):
    while tl.load(x, volatile=True) != 0.0:
        tl.store(x + 1, tl.load(x + 1) + 1.0)

def check():
    x = np.ones(32, np.float32)
    spin[(16,)](x, 10)
    assert x[16:].sum() == 160.0

check()  # imports what launches need: Python ignores what a handler raises while an import ends
"""

LAUNCHES = {
    "one long program": "spin[(1,)](x, 10**12)",
    "long programs": "spin[(64,)](x, 10**12)",
    "many programs": "spin[(100_000_000,)](x, 1_000_000)",
    "one thread": "spin[(64,)](x, 10**12, num_cpu_threads=1)",
    "tiles": "spin_tiles[(1,)](x, 10**12, N=256)",
    "an endless loop": "wait_for_ever[(1,)](x)",
    "an endless loop in each program": "wait_for_ever[(64,)](x)",
}


@pytest.mark.parametrize("launch", LAUNCHES.values(), ids=LAUNCHES)
def test_launches(launch, host_device, tmp_path):
    text = INTERRUPT + f"x = np.ones(32, np.float32)\ninterrupted(lambda: {launch})\ncheck()\nprint('done')\n"
    assert run(tmp_path, text, **host_device.environment)[0].split() == ["soon", "done"]


def test_a_launch_that_was_short_before(tmp_path):
    """What a kernel took before says nothing of what it takes now."""
    text = """
x = np.ones(32, np.float32)
for _ in range(5):
    spin[(2,)](x, 10)
interrupted(lambda: spin[(2,)](x, 10**12))
interrupted(lambda: spin[(1,)](x, 10**12))
check()
"""
    assert run(tmp_path, INTERRUPT + text)[0].split() == ["soon", "soon"]


def test_a_launch_after_a_pause(tmp_path):
    text = "check()\ntime.sleep(2.5)\nx = np.ones(32, np.float32)\ninterrupted(lambda: spin[(1,)](x, 10**12))\n"
    assert run(tmp_path, INTERRUPT + text)[0].split() == ["soon"]


def test_a_launch_in_a_forked_child(tmp_path):
    text = """
check()
pid = os.fork()
if pid == 0:
    x = np.ones(32, np.float32)
    interrupted(lambda: spin[(4,)](x, 10**12))
    check()
    os.sys.stdout.flush()
    os._exit(0)
assert os.waitpid(pid, 0)[1] == 0
check()
"""
    assert run(tmp_path, INTERRUPT + text)[0].split() == ["soon"]


def test_a_handler_that_launches_inside_of_a_program(tmp_path):
    """The interrupted program keeps its scratch memory, and its result is right."""
    text = """
@triton.jit
def sums(x, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    total = tl.zeros([N], tl.float32)
    for k in range(n):
        total += tl.sort(tl.load(x + i)) * 0 + tl.load(x + i)
    tl.store(out + i, total)

def call(n, size):
    x = np.arange(size, dtype=np.float32)
    out = np.full(size, np.nan, np.float32)
    sums[(1,)](x, out, n, N=size)
    assert (out == np.float32(n) * x).all() or n > 16  # then sums are rounded
    assert np.isfinite(out).all() and (np.diff(out) > 0).all()

call(2, 1024); call(2, 8192)
handled = []
def handler(signum, frame):
    handled.append(1)
    call(3, 8192)
signal.signal(signal.SIGALRM, handler)
for alarm in range(3):
    signal.setitimer(signal.ITIMER_REAL, 0.1)  # the next one when the handler has ended, however long it took
    while len(handled) == alarm:
        call(30_000, 1024)
print("done")
"""
    assert run(tmp_path, INTERRUPT + text)[0].split() == ["done"]


LONG_KERNEL = """
@triton.jit
def long_kernel(x, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    for k in tl.static_range(24):
        a = tl.sort(a * 3 + k)
    tl.store(x + i, a)
"""


def test_compilations(fresh_cache, tmp_path):
    text = """
interrupted(lambda: long_kernel.warmup(np.zeros(1024, np.float32), N=1024, grid=(1,)))
check()
print("done")
os.sys.stdout.flush()
"""
    process = start(tmp_path, INTERRUPT + LONG_KERNEL + text)
    output, errors = process.communicate(timeout=PATIENCE)
    assert output.split() == ["soon", "done"] and process.returncode == 0, errors


def test_compilations_for_gpus(fresh_cache, tmp_path):
    text = "interrupted(lambda: long_kernel.warmup(np.zeros(1024, np.float32), N=1024, grid=(1,)))\nprint('done')\n"
    assert run(tmp_path, INTERRUPT + LONG_KERNEL + text, TRITON_SIMULATE="cuda:90")[0].split() == ["soon", "done"]


def test_a_compilation_in_a_compilation(tmp_path):
    """A function that kernels call while they are compiled may launch a kernel itself."""
    text = """
@triton.constexpr_function
def measure(n):
    x = np.ones(32, np.float32)
    spin[(1,)](x, n)
    return int(x[16])

@triton.jit
def outer(x, N: tl.constexpr):
    tl.store(x, measure(N))

x = np.zeros(1, np.float32)
outer[(1,)](x, N=12)
print(x[0])
"""
    assert run(tmp_path, INTERRUPT + text)[0].split() == ["12.0"]


def test_the_signal_of_a_terminal(tmp_path):
    """Without a handler of its own, a program ends with KeyboardInterrupt's status."""
    text = INTERRUPT + "print('ready', flush=True)\nx = np.ones(32, np.float32)\nspin[(1,)](x, 10**12)\n"
    process = start(tmp_path, text)
    assert process.stdout.readline() == "ready\n"
    try:
        process.wait(0.5)
    except subprocess.TimeoutExpired:
        pass
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)
    assert "KeyboardInterrupt" in errors and process.returncode == -signal.SIGINT
