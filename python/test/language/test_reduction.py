"""Reductions and scans: every axis, type and shape, against exact sums."""

import functools

import numpy as np
import pytest
import triton
import triton.language as tl
from values import FLOATS, INTEGERS, NUMBERS, SIGNED, argument, bits, is_float, poisoned, random_values, read, tl_dtype


@triton.jit
def combined(x, OP: tl.constexpr, AXIS: tl.constexpr, KEEP: tl.constexpr):
    if OP == "sum":
        result = tl.sum(x, axis=AXIS, keep_dims=KEEP)
    elif OP == "max":
        result = tl.max(x, axis=AXIS, keep_dims=KEEP)
    elif OP == "min":
        result = tl.min(x, axis=AXIS, keep_dims=KEEP)
    elif OP == "argmax":
        result = tl.argmax(x, axis=AXIS, keep_dims=KEEP)
    elif OP == "argmin":
        result = tl.argmin(x, axis=AXIS, keep_dims=KEEP)
    elif OP == "xor_sum":
        result = tl.xor_sum(x, axis=AXIS, keep_dims=KEEP)
    return result


@triton.jit
def reduce_kernel(
    x_ptr,
    out_ptr,
    R: tl.constexpr,
    C: tl.constexpr,
    OPS: tl.constexpr,
    AXIS: tl.constexpr,
    KEEP: tl.constexpr,
    RESULT: tl.constexpr,
):
    r, c = tl.arange(0, R), tl.arange(0, C)
    x = tl.load(x_ptr + r[:, None] * C + c[None, :])
    for k in tl.static_range(len(OPS)):
        y = combined(x, OPS[k], AXIS, KEEP)
        tl.static_assert(y.dtype == RESULT)
        if AXIS is None:
            tl.store(out_ptr + k, y)
        elif KEEP:
            if AXIS == 0:
                tl.store(out_ptr + k * C + c[None, :], y)
            else:
                tl.store(out_ptr + k * R + r[:, None], y)
        elif AXIS == 0:
            tl.store(out_ptr + k * C + c, y)
        else:
            tl.store(out_ptr + k * R + r, y)


def result_dtype(op, dtype):
    if op.startswith("arg"):
        return "int32"
    if is_float(dtype):
        return "float32" if op in ("max", "min") and bits(dtype) < 32 else dtype
    if bits(dtype) >= 32:
        return dtype
    return "int32" if op in ("max", "min") or dtype in SIGNED else "uint32"


def run_all(device, ops, x, dtype, axis, keep=False):
    """The results of operations whose results have one type: one kernel computes all, which costs a compilation."""
    result = result_dtype(ops[0], dtype)
    out = poisoned((len(ops), 1 if axis is None else x.shape[1 - axis]), result)
    reduce_kernel[(1,)](
        argument(x, dtype),
        argument(out, result),
        R=x.shape[0],
        C=x.shape[1],
        OPS=ops,
        AXIS=axis,
        KEEP=keep,
        RESULT=tl_dtype(result),
    )
    return dict(zip(ops, read(out, result), strict=True))


def run(device, op, x, dtype, axis, keep=False):
    return run_all(device, (op,), x, dtype, axis, keep)[op]


SHAPES = [(1, 128), (16, 1), (4, 8), (8, 64), (64, 32), (2, 512)]


@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", NUMBERS)
def test_sum(device, rng, dtype, shape, axis):
    x = random_values(rng, shape, dtype)
    actual = run(device, "sum", x, dtype, axis)
    if is_float(dtype):
        exact = read(x, dtype)
        tolerance = {"float16": 2**-8, "bfloat16": 2**-5, "float32": 2**-20, "float64": 2**-48}[dtype]
        bound = tolerance * np.abs(exact).sum(axis=axis) + 1e-300
        assert np.all(np.abs(actual - exact.sum(axis=axis)) <= bound)
    else:
        expected = x.astype(result_dtype("sum", dtype)).sum(axis=axis, dtype=result_dtype("sum", dtype))
        np.testing.assert_array_equal(actual, np.atleast_1d(expected))


@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", NUMBERS)
def test_extremes(device, rng, dtype, shape, axis):
    x = random_values(rng, shape, dtype)
    exact = read(x, dtype)
    for op, actual in run_all(device, ("max", "min"), x, dtype, axis).items():
        expected = getattr(exact, op)(axis=axis)
        if not is_float(dtype):
            expected = np.asarray(expected).astype(result_dtype(op, dtype))
        np.testing.assert_array_equal(actual, np.atleast_1d(expected), err_msg=op)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["int8", "int32", "uint32", "int64", "float16", "bfloat16", "float32", "float64"])
