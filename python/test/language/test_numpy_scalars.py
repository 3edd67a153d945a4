"""NumPy's scalars are numbers wherever Python's are; its arrays of rank 0 are arrays."""

import ml_dtypes
import numpy as np
import pytest
import triton
import triton.language as tl

INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.intp]
FLOATS = [np.float16, np.float32, np.float64, np.longdouble]


@triton.jit
def store_kernel(out, value, EXPECTED: tl.constexpr):
    tl.static_assert(value.dtype == EXPECTED)
    tl.store(out, value)


@pytest.mark.parametrize("scalar", INTEGERS)
def test_integers_as_arguments(scalar, host_device):
    out = np.zeros(1, np.int64)
    store_kernel[(1,)](out, scalar(100), tl.int32)
    assert out[0] == 100


@pytest.mark.parametrize(
    "value,expected",
    [
        (np.int64(2**40), tl.int64),
        (np.int64(-(2**63)), tl.int64),
        (np.uint64(2**64 - 1), tl.uint64),
        (np.int32(-7), tl.int32),
    ],
)
def test_the_value_of_an_integer_decides_its_type(value, expected):
    out = np.zeros(1, np.uint64 if expected == tl.uint64 else np.int64)
    store_kernel[(1,)](out, value, expected)
    assert out[0] == value


@pytest.mark.parametrize("scalar", FLOATS)
def test_floats_as_arguments(scalar, host_device):
    out = np.zeros(1, np.float32)
    store_kernel[(1,)](out, scalar(1.5), tl.float32)
    assert out[0] == 1.5


def test_booleans_as_arguments():
    out = np.zeros(1, np.int32)
    store_kernel[(1,)](out, np.bool_(True), tl.int1)
    assert out[0] == 1


def test_scalars_of_extensions():
    out = np.zeros(1, np.float32)
    store_kernel[(1,)](out, ml_dtypes.bfloat16(1.5), tl.float32)
    assert out[0] == 1.5


@triton.jit
def constant_kernel(out, N: tl.constexpr, SCALE: tl.constexpr, FLAG: tl.constexpr, PAIR: tl.constexpr):
    tl.static_assert(N == 16)
    i = tl.arange(0, N)
    if FLAG:
        tl.store(out + i, i * SCALE + PAIR[0] + PAIR[1])


@pytest.mark.parametrize("integer", INTEGERS)
def test_constants(integer):
    out = np.zeros(16, np.float32)
    pair = (integer(1), np.float32(0.25))
    kernel = constant_kernel[(1,)](out, N=integer(16), SCALE=np.float32(0.5), FLAG=np.bool_(True), PAIR=pair)
    np.testing.assert_array_equal(out, np.arange(16) * 0.5 + 1.25)
    assert kernel is constant_kernel[(1,)](out, N=16, SCALE=0.5, FLAG=True, PAIR=(1, 0.25))


def test_one_is_a_constant_too():
    out = np.zeros(1, np.int32)
    kernel = add_kernel[(1,)](out, np.int64(1))
    assert kernel is add_kernel[(1,)](out, 1) and out[0] == 1 and kernel.src.signature["n"] == "constexpr"


@triton.jit
def add_kernel(out, n):
    tl.store(out, n)


@pytest.mark.parametrize("wrap", [lambda n: n, lambda n: (n,), lambda n: [n, np.int32(1)], lambda n: lambda _: (n,)])
def test_grids(wrap):
    @triton.jit
    def kernel(out):
        tl.store(out + tl.program_id(0), tl.program_id(0))

    out = np.full(8, -1, np.int32)
    kernel[wrap(np.int64(8))](out)
    np.testing.assert_array_equal(out, np.arange(8))


def test_options():
    out = np.zeros(1, np.int32)
    options = dict(num_warps=np.int64(2), num_stages=np.int32(2), num_cpu_threads=np.int16(1), debug=np.bool_(True))
    kernel = add_kernel[(1,)](out, 7, **options)
    assert out[0] == 7 and (kernel.metadata.num_warps, kernel.metadata.num_stages) == (2, 2)
    assert kernel is add_kernel[(1,)](out, 8, num_warps=2, num_stages=2, num_cpu_threads=1, debug=True)


WIDTH = tl.constexpr(np.int64(8))
FACTORS = tl.constexpr((np.float32(0.5), np.int16(3)))


@triton.jit
def captured_kernel(out):
    i = tl.arange(0, WIDTH)
    tl.store(out + i, i * FACTORS[0] + FACTORS[1])


def test_captured_values():
    out = np.zeros(8, np.float32)
    captured_kernel[(1,)](out)
    np.testing.assert_array_equal(out, np.arange(8) * 0.5 + 3)


@triton.constexpr_function
def half(n):
    return np.int64(n // 2)


FIVE, EIGHT = np.int32(5), np.int64(8)


@triton.jit
def default_kernel(out, n=FIVE, N: tl.constexpr = EIGHT):
    tl.store(out + tl.arange(0, half(N)), n)


def test_defaults_and_results_of_functions():
    out = np.zeros(8, np.int32)
    default_kernel[(1,)](out)
    assert out.tolist() == [5] * 4 + [0] * 4


def test_heuristics_and_configurations():
    out = np.zeros(16, np.float32)
    kernel = triton.heuristics({"N": lambda arguments: np.int64(16)})(constant_kernel)
    kernel[(1,)](out, SCALE=np.float64(1), FLAG=True, PAIR=(0, 0))
    np.testing.assert_array_equal(out, np.arange(16))
    tuned = triton.autotune([triton.Config({"N": np.int64(16)}, num_warps=np.int64(2))], key=[])(constant_kernel)
    tuned[(1,)](out, SCALE=np.int8(2), FLAG=np.bool_(True), PAIR=(0, 0))
    np.testing.assert_array_equal(out, 2 * np.arange(16))


def test_compile_with_constants():
    source = triton.compiler.ASTSource(
        constant_kernel,
        signature={"out": "*fp32"},
        constexprs={"N": np.int64(16), "SCALE": np.float32(2), "FLAG": np.bool_(True), "PAIR": (np.int8(1), 2)},
    )
    assert triton.compile(source, options={"num_warps": np.int64(4)}).metadata.num_warps == 4


def test_arrays_of_rank_zero_are_arrays():
    out, value = np.zeros((), np.float32), np.array(2.5, np.float32)

    @triton.jit
    def kernel(out, value):
        tl.store(out, tl.load(value))

    kernel[(1,)](out, value)
    assert out == 2.5


def test_what_is_no_number():
    for value in (np.complex64(1), np.datetime64("2020-01-01"), np.timedelta64(3), np.void(b"abc")):
        with pytest.raises(TypeError, match="`n`"):
            add_kernel[(1,)](np.zeros(1, np.int32), value)
