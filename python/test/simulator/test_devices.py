"""Kernels that talk to other devices, as PyTorch's do over symmetric memory: values, and orders that are missing."""

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.runtime.errors import SimulationError

DEVICES = 2


@pytest.fixture
def simulated(device):
    if "sim:" not in triton.runtime.driver.active.get_current_target().backend:
        pytest.skip("devices side by side are simulated")


@triton.jit
def peer(addresses, rank, dtype: tl.constexpr):
    return tl.load(addresses + rank).to(tl.pointer_type(dtype))


@triton.jit
def meet(signals, rank, COUNT: tl.constexpr, slot, SEM_SEND: tl.constexpr, SEM_WAIT: tl.constexpr, SCOPE: tl.constexpr):
    """Each pair of devices exchanges a signal, in the manner of a signal pad: 0 becomes 1, and 1 becomes 0 again."""
    tl.debug_barrier()
    for other in tl.static_range(COUNT):
        send = peer(signals, other, tl.int32) + slot * COUNT + rank
        while tl.atomic_cas(send, 0, 1, sem=SEM_SEND, scope=SCOPE) != 0:
            pass
    for other in tl.static_range(COUNT):
        wait = peer(signals, rank, tl.int32) + slot * COUNT + other
        while tl.atomic_cas(wait, 1, 0, sem=SEM_WAIT, scope=SCOPE) != 1:
            pass
    tl.debug_barrier()


@triton.jit
def one_shot(inputs, signals, out, rank, n, COUNT: tl.constexpr, BLOCK: tl.constexpr,
             SEM_SEND: tl.constexpr = "release", SEM_WAIT: tl.constexpr = "acquire", SCOPE: tl.constexpr = "sys",
             CLOSES: tl.constexpr = True):  # fmt: skip
    pid = tl.program_id(0)
    meet(signals, rank, COUNT, pid, SEM_SEND, SEM_WAIT, SCOPE)
    at = pid * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for other in tl.static_range(COUNT):
        total += tl.load(peer(inputs, other, tl.float32) + at, mask=at < n, other=0)
    tl.store(out + at, total, mask=at < n)
    if CLOSES:
        meet(signals, rank, COUNT, pid, SEM_SEND, SEM_WAIT, SCOPE)


