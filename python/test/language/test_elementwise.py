"""Operators, casts and simple functions on every element type."""

from fractions import Fraction

import numpy as np
import pytest
import triton
import triton.language as tl
import values
from values import (
    ALL,
    FLOATS,
    INTEGERS,
    NUMBERS,
    SIGNED,
    UNSIGNED,
    argument,
    assert_ulp,
    is_float,
    is_refused,
    poisoned,
    promote,
    random_values,
    read,
    store_as,
    tl_dtype,
)

N = 100  # no multiple of any vector length


@triton.jit
def apply(x, y, OP: tl.constexpr):
    if OP == "+":
        result = x + y
    elif OP == "-":
        result = x - y
    elif OP == "*":
        result = x * y
    elif OP == "/":
        result = x / y
    elif OP == "//":
        result = x // y
    elif OP == "%":
        result = x % y
    elif OP == "&":
        result = x & y
    elif OP == "|":
        result = x | y
    elif OP == "^":
        result = x ^ y
    elif OP == "<<":
        result = x << y
    elif OP == ">>":
        result = x >> y
    elif OP == "==":
        result = x == y
    elif OP == "!=":
        result = x != y
    elif OP == "<":
        result = x < y
    elif OP == "<=":
        result = x <= y
    elif OP == ">":
        result = x > y
    elif OP == ">=":
        result = x >= y
    elif OP == "minimum":
        result = tl.minimum(x, y)
    elif OP == "maximum":
        result = tl.maximum(x, y)
    return result


@triton.jit
def binary_kernel(x_ptr, y_ptr, out_ptr, n, OPS: tl.constexpr, RESULT: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask, other=1)
    y = tl.load(y_ptr + i, mask=mask, other=1)
    for k in tl.static_range(len(OPS)):
        result = apply(x, y, OPS[k])
        tl.static_assert(result.dtype == RESULT)
        tl.store(out_ptr + k * n + i, result, mask=mask)


def run_binaries(device, ops, x, x_dtype, y, y_dtype, result_dtype):
    """The results of operators whose results have one type: one kernel computes all, which costs a compilation."""
    out = device.put(poisoned((len(ops), *x.shape), result_dtype))
    binary_kernel[(1,)](
        argument(device.put(x), x_dtype),
        argument(device.put(y), y_dtype),
        argument(out, result_dtype),
        x.size,
        OPS=tuple(ops),
        RESULT=tl_dtype(result_dtype),
        BLOCK=128,
    )
    return dict(zip(ops, read(device.get(out), result_dtype), strict=True))


def run_binary(device, op, x, x_dtype, y, y_dtype, result_dtype):
    return run_binaries(device, [op], x, x_dtype, y, y_dtype, result_dtype)[op]


def wrap(integers, dtype):
    """Python integers reduced to the width of `dtype`."""
    return (
        np.array([int(v) & (2 ** values.bits(dtype) - 1) for v in integers], np.uint64)
        .astype(f"uint{values.bits(dtype)}")
        .view(dtype)
    )


def as_promoted(array, dtype, result):
    """What an operand is after conversion to the promoted type: exact floats, or integers as Python objects."""
    exact = read(array, dtype)
    if is_float(result):
        return read(store_as(exact.astype(np.float64) if is_float(dtype) or dtype == "int1" else exact, result), result)
    if result == "int1":
        return exact.astype(object)
    return exact.astype(result).astype(object)


@pytest.mark.parametrize("y_dtype", NUMBERS)
@pytest.mark.parametrize("x_dtype", NUMBERS)
def test_arithmetic(device, rng, x_dtype, y_dtype):
    x, y = random_values(rng, N, x_dtype), random_values(rng, N, y_dtype)
    result = promote(x_dtype, y_dtype)
    a, b = as_promoted(x, x_dtype, result), as_promoted(y, y_dtype, result)
    expected = {"+": a + b, "-": a - b, "*": a * b}
    for op, actual in run_binaries(device, expected, x, x_dtype, y, y_dtype, result).items():
        if is_float(result):
            assert_ulp(actual, overflowing(expected[op], result), result, 0.51)
        else:
            np.testing.assert_array_equal(actual, wrap(expected[op], result), err_msg=op)


def overflowing(exact, dtype):
    """The exact values, but infinities where `dtype` has nothing near."""
    rounded = read(store_as(exact, dtype), dtype)
    return np.where(np.isinf(rounded), rounded, exact)


