"""Loops that load through one argument and store through another: what a launch does when the two overlap."""

import pickle

import numpy as np
import pytest
import triton
import triton.language as tl


@triton.jit
def next_rows(x_ptr, out_ptr, rows, stride, WIDTH: tl.constexpr):
    """Row i + 1 of the result is row i of x plus 1, loaded some iterations ahead where that cannot matter."""
    columns = tl.arange(0, WIDTH)
    for row in tl.range(0, rows, num_stages=4):
        value = tl.load(x_ptr + row * stride + columns)
        tl.store(out_ptr + (row + 1) * stride + columns, value + 1)


@triton.jit
def once(x_ptr, out_ptr, WIDTH: tl.constexpr):
    columns = tl.arange(0, WIDTH)
    tl.store(out_ptr + columns, tl.load(x_ptr + columns) + 1)


WIDTH, ROWS = 64, 9


def fresh_rows():
    array = np.zeros((ROWS + 1, WIDTH), np.float32)
    array[0] = 5
    return array


def is_chain(array):
    return (array == 5 + np.arange(ROWS + 1)[:, None]).all()


def pairs_of(kernel):
    return getattr(kernel.metadata, "disjoint_pairs", [])


def launch_apart():
    x = np.repeat(np.arange(ROWS + 1, dtype=np.float32)[:, None], WIDTH, axis=1)
    out = np.zeros_like(x)
    kernel = next_rows[(1,)](x, out, ROWS, WIDTH, WIDTH)
    assert (out[1:] == x[:-1] + 1).all()
    return kernel


def test_arrays_apart_and_the_same(host_device):
    apart = launch_apart()
    assert pairs_of(apart) == ([[1, 0]] if host_device.is_simulated else [])
    # The same array, two views of one storage, and again arrays that are apart.
    for view in (lambda array: array, lambda array: array[:], lambda array: array.reshape(-1)):
        array = fresh_rows()
        kernel = next_rows[(1,)](array, view(array), ROWS, WIDTH, WIDTH)
        assert is_chain(array)
        assert pairs_of(kernel) == []
        assert (kernel is apart) == (not host_device.is_simulated)
        assert launch_apart() is apart


def test_views_of_one_storage_that_do_not_meet(host_device):
    """The storages are compared, because a kernel may leave its views."""
    both = np.zeros((2, ROWS + 1, WIDTH), np.float32)
    both[0] = np.arange(ROWS + 1)[:, None]
    kernel = next_rows[(1,)](both[0], both[1], ROWS, WIDTH, WIDTH)
    assert (both[1, 1:] == both[0, :-1] + 1).all() and pairs_of(kernel) == []


def test_only_loops_make_it_matter(host_device):
    array = np.zeros(WIDTH, np.float32)
    apart = once[(1,)](array, np.zeros_like(array), WIDTH)
    assert pairs_of(apart) == [] and once[(1,)](array, array, WIDTH) is apart


@pytest.mark.parametrize("sends", [False, True])
def test_a_compiled_kernel_chooses_another(host_device, sends):
    """Launched by itself and in the form of generated host code, also after a way through another process."""
    kernel = launch_apart()
    if sends:
        kernel = pickle.loads(pickle.dumps(kernel))
    array = fresh_rows()
    kernel[(1,)](array, array, ROWS, WIDTH)
    assert is_chain(array)
    array, entered = fresh_rows(), []
    kernel.run(1, 1, 1, None, None, None, None, entered.append, None, array, array, ROWS, WIDTH)
    assert is_chain(array) and len(entered) == 1


def test_warm_ups_suppose_arrays_apart(host_device):
    kernel = next_rows.warmup(np.float32, np.float32, ROWS, WIDTH, WIDTH, grid=(1,))
    assert pairs_of(kernel) == ([[1, 0]] if host_device.is_simulated else [])
    array = fresh_rows()
    next_rows[(1,)](array, array, ROWS, WIDTH, WIDTH)
    assert is_chain(array)


def test_sources_state_their_storages():
    """`triton.compile` knows no arrays: without attributes nothing is supposed."""
    target = triton.backends.compiler.GPUTarget("cuda", 90, 32)
    signature = {"x_ptr": "*fp32", "out_ptr": "*fp32", "rows": "i32", "stride": "i32"}
    stated = {(0,): [["tt.storage", 0]], (1,): [["tt.storage", 1]]}
    for attributes, expected in ((None, []), (stated, [[1, 0]])):
        source = triton.compiler.ASTSource(next_rows, signature, {"WIDTH": WIDTH}, attributes)
        assert pairs_of(triton.compile(source, target=target)) == expected
