"""What the simulator says of mistakes that need more than the arrays' bounds: where a pointer came from, which elements
a view has, what wrapped, what was assumed, which stores collide, and what a division by zero decides."""

import numpy as np
import pytest
import triton
import triton.language as tl
from triton import _C
from triton.backends.amd.driver import SimulatedHIPDriver
from triton.backends.nvidia.driver import SimulatedDriver
from triton.runtime.driver import driver
from triton.runtime.errors import SimulationError


@pytest.fixture(params=["cuda:90", "hip:gfx942"], autouse=True)
def simulated(request):
    driver.set_active(SimulatedDriver(90) if request.param == "cuda:90" else SimulatedHIPDriver("gfx942"))
    yield request.param
    driver.set_active_to_cpu()


def finding_of(launch):
    """The first line of the first finding, without its place."""
    with pytest.raises(SimulationError) as caught:
        launch()
    return caught.value.findings[0].splitlines()[0].partition("error: ")[2]


@triton.jit
def double_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) * 2, mask=i < n)


def test_an_overrun_into_another_argument():
    both = np.ones(2024, np.float32)
    x, out = Part(both[:1000]), Part(both[1000:])
    text = finding_of(lambda: double_kernel[(4,)](x, out, 1000, BLOCK=256))
    assert "access out of bounds in program (3, 0, 0)" in text
    assert "at byte 4000 of `x`, which has 4000 bytes; the address lies in `out`" in text


class Part:
    """An array whose memory ends where it ends, although it is a part of another one."""

    def __init__(self, array):
        self.array, self.__array_interface__ = array, array.__array_interface__


@triton.jit
def before_kernel(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i - BLOCK))


def test_the_last_addresses_are_in_no_array():
    text = finding_of(lambda: before_kernel[(1,)](Nowhere(), np.zeros(64, np.float32), BLOCK=64))
    assert " bytes at byte -256 of `x`, which has 0 bytes" in text


class Nowhere:
    """An array without elements, as PyTorch's say that they are at address 0."""

    __array_interface__ = {"data": (0, False), "shape": (0,), "typestr": "<f4", "version": 3}  # noqa: RUF012