def divisible(x_dtype, y_dtype):
    """Division of signed by unsigned integers is refused."""
    return is_float(x_dtype) or is_float(y_dtype) or (x_dtype in SIGNED) == (y_dtype in SIGNED)


@pytest.mark.parametrize("x_dtype,y_dtype", [(x, y) for x in NUMBERS for y in NUMBERS if divisible(x, y)])
def test_true_division(device, rng, x_dtype, y_dtype):
    x, y = random_values(rng, N, x_dtype), random_values(rng, N, y_dtype)
    y[y == 0] = 1
    result = promote(x_dtype, y_dtype, is_division=True)
    if not is_float(result):
        result = "float32"
    actual = run_binary(device, "/", x, x_dtype, y, y_dtype, result)
    a, b = (as_promoted(x, x_dtype, result), as_promoted(y, y_dtype, result))
    assert_ulp(actual, a / b, result, 2)


@pytest.mark.parametrize("x_dtype,y_dtype", [(x, y) for x in INTEGERS for y in INTEGERS if divisible(x, y)])
def test_integer_division(device, rng, x_dtype, y_dtype):
    x = random_values(rng, N, x_dtype)
    y = random_values(rng, N, y_dtype)
    y[::3] = rng.integers(1, 10, y[::3].size)
    y[y == 0] = 3
    if y_dtype in SIGNED:
        y[y == -1] = 5  # the quotient of the smallest number and -1 overflows
    result = promote(x_dtype, y_dtype)
    quotient = [abs(int(a)) // abs(int(b)) * (1 if (a < 0) == (b < 0) else -1) for a, b in zip(x, y, strict=True)]
    expected = {"//": quotient, "%": [int(a) - q * int(b) for a, b, q in zip(x, y, quotient, strict=True)]}
    for op, actual in run_binaries(device, expected, x, x_dtype, y, y_dtype, result).items():
        np.testing.assert_array_equal(actual, wrap(expected[op], result), err_msg=op)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_float_remainder_has_sign_of_dividend(device, rng, dtype):
    x, y = random_values(rng, N, dtype, -1000, 1000), random_values(rng, N, dtype)
    y[y == 0] = 1
    actual = run_binary(device, "%", x, dtype, y, dtype, dtype)
    np.testing.assert_array_equal(actual, np.fmod(x.astype(np.float64), y.astype(np.float64)))


@pytest.mark.parametrize("y_dtype", ["int1"] + INTEGERS)
@pytest.mark.parametrize("x_dtype", ["int1"] + INTEGERS)
def test_bitwise(device, rng, x_dtype, y_dtype):
    x, y = random_values(rng, N, x_dtype), random_values(rng, N, y_dtype)
    result = promote(x_dtype, y_dtype)
    storage = values.storage_dtype(result)
    functions = {"&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor}
    for op, actual in run_binaries(device, functions, x, x_dtype, y, y_dtype, result).items():
        expected = functions[op](x.astype(storage), y.astype(storage))
        np.testing.assert_array_equal(actual, expected, err_msg=op)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("op", ["<<", ">>"])
def test_shift(device, rng, op, dtype):
    x = random_values(rng, N, dtype)
    amount = rng.integers(0, values.bits(dtype), N).astype(dtype)
    actual = run_binary(device, op, x, dtype, amount, dtype, dtype)
    pairs = zip(x, amount, strict=True)
    expected = [int(a) << int(s) if op == "<<" else int(a) >> int(s) for a, s in pairs]
    np.testing.assert_array_equal(actual, wrap(expected, dtype))


COMPARISONS = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


@pytest.mark.parametrize("y_dtype", NUMBERS)
@pytest.mark.parametrize("x_dtype", NUMBERS)
def test_comparison(device, rng, x_dtype, y_dtype):
    x, y = random_values(rng, N, x_dtype), random_values(rng, N, y_dtype)
    x[:30] = rng.integers(0, 3, 30) if not is_float(x_dtype) else store_as(rng.integers(0, 3, 30), x_dtype)
    y[:30] = rng.integers(0, 3, 30) if not is_float(y_dtype) else store_as(rng.integers(0, 3, 30), y_dtype)
    common = promote(x_dtype, y_dtype)
    a, b = as_promoted(x, x_dtype, common), as_promoted(y, y_dtype, common)
    for op, actual in run_binaries(device, COMPARISONS, x, x_dtype, y, y_dtype, "int1").items():
        np.testing.assert_array_equal(actual, COMPARISONS[op](a, b).astype(bool), err_msg=op)


@pytest.mark.parametrize("dtype", FLOATS)
def test_comparison_with_nan(device, dtype):
    x = store_as(np.array([np.nan, 1.0, np.nan]), dtype)
    y = store_as(np.array([1.0, np.nan, np.nan]), dtype)
    for op in COMPARISONS:
        np.testing.assert_array_equal(run_binary(device, op, x, dtype, y, dtype, "int1"), [op == "!="] * 3, err_msg=op)


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("op", ["minimum", "maximum"])
def test_minimum_maximum(device, rng, op, dtype):
    x, y = random_values(rng, N, dtype), random_values(rng, N, dtype)
    if is_float(dtype):
        nan = store_as(np.array(np.nan), dtype)
        x[0], y[1], x[2], y[2] = nan, nan, nan, nan
    actual = run_binary(device, op, x, dtype, y, dtype, dtype)
    function = {"minimum": np.fmin, "maximum": np.fmax}[op]
    np.testing.assert_array_equal(actual, function(read(x, dtype), read(y, dtype)))


@triton.jit
def unary_kernel(x_ptr, out_ptr, n, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    if OP == "neg":
        result = -x
    elif OP == "invert":
        result = ~x
    elif OP == "abs":
        result = tl.abs(x)
    elif OP == "not":
        result = not x
    tl.static_assert(result.dtype == x.dtype)
    tl.store(out_ptr + i, result, mask=i < n)


def run_unary(device, op, x, dtype):
    out = device.put(poisoned(x.shape, dtype))
    unary_kernel[(1,)](argument(device.put(x), dtype), argument(out, dtype), x.size, OP=op, BLOCK=128)
    return read(device.get(out), dtype)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_negation(device, rng, dtype):
    x = random_values(rng, N, dtype)
    expected = -read(x, dtype) if is_float(dtype) else wrap([-int(v) for v in x], dtype)
    np.testing.assert_array_equal(run_unary(device, "neg", x, dtype), expected)


@pytest.mark.parametrize("dtype", ["int1"] + INTEGERS)
def test_inversion(device, rng, dtype):
    x = random_values(rng, N, dtype)
    np.testing.assert_array_equal(run_unary(device, "invert", x, dtype), ~x)


def test_logical_not(device, rng):
    x = random_values(rng, N, "int1")
    np.testing.assert_array_equal(run_unary(device, "not", x, "int1"), ~x)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_abs(device, rng, dtype):
    x = random_values(rng, N, dtype)
    expected = np.abs(read(x, dtype)) if is_float(dtype) else wrap([abs(int(v)) for v in x], dtype)
    np.testing.assert_array_equal(run_unary(device, "abs", x, dtype), expected)


@triton.jit
def number_kernel(x_ptr, out_ptr, NUMBER: tl.constexpr, OP: tl.constexpr, RESULT: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    if OP == "+":
        result = x + NUMBER
    elif OP == "r-":
        result = NUMBER - x
    elif OP == "*":
        result = x * NUMBER
    elif OP == "/":
        result = x / NUMBER
    tl.static_assert(result.dtype == RESULT)
    tl.store(out_ptr + i, result)


@pytest.mark.parametrize(
    "dtype,number,op,result",
    [
        ("int8", 3, "+", "int8"),
        ("uint8", 3, "*", "uint8"),
        ("int16", -5, "+", "int16"),
        ("int64", 7, "r-", "int64"),
        ("int8", 1.0, "+", "float32"),
        ("int64", 0.5, "*", "float32"),
        ("int8", 1e-300, "*", "float64"),
        ("float16", 2, "*", "float16"),
        ("float16", 0.5, "+", "float16"),
        ("bfloat16", 3, "+", "bfloat16"),
        ("float16", 2.0, "/", "float32"),
        ("bfloat16", 3, "/", "float32"),
        ("float32", 1e-3, "*", "float32"),
        ("float64", 0.1, "+", "float64"),
        ("int1", 1, "+", "int32"),
        ("int32", 4, "/", "float32"),
    ],
)
def test_number_operand(device, rng, dtype, number, op, result):
    x = random_values(rng, 64, dtype, None if dtype == "int1" else 0, 100)
    out = device.put(poisoned(64, result))
    number_kernel[(1,)](
        argument(device.put(x), dtype), argument(out, result), NUMBER=number, OP=op, RESULT=tl_dtype(result), BLOCK=64
    )
    a = as_promoted(x, dtype, result)
    b = as_promoted(np.array([number]), "float64" if isinstance(number, float) else "int64", result)[0]
    expected = {"+": lambda: a + b, "r-": lambda: b - a, "*": lambda: a * b, "/": lambda: a / b}[op]()
    actual = read(device.get(out), result)
    if is_float(result):
        assert_ulp(actual, expected, result, 2 if op == "/" else 0.5)
    else:
        np.testing.assert_array_equal(actual, wrap(expected, result))


@triton.jit
def cast_kernel(
    x_ptr, out_ptr, n, TYPE: tl.constexpr, ROUNDING: tl.constexpr, BITCAST: tl.constexpr, BLOCK: tl.constexpr
):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    result = x.to(TYPE, fp_downcast_rounding=ROUNDING, bitcast=BITCAST)
    tl.static_assert(result.dtype == TYPE)
    tl.store(out_ptr + i, result, mask=i < n)


def run_cast(device, x, source, target, rounding=None, bitcast=False):
    out = device.put(poisoned(x.shape, target))
    cast_kernel[(1,)](
        argument(device.put(x), source),
        argument(out, target),
        x.size,
        TYPE=tl_dtype(target),
        ROUNDING=rounding,
        BITCAST=bitcast,
        BLOCK=triton.next_power_of_2(x.size),
    )
    return device.get(out)


@pytest.mark.parametrize("target", ALL)
@pytest.mark.parametrize("source", ALL)
def test_cast(device, rng, source, target):
    x = random_values(rng, N, source)
    if is_float(source) and not is_float(target):
        limit = 120 if values.bits(target) == 8 else 30000
        x = random_values(rng, N, source, 0 if target in UNSIGNED or target == "int1" else -limit, limit)
    exact = read(x, source)
    actual = run_cast(device, x, source, target)
    if target == "int1":
        np.testing.assert_array_equal(actual, exact != 0)
    elif is_float(target) and is_float(source):
        np.testing.assert_array_equal(actual, store_as(exact, target))
    elif is_float(target):  # 64-bit integers may round twice
        assert_ulp(read(actual, target), overflowing(exact.astype(np.float64), target), target, 0.51)
    elif is_float(source):
        np.testing.assert_array_equal(actual, np.trunc(exact).astype(target))
    else:
        np.testing.assert_array_equal(actual, exact.astype(target))


SPECIAL = [
    0.0,
    -0.0,
    np.inf,
    -np.inf,
    np.nan,
    1.0,
    65504.0,
    65520.0,
    70000.0,
    6e-8,
    2.9e-8,
    3.3e38,
    3.39e38,
    -1e-40,
    1e-39,
    1.00390625,
    1.01171875,
]


@pytest.mark.parametrize("target", ["float16", "bfloat16"])
def test_cast_of_special_values(device, target):
    x = np.array(SPECIAL, np.float32)
    actual = read(run_cast(device, x, "float32", target), target)
    expected = read(store_as(x.astype(np.float64), target), target)
    np.testing.assert_array_equal(actual, expected)
    np.testing.assert_array_equal(np.signbit(actual)[:4], [False, True, False, True])


@triton.jit
def through_half_kernel(x_ptr, out_ptr, BITS: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i) << BITS
    tl.store(out_ptr + i, x.to(tl.float32).to(tl.float16).to(tl.float32))
    tl.store(out_ptr + N + i, x.to(tl.float16).to(tl.float32))


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64"])
@pytest.mark.parametrize("bits", [6, 10, 24])
def test_integers_of_few_bits_that_half_does_not_have(device, rng, dtype, bits):
    """LLVM takes those that have as many significant bits as half for exact, however large they are."""
    x = rng.integers(0 if dtype == "uint32" else -(1 << 7), 1 << 7, 64).astype(dtype)
    out = device.put(poisoned((2, 64), "float32"))
    through_half_kernel[(1,)](device.put(x), out, BITS=bits, N=64)
    with np.errstate(over="ignore"):
        expected = (x << np.array(bits, dtype)).astype(np.float64).astype(np.float16).astype(np.float32)
    np.testing.assert_array_equal(device.get(out), [expected, expected])


FLOAT8 = ["float8e5", "float8e4nv", "float8e5b16", "float8e4b8", "float8e4b15"]


@pytest.mark.parametrize("target", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("source", [*FLOAT8, "float16", "bfloat16"])
def test_widening_cast_of_every_bit_pattern(device, source, target):
    if values.bits(source) == values.bits(target):
        return
    x = np.arange(1 << values.bits(source), dtype=f"uint{values.bits(source)}")
    if source == "float16":
        x = x.view(np.float16)
    if is_refused(device, source, lambda: run_cast(device, x, source, target)):
        return
    np.testing.assert_array_equal(read(run_cast(device, x, source, target), target), read(x, source))


@pytest.mark.parametrize("target", ["float16", "bfloat16"])
@pytest.mark.parametrize("source", ["int8", "uint8"])
@pytest.mark.parametrize("repeats", [1, 4])
def test_cast_of_every_byte(device, source, target, repeats):
    """GPUs convert neighbours together, whose bytes are loaded in one word or not."""
    x = np.tile(np.arange(256, dtype=np.uint8).view(source), repeats)
    np.testing.assert_array_equal(read(run_cast(device, x, source, target), target), x)


@pytest.mark.parametrize("source", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("target", FLOAT8)
def test_cast_to_8_bit_float(device, rng, source, target):
    largest = np.nanmax(np.where(np.isinf(values.table(target)), np.nan, values.table(target)))
    x = np.concatenate([rng.uniform(-largest, largest, 400), rng.uniform(-0.05, 0.05, 112)]).astype(np.float32)
    x[:256] = np.nan_to_num(values.table(target), nan=0.0, posinf=0.0, neginf=0.0)
    x = store_as(x.astype(np.float64), source)
    if is_refused(device, target, lambda: run_cast(device, x, source, target)):
        return
    # Through float32, as everywhere in the language.
    expected = store_as(read(x, source).astype(np.float32).astype(np.float64), target)
    np.testing.assert_array_equal(read(run_cast(device, x, source, target), target), read(expected, target))


@pytest.mark.parametrize("source", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("target", FLOAT8)
def test_cast_to_8_bit_float_at_boundaries(device, source, target):
    """Halves between neighbours and what lies beside them, numbers beyond the largest one, infinities and NaN."""
    known = values.table(target)
    known = np.unique(known[np.isfinite(known)])
    largest, beyond = known[-1], 2 * known[-1] - known[-2]
    halves = np.append((known[1:] + known[:-1]) / 2, [(largest + beyond) / 2, beyond, 2 * largest, -beyond])
    halves = halves.astype(np.float32)
    beside = [np.nextafter(halves, np.float32(direction)) for direction in (-np.inf, np.inf)]
    special = np.array([0.0, -0.0, np.inf, -np.inf, 65504.0, -65504.0, 1e-30, -1e-30], np.float32)
    x = store_as(np.concatenate([halves, *beside, special]).astype(np.float64), source)
    if target != "float8e4b15":  # which has no NaN
        x = np.append(x, store_as(np.array([np.nan, -np.nan]), source))
    if is_refused(device, target, lambda: run_cast(device, x, source, target)):
        return
    exact = read(x, source)
    rounded = store_as(np.nan_to_num(np.clip(exact, -largest, largest)), target)
    expected = np.where(np.isnan(exact), np.nan, read(rounded, target))
    if target == "float8e5" and not device.saturates(target):
        expected = np.where(np.abs(exact) >= (largest + beyond) / 2, np.copysign(np.inf, exact), expected)
    np.testing.assert_array_equal(read(run_cast(device, x, source, target), target), expected)


@pytest.mark.parametrize("source", ["float32", "float64"])
@pytest.mark.parametrize("target", ["float16", "bfloat16", "float32", "float8e5"])
def test_cast_rounding_toward_zero(device, rng, source, target):
    if source == target:
        return
    x = rng.uniform(-100, 100, N).astype(source)
    x[:8] = [0.0, -0.0, np.inf, -np.inf, 1e-9, -1e-9, 60000.0, -60000.0]
    actual = read(run_cast(device, x, source, target, rounding="rtz"), target)
    if target == "float32":
        nearest = x.astype(np.float32)
        expected = np.where(np.abs(nearest) > np.abs(x), np.nextafter(nearest, np.float32(0)), nearest)
    else:
        known = np.arange(1 << values.bits(target), dtype=f"uint{values.bits(target)}")
        known = np.unique(read(known.view(np.float16) if target == "float16" else known, target))
        known = known[known >= 0]  # NaN is not
        expected = np.copysign(known[np.searchsorted(known, np.abs(x), "right") - 1], x)
    np.testing.assert_array_equal(actual, expected.astype(np.float64))


@pytest.mark.parametrize(
    "source,target",
    [
        ("float32", "int32"),
        ("uint32", "float32"),
        ("float64", "uint64"),
        ("float16", "int16"),
        ("bfloat16", "uint16"),
        ("int8", "uint8"),
    ],
)
def test_bitcast(device, rng, source, target):
    x = random_values(rng, N, source)
    np.testing.assert_array_equal(
        run_cast(device, x, source, target, bitcast=True), x.view(values.storage_dtype(target))
    )


@triton.jit
def where_kernel(c_ptr, x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.where(tl.load(c_ptr + i), tl.load(x_ptr + i), tl.load(y_ptr + i)))


@pytest.mark.parametrize("dtype", ALL)
def test_where(device, rng, dtype):
    condition = random_values(rng, 64, "int1")
    x, y = random_values(rng, 64, dtype), random_values(rng, 64, dtype)
    out = device.put(poisoned(64, dtype))
    where_kernel[(1,)](*(device.put(condition), argument(x, dtype), argument(y, dtype), argument(out, dtype)), BLOCK=64)
    np.testing.assert_array_equal(device.get(out), np.where(condition, x, y))


@triton.jit
def clamp_fma_kernel(x_ptr, y_ptr, z_ptr, clamped_ptr, fused_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x, y, z = tl.load(x_ptr + i), tl.load(y_ptr + i), tl.load(z_ptr + i)
    tl.store(clamped_ptr + i, tl.clamp(x, -1.0, 2.0))
    tl.store(fused_ptr + i, tl.fma(x, y, z))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_clamp_and_fma(device, rng, dtype):
    x, y, z = (random_values(rng, 64, dtype) for _ in range(3))
    clamped, fused = device.put(poisoned(64, dtype)), device.put(poisoned(64, dtype))
    clamp_fma_kernel[(1,)](x, y, z, clamped, fused, BLOCK=64)
    np.testing.assert_array_equal(device.get(clamped), np.clip(x, -1, 2))
    triples = zip(x.tolist(), y.tolist(), z.tolist(), strict=True)
    exact = [float(Fraction(a) * Fraction(b) + Fraction(c)) for a, b, c in triples]
    assert_ulp(device.get(fused), exact, dtype, 0.51)


@triton.jit
def propagation_kernel(x_ptr, y_ptr, low_ptr, high_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.store(low_ptr + i, tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL))
    tl.store(high_ptr + i, tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL))


def test_nan_propagation(device):
    x = np.array([np.nan, 1, np.nan, 2], np.float32)
    y = np.array([1, np.nan, np.nan, 3], np.float32)
    low, high = poisoned(4, "float32"), np.zeros(4, np.float32)
    propagation_kernel[(1,)](x, y, low, high, BLOCK=4)
    np.testing.assert_array_equal(low, np.minimum(x, y))
    np.testing.assert_array_equal(high, np.maximum(x, y))


@triton.jit
def method_kernel(x_ptr, y_ptr, out_ptr):
    i = tl.arange(0, 16)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.store(out_ptr + i, x.__lshift__(4).to(tl.int8).__rshift__(4).__add__(y))
    tl.store(out_ptr + 16 + i, x.__rsub__(100).__mul__(2).__neg__())
    tl.store(out_ptr + 32 + i, x.__lt__(y).__invert__().__and__(y.__ne__(0)))


def test_operators_as_methods(device, rng):
    x, y = rng.integers(-100, 100, (2, 16), np.int32)
    out = device.put(poisoned((3, 16), "int32"))
    method_kernel[(1,)](device.put(x), device.put(y), out)
    low = (x << 4).astype(np.int8) >> 4
    np.testing.assert_array_equal(device.get(out), [low + y, -((100 - x) * 2), ~(x < y) & (y != 0)])
