"""Indices that change from lane to lane: comparisons of them, in each direction, and sums that wrap around the end of
their type within a block. test_pitfalls.py has those of what data says, one lane after another."""

import numpy as np
import triton
import triton.language as tl


@triton.jit
def compared_kernel(bound, out_ptr):
    lanes = tl.arange(0, 16)
    tl.store(out_ptr + lanes, lanes < bound)
    tl.store(out_ptr + 16 + lanes, lanes <= bound)
    tl.store(out_ptr + 32 + lanes, lanes > bound)
    tl.store(out_ptr + 48 + lanes, lanes >= bound)
    tl.store(out_ptr + 64 + lanes, tl.full([16], 1, tl.int32) * bound > lanes)
    tl.store(out_ptr + 80 + lanes, tl.full([16], 1, tl.int32) * bound <= lanes)


def test_lanes_compare_in_each_direction(device):
    out = np.zeros((6, 16), np.int8)
    compared_kernel[(1,)](5, out)
    lanes = np.arange(16)
    expected = [lanes < 5, lanes <= 5, lanes > 5, lanes >= 5, lanes < 5, lanes >= 5]
    np.testing.assert_array_equal(out, expected)


@triton.jit
def row_and_column_kernel(start_ptr, out_ptr):
    lanes = tl.arange(0, 16)
    columns = tl.load(start_ptr) + lanes
    tl.store(out_ptr + lanes[:, None] * 16 + lanes[None, :], lanes[:, None] >= columns[None, :])


def test_columns_wrap_that_are_compared_with_rows(device):
    out = np.zeros((16, 16), np.int8)
    start = np.full(1, 2**31 - 6, np.int32)
    row_and_column_kernel[(1,)](start, out)
    lanes = np.arange(16, dtype=np.int32)
    np.testing.assert_array_equal(out, lanes[:, None] >= (start + lanes)[None, :])