def test_positions_of_extremes(device, rng, dtype, shape, axis):
    # few different values, so that ties occur: the lowest index wins
    x = random_values(rng, shape, dtype)
    x.ravel()[...] = rng.choice(x.ravel()[:5], x.size)
    exact = read(x, dtype)
    for op, actual in run_all(device, ("argmax", "argmin"), x, dtype, axis).items():
        np.testing.assert_array_equal(actual, np.atleast_1d(getattr(exact, op)(axis=axis)), err_msg=op)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("op", ["sum", "max"])
def test_kept_dimension(device, rng, op, axis):
    x = rng.integers(-100, 100, (8, 16)).astype(np.float32)
    np.testing.assert_array_equal(run(device, op, x, "float32", axis, keep=True), getattr(x, op)(axis=axis))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_xor_sum(device, rng, dtype):
    x = random_values(rng, (8, 32), dtype)
    out = poisoned(8, dtype)
    reduce_kernel[(1,)](x, out, R=8, C=32, OPS=("xor_sum",), AXIS=1, KEEP=False, RESULT=tl_dtype(dtype))
    np.testing.assert_array_equal(out, np.bitwise_xor.reduce(x, axis=1))


def test_nan_is_ignored_by_max_and_min(device):
    x = np.array([[1, np.nan, 3, 2], [np.nan, np.nan, np.nan, np.nan]], np.float32)
    np.testing.assert_array_equal(run(device, "max", x, "float32", 1), [3, np.nan])
    np.testing.assert_array_equal(run(device, "min", x, "float32", 1), [1, np.nan])


@triton.jit
def with_indices_kernel(x_ptr, value_ptr, index_ptr, R: tl.constexpr, C: tl.constexpr):
    r, c = tl.arange(0, R), tl.arange(0, C)
    value, index = tl.max(tl.load(x_ptr + r[:, None] * C + c[None, :]), axis=1, return_indices=True)
    tl.store(value_ptr + r, value)
    tl.store(index_ptr + r, index)


def test_max_with_indices(device, rng):
    x = rng.random((8, 64), dtype=np.float32)
    value, index = poisoned(8, "float32"), poisoned(8, "int32")
    with_indices_kernel[(1,)](x, value, index, R=8, C=64)
    np.testing.assert_array_equal(value, x.max(axis=1))
    np.testing.assert_array_equal(index, x.argmax(axis=1))


@triton.jit
def absolute_larger(a, b):
    return tl.where(tl.abs(a) > tl.abs(b), a, b)


@triton.jit
def mean_combine(mean_a, m2_a, weight_a, mean_b, m2_b, weight_b):
    delta = mean_b - mean_a
    weight = weight_a + weight_b
    ratio = weight_b / weight
    return mean_a + delta * ratio, m2_a + m2_b + delta * delta * weight_a * ratio, weight


@triton.jit
def user_reduction_kernel(x_ptr, out_ptr, mean_ptr, variance_ptr, R: tl.constexpr, C: tl.constexpr):
    r, c = tl.arange(0, R), tl.arange(0, C)
    x = tl.load(x_ptr + r[:, None] * C + c[None, :])
    tl.store(out_ptr + r, tl.reduce(x, 1, absolute_larger))
    mean, m2, weight = tl.reduce((x, tl.zeros_like(x), tl.full((R, C), 1.0, tl.float32)), 1, mean_combine)
    tl.store(mean_ptr + r, mean)
    tl.store(variance_ptr + r, m2 / weight)


@pytest.mark.parametrize("shape", [(4, 16), (2, 256), (16, 4)])
def test_user_functions(device, rng, shape):
    x = rng.normal(3, 2, shape).astype(np.float32)
    out, mean, variance = (poisoned(shape[0], "float32") for _ in range(3))
    user_reduction_kernel[(1,)](x, out, mean, variance, R=shape[0], C=shape[1])
    np.testing.assert_array_equal(out, x[np.arange(shape[0]), np.abs(x).argmax(axis=1)])
    np.testing.assert_allclose(mean, x.mean(axis=1, dtype=np.float64), rtol=1e-5)
    np.testing.assert_allclose(variance, x.var(axis=1, dtype=np.float64), rtol=1e-4)


