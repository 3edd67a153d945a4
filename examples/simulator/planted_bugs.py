"""One small program for each kind of error in kernels without asynchronous instructions that the simulator reports: the
bug, its report, and the same program put right, which runs in silence. ``python planted_bugs.py`` prints them all; no
GPU is needed."""

import pathlib
import tempfile
import textwrap

import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.driver import SimulatedDriver
from triton.runtime.driver import driver
from triton.runtime.errors import SimulationError

FOLDER = pathlib.Path(__file__).parent
TARGET = GPUTarget("sim:cuda", 90, 32)


@triton.jit
def scale(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i <= n  # BUG: i < n
    tl.store(out + i, tl.load(x + i, mask=mask) * 2, mask=mask)


def out_of_bounds(correct):
    """The mask lets one element too many through."""
    x = np.ones(1000, np.float32)
    scale[(4,)](x, np.zeros_like(x), 999 if correct else 1000, BLOCK=256)


@triton.jit
def sum_rows(table, out, BLOCK: tl.constexpr):
    row = tl.load(table + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    tl.store(out + tl.program_id(0), tl.sum(tl.load(row + tl.arange(0, BLOCK))))


def use_after_free(correct):
    """A table holds the addresses of four arrays, one of which is freed before the launch."""
    rows = [np.full(4096, 7, np.float32) for _ in range(4)]
    table = np.array([row.ctypes.data for row in rows])
    with triton.testing.accessible_memory(*rows):
        if not correct:
            rows.pop(2)  # BUG: its address is still in the table
        sum_rows[(4,)](table, np.zeros(4, np.float32), BLOCK=64)


@triton.jit
def copy_from(x, out, start, BLOCK: tl.constexpr):
    i = tl.multiple_of(start, 4) + tl.arange(0, BLOCK)  # BUG: nobody made sure of that
    tl.store(out + tl.arange(0, BLOCK), tl.load(x + i))


def misaligned(correct):
    """The kernel promises that an offset is a multiple of 4, so that four elements are read at once; it is 2."""
    x = np.arange(1024, dtype=np.float32)
    copy_from[(1,)](x, np.zeros(512, np.float32), 4 if correct else 2, BLOCK=512)


@triton.jit
def count_positive(x, count, BLOCK: tl.constexpr, ATOMIC: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    positive = tl.sum((tl.load(x + i) > 0).to(tl.int32))
    if ATOMIC:
        tl.atomic_add(count, positive)
    else:
        tl.store(count, tl.load(count) + positive)  # BUG: all programs do this at once


def global_race(correct):
    """Programs add to one number without atomics."""
    x = np.ones(1024, np.float32)
    count_positive[(8,)](x, np.zeros(1, np.int32), BLOCK=128, ATOMIC=correct)


@triton.jit
def add_under_lock(lock, total):
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(total, tl.load(total) + 1)
    tl.atomic_xchg(lock, 0)


def deadlock(correct):
    """A lock is taken before the kernel starts, and nobody will give it back."""
    lock = np.array([0 if correct else 1], np.int32)  # BUG: 1
    add_under_lock[(2,)](lock, np.zeros(1, np.int32))


@triton.jit
def invert(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i)
    tl.device_assert(value != 0, "a zero has no inverse")
    tl.store(out + i, 1 / value)


def failed_assertion(correct):
    """What the kernel takes for granted is not so."""
    x = np.ones(128, np.float32)
    x[77] = 1 if correct else 0  # BUG: 0
    invert[(1,)](x, np.zeros_like(x), BLOCK=128, debug=True)


def _run_ir(name, wrong, right, correct, arguments):
    """Compiles a program written in IR, put right when `correct`, and runs it."""
    path = FOLDER / name
    if correct:
        text = path.read_text()
        assert wrong in text
        path = pathlib.Path(tempfile.mkdtemp(prefix="triton-planted-")) / name
        path.write_text(text.replace(wrong, right))
    triton.compile(path, target=TARGET)[(1,)](*arguments)


def shared_race(correct):
    """A warp reads what another wrote to shared memory, with no barrier between."""
    _run_ir("shared_race.ttgir", "// ttg.local_barrier", "ttg.local_barrier", correct, [np.zeros(64, np.int32)])


def uninitialized_shared(correct):
    """A buffer in shared memory is read before anything is written to it."""
    fill = """%zero = arith.constant dense<0> : tensor<64xi32, #blocked>
    ttg.local_store %zero, %buffer : tensor<64xi32, #blocked> -> !ttg.memdesc<64xi32, #shared, #smem, mutable>
    %values ="""
    _run_ir("uninitialized_shared.ttgir", "%values =", fill, correct, [np.zeros(64, np.int32)])


def divergent_barrier(correct):
    """A barrier stands in a branch that only some threads of a warp take."""
    _run_ir("divergent_barrier.llir", "icmp ult i32 %t, 8", "icmp ult i32 %t, 64", correct, [])


BUGS = [
    out_of_bounds,
    use_after_free,
    misaligned,
    uninitialized_shared,
    shared_race,
    global_race,
    divergent_barrier,
    deadlock,
    failed_assertion,
]


def report_of(bug, correct=False):
    """The findings of a planted bug, each with its place in the source; none of the program put right."""
    driver.set_active(SimulatedDriver(TARGET.arch))
    try:
        bug(correct)
    except SimulationError as error:
        return error.findings
    finally:
        driver.set_active_to_cpu()
    return []


def main():
    for bug in BUGS:
        print(f"{bug.__name__}: {bug.__doc__}")
        for finding in report_of(bug):
            print(textwrap.indent(finding, "    "))
        print()
        assert not report_of(bug, correct=True)


if __name__ == "__main__":
    main()
