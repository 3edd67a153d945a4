"""`@triton.jit(invariant=True)`: bits of results depend neither on values and addresses nor on what is compiled."""

import pickle

import numpy as np
import pytest
import triton
import triton.language as tl
from triton import knobs, monitor
from triton.runtime.interpreter import InterpretedFunction


def mean_rows(x, out, rows, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x + row * stride * n + i * stride, mask=i < n, other=0.0)
    tl.store(out + row, tl.sum(total) / n, mask=row < rows)


usual, invariant = triton.jit(mean_rows), triton.jit(invariant=True)(mean_rows)


@triton.jit(invariant=True)
def needs_one(x, stride):
    tl.static_assert(stride == 1)
    tl.store(x, stride)


def at_offset(values, count):
    """The values at an address that is so many elements behind a multiple of 64."""
    memory = np.zeros(values.size + 64, values.dtype)
    begin = -(memory.ctypes.data // values.itemsize) % (64 // values.itemsize) + count
    memory[begin : begin + values.size] = values
    return memory[begin : begin + values.size]


def launched(kernel, values, offset, stride=1):
    """The results for a copy of the values at such an address, of which every ``stride``th counts."""
    data, out = at_offset(np.repeat(values, stride), offset), at_offset(np.zeros(3, np.float32), offset)
    kernel[(3,)](data, out, 3, stride, values.size // 3, BLOCK=128)
    return out.tobytes()


def hashes(kernel):
    return {compiled.hash for compiled in kernel.device_caches[0][0].values()}


@pytest.mark.parametrize("count", [3 * 512, 3 * 1001])
def test_one_variant_runs_for_all_values_and_addresses(count):
    values = np.random.default_rng(0).standard_normal(count).astype(np.float32)
    before = monitor.snapshot()
    results = {launched(invariant, values, offset, stride) for offset in (0, 1, 4) for stride in (1, 2, 16)}
    assert len(results) == 1 and len(hashes(invariant)) == 1
    assert (monitor.snapshot() - before).memory_misses <= 1
    for offset in (0, 1):
        launched(usual, values, offset)
    assert len(hashes(usual)) > 1, "values and addresses select variants of other kernels"


def test_arrays_that_overlap_have_the_same_variant():
    values = np.random.default_rng(1).standard_normal(64).astype(np.float32)
    apart, known = values.copy(), hashes(invariant)
    invariant[(1,)](values.copy(), apart, 1, 1, 64, BLOCK=128)
    invariant[(1,)](values, values, 1, 1, 64, BLOCK=128)
    assert values.tobytes() == apart.tobytes()
    assert len(hashes(invariant)) == 1 and (not known or hashes(invariant) == known)


@triton.jit
def scale_of_tuple(arrays, sizes, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK) * sizes[1][0]
    mask = i < sizes[0]
    tl.store(arrays[1] + i, tl.load(arrays[0] + i, mask=mask) * sizes[1][0], mask=mask)


def test_elements_of_tuples():
    """Select no variant, while `do_not_specialize` does not say so of them, as in Triton."""
    values = np.random.default_rng(3).standard_normal(64).astype(np.float32)
    kernels = triton.jit(scale_of_tuple.fn, invariant=True), triton.jit(scale_of_tuple.fn, do_not_specialize=["sizes"])
    for kernel, number in zip(kernels, (1, 4), strict=True):
        for offset in (0, 1):
            for size, stride in ((64, 1), (63, 2)):
                data, out = at_offset(values, offset), at_offset(np.zeros(64, np.float32), offset)
                kernel[(1,)]((data, out), (size, (stride,)), BLOCK=64)
                wanted = np.arange(64) < size if stride == 1 else np.arange(64) % 2 == 0
                np.testing.assert_array_equal(out, np.where(wanted, values * stride, 0))
        assert len(hashes(kernel)) == number
    assert len(kernels[0].classes(("*fp32", "*fp32"), ("1..64", ("1..2",)), BLOCK=64)) == 1


def test_the_interpreter_sees_no_ones():
    """Which are constants otherwise."""
    for invariant in (False, True):
        kernel = InterpretedFunction(needs_a_constant, invariant=invariant)
        assert kernel.invariant == invariant
        for arguments in ((1, (3,)), (3, (1,))):
            seen = np.zeros(2, np.int32)
            kernel[(1,)](seen, *arguments)
            expected = [value != 1 or invariant for value in (arguments[0], arguments[1][0])]
            np.testing.assert_array_equal(seen, expected)


def needs_a_constant(seen, number, numbers):
    tl.store(seen, int(isinstance(number, tl.tensor)))
    tl.store(seen + 1, int(isinstance(numbers[0], tl.tensor)))


def test_a_fallback_runs_on_the_same_variant():
    values = np.random.default_rng(2).standard_normal(3 * 640).astype(np.float32)
    expected = launched(invariant, values, 0)
    kernel = triton.jit(invariant=True)(mean_rows)
    before = monitor.snapshot()
    with knobs.runtime.scope():
        knobs.runtime.fallback = "generic"
        assert {launched(kernel, values, offset, stride) for offset in (0, 3) for stride in (1, 3)} == {expected}
    happened = monitor.snapshot() - before
    assert happened.fallbacks == 0 and happened.memory_misses == 1
    assert hashes(kernel) == hashes(invariant)


def test_classes_and_freezing():
    """One class for all values, after which nothing is refused because of one."""
    kernel = triton.jit(invariant=True)(mean_rows)
    classes = kernel.classes("*fp32", "*fp32", rows="1..100", stride="1..64", n="1..4096", BLOCK=128)
    assert len(classes) == 1
    classes.compile()
    with triton.freeze():
        launched(kernel, np.ones(3 * 16, np.float32), 0)
        launched(kernel, np.ones(3 * 7, np.float32), 1, stride=5)
        with pytest.raises(triton.FrozenError):
            kernel[(1,)](np.zeros(64), np.zeros(1), 1, 1, 64, BLOCK=128)


def test_where_it_cannot_be_had():
    configurations = [triton.Config({"BLOCK": block}) for block in (64, 128)]
    with pytest.raises(ValueError, match="`mean_rows` is `invariant`, and triton.autotune has 2 configurations"):
        triton.autotune(configurations, key=["n"])(invariant)
    assert triton.autotune(configurations[:1], key=["n"])(invariant).invariant
    with pytest.raises(triton.CompilationError):
        needs_one[(1,)](np.zeros(1, np.int32), 1)


def test_copies_of_a_kernel_are_invariant_too():
    assert pickle.loads(pickle.dumps(invariant)).invariant and not usual.invariant