@triton.jit
def three_dimensions_kernel(x_ptr, out_ptr, AXIS: tl.constexpr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, A * B * C)).reshape(A, B, C)
    y = tl.sum(x, axis=AXIS)
    tl.store(out_ptr + tl.arange(0, y.numel), tl.reshape(y, (y.numel,)))


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_three_dimensions(device, rng, axis):
    x = rng.integers(-50, 50, (4, 8, 16)).astype(np.float32)
    expected = x.sum(axis=axis)
    out = poisoned(expected.size, "float32")
    three_dimensions_kernel[(1,)](x, out, AXIS=axis, A=4, B=8, C=16)
    np.testing.assert_array_equal(out, expected.ravel())


@triton.jit
def carried_kernel(
    x_ptr, start_ptr, factor_ptr, out_ptr, N, R: tl.constexpr, C: tl.constexpr, OP: tl.constexpr, AXIS: tl.constexpr
):
    r, c = tl.arange(0, R), tl.arange(0, C)
    k = c if AXIS == 0 else r
    value = tl.load(start_ptr + k)
    for i in range(N):
        x = tl.load(x_ptr + i * R * C + r[:, None] * C + c[None, :])
        if OP == "scaled sum":
            value = value * tl.load(factor_ptr + i) + tl.sum(x, axis=AXIS)
        elif OP == "sum":
            value += tl.sum(x, axis=AXIS)
        elif OP == "max":
            value = tl.maximum(value, tl.max(x, axis=AXIS))
        elif OP == "min":
            value = tl.minimum(tl.min(x, axis=AXIS), value)
        elif OP == "xor":
            value ^= tl.xor_sum(x, axis=AXIS)
    tl.store(out_ptr + k, value)


@pytest.mark.parametrize("iterations", [0, 1, 3])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", [(16, 64), (128, 8), (1, 256)])
@pytest.mark.parametrize("op", ["scaled sum", "sum", "max", "min", "xor"])
def test_carried_by_a_loop(device, rng, op, shape, axis, iterations):
    dtype = np.int32 if op == "xor" else np.float32
    x = rng.integers(-100, 100, (iterations, *shape)).astype(dtype)
    start = rng.integers(-100, 100, shape[1 - axis]).astype(dtype)
    factor = rng.integers(1, 4, max(iterations, 1)).astype(dtype)
    out = np.empty_like(start)
    carried_kernel[(1,)](x.reshape(-1) if x.size else start, start, factor, out, iterations, *shape, op, axis)
    expected = start.copy()
    for i in range(iterations):
        if op == "scaled sum":
            expected = expected * factor[i]
        reduce = {"max": np.maximum, "min": np.minimum, "xor": np.bitwise_xor}.get(op, np.add)
        expected = reduce(expected, reduce.reduce(x[i], axis=axis))
    np.testing.assert_array_equal(out, expected)  # integers, which sums represent exactly


@triton.jit
def carried_scalar_kernel(x_ptr, out_ptr, N, B: tl.constexpr, OP: tl.constexpr):
    value = 3.0
    for i in range(N):
        x = tl.load(x_ptr + i * B + tl.arange(0, B))
        if OP == "sum":
            value += tl.sum(x, axis=0)
        else:
            value = tl.maximum(value, tl.max(x, axis=0))
    tl.store(out_ptr, value)


@pytest.mark.parametrize("op", ["sum", "max"])
@pytest.mark.parametrize("size", [16, 1024])
def test_scalar_carried_by_a_loop(device, rng, op, size):
    x = rng.integers(-100, 100, (4, size)).astype(np.float32)
    out = np.zeros(1, np.float32)
    carried_scalar_kernel[(1,)](x, out, 4, size, op)
    assert out[0] == (3 + x.sum() if op == "sum" else max(3, x.max()))


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def first_order(a_left, b_left, a_right, b_right):
    return a_left * a_right, b_left * a_right + b_right


@triton.jit
def scan_kernel(
    x_ptr, out_ptr, R: tl.constexpr, C: tl.constexpr, OP: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr
):
    r, c = tl.arange(0, R), tl.arange(0, C)
    place = r[:, None] * C + c[None, :]
    x = tl.load(x_ptr + place)
    if OP == "cumsum":
        y = tl.cumsum(x, axis=AXIS, reverse=REVERSE)
    elif OP == "cumprod":
        y = tl.cumprod(x, axis=AXIS, reverse=REVERSE)
    else:
        y = tl.associative_scan(x, AXIS, multiply, reverse=REVERSE)
    tl.store(out_ptr + place, y)


def cumulative(function, x, axis, reverse):
    flip = (lambda a: np.flip(a, axis)) if reverse else (lambda a: a)
    return flip(function(flip(x), axis=axis))


