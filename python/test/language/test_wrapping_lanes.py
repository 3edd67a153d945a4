"""Indices that change from lane to lane: comparisons of them in each direction, and sums that wrap around the end of
their type within a block, whatever operation hides it."""

import numpy as np
import pytest
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


@triton.jit
def halo_kernel(x_ptr, out_ptr):
    lanes = tl.arange(0, 16)
    places = tl.program_id(0) * 16 - 1 + lanes
    tl.store(out_ptr + places + 1, tl.load(x_ptr + places, mask=places.to(tl.uint32, bitcast=True) < 20, other=-7))
    constant = (lanes - 3).to(tl.uint32, bitcast=True) < 5
    tl.store(out_ptr + 32 + lanes, tl.load(x_ptr + lanes, mask=constant, other=-7), mask=tl.program_id(0) == 0)


def test_comparisons_without_signs_exclude_what_is_below_zero(device):
    x, out = np.arange(100, 132, dtype=np.int32), np.zeros(48, np.int32)
    halo_kernel[(2,)](x, out)
    lanes = np.arange(16)
    np.testing.assert_array_equal(out[:32], [-7, *x[:20], *[-7] * 11])
    np.testing.assert_array_equal(out[32:], np.where((lanes >= 3) & (lanes < 8), x[:16], -7))


@triton.jit
def covered_kernel(x_ptr, out_ptr, FORM: tl.constexpr):
    lanes = tl.arange(0, 64)
    x = tl.load(x_ptr)
    if FORM == "shift":
        wide = ((x.to(tl.int32) + lanes) << 1).to(tl.int64)
    elif FORM == "factor of a factor":
        wide = ((lanes * 3 + x.to(tl.int32)) * 2 + x.to(tl.int32)).to(tl.int64)
    elif FORM == "truncation":
        wide = ((x + lanes).to(tl.int32) < 5).to(tl.int64)
    elif FORM == "remainder":
        wide = ((tl.program_id(0) * 64 + lanes) % 128 + x.to(tl.int32) < 5).to(tl.int64)
    elif FORM == "doubling":
        doubled = lanes
        for _ in tl.static_range(27):
            doubled += doubled
        wide = (doubled + x.to(tl.int32)).to(tl.int64)
    else:
        wide = (x.to(tl.int16).to(tl.int32) * 65538 + lanes < 5).to(tl.int64)
    tl.store(out_ptr + lanes, wide)


COVERED = [
    ("shift", 2**30 - 5, lambda x, lanes: (x + lanes) << 1),
    ("factor of a factor", (2**31 - 20) // 3, lambda x, lanes: (lanes * 3 + x) * 2 + x),
    ("truncation", 2**31 - 5, lambda x, lanes: x + lanes < 5),
    ("remainder", 2**31 - 6, lambda x, lanes: lanes + x < 5),
    ("doubling", 3, lambda x, lanes: (lanes << 27) + x),
    ("narrow factor", 2**15 - 1, lambda x, lanes: x * np.int32(65538) + lanes < 5),
]


@pytest.mark.parametrize("form, x, expected", COVERED, ids=[form for form, *_ in COVERED])
def test_sums_wrap_whose_range_another_operation_covers(device, form, x, expected):
    out = np.zeros(64, np.int64)
    covered_kernel[(1,)](np.full(1, x, np.int64), out, FORM=form)
    np.testing.assert_array_equal(out, expected(np.full(64, x, np.int32), np.arange(64, dtype=np.int32)))
