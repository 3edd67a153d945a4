"""Python numbers beside tensors: every function and operator brings them to the same dtype."""

import numpy as np
import pytest
import triton
import triton.language as tl
import values
from values import read, store_as

N = 64


@triton.jit
def number_kernel(x_ptr, out_ptr, OP: tl.constexpr, NUMBER: tl.constexpr, RESULT: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    if OP == "minimum":
        result = tl.minimum(x, NUMBER)
    elif OP == "maximum":
        result = tl.maximum(NUMBER, x)
    elif OP == "clamp":
        result = tl.clamp(x, -NUMBER, NUMBER)
    elif OP == "clamp tensors":
        result = tl.clamp(x, x - x - NUMBER, x - x + NUMBER)
    elif OP == "fma":
        result = tl.fma(x, NUMBER, 1)
    elif OP == "umulhi":
        result = tl.umulhi(x, NUMBER)
    elif OP == "div_rn":
        result = tl.div_rn(x, NUMBER)
    elif OP == "fdiv":
        result = tl.fdiv(x, NUMBER)
    elif OP == ">":
        result = x > NUMBER
    elif OP == "==":
        result = x == NUMBER
    elif OP == "<=":
        result = NUMBER <= x
    tl.static_assert(result.dtype == RESULT)
    tl.store(out_ptr + i, result)


def run(device, op, x, dtype, number, result):
    out = values.poisoned(N, result)
    argument, place = values.argument(x, dtype), values.argument(out, result)
    number_kernel[(1,)](argument, place, OP=op, NUMBER=number, RESULT=values.tl_dtype(result), BLOCK=N)
    return read(device.get(out), result)


@pytest.mark.parametrize(
    "op,dtype,number,result",
    [
        ("minimum", "float16", 0.3, "float16"),
        ("maximum", "float16", 1, "float16"),
        ("maximum", "bfloat16", 0.5, "bfloat16"),
        ("minimum", "int8", 100, "int8"),
        ("maximum", "int8", 0.5, "float32"),
        ("minimum", "uint16", 1000, "uint16"),
        ("clamp", "float16", 0.7, "float16"),
        ("clamp", "bfloat16", 1.0, "bfloat16"),
        ("clamp tensors", "bfloat16", 1.0, "bfloat16"),
        ("clamp tensors", "float16", 0.5, "float16"),
        ("fma", "float16", 2.0, "float16"),
        ("fma", "bfloat16", 2, "bfloat16"),
        ("fma", "int16", 3, "int16"),
        ("umulhi", "uint32", 0xD2511F53, "uint32"),
        ("div_rn", "float32", 3, "float32"),
        ("fdiv", "float16", 2.0, "float32"),
        ("fdiv", "bfloat16", 4, "float32"),
        ("fdiv", "float64", 3, "float64"),
        ("fdiv", "int32", 2.0, "float32"),
        (">", "float16", 0.1, "int1"),
        ("==", "float16", 0.1, "int1"),
        ("<=", "int8", -100, "int1"),
    ],
)
def test_numbers_take_the_dtype_of_the_tensor(device, rng, op, dtype, number, result):
    x = values.random_values(rng, N, dtype)
    x[:2] = store_as(np.array([0.1, 0.1]), dtype) if values.is_float(dtype) else 1
    a = read(x, dtype)
    # The number as the tensor's dtype has it; a float beside integers is an f32.
    held = read(store_as(np.array([number]), dtype), dtype)[0] if values.is_float(dtype) else number
    expected = {
        "minimum": lambda: np.fmin(a, held),
        "maximum": lambda: np.fmax(held, a),
        "clamp": lambda: np.clip(a, -held, held),
        "clamp tensors": lambda: np.clip(a, -held, held),
        "fma": lambda: a * held + 1,
        "umulhi": lambda: (a.astype(object) * held >> 32).astype(np.float64),
        "div_rn": lambda: a / held,
        "fdiv": lambda: a / held,
        ">": lambda: a > held,
        "==": lambda: a == held,
        "<=": lambda: held <= a,
    }[op]()
    actual = run(device, op, x, dtype, number, result)
    if op == "fma" and dtype == "int16":
        expected = expected.astype(np.int64).astype(np.int16)
    bits = {"float16": 10, "bfloat16": 7, "float32": 22, "float64": 52}.get(result)
    if op in ("fma", "fdiv", "div_rn") and bits:
        with np.errstate(over="ignore"):
            expected = read(store_as(expected, result), result)
        np.testing.assert_allclose(actual, expected, rtol=2.0**-bits)
    else:
        np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize(
    "op,dtype,number,message",
    [
        (">", "int8", 200, "does not fit int8"),
        ("<=", "uint32", -1, "negative number -1"),
        ("==", "int16", 40000, "does not fit int16"),
        ("minimum", "int8", 200, "does not fit int8"),
        ("umulhi", "int32", 0xD2511F53, "does not fit int32"),
        ("fdiv", "int32", 2, "divides floats"),
    ],
)
def test_numbers_that_the_dtype_does_not_hold_are_refused(host_device, op, dtype, number, message):
    with pytest.raises(triton.CompilationError, match=message):
        run(host_device, op, np.ones(N, dtype), dtype, number, "int1")


@triton.jit
def division_kernel(x_ptr, y_ptr, out_ptr, MODE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    if MODE == "approx":
        result = tl.fdiv(x, y, approx=True)
    elif MODE == "ieee":
        result = tl.fdiv(x, y, ieee_rounding=True)
    else:
        result = tl.math.fdiv(x, y)
    tl.static_assert(result.dtype == tl.float32)
    tl.store(out_ptr + i, result)


@pytest.mark.parametrize("y_dtype", ["float32", "float16"])
@pytest.mark.parametrize("mode,ulps", [("approx", 2), ("ieee", 0.5), ("default", 2)])
def test_fdiv_promotes_its_operands(device, rng, mode, ulps, y_dtype):
    x = rng.standard_normal(N).astype(np.float32)
    y = (rng.standard_normal(N) + 3).astype(y_dtype)
    out = np.full(N, np.nan, np.float32)
    division_kernel[(1,)](x, y, out, MODE=mode, BLOCK=N)
    exact = x.astype(np.float64) / y
    assert np.max(np.abs(device.get(out) - exact) / np.spacing(np.abs(exact).astype(np.float32))) <= ulps


@triton.jit
def product_kernel(x_ptr, out_ptr, DTYPE: tl.constexpr, RESULT: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    result = tl.cumprod(tl.load(x_ptr + i), 0, dtype=DTYPE)
    tl.static_assert(result.dtype == RESULT)
    tl.store(out_ptr + i, result)


@pytest.mark.parametrize(
    "source,dtype,result",
    [
        ("int8", None, "int32"),
        ("uint8", None, "uint32"),
        ("int8", "int64", "int64"),
        ("bfloat16", None, "bfloat16"),
        ("float16", None, "float16"),
        ("float16", "float32", "float32"),
    ],
)
def test_running_products(device, rng, source, dtype, result):
    x = store_as(rng.choice([1.0, 2.0, 1.0, 1.0, 3.0], 16) * 1.0, source)
    out = values.poisoned(16, result)
    product_kernel[(1,)](
        values.argument(x, source),
        values.argument(out, result),
        DTYPE=dtype and values.tl_dtype(dtype),
        RESULT=values.tl_dtype(result),
        BLOCK=16,
    )
    expected = np.cumprod(read(x, source).astype(np.float64))
    np.testing.assert_allclose(
        read(device.get(out), result).astype(np.float64), expected, rtol=0.1 if "float" in result else 0
    )


@triton.jit
def softmax_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, DIM: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + i, tl.softmax(tl.load(x_ptr + i), dim=DIM))


@pytest.mark.parametrize("dim", [None, 0, 1])
def test_softmax_along_every_dimension(device, rng, dim):
    x = rng.standard_normal((8, 16)).astype(np.float32)
    out = np.full_like(x, np.nan)
    softmax_kernel[(1,)](x, out, M=8, N=16, DIM=dim)
    e = np.exp(x - x.max(dim or 0, keepdims=True))
    np.testing.assert_allclose(device.get(out), e / e.sum(dim or 0, keepdims=True), rtol=1e-5)


@triton.jit
def hinted_kernel(x_ptr, out_ptr, CACHE: tl.constexpr, EVICT: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, cache_modifier=CACHE, eviction_policy=EVICT)
    tl.store(out_ptr + i, x, cache_modifier=CACHE, eviction_policy=EVICT)


@pytest.mark.parametrize("evict", ["", "evict_normal", "evict_first", "evict_last"])
@pytest.mark.parametrize("cache", ["", "none", "ca", ".ca", "cg", ".cg", "wb", ".wb", "cs", "wt", ".wt", "cv"])
def test_every_cache_modifier_is_accepted_by_loads_and_stores(device, rng, cache, evict):
    x = rng.standard_normal(N).astype(np.float32)
    out = np.full_like(x, np.nan)
    hinted_kernel[(1,)](x, out, CACHE=cache, EVICT=evict, BLOCK=N)
    np.testing.assert_array_equal(device.get(out), x)


@pytest.mark.parametrize("cache,evict", [("..ca", ""), ("lu", ""), ("", "evict"), ("", ".evict_first")])
def test_unknown_cache_modifiers_are_refused(host_device, cache, evict):
    x = np.zeros(N, np.float32)
    with pytest.raises(triton.CompilationError, match="cannot be"):
        hinted_kernel[(1,)](x, x.copy(), CACHE=cache, EVICT=evict, BLOCK=N)