@pytest.mark.parametrize("reverse", [False, True])
def test_sums_that_a_scan_does_not_have_do_not_overflow(device, reverse):
    """Lanes that nothing precedes, or where what precedes is not known yet, add nothing that could be out of range."""
    x = np.zeros((1, 256), np.int32)
    x[0, [255, 127, 0] if reverse else [0, 128, 255]] = [1 << 30, (1 << 30) - 1, -(1 << 30)]
    out = poisoned(x.shape, "int32")
    scan_kernel[(1,)](x, out, R=1, C=256, OP="cumsum", AXIS=1, REVERSE=reverse, debug=True)
    np.testing.assert_array_equal(out, cumulative(np.cumsum, x.astype(np.int64), 1, reverse))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", [(1, 64), (8, 16), (32, 4), (2, 256), (16, 1)])
@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "float32", "float64", "int8", "bfloat16"])
def test_cumsum(device, rng, dtype, shape, axis, reverse):
    x = random_values(rng, shape, dtype, -3 if dtype in SIGNED + FLOATS else 0, 3)
    result = "float32" if dtype == "bfloat16" else result_dtype("sum", dtype)
    out = poisoned(shape, result)
    scan_kernel[(1,)](argument(x, dtype), out, R=shape[0], C=shape[1], OP="cumsum", AXIS=axis, REVERSE=reverse)
    exact = cumulative(np.cumsum, read(x, dtype).astype(np.float64), axis, reverse)
    if is_float(dtype):
        scale = np.abs(read(x, dtype)).sum() * (2**-50 if dtype == "float64" else 2**-20)
        assert np.all(np.abs(out - exact) <= scale)
    else:
        np.testing.assert_array_equal(out, exact.astype(result))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("op", ["cumprod", "scan"])
def test_products(device, rng, op, axis, reverse):
    x = rng.uniform(0.8, 1.25, (16, 32)).astype(np.float32)
    out = poisoned((16, 32), "float32")
    scan_kernel[(1,)](x, out, R=16, C=32, OP=op, AXIS=axis, REVERSE=reverse)
    np.testing.assert_allclose(out, cumulative(np.cumprod, x.astype(np.float64), axis, reverse), rtol=1e-5)


@triton.jit
def recurrence_kernel(a_ptr, b_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    _, h = tl.associative_scan((tl.load(a_ptr + i), tl.load(b_ptr + i)), 0, first_order)
    tl.store(out_ptr + i, h)


def test_scan_of_two_operands_that_do_not_commute(device, rng):
    a, b = rng.uniform(0.5, 1, 128).astype(np.float32), rng.normal(size=128).astype(np.float32)
    out = poisoned(128, "float32")
    recurrence_kernel[(1,)](a, b, out, N=128)
    expected, h = [], 0.0
    for factor, term in zip(a.astype(np.float64), b, strict=True):
        h = h * factor + term
        expected.append(h)
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-5)


@triton.jit
def last_nonzero(a, b):
    return tl.where(b != 0, b, a)


@triton.jit
def matrix_product(a, b, c, d, e, f, g, h):
    return a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h


@triton.jit
def low_bits_of_second(a, b):
    return b & 255


@triton.jit
def last_nonzero_by_branch(a, b):
    if b != 0:
        return b
    return a


@triton.jit
def last_and_sum(a, sum_a, b, sum_b):
    return last_nonzero_by_branch(a, b), sum_a + sum_b


@triton.jit
def branch_kernel(x_ptr, out_ptr, R: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    place = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    x = tl.load(x_ptr + place)
    last, sums = tl.associative_scan((x, x), AXIS, last_and_sum, REVERSE)
    tl.store(out_ptr + place, tl.associative_scan(x, AXIS, last_nonzero_by_branch, REVERSE))
    tl.store(out_ptr + R * C + place, last)
    tl.store(out_ptr + 2 * R * C + place, sums)


@pytest.mark.parametrize("axis, dtype", [(0, "int32"), (1, "float16")])
@pytest.mark.parametrize("reverse", [False, True])
def test_scans_whose_combinations_have_branches(device, rng, dtype, axis, reverse):
    shape = (8, 32)
    x = rng.integers(1, 10, shape).astype(dtype)
    x[rng.random(shape) < 0.5] = 0
    out = np.full((3, *shape), 77, dtype)
    branch_kernel[(1,)](x, out, R=shape[0], C=shape[1], AXIS=axis, REVERSE=reverse)
    last = np.frompyfunc(lambda a, b: b or a, 2, 1).accumulate
    expected = cumulative(last, x, axis, reverse)
    np.testing.assert_array_equal(out[0], expected.astype(dtype))
    np.testing.assert_array_equal(out[1], out[0])
    np.testing.assert_array_equal(out[2], cumulative(np.cumsum, x, axis, reverse))


@triton.jit
def last_kernel(x_ptr, out_ptr, R: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :])
    y = tl.reduce(x, AXIS, last_nonzero)
    if AXIS is None:
        tl.store(out_ptr, y)
    else:
        tl.store(out_ptr + tl.arange(0, C if AXIS == 0 else R), y)


