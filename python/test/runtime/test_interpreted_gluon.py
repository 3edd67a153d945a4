"""Kernels in Gluon as Python functions: what the interpreter says of wrong ones, tensor memory, and layouts."""

import numpy as np
import pytest
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language.amd.gfx1250 import async_copy
from triton.experimental.gluon.language.amd.gfx1250 import mbarrier as lds_barrier
from triton.experimental.gluon.language.nvidia.blackwell import (
    TensorMemoryLayout,
    allocate_tensor_memory,
    clc,
    mbarrier,
    tcgen05_commit,
    tcgen05_mma,
)
from triton.experimental.gluon.language.nvidia.hopper import tma
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor
from triton.runtime.errors import InterpreterError
from triton.runtime.interpreter import InterpretedFunction

LAYOUT = ttgl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
OTHER = ttgl.BlockedLayout([1, 2], [4, 8], [4, 1], [1, 0])
SHARED = ttgl.SwizzledSharedLayout(1, 1, 1, [1, 0])


def interpreted(kernel):
    return InterpretedFunction.of(kernel)


@gluon.jit
def _wait(bar, other):
    mbarrier.wait(bar, 0)
    mbarrier.arrive(other)


@gluon.jit
def _fail(x):
    ttgl.store(x + 100, 1.0)


@gluon.jit
def _pass():
    pass


@gluon.jit
def faulty(x, fault: ttgl.constexpr):
    block = ttgl.zeros([32, 32], ttgl.float32, LAYOUT)
    other = ttgl.zeros([32, 32], ttgl.float32, OTHER)
    buffers = ttgl.allocate_shared_memory(ttgl.float32, [2, 32, 32], SHARED)
    bars = mbarrier.allocate_mbarrier(batch=2)
    mbarrier.init(bars.index(0), count=2)
    if fault == 0:
        block += other
    elif fault == 1:
        ttgl.store(x + ttgl.zeros([32, 32], ttgl.int32, LAYOUT), other)
    elif fault == 2:
        buffers.index(ttgl.program_id(0) + 2).store(block)
    elif fault == 3:
        mbarrier.arrive(bars.index(0), count=3)
    elif fault == 4:
        mbarrier.wait(bars.index(1), 0)
    elif fault == 5:
        mbarrier.arrive(bars.index(0))
        mbarrier.wait(bars.index(0), 0)
    elif fault == 6:
        mbarrier.init(bars.index(1), count=1)
        first, second = (bars.index(0), bars.index(1)), (bars.index(1), bars.index(0))
        ttgl.warp_specialize([(_wait, first), (_wait, second)], [1])
    elif fault == 7:
        ttgl.warp_specialize([(_wait, (bars.index(0), bars.index(0))), (_fail, (x,))], [1])
    elif fault == 8:
        buffers.index(0).gather(ttgl.full([32, 32], 32, ttgl.int32, LAYOUT), axis=0)
    elif fault == 9:
        ttgl.warp_specialize([(_pass, ()), (_pass, ())], [1, 1])
    elif fault == 10:
        ttgl.split(ttgl.zeros([32, 2], ttgl.float32, ttgl.BlockedLayout([1, 1], [16, 2], [4, 1], [1, 0])))
    elif fault == 11:
        ttgl.convert_layout(block, OTHER, assert_trivial=True)
    elif fault == 12:
        mbarrier.init(bars.index(1), count=3)
        mbarrier.expect(bars.index(1), 1000000)
        mbarrier.expect(bars.index(1), 1000000)
    elif fault == 13:
        clc.try_cancel(buffers.index(0), bars.index(0))


@pytest.mark.parametrize(
    "fault, line, expected",
    [
        (0, "block += other", "`+` takes blocks of one layout, not BlockedLayout(size_per_thread=(1, 4)"),
        (1, "ttgl.store(x", "`store` takes blocks of one layout"),
        (2, "buffers.index(ttgl", "buffer number 2 of fp32[2, 32, 32] in shared memory does not exist"),
        (3, "mbarrier.arrive(bars.index(0), count=3)", "3 arrive at the barrier where 2 of 2 are missing"),
        (4, "mbarrier.wait(bars.index(1), 0)", "no mbarrier has been initialized here"),
        (5, "mbarrier.wait(bars.index(0), 0)", "waits for 1 of 2 arrivals in a phase of parity 0"),
        (6, "mbarrier.wait(bar, 0)", "deadlock: group 0 waits at a barrier that waits for 2 of 2 arrivals"),
        (7, "ttgl.store(x + 100, 1.0)", "writes 4 bytes at byte 400 of `x`, which has 64 bytes"),
        (8, "buffers.index(0).gather", "an index lies outside of dimension 0"),
        (9, "ttgl.warp_specialize([(_pass", "needs 1 numbers, one for each function but the first, not 2"),
        (10, "ttgl.split", "would move elements between threads"),
        (11, "ttgl.convert_layout", "threads or registers exchange elements"),
        (12, "mbarrier.expect(bars", "2000000 bytes of a phase would be counted, but a barrier counts at most 1048575"),
        (13, "clc.try_cancel", "`ttgl.nvidia.blackwell.clc.try_cancel` cannot be interpreted"),
    ],
)
def test_wrong_kernels(fault, line, expected):
    with pytest.raises(InterpreterError) as caught:
        interpreted(faulty)[(1,)](np.zeros(16, np.float32), fault)
    message = str(caught.value)
    assert expected in message and line in message and "test_interpreted_gluon.py:" in message


