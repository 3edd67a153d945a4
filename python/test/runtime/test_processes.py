"""Threads, forks and large grids."""

import multiprocessing
import os
import threading
import time

import numpy as np
import pytest
import triton
import triton.language as tl
from programs import ADD, PATIENCE, run


@triton.jit
def square_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * tl.load(x + i, mask=i < n), mask=i < n)


def check(n=5000, block=64):
    x = np.arange(n, dtype=np.float32)
    out = np.full(n, np.nan, np.float32)
    square_kernel[(triton.cdiv(n, block),)](x, out, n, BLOCK=block)
    np.testing.assert_array_equal(out, x * x)


def test_threads_that_launch_and_compile():
    failures = []

    def work(number):
        try:
            for repetition in range(20):
                check(1000 + number, block=16 << (repetition % 5))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_other_threads_run_during_a_kernel():
    """The kernel waits until the other thread has written, which begins once the kernel runs."""

    @triton.jit
    def waiting_kernel(began, written, turns):
        tl.store(began, 1)
        turn = 0
        while (tl.load(written, volatile=True) == 0) & (turn < turns):
            turn += 1
        tl.store(began, tl.load(written, volatile=True) + 1)

    began, written = np.zeros(1, np.int32), np.zeros(1, np.int32)

    def write():
        while began[0] == 0:
            time.sleep(0.001)
        written[0] = 1

    waiting_kernel.warmup(began, written, 10**10, grid=(1,))
    thread = threading.Thread(target=write)
    thread.start()
    waiting_kernel[(1,)](began, written, 10**10)
    thread.join()
    assert began[0] == 2


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_child_processes(method):
    check(100_000)  # the parent has its thread pool
    context = multiprocessing.get_context(method)
    process = context.Process(target=check, args=(100_000, 32))
    process.start()
    process.join(PATIENCE)
    assert process.exitcode == 0
    check(100_000)


def test_fork_right_after_import(tmp_path):
    program = (
        ADD
        + """
import os
pid = os.fork()
check()
if pid:
    assert os.waitpid(pid, 0)[1] == 0
    print("parent done")
else:
    os._exit(0)
"""
    )
    output, _ = run(tmp_path, program)
    assert output == "parent done\n"


def test_forks_beside_a_thread_that_compiles(tmp_path):
    program = (
        ADD
        + """
import os, signal, threading, time
stop = []
def compile_on():
    block = 0
    while not stop:
        block = block % 12 + 1
        add.device_caches.clear()
        check(1 << block)
thread = threading.Thread(target=compile_on)
thread.start()
for number in range(6):
    pid = os.fork()
    if pid == 0:
        signal.alarm(300)
        check(64)
        check(1 << number % 12 + 1)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
stop.append(True)
thread.join()
print("done")
"""
    )
    output, _ = run(tmp_path, program, TRITON_ALWAYS_COMPILE="1")
    assert output == "done\n"


def test_fork_beside_a_thread_that_imports(tmp_path):
    program = """
import os, signal, sys, threading, time
import triton
from triton._utils import cached_property
class Slow:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "triton.not_there":
            under_way.set()
            time.sleep(0.5)
class Lazy:
    @cached_property
    def value(self):
        under_way.set()
        time.sleep(0.5)
        return 3
def import_missing():
    try:
        import triton.not_there
    except ImportError:
        return True
triton.jit(lambda: None)  # forks are watched from now on
sys.meta_path.insert(0, Slow)
for action in (import_missing, lambda: Lazy().value == 3):
    under_way = threading.Event()
    thread = threading.Thread(target=action)
    thread.start()
    under_way.wait()
    pid = os.fork()
    if pid == 0:
        signal.alarm(300)
        os._exit(0 if action() else 1)
    assert os.waitpid(pid, 0)[1] == 0
    thread.join()
"""
    run(tmp_path, program)


def test_fork_in_a_function_that_a_compilation_calls(tmp_path):
    program = """
import os
import numpy as np, triton, triton.language as tl
@triton.constexpr_function
def forking():
    pid = os.fork()
    if pid == 0:
        os._exit(3)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
@triton.jit
def kernel(x):
    tl.store(x, forking())
x = np.zeros(1, np.int32)
kernel[(1,)](x)
print(x[0])
"""
    output, _ = run(tmp_path, program)
    assert output == "3\n"


def test_exit_right_after_launch(tmp_path):
    for _ in range(5):
        run(tmp_path, ADD + "check()\n")


@pytest.mark.parametrize("grid", [(10007,), (101, 99), (7, 11, 131)])
def test_every_program_runs_once(grid):
    @triton.jit
    def count_kernel(counts):
        x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
        place = counts + x + tl.num_programs(0) * (y + tl.num_programs(1) * z)
        tl.store(place, tl.load(place) + 1)

    counts = np.zeros(int(np.prod(grid)), np.int32)
    for repetition in range(1, 6):
        count_kernel[grid](counts)
        assert (counts == repetition).all()


def test_thread_limit():
    x = np.zeros(4096, np.int64)

    @triton.jit
    def kernel(x):
        tl.store(x + tl.program_id(0), tl.program_id(0))

    for threads in (1, 2, 64):
        x.fill(-1)
        kernel[(4096,)](x, num_cpu_threads=threads)
        np.testing.assert_array_equal(x, np.arange(4096))


def test_no_file_descriptors_leak():
    check()
    before = len(os.listdir("/proc/self/fd"))
    for repetition in range(8):
        triton.jit(square_kernel.fn).warmup(
            np.zeros(4, np.float32), np.zeros(4, np.float32), 4, BLOCK=2 << repetition, grid=(1,)
        )
    assert len(os.listdir("/proc/self/fd")) <= before


def test_interrupt_during_a_launch(tmp_path):
    """Control-C ends a launch between programs; the process can go on."""
    text = """
import os, signal, threading, time
import numpy as np, triton, triton.language as tl

@triton.jit
def spin(x, n):
    total = 0.0
    for i in range(n):
        total += tl.load(x + i % 16)
    tl.store(x + 16 + tl.program_id(0) % 16, total)

x = np.ones(32, np.float32)
spin[(2,)](x, 10)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
start, began = time.monotonic(), time.process_time() # what other processes take makes nothing late
try:
    spin[(1_000_000,)](x, 10_000_000)
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted", min(time.monotonic() - start, time.process_time() - began) < 10)
x[:] = 1
spin[(20,)](x, 10)
print(x[16:].sum())
"""
    assert run(tmp_path, text)[0].split() == ["interrupted", "True", "160.0"]


def test_signal_handler_that_launches(tmp_path):
    """A handler may launch the kernel that it interrupts, with more scratch memory or less, and let it go on."""
    text = """
import signal, time
import numpy as np, triton, triton.language as tl

@triton.jit
def sort_rows(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.sort(tl.load(x + i)))

def check(rows, block):
    x = np.random.default_rng(0).random((rows, block), dtype=np.float32)
    out = np.full_like(x, np.nan)
    sort_rows[(rows,)](x, out, BLOCK=block)
    np.testing.assert_array_equal(out, np.sort(x))

handled = 0
def handler(signum, frame):
    global handled
    handled += 1
    check(3, 1 << 16)

check(2, 1 << 10); check(2, 1 << 16)
signal.signal(signal.SIGALRM, handler)
for alarm in range(3):
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    while handled == alarm:
        check(10000, 1 << 10)
print("done")
"""
    assert run(tmp_path, text)[0].split() == ["done"]