def last_of(x, axis):
    rows = x.reshape(-1, 1) if axis is None else x if axis == 0 else x.T
    found = np.zeros(rows.shape[1], np.int32)
    for row in rows:
        found = np.where(row != 0, row, found)
    return found


@pytest.mark.parametrize("num_warps", [1, 4])
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("shape", [(1, 2), (1, 1024), (4, 8), (2, 64), (64, 2), (32, 128), (256, 1)])
def test_order_of_combinations_that_do_not_commute(device, rng, shape, axis, num_warps):
    x = rng.integers(0, 1000, shape).astype(np.int32)
    x[rng.random(shape) < 0.3] = 0
    expected = last_of(x, axis)
    out = poisoned(expected.shape, "int32")
    last_kernel[(1,)](x, out, R=shape[0], C=shape[1], AXIS=axis, num_warps=num_warps)
    np.testing.assert_array_equal(out, expected)


@triton.jit
def matrices_kernel(x_ptr, out_ptr, N: tl.constexpr):
    p = x_ptr + tl.arange(0, N) * 4
    r = tl.reduce((tl.load(p), tl.load(p + 1), tl.load(p + 2), tl.load(p + 3)), 0, matrix_product)
    for k in tl.static_range(4):
        tl.store(out_ptr + k, r[k])


@pytest.mark.parametrize("n", [2, 16, 64, 512])
def test_product_of_matrices(device, rng, n):
    x = rng.integers(0, 2**16, (n, 2, 2)).astype(np.uint32)
    out = poisoned(4, "uint32")
    matrices_kernel[(1,)](x, out, N=n)
    expected = np.eye(2, dtype=np.uint32)
    for matrix in x:
        expected = expected @ matrix
    np.testing.assert_array_equal(out, expected.reshape(4))


@triton.jit
def columns_of_matrices_kernel(x_ptr, out_ptr, R: tl.constexpr, C: tl.constexpr):
    p = x_ptr + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    planes = (tl.load(p), tl.load(p + R * C), tl.load(p + 2 * R * C), tl.load(p + 3 * R * C))
    r = tl.reduce(planes, 0, matrix_product)
    for k in tl.static_range(4):
        tl.store(out_ptr + k * C + tl.arange(0, C), r[k])


# The parts of all warps are combined once: by a part of the warps, by each thread, by each thread several times.
@pytest.mark.parametrize("rows, columns, num_warps", [(64, 8, 8), (64, 32, 8), (16, 256, 4)])
def test_products_of_matrices_in_columns(device, rng, rows, columns, num_warps):
    x = rng.integers(0, 2**16, (4, rows, columns)).astype(np.uint32)
    out = poisoned((4, columns), "uint32")
    columns_of_matrices_kernel[(1,)](x, out, R=rows, C=columns, num_warps=num_warps)
    factors = x.transpose(1, 2, 0).reshape(rows, columns, 2, 2)
    expected = functools.reduce(np.matmul, factors)
    np.testing.assert_array_equal(out, expected.reshape(columns, 4).T)


@triton.jit
def carried_last_kernel(x_ptr, out_ptr, n, C: tl.constexpr, COMBINE: tl.constexpr):
    found = 0
    for row in range(n):
        found = COMBINE(found, tl.reduce(tl.load(x_ptr + row * C + tl.arange(0, C)), 0, COMBINE))
    tl.store(out_ptr, found)


@pytest.mark.parametrize("combine", [last_nonzero, low_bits_of_second])
def test_order_is_kept_in_loops(device, rng, combine):
    x = rng.integers(1, 1000, (3, 256)).astype(np.int32)
    out = poisoned(1, "int32")
    carried_last_kernel[(1,)](x, out, 3, C=256, COMBINE=combine)
    assert out[0] == (x[-1, -1] if combine is last_nonzero else x[-1, -1] & 255)
