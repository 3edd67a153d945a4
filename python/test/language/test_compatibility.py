"""Small things that public kernels do."""

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def power_kernel(x_ptr, n_ptr, out_ptr, EXPONENT: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    if EXPONENT is None:
        tl.store(out_ptr + i, libdevice.pow(x, tl.load(n_ptr + i)))
    else:
        tl.store(out_ptr + i, libdevice.pow(x, EXPONENT))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("exponent", [None, 0, 1, 2, 3, 4, 5, -1, -2, 7])
def test_powers_with_integer_exponents(device, rng, exponent, dtype):
    x = (rng.standard_normal(64) * 3).astype(dtype)
    n = rng.integers(-6, 7, 64).astype(np.int32)
    # Odd exponents that a float cannot tell from even ones, and the ends of the range.
    x[:6], n[:6] = [-1, -1, -1, 1, -0.0, 0], [2**24 + 1, 2**31 - 1, -(2**31), -5, 3, 0]
    if exponent is not None and exponent < 0:
        x[4:6] = 1
    out = np.full(64, np.nan, dtype)
    power_kernel[(1,)](x, n, out, EXPONENT=exponent, BLOCK=64)
    expected = np.power(x.astype(np.float64), n if exponent is None else exponent)
    np.testing.assert_allclose(device.get(out), expected, rtol=2e-6 if dtype == "float32" else 1e-14)
    np.testing.assert_array_equal(np.signbit(device.get(out)), np.signbit(expected))


@triton.jit
def round_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, libdevice.round(tl.load(x_ptr + i)))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_round_takes_halves_away_from_zero(device, rng, dtype):
    special = [0.5, -0.5, 1.5, 2.5, -2.5, 0.0, -0.0, np.inf, -np.inf, np.nan, 2.0**23 + 1, -(2.0**52) - 1, 1e30]
    x = (rng.standard_normal(64) * 10).astype(dtype)
    x[: len(special)] = special
    x[20:22] = np.nextafter(np.array([0.5, -0.5], dtype), np.array(0, dtype))
    out = np.full(64, 77, dtype)
    round_kernel[(1,)](x, out, BLOCK=64)
    whole, finite = np.trunc(x), np.where(np.isfinite(x), x, 0)
    expected = np.copysign(np.where(np.abs(finite - np.trunc(finite)) >= 0.5, whole + np.sign(x), whole), x)
    np.testing.assert_array_equal(device.get(out), expected)
    numbers = ~np.isnan(x)
    np.testing.assert_array_equal(np.signbit(device.get(out))[numbers], np.signbit(expected)[numbers])


@tl.constexpr
def half(n):
    return n.value // 2


@triton.constexpr_function
def third(n):
    return n // 3


@tl.constexpr_function
def quarter(n):
    return n // 4


@triton.jit
def constant_kernel(out_ptr, N: tl.constexpr):
    i = tl.arange(0, half(N))
    tl.store(out_ptr + i, i + third(N) * quarter(N))


@tl.constexpr
def sum_type(of: tl.dtype) -> tl.dtype:
    return tl.float32 if of.is_fp16() or of == tl.float8e5 else of


@tl.constexpr
def same_type(constant):
    assert isinstance(constant.value, tl.dtype)
    return constant


@triton.jit
def sum_kernel(x_ptr, out_ptr, TYPE: tl.constexpr):
    WIDE: tl.constexpr = sum_type(x_ptr.type.element_ty)
    tl.static_assert(WIDE == TYPE and sum_type(TYPE) == same_type(TYPE))
    tl.store(out_ptr, tl.sum(tl.load(x_ptr + tl.arange(0, 16)).to(WIDE)))


@pytest.mark.parametrize("dtype", [np.float16, np.int32])
def test_types_reach_functions_that_constexpr_decorates(device, dtype):
    out = np.full(1, -1, np.float32)
    sum_kernel[(1,)](np.full(16, 513, dtype), out, TYPE=tl.float32 if dtype == np.float16 else tl.int32)
    assert device.get(out) == 16 * 513