@gluon.jit
def copied(desc, dtype: ttgl.constexpr, rows: ttgl.constexpr):
    buffer = ttgl.allocate_shared_memory(dtype, [rows, 64], ttgl.NVMMASharedLayout(128, 16))
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, desc.nbytes_per_cta)
    tma.async_load(desc, [0, 0], bar, buffer)
    ttgl.static_assert(desc.block_shape == [16, 64] and not desc.block_shape != [16, 64])


@pytest.mark.parametrize("dtype, rows", [(ttgl.bfloat16, 16), (ttgl.float16, 32)])
def test_copies_need_a_buffer_of_the_same_blocks(dtype, rows):
    array = np.zeros((64, 64), np.float16)
    desc = TensorDescriptor(array, [64, 64], [64, 1], [16, 64], ttgl.NVMMASharedLayout(128, 16))
    expected = rf"blocks of fp16\[16, 64\], and this buffer is {dtype}\[{rows}, 64\] in shared memory: allocate it"
    with pytest.raises(InterpreterError, match=expected):
        interpreted(copied)[(1,)](desc, dtype, rows)
    interpreted(copied)[(1,)](desc, ttgl.float16, 16)


@gluon.jit
def scattered(x):
    i = ttgl.arange(0, 128, layout=ttgl.BlockedLayout([1], [32], [4], [0]))
    ones = ttgl.full([128], 1, ttgl.int32, i.layout)
    buffer = ttgl.allocate_shared_memory(ttgl.int32, [128], ttgl.SwizzledSharedLayout(1, 1, 1, [0]), i * 0)
    buffer.atomic_scatter_add(ones, i * 2, axis=0, mask=i < 64)
    ttgl.store(x + i, buffer.load(i.layout))


def test_scattered_elements_that_are_masked_lie_anywhere():
    x = np.zeros(128, np.int32)
    interpreted(scattered)[(1,)](x)
    np.testing.assert_array_equal(x, np.arange(128) % 2 == 0)


@gluon.jit
def unwritten(x):
    i = ttgl.arange(0, 128, layout=ttgl.BlockedLayout([1], [32], [4], [0]))
    buffer = ttgl.allocate_shared_memory(ttgl.float32, [128], ttgl.SwizzledSharedLayout(1, 1, 1, [0]))
    if ttgl.program_id(0) == 0:
        buffer.store(i.to(ttgl.float32))
    ttgl.store(x + ttgl.program_id(0) * 128 + i, buffer.load(i.layout))


def test_programs_do_not_see_the_buffers_of_others():
    x = np.zeros((2, 128), np.float32)
    interpreted(unwritten)[(2,)](x)
    np.testing.assert_array_equal(x[0], np.arange(128))
    assert np.isnan(x[1]).all()


@gluon.jit
def product(a, b, c, K: ttgl.constexpr):
    i = ttgl.arange(0, 128, layout=ttgl.SliceLayout(1, LAYOUT))[:, None]
    j = ttgl.arange(0, 64, layout=ttgl.SliceLayout(0, LAYOUT))[None, :]
    k = ttgl.arange(0, K, layout=ttgl.SliceLayout(1, LAYOUT))[:, None]
    shared: ttgl.constexpr = ttgl.NVMMASharedLayout(128, 16)
    right = ttgl.allocate_shared_memory(ttgl.float16, [K, 64], shared, ttgl.load(b + k * 64 + j))
    acc = allocate_tensor_memory(ttgl.float32, [128, 64], TensorMemoryLayout([128, 64], col_stride=1))
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    left = allocate_tensor_memory(ttgl.float16, [2, 128, K], TensorMemoryLayout([128, K], col_stride=1))
    inner = ttgl.arange(0, K, layout=ttgl.SliceLayout(0, LAYOUT))[None, :]
    for step in range(2):
        left.index(step).store(ttgl.load(a + step * 128 * K + i * K + inner))
        tcgen05_mma(left.index(step), right, acc, use_acc=step > 0)
        tcgen05_commit(bar)
        mbarrier.wait(bar, step)
    ttgl.store(c + i * 64 + j, ttgl.convert_layout(acc.load(acc.get_reg_layout()), LAYOUT))
    # The halves of a row of results as so many numbers of half the width.
    halves = acc.reinterpret(ttgl.float16, [128, 64], TensorMemoryLayout([128, 64], col_stride=1))
    halves.store(ttgl.zeros([128, 64], ttgl.float16, LAYOUT))
    half = ttgl.arange(0, 32, layout=ttgl.SliceLayout(0, LAYOUT))[None, :]
    left_half, right_half = acc.slice(0, 32).load(), acc.slice(32, 32).load()
    ttgl.store(c + 128 * 64 + i * 64 + half, ttgl.convert_layout(left_half, LAYOUT))
    ttgl.store(c + 128 * 64 + 32 + i * 64 + half, ttgl.convert_layout(right_half, LAYOUT))