@triton.jit
def fill(inputs, values, rank, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(peer(inputs, rank, tl.float32) + at, tl.load(values + at, mask=at < n), mask=at < n)


@triton.jit
def two_shot(inputs, signals, rank, n, COUNT: tl.constexpr, BLOCK: tl.constexpr, RELEASES: tl.constexpr = True):
    """Each device sums its part of a block and sends the sum to all."""
    pid = tl.program_id(0)
    meet(signals, rank, COUNT, pid, "release", "acquire", "sys")
    at = (pid * COUNT + rank) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for other in tl.static_range(COUNT):
        total += tl.load(peer(inputs, other, tl.float32) + at, mask=at < n, other=0)
    for other in tl.static_range(COUNT):
        tl.store(peer(inputs, other, tl.float32) + at, total, mask=at < n)
    meet(signals, rank, COUNT, pid, "release" if RELEASES else "relaxed", "acquire", "sys")


@triton.jit
def gather_and_multiply(shards, signals, b, c, rank, M, COUNT: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
                        BLOCK: tl.constexpr, SCOPE: tl.constexpr = "sys"):  # fmt: skip
    """Multiplies the rows of all devices. A program sends a block of its own rows to each other device and announces
    it; then it multiplies the blocks with its number as they come."""
    pid = tl.program_id(0)
    rows, k = tl.arange(0, BLOCK), tl.arange(0, K)
    mine = ((rank * M + pid * BLOCK + rows) * K)[:, None] + k[None, :]
    block = tl.load(peer(shards, rank, tl.float32) + mine)
    for step in tl.static_range(1, COUNT):
        other = (rank + step) % COUNT
        tl.store(peer(shards, other, tl.float32) + mine, block)
        tl.atomic_xchg(peer(signals, other, tl.int32) + pid * COUNT + rank, 1, sem="release", scope=SCOPE)
    n = tl.arange(0, N)
    factor = tl.load(b + k[:, None] * N + n[None, :])
    for step in tl.static_range(COUNT):
        other = (rank + step) % COUNT
        if step > 0:
            arrived = peer(signals, rank, tl.int32) + pid * COUNT + other
            while tl.atomic_add(arrived, 0, sem="acquire", scope=SCOPE) == 0:
                pass
        row = other * M + pid * BLOCK + rows
        a = tl.load(peer(shards, rank, tl.float32) + row[:, None] * K + k[None, :])
        tl.store(c + row[:, None] * N + n[None, :], tl.dot(a, factor, input_precision="ieee"))


class Symmetric:
    """Buffers of all devices, and tables of their addresses."""

    def __init__(self, shape, slots=8):
        self.buffers = [np.zeros(shape, np.float32) for _ in range(DEVICES)]
        self.pads = [np.zeros(slots * DEVICES, np.int32) for _ in range(DEVICES)]

    def run(self, function):
        buffers, pads = (np.array([x.ctypes.data for x in list], np.int64) for list in (self.buffers, self.pads))
        with triton.testing.accessible_memory(*self.buffers, *self.pads):
            return triton.testing.simulate_devices(DEVICES, lambda device: function(device, buffers, pads))


SEND = """{
    .reg .u32 %old<1>;
    .reg .pred %p<1>;
    send:
        atom.global.ORDER.sys.cas.b32 %old0, [$1], 0, 1;
        setp.eq.u32 %p0, %old0, 0;
        @!%p0 bra send;
}"""
WAIT = """{
    .reg .u32 %old<1>;
    .reg .pred %p<1>;
    wait:
        atom.global.sys.acquire.cas.b32 %old0, [$1], 1, 0;
        setp.eq.u32 %p0, %old0, 1;
        @!%p0 bra wait;
}"""
SEND_RELEASE, SEND_RELAXED = (tl.constexpr(SEND.replace("ORDER", order)) for order in ("release", "relaxed"))
WAIT_ACQUIRE = tl.constexpr(WAIT)


@triton.jit
def one_shot_by_ptx(inputs, signals, out, rank, n, COUNT: tl.constexpr, BLOCK: tl.constexpr, SEND: tl.constexpr):
    """Each of the first threads exchanges signals with one device, as in PyTorch's kernels."""
    thread = tl.inline_asm_elementwise("mov.u32 $0, %tid.x;", "=r", [], dtype=tl.int32, is_pure=True, pack=1)
    tl.debug_barrier()
    others = tl.arange(0, COUNT)
    send = tl.load(signals + others).to(tl.pointer_type(tl.int32)) + rank
    wait = peer(signals, rank, tl.int32) + others
    if thread < COUNT:
        tl.inline_asm_elementwise(SEND, "=r, l", [send], dtype=tl.int32, is_pure=False, pack=1)
        tl.inline_asm_elementwise(WAIT_ACQUIRE, "=r, l", [wait], dtype=tl.int32, is_pure=False, pack=1)
    tl.debug_barrier()
    at = tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for other in tl.static_range(COUNT):
        total += tl.load(peer(inputs, other, tl.float32) + at, mask=at < n, other=0)
    tl.store(out + at, total, mask=at < n)


N, BLOCK = 500, 128
GRID = (4,)


def all_reduce(**options):
    memory, rng = Symmetric(N), np.random.default_rng(0)
    values = [rng.integers(-9, 9, N).astype(np.float32) for _ in range(DEVICES)]
    outs = [np.full(N, np.nan, np.float32) for _ in range(DEVICES)]

    def program(device, buffers, pads):
        rank = device.index
        for repetition in range(2):
            fill[GRID](buffers, values[rank] + repetition, rank, N, BLOCK=BLOCK)
            one_shot[GRID](buffers, pads, outs[rank], rank, N, COUNT=DEVICES, BLOCK=BLOCK, **options)
        return outs[rank]

    for out in memory.run(program):
        np.testing.assert_array_equal(out, sum(values) + DEVICES)
    assert not any(pad.any() for pad in memory.pads)


def test_one_shot_all_reduce(simulated):
    all_reduce()


@pytest.mark.parametrize(
    "options, words",
    [
        ({"SEM_SEND": "relaxed"}, "without a release and an acquire of scope `sys`"),
        ({"SEM_WAIT": "relaxed"}, "without a release and an acquire of scope `sys`"),
        ({"SCOPE": "gpu"}, "which another device updates too, while the scope of one of the two is its own device"),
        # The next launch fills its input while another device may still read it.
        ({"CLOSES": False}, "without a release and an acquire of scope `sys`"),
    ],
    ids=["release", "acquire", "scope", "end"],
)
def test_one_shot_that_lacks_order(simulated, options, words):
    with pytest.raises(SimulationError, match="of device [01], thread") as error:
        all_reduce(**options)
    assert words in str(error.value)


def test_signals_in_inline_ptx(simulated, device):
    if "cuda" not in device.name:
        pytest.skip("threads do different things, which only NVIDIA's GPUs run")

    def run(send):
        memory, rng = Symmetric(N), np.random.default_rng(3)
        values = [rng.integers(-9, 9, N).astype(np.float32) for _ in range(DEVICES)]

        def program(device, buffers, pads):
            rank, out = device.index, np.full(N, np.nan, np.float32)
            fill[GRID](buffers, values[rank], rank, N, BLOCK=BLOCK)
            one_shot_by_ptx[(1,)](buffers, pads, out, rank, N, COUNT=DEVICES, BLOCK=512, SEND=send.value)
            return out

        for out in memory.run(program):
            np.testing.assert_array_equal(out, sum(values))
        assert not any(pad.any() for pad in memory.pads)

    run(SEND_RELEASE)
    with pytest.raises(SimulationError, match="without a release and an acquire of scope `sys`"):
        run(SEND_RELAXED)


def test_two_shot_all_reduce(simulated):
    n = 4 * DEVICES * BLOCK - 12

    def run(**options):
        memory, rng = Symmetric(n), np.random.default_rng(1)
        for buffer in memory.buffers:
            buffer[:] = rng.integers(-9, 9, n)
        expected = sum(memory.buffers)

        def program(device, buffers, pads):
            two_shot[GRID](buffers, pads, device.index, n, COUNT=DEVICES, BLOCK=BLOCK, **options)
            out = np.empty(n, np.float32)
            copy_out[(triton.cdiv(n, BLOCK),)](buffers, out, device.index, n, BLOCK=BLOCK)
            return out

        for out in memory.run(program):
            np.testing.assert_array_equal(out, expected)

    run()
    with pytest.raises(SimulationError, match="another device accesses"):
        run(RELEASES=False)


@triton.jit
def copy_out(inputs, out, rank, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(peer(inputs, rank, tl.float32) + at, mask=at < n), mask=at < n)


def test_all_gather_and_product(simulated):
    m, n, k, block = 64, 32, 32, 32

    def run(**options):
        memory, rng = Symmetric((DEVICES * m, k)), np.random.default_rng(2)
        a, b = rng.integers(-3, 3, (DEVICES * m, k)).astype(np.float32), rng.integers(-3, 3, (k, n)).astype(np.float32)
        for rank, buffer in enumerate(memory.buffers):
            buffer[rank * m : (rank + 1) * m] = a[rank * m : (rank + 1) * m]

        def program(device, buffers, pads):
            c = np.full((DEVICES * m, n), np.nan, np.float32)
            sizes = {"COUNT": DEVICES, "N": n, "K": k, "BLOCK": block}
            gather_and_multiply[(m // block,)](buffers, pads, b, c, device.index, m, **sizes, **options)
            return c

        for c in memory.run(program):
            np.testing.assert_array_equal(c, a @ b)

    run()
    with pytest.raises(SimulationError, match="its own device"):
        run(SCOPE="gpu")


@triton.jit
def write(x, value):
    tl.store(x, value)


def test_host_barrier_orders_devices(simulated):
    x = np.zeros(1, np.float32)

    def program(device, waits):
        if device.index == 0:
            write[(1,)](x, 5.0)
        if waits:
            device.barrier()
        if device.index == 1:
            write[(1,)](x, 7.0)

    with triton.testing.accessible_memory(x):
        triton.testing.simulate_devices(2, lambda device: program(device, True))
        assert x[0] == 7
        with pytest.raises(SimulationError, match="another device accesses"):
            triton.testing.simulate_devices(2, lambda device: program(device, False))


@triton.jit
def wait_for(flag):
    while tl.atomic_add(flag, 0, sem="acquire", scope="sys") == 0:
        pass


def test_device_that_never_signals(simulated):
    flag = np.zeros(1, np.int32)
    with pytest.raises(SimulationError, match="deadlock in program .0, 0, 0. of device 1"):
        triton.testing.simulate_devices(2, lambda device: device.index == 1 and wait_for[(1,)](flag))


@triton.jit
def write_beyond(x):
    tl.store(x + 1, 1)


@pytest.mark.parametrize("fails, expected", [(write_beyond[(1,)], "out of bounds"), (len, "unsized")])
def test_the_cause_is_raised_and_not_that_others_wait(simulated, fails, expected):
    flag = np.zeros((), np.int32)
    with pytest.raises((SimulationError, TypeError), match=expected):
        triton.testing.simulate_devices(2, lambda device: fails(flag) if device.index else wait_for[(1,)](flag))


def test_errors_of_the_host(simulated):
    def program(device):
        if device.index == 1:
            raise KeyError("here")

    with pytest.raises(KeyError, match="here"):
        triton.testing.simulate_devices(2, program)
    with pytest.raises(ValueError, match="at least one device, not 0"):
        triton.testing.simulate_devices(0, program)