def test_functions_that_constexpr_decorates(device):
    out = np.full(16, -1, np.int32)
    constant_kernel[(1,)](out, N=16)
    np.testing.assert_array_equal(device.get(out), [*(np.arange(8) + 20), *([-1] * 8)])


@triton.jit
def dtype_kernel(x_ptr, out_ptr, rest, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    same = tl.load(x_ptr + i).to(tl.float32, fp_downcast_rounding="rtz")
    bound = tl.constexpr(rest)
    tl.store(
        out_ptr + i, same.to(tl.dtype("uint32")) + tl.zeros([BLOCK], tl.dtype("fp32")).to(tl.uint32), mask=i < bound
    )


def test_dtypes_by_name_and_conversions_that_change_nothing(device):
    x = np.arange(16, dtype=np.float32)
    out = np.full(16, 99, np.uint32)
    dtype_kernel[(1,)](x, out, 10, BLOCK=16)
    np.testing.assert_array_equal(device.get(out), [*range(10), *([99] * 6)])


@triton.jit
def index_kernel(out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    column, row, cell = n[:, None], n[None, :], n[None, None]
    tl.static_assert(len(column.shape) == 1 and len(row.shape) == 1 and len(cell.shape) == 2)
    tl.store(out_ptr + i[:, None] * BLOCK + i[None, :], i[:, None] * column + i[None, :] * row + cell)


def test_scalars_take_new_dimensions(device):
    out = np.full((8, 8), -1, np.int32)
    index_kernel[(1,)](out, 3, BLOCK=8)
    np.testing.assert_array_equal(device.get(out), np.add.outer(np.arange(8), np.arange(8)) * 3 + 3)


@triton.jit
def unpack_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    (largest,) = tl.max(tl.load(x_ptr + tl.arange(0, BLOCK)), 0, return_indices=True)
    tl.store(out_ptr, largest)


def test_the_last_values_of_a_tuple_may_be_dropped(device, rng, capfd):
    x = rng.standard_normal(64).astype(np.float32)
    out = np.full(1, np.nan, np.float32)
    unpack_kernel[(1,)](x, out, BLOCK=64)
    assert device.get(out)[0] == x.max()
    assert "2 values are unpacked into 1 names" in capfd.readouterr().err


@triton.jit
def pointers_kernel(x_ptr, y_ptr, none_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    j = tl.arange(0, 2 * BLOCK)
    tl.store(out_ptr + j, tl.load(tl.cat(x_ptr + i, y_ptr + i)))
    if x_ptr and y_ptr:
        tl.store(out_ptr + 2 * BLOCK, 1.0)
    if not x_ptr or not y_ptr:
        tl.store(out_ptr + 2 * BLOCK + 1, 1.0)
    if none_ptr is not None and none_ptr:
        tl.store(out_ptr + 2 * BLOCK + 2, 1.0)


def test_pointers_are_joined_and_have_a_truth_value(device, rng):
    x, y = rng.standard_normal((2, 16)).astype(np.float32)
    out = np.zeros(35, np.float32)
    pointers_kernel[(1,)](x, y, None, out, BLOCK=16)
    np.testing.assert_array_equal(device.get(out), [*x, *y, 1, 0, 0])


@triton.jit
def flip_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + i, tl.flip(tl.load(x_ptr + i)))


def test_flip_reverses_the_last_dimension(device, rng):
    x = rng.standard_normal((4, 16)).astype(np.float32)
    out = np.full_like(x, np.nan)
    flip_kernel[(1,)](x, out, M=4, N=16)
    np.testing.assert_array_equal(device.get(out), x[:, ::-1])


@triton.jit
def filter_kernel(out_ptr, n):
    numbers = (1, 2, 3, 5, 8)
    kept = [number * n for number in numbers if number > 2]
    for i in tl.static_range(len(kept)):
        tl.store(out_ptr + i, kept[i])


def test_a_comprehension_filters_a_tuple_that_was_assigned(device):
    out = np.full(4, -1, np.int32)
    filter_kernel[(1,)](out, 7)
    np.testing.assert_array_equal(device.get(out), [21, 35, 56, -1])