def test_tensor_memory():
    generator = np.random.default_rng(0)
    a, b = (generator.integers(-3, 4, shape).astype(np.float16) for shape in ((2, 128, 64), (64, 64)))
    c = np.zeros((2, 128, 64), np.float32)
    interpreted(product)[(1,)](a, b, c, 64)
    sums = (a[0] + a[1]).astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_array_equal(c[0], sums)
    np.testing.assert_array_equal(c[1], np.where(np.arange(64) < 32, 0, sums))


@gluon.jit
def laid_out(x):
    rows: ttgl.constexpr = ttgl.BlockedLayout([1, 2], [4, 8], [4, 1], [1, 0])
    i = ttgl.arange(0, 32, layout=ttgl.SliceLayout(1, rows))
    j = ttgl.arange(0, 64, layout=ttgl.SliceLayout(0, rows))
    block = i[:, None] * 64 + ttgl.expand_dims(j, 0)
    ttgl.static_assert(block.layout == rows and block.type.layout == rows)
    ttgl.static_assert(isinstance(block.type, ttgl.distributed_type))
    ttgl.static_assert(block.type == ttgl.distributed_type(ttgl.int32, [32, 64], rows))
    ttgl.static_assert(ttgl.sum(block, 1).layout == ttgl.SliceLayout(1, rows))
    ttgl.static_assert(ttgl.sum(axis=1, input=block).layout == ttgl.SliceLayout(1, rows))
    ttgl.static_assert(ttgl.expand_dims(axis=0, input=j).layout == rows)
    ttgl.static_assert(block.T.layout == ttgl.BlockedLayout([2, 1], [8, 4], [1, 4], [0, 1]))
    ttgl.static_assert(ttgl.max(block, 0, keep_dims=True).layout == rows)
    flat = block.reshape([2048])
    ttgl.static_assert(ttgl.to_linear_layout(flat.layout, [2048]) == flat.layout)
    first, second = ttgl.split(ttgl.join(block, block + 1))
    ttgl.static_assert(ttgl.to_linear_layout(rows, [32, 64]) == first.layout)
    names_none = ttgl.arange(0, 64)
    ttgl.static_assert(names_none.layout == ttgl.AutoLayout())
    ttgl.static_assert((names_none + j).layout == j.layout)
    ttgl.store(x + block, ttgl.convert_layout(first + second, rows, assert_trivial=True))


def test_layouts_follow_as_in_compiled_kernels(host_device):
    x = np.zeros((32, 64), np.int32)
    interpreted(laid_out)[(1,)](x)
    np.testing.assert_array_equal(x, 2 * np.arange(2048).reshape(32, 64) + 1)
    if host_device.name == "sim:cuda:90":
        laid_out.warmup(x, grid=(1,))  # which makes the same statements of layouts


@gluon.jit
def arrivals_of_threads(phases, N: ttgl.constexpr):
    bar = ttgl.allocate_shared_memory(ttgl.int64, [1], lds_barrier.MBarrierLayout())
    lds_barrier.init(bar, 384)
    for step in range(N):
        before = lds_barrier.arrive(bar, count=2)
        async_copy.mbarrier_arrive(bar)
        lds_barrier.wait(bar, before)
        ttgl.store(phases + step, before)
    lds_barrier.arrive(bar, count=4)


def test_barriers_of_gfx1250():
    phases = np.full(3, -1, np.int32)
    with pytest.raises(InterpreterError, match="512 arrive at the barrier where 384 of 384 are missing in this phase"):
        interpreted(arrivals_of_threads)[(1,)](phases, 3)
    assert phases.tolist() == [0, 1, 0]