@triton.jit
def copy_pairs_kernel(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    copies: tl.constexpr = """{ .reg .b32 a, b; ld.global.b32 a, [$2]; ld.global.b32 b, [$3];
    st.global.b32 [$4], a; st.global.b32 [$5], b; mov.b32 $0, 0; mov.b32 $1, 0; }"""
    tl.inline_asm_elementwise(copies, "=r,=r,l,l,l,l", [x + i, out + i], dtype=tl.int32, is_pure=False, pack=2)


def test_an_overrun_of_several_elements_in_inline_assembly():
    both = np.ones(3048, np.int32)
    short, long = Part(both[:1000]), Part(both[1000:])
    text = finding_of(lambda: copy_pairs_kernel[(4,)](short, long, BLOCK=256))
    assert "of `x`, which has 4000 bytes; the address lies in `out`" in text
    text = finding_of(lambda: copy_pairs_kernel[(4,)](long, short, BLOCK=256))
    assert "of `out`, which has 4000 bytes; the address lies in `x`" in text


@triton.jit
def sum_rows_kernel(x, out, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    tl.store(out + row, tl.sum(tl.load(x + row * stride + tl.arange(0, BLOCK))))


def test_elements_beyond_a_row_of_a_view():
    x, out = np.ones((8, 128), np.float32)[2:, :100], np.zeros(5, np.float32)
    sum_rows_kernel[(5,)](x, out, 128, BLOCK=128)  # a kernel may access the whole memory, unless an audit forbids it
    _C.check_views(True)
    try:
        text = finding_of(lambda: sum_rows_kernel[(5,)](x, out, 128, BLOCK=128))
        assert "access out of bounds in program (0, 0, 0)" in text
        assert "element (0, 100) of `x`, a view of (6, 100) elements" in text
        sum_rows_kernel[(5,)](x, out, 128, BLOCK=64)
        sum_rows_kernel[(5,)](np.ones((8, 128), np.float32).T[:64].T, out, 128, BLOCK=64)
    finally:
        _C.check_views(False)


@triton.jit
def far_rows_kernel(x, out, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    tl.store(out + row * BLOCK + i, tl.load(x + row * stride + i))


def test_an_offset_that_wraps():
    x, out = np.ones(4096, np.float32), np.zeros(512, np.float32)
    with pytest.raises(SimulationError) as caught:
        far_rows_kernel[(3,)](x, out, 1 << 30, BLOCK=128)
    far, wrapped = (text.splitlines()[0] for text in caught.value.findings)
    assert "access out of bounds in program (1, 0, 0)" in far and "byte 4294967296 of `x`, which has 16384" in far
    line = far_rows_kernel._first_line + len(far_rows_kernel.raw_src) - 1
    assert "int32 offset that wraps in program (2, 0, 0)" in wrapped
    assert f"2 * 1073741824 is 2147483648 in line {line}, which 32 bits do not hold" in wrapped


@triton.jit
def assumed_kernel(x, out, n, m, BLOCK: tl.constexpr):
    tl.assume(n < m)
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) + n, mask=i < m)


def test_an_assumption_that_does_not_hold():
    x, out = np.ones(64, np.float32), np.zeros(64, np.float32)
    assumed_kernel[(1,)](x, out, 3, 5, BLOCK=64)
    assert "assumption that does not hold" in finding_of(lambda: assumed_kernel[(1,)](x, out, 5, 3, BLOCK=64))


@triton.jit
def pairs_kernel(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i // 2, tl.load(x + i))


def test_lanes_that_store_different_values_to_one_place():
    out = np.zeros(16, np.int32)
    pairs_kernel[(1,)](np.arange(32, dtype=np.int32) // 2, out, BLOCK=32, num_warps=1)
    text = finding_of(lambda: pairs_kernel[(1,)](np.arange(32, dtype=np.int32), out, BLOCK=32, num_warps=1))
    assert "different values stored to one place in program (0, 0, 0), thread 0" in text
    assert "write of 0x00000000 to byte 0 of `out`, to which another thread of the warp writes 0x00000001" in text


@triton.jit
def quotients_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) // tl.load(y + i, mask=i < n, other=0), mask=i < n)


def test_a_division_by_zero_that_decides_results():
    x, y, out = np.full(64, 6, np.int32), np.full(64, 3, np.int32), np.zeros(64, np.int32)
    quotients_kernel[(1,)](x, y, out, 50, BLOCK=64)  # what is divided by zero is dropped
    y[5] = 0
    text = finding_of(lambda: quotients_kernel[(1,)](x, y, out, 50, BLOCK=64))
    assert "integer division by zero in program (0, 0, 0), thread 5" in text
    assert out[4] == 2 and out[5] == -1


@triton.jit
def total_kernel(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    before = tl.load(out)
    tl.store(out, before + tl.sum(tl.load(x + i)))


def test_the_other_side_of_a_race():
    text = finding_of(lambda: total_kernel[(8,)](np.ones(1024, np.float32), np.zeros(1, np.float32), BLOCK=128))
    assert "race on global memory in program (1, 0, 0)" in text
    line = total_kernel._first_line + next(i for i, text in enumerate(total_kernel.raw_src) if "tl.store" in text)
    assert f"thread 0 of program (0, 0, 0) writes it in line {line}" in text


@triton.jit
def atomic_total_kernel(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out, tl.sum(tl.load(x + i)))


def test_results_that_depend_on_the_order_of_programs(rng):
    x, out = rng.random(16 * 128, dtype=np.float32), np.zeros(1, np.float32)
    launch = lambda values: atomic_total_kernel[(16,)](values, out, BLOCK=128)
    launch(x)
    _C.set_program_orders(4)
    try:
        out[:] = 0
        text = finding_of(lambda: launch(x))
        assert "results that depend on the order of programs in program (15, 0, 0)" in text
        assert "of `out` is another one" in text
        assert abs(out[0] - x.sum()) < 1e-2  # the arrays are as the first run has left them
        launch(np.ones(16 * 128, np.float32))
    finally:
        _C.set_program_orders(1)


@triton.jit
def waiting_kernel(x, times, arrived):
    i = tl.program_id(0)
    tl.atomic_add(arrived, tl.load(x))
    while tl.atomic_add(arrived, 0) < 4:
        pass
    tl.store(times + i, tl.extra.cuda.globaltimer())


def test_times_in_other_orders_and_read_only_arrays(simulated, tmp_path):
    """How long programs wait depends on their order. An input is not written when the programs run again."""
    np.ones(1, np.int32).tofile(tmp_path / "x")
    x = np.memmap(tmp_path / "x", np.int32, "r")
    times, arrived = np.zeros(4, np.int64), np.zeros(1, np.int32)
    _C.set_program_orders(2)
    try:
        waiting_kernel[(4,)](x, times, arrived)
    finally:
        _C.set_program_orders(1)
    assert arrived[0] == 4 and (times > 0).all()


@triton.jit
def copy_kernel(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i))


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_reads_of_the_word_for_unwritten_memory(dtype, rng):
    word = np.array([0x12345678], np.uint32).view(np.uint8)
    x, out = np.full(4096, 0x55, np.uint8), np.zeros(4096, np.uint8)
    count = len(x) // np.dtype(dtype).itemsize

    def reads():
        copy_kernel[(1,)](x.view(dtype), out.view(dtype), BLOCK=count)
        return _C.take_unwritten_reads()

    _C.watch_unwritten(0x12345678)
    try:
        assert not reads()
        for place in rng.choice(len(x) // 4, 5, replace=False) * 4:
            x[place : place + 4] = word
            (text, *_) = reads()
            at = int(text.partition("at byte ")[2].split()[0])
            assert at <= place < at + int(text.partition("read of ")[2].split()[0]), text
            x[place : place + 4] = 0x55
    finally:
        _C.watch_unwritten(0)
        _C.take_unwritten_reads()


@triton.jit
def polling_kernel(status, out):
    i = tl.program_id(0)
    tl.store(status + i, 1)
    if i > 0:
        value = tl.load(status + i - 1, volatile=True)
        while value == 0:
            value = tl.load(status + i - 1, volatile=True)  # which is one instruction with the one before
        tl.store(out + i, value)


def test_an_access_that_was_made_of_several_has_a_place():
    with pytest.raises(SimulationError) as caught:
        polling_kernel[(3,)](np.zeros(3, np.int32), np.zeros(3, np.int32))
    first = polling_kernel._first_line
    for text in caught.value.findings:
        line = int(text.split(":")[1])
        assert first < line < first + len(polling_kernel.raw_src), text


@triton.jit
def product_kernel(x, out):
    value, is_done = tl.load(x + tl.program_id(0)), False
    while not is_done:
        old = tl.load(out)  # BUG: an ordinary access
        is_done = tl.atomic_cas(out, old, old * value) == old


def test_the_other_side_of_a_race_with_atomic_operations():
    with pytest.raises(SimulationError) as caught:
        product_kernel[(4,)](np.full(4, 3, np.int32), np.ones(1, np.int32))
    ordinary = product_kernel._first_line + len(product_kernel.raw_src) - 2
    for text in caught.value.findings:
        assert f":{ordinary}:" in text or f"it in line {ordinary}" in text, text
