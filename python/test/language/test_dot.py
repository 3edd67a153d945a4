"""Matrix products against float64, every operand type and many shapes."""

import numpy as np
import pytest
import triton
import triton.language as tl
from values import argument, is_refused, poisoned, random_values, read, tl_dtype


@triton.jit
def dot_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
    OUT: tl.constexpr,
    ACCUMULATE: tl.constexpr,
    TRANSPOSE_A: tl.constexpr,
    TRANSPOSE_B: tl.constexpr,
    PRECISION: tl.constexpr = None,
):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    if TRANSPOSE_A:
        a = tl.trans(tl.load(a_ptr + k[:, None] * M + m[None, :]))
    else:
        a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    if TRANSPOSE_B:
        b = tl.load(b_ptr + n[:, None] * K + k[None, :]).T
    else:
        b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    place = m[:, None] * N + n[None, :]
    if ACCUMULATE:
        c = tl.dot(a, b, tl.load(c_ptr + place), out_dtype=OUT, input_precision=PRECISION)
    else:
        c = tl.dot(a, b, out_dtype=OUT, input_precision=PRECISION)
    tl.static_assert(c.dtype == OUT)
    tl.store(c_ptr + place, c)


def run(
    device,
    rng,
    dtype,
    shape,
    out_dtype,
    accumulate=False,
    transpose_a=False,
    transpose_b=False,
    precision=None,
    **options,
):
    M, N, K = shape
    a, b = random_values(rng, (M, K), dtype), random_values(rng, (K, N), dtype)
    c = random_values(rng, (M, N), out_dtype, -100, 100) if accumulate else poisoned((M, N), out_dtype)
    before = c.copy()
    given_a = np.ascontiguousarray(a.T) if transpose_a else a
    given_b = np.ascontiguousarray(b.T) if transpose_b else b
    dot_kernel[(1,)](
        argument(given_a, dtype),
        argument(given_b, dtype),
        argument(c, out_dtype),
        M=M,
        N=N,
        K=K,
        OUT=tl_dtype(out_dtype),
        ACCUMULATE=accumulate,
        TRANSPOSE_A=transpose_a,
        TRANSPOSE_B=transpose_b,
        PRECISION=precision,
        **options,
    )
    exact_a, exact_b = (read(x, dtype).astype(np.float64) for x in (a, b))
    expected = exact_a @ exact_b + (read(before, out_dtype) if accumulate else 0)
    magnitude = np.abs(exact_a) @ np.abs(exact_b) + (np.abs(read(before, out_dtype)) if accumulate else 0)
    return read(c, out_dtype), expected, magnitude


TOLERANCE = {"float32": 2**-20, "float64": 2**-48, "float16": 2**-9}
# Of products of f32: what rounding operands, or leaving out products of their smallest parts, may cost. tf32 has 10
# bits of fraction: 2 * 2^-11. tf32x3 rounds parts below 2^-10 to 11 bits and leaves out their product: 2 * 2^-21 +
# 2^-20. bf16 has 7 bits: bf16x3 leaves out 2^-9 * 2^-9 and rounds twice that; of bf16x6 f32's own error remains.
# On sm_90 units cut off what they read from shared memory: 2 * 2^-10.
PRECISION = {"ieee": 2**-20, "tf32": 1.01 * 2**-10, "tf32x3": 2**-18.9, "bf16x3": 2**-16.3, "bf16x6": 2**-20}


def default_precision(device):
    """That of products of f32 which name none."""
    return "ieee" if device.name == "cpu" else "tf32"


SHAPES = [
    (16, 16, 16),
    (32, 32, 32),
    (64, 64, 32),
    (16, 64, 128),
    (128, 16, 16),
    (64, 128, 64),
    (1, 16, 16),
    (4, 4, 4),
    (2, 8, 64),
    (16, 1, 32),
    (32, 16, 1),
    (8, 32, 2),
]


def assert_close(device, result, dtype, out_dtype, precision=None):
    actual, expected, magnitude = result
    precision = precision or default_precision(device)
    tolerance = PRECISION[precision] if dtype == "float32" else TOLERANCE.get(out_dtype)
    if dtype == "float32" and precision == "tf32" and device.name in ("sim:cuda:90", "cuda"):
        tolerance *= 2
    if out_dtype == "int32":
        np.testing.assert_array_equal(actual, expected.astype(np.int64).astype(np.int32))
    else:
        assert np.all(np.abs(actual - expected) <= tolerance * magnitude + 1e-30)


CASES = [
    ("float32", "float32"),
    ("float64", "float64"),
    ("float16", "float32"),
    ("bfloat16", "float32"),
    ("int8", "int32"),
    ("float16", "float16"),
    ("float8e5", "float32"),
    ("float8e5", "float16"),
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype,out_dtype", CASES)
def test_dot(device, rng, dtype, out_dtype, shape):
    if is_refused(device, dtype, lambda: run(device, rng, dtype, shape, out_dtype)):
        return
    assert_close(device, run(device, rng, dtype, shape, out_dtype), dtype, out_dtype)


@pytest.mark.parametrize("shape", [(16, 16, 16), (64, 32, 64), (4, 8, 16)], ids=str)
def test_dot_of_float8e4nv(device, rng, shape):
    if device.knows("float8e4nv"):
        assert_close(device, run(device, rng, "float8e4nv", shape, "float32"), "float8e4nv", "float32")
    else:
        with pytest.raises(triton.CompilationError, match="not supported in this architecture"):
            run(device, rng, "float8e4nv", shape, "float32")


@pytest.mark.parametrize("shape", [(16, 16, 16), (32, 64, 32), (4, 8, 16)], ids=str)
@pytest.mark.parametrize("dtype,out_dtype", CASES)
def test_accumulation(device, rng, dtype, out_dtype, shape):
    if is_refused(device, dtype, lambda: run(device, rng, dtype, shape, out_dtype, accumulate=True)):
        return
    assert_close(device, run(device, rng, dtype, shape, out_dtype, accumulate=True), dtype, out_dtype)


@pytest.mark.parametrize("transpose_a,transpose_b", [(True, False), (False, True), (True, True)])
@pytest.mark.parametrize("dtype,out_dtype", CASES[:5])
def test_transposed_operands(device, rng, dtype, out_dtype, transpose_a, transpose_b):
    result = run(device, rng, dtype, (32, 16, 64), out_dtype, False, transpose_a, transpose_b)
    assert_close(device, result, dtype, out_dtype)


@pytest.mark.parametrize("shape", [(16, 16, 16), (64, 32, 64), (4, 8, 16)], ids=str)
@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("precision", PRECISION)
def test_precisions_of_single(device, rng, precision, accumulate, shape):
    if device.name == "cpu" and precision.startswith("bf16"):
        with pytest.raises(triton.CompilationError, match="use one of ieee, tf32, tf32x3"):
            run(device, rng, "float32", shape, "float32", accumulate, precision=precision)
        return
    result = run(device, rng, "float32", shape, "float32", accumulate, precision=precision)
    assert_close(device, result, "float32", "float32", precision)


def test_default_precision_is_what_the_environment_says(device, rng, monkeypatch, fresh_cache):
    monkeypatch.setenv("TRITON_F32_DEFAULT", "ieee")
    # An option of its own: kernels in memory do not depend on the environment.
    result = run(device, rng, "float32", (32, 32, 32), "float32", num_warps=2)
    assert_close(device, result, "float32", "float32", "ieee")


@pytest.mark.parametrize("precision", ["tf32", "tf32x3", "ieee"])
def test_infinities_and_nans_reach_the_result(device, precision):
    a, b = np.ones((16, 16), np.float32), np.ones((16, 16), np.float32)
    a[1, 3], a[2, 4], a[5, 5], b[7, 9] = np.inf, -np.inf, np.nan, np.inf
    c = poisoned((16, 16), "float32")
    dot_kernel[(1,)](a, b, c, 16, 16, 16, tl.float32, False, False, False, precision)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(c, a @ b)


def test_extreme_int8_values(device):
    a, b = np.full((16, 64), -128, np.int8), np.full((64, 16), -128, np.int8)
    b[:, 8:] = 127
    c = poisoned((16, 16), "int32")
    dot_kernel[(1,)](a, b, c, M=16, N=16, K=64, OUT=tl.int32, ACCUMULATE=False, TRANSPOSE_A=False, TRANSPOSE_B=False)
    np.testing.assert_array_equal(c, a.astype(np.int32) @ b.astype(np.int32))


@triton.jit
def batch_kernel(a_ptr, b_ptr, c_ptr, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a = tl.load(a_ptr + tl.arange(0, B * M * K)).reshape(B, M, K)
    b = tl.load(b_ptr + tl.arange(0, B * K * N)).reshape(B, K, N)
    tl.store(c_ptr + tl.arange(0, B * M * N), tl.dot(a, b).reshape(B * M * N))


def test_batches(device, rng):
    a, b = rng.random((4, 8, 16), dtype=np.float32), rng.random((4, 16, 32), dtype=np.float32)
    c = poisoned((4, 8, 32), "float32")
    batch_kernel[(1,)](a, b, c, B=4, M=8, N=32, K=16)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b, rtol=1e-5)


@triton.jit
def chain_kernel(a_ptr, b_ptr, c_ptr, out_ptr, N: tl.constexpr):
    """Products whose operands were computed, as in attention."""
    i = tl.arange(0, N)
    place = i[:, None] * N + i[None, :]
    scores = tl.dot(tl.load(a_ptr + place), tl.load(b_ptr + place), input_precision="ieee")
    scores = tl.exp(scores - tl.max(scores, axis=1)[:, None])
    scores = scores / tl.sum(scores, axis=1)[:, None]
    tl.store(out_ptr + place, tl.dot(scores, tl.load(c_ptr + place), input_precision="ieee"))


@pytest.mark.parametrize("n", [16, 32, 64])
def test_product_of_computed_values(device, rng, n):
    a, b, c = (rng.normal(size=(n, n)).astype(np.float32) for _ in range(3))
    out = poisoned((n, n), "float32")
    chain_kernel[(1,)](a, b, c, out, N=n)
    scores = np.exp(a.astype(np.float64) @ b - (a.astype(np.float64) @ b).max(axis=1, keepdims=True))
    np.testing.assert_allclose(out, scores / scores.sum(axis=1, keepdims=True) @ c, rtol=1e-3, atol=1e-5)


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        a = tl.load(
            a_ptr + m[:, None] * K + (start + k)[None, :], mask=(m[:, None] < M) & ((start + k)[None, :] < K), other=0.0
        )
        b = tl.load(
            b_ptr + (start + k)[:, None] * N + n[None, :], mask=((start + k)[:, None] < K) & (n[None, :] < N), other=0.0
        )
        total += tl.dot(a, b)
    tl.store(c_ptr + m[:, None] * N + n[None, :], total, mask=(m[:, None] < M) & (n[None, :] < N))


@pytest.mark.parametrize("shape", [(64, 64, 64), (100, 70, 130), (1, 200, 33), (129, 65, 257)], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_tiled_multiplication(device, rng, dtype, shape):
    M, N, K = shape
    a, b = random_values(rng, (M, K), dtype), random_values(rng, (K, N), dtype)
    c = poisoned((M, N), "float32")
    matmul_kernel[(triton.cdiv(M, 32), triton.cdiv(N, 32))](
        argument(a, dtype), argument(b, dtype), c, M, N, K, BM=32, BN=32, BK=32
    )
    exact_a, exact_b = (read(x, dtype).astype(np.float64) for x in (a, b))
    result = c, exact_a @ exact_b, np.abs(exact_a) @ np.abs(exact_b)
    assert_close(device, result, dtype, "float32")


@triton.jit
def overwriting_kernel(a_ptr, b_ptr, c_ptr, stride, N: tl.constexpr, OUT: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    a = tl.load(a_ptr + i * stride + j)
    b = tl.load(b_ptr + i * stride + j)
    tl.store(b_ptr + i * stride + j, a)
    tl.debug_barrier()
    tl.store(c_ptr + i * N + j, tl.dot(a, b, out_dtype=OUT))


@pytest.mark.parametrize("dtype, out_dtype", [("float16", "float32"), ("bfloat16", "float32"), ("int8", "int32")])
def test_operands_are_read_before_they_are_overwritten(device, rng, dtype, out_dtype):
    N, stride = 64, 80
    a, b = (random_values(rng, (N, stride), dtype) for _ in range(2))
    before, c = b.copy(), poisoned((N, N), out_dtype)
    overwriting_kernel[(1,)](argument(a, dtype), argument(b, dtype), c, stride, N=N, OUT=tl_dtype(out_dtype))
    np.testing.assert_array_equal(b[:, :N], a[:, :N])
    np.testing.assert_array_equal(b[:, N:], before[:, N:])
    exact_a, exact_b = (read(x, dtype)[:, :N].astype(np.float64) for x in (a, before))
    result = c, exact_a @ exact_b, np.abs(exact_a) @ np.abs(exact_b)
    assert_close(device, result, dtype, out_dtype)


@triton.jit
def wrapping_kernel(a_ptr, b_ptr, c_ptr, N, K, BLOCK: tl.constexpr, OUT: tl.constexpr):
    """Reads B as many kernels do: columns wrap around, and rows beyond the end are masked."""
    i, j = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :]
    k = tl.arange(0, BLOCK)
    column = (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)) % N
    total = tl.zeros((BLOCK, BLOCK), OUT)
    for start in range(0, K, BLOCK):
        a = tl.load(a_ptr + i * K + (start + k)[None, :], mask=(start + k)[None, :] < K, other=0)
        b = tl.load(b_ptr + (start + k)[:, None] * N + column[None, :], mask=(start + k)[:, None] < K, other=0)
        total = tl.dot(a, b, total, out_dtype=OUT)
    place = tl.program_id(0) * BLOCK + j
    tl.store(c_ptr + i * N + place, total, mask=place < N)


@pytest.mark.parametrize("N, K", [(80, 128), (48, 100), (75, 33)])
@pytest.mark.parametrize("dtype, out_dtype", [("float16", "float32"), ("bfloat16", "float32"), ("int8", "int32")])
def test_columns_wrap_around_and_rows_end(device, rng, dtype, out_dtype, N, K):
    a, b = random_values(rng, (64, K), dtype), random_values(rng, (K, N), dtype)
    c = poisoned((64, N), out_dtype)
    grid = (triton.cdiv(N, 64),)
    wrapping_kernel[grid](argument(a, dtype), argument(b, dtype), c, N, K, BLOCK=64, OUT=tl_dtype(out_dtype))
    exact_a, exact_b = (read(x, dtype).astype(np.float64) for x in (a, b))
    result = c, exact_a @ exact_b, np.abs(exact_a) @ np.abs(exact_b)
    assert_close(device, result, dtype, out_dtype)


@triton.jit
def chained_products(a_ptr, b_ptr, out_ptr, N: tl.constexpr, LEFT: tl.constexpr, SCALED: tl.constexpr):
    n = tl.arange(0, N)
    place = n[:, None] * N + n[None, :]
    tile, other = tl.load(a_ptr + place), tl.load(b_ptr + place)
    for _ in range(3):
        carried = tile * 0.5 if SCALED else tile
        tile = tl.dot(carried, other) if LEFT else tl.dot(other, carried)
    tl.store(out_ptr + place, tile)


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("n", [16, 64])
def test_a_result_that_is_the_next_factor(device, rng, n, left, scaled):
    """The loop carries the factor where the result goes."""
    a, b = (rng.normal(size=(n, n)).astype(np.float32) for _ in range(2))
    expected = a.astype(np.float64)
    for _ in range(3):
        carried = expected * 0.5 if scaled else expected
        expected = carried @ b if left else b @ carried
    out = poisoned((n, n), "float32")
    chained_products[(1,)](a, b, out, N=n, LEFT=left, SCALED=scaled)
    np.testing.assert_allclose(out, expected, atol=5e-3 * np.abs(expected).max())  # also by products of tf32


@triton.jit
def widened_kernel(x_ptr, y_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(x_ptr + m[:, None] * K + k[None, :]).to(tl.float32)
    y = tl.load(y_ptr + k[:, None] * N + n[None, :])
    tl.store(out_ptr + m[:, None] * N + n[None, :], tl.dot(x, y, input_precision="ieee"))


@pytest.mark.parametrize("m,n,k", [(16, 16, 16), (128, 128, 16), (128, 128, 64), (64, 128, 128)])
def test_exact_products_of_widened_operands_on_one_warp(device, rng, m, n, k):
    """A thread has many multiply-adds, of which only some are emitted one after another."""
    x, y = rng.integers(-8, 9, (m, k)).astype(np.float16), rng.integers(-8, 9, (k, n)).astype(np.float32)
    out = np.full((m, n), np.nan, np.float32)
    widened_kernel[(1,)](x, y, out, M=m, N=n, K=k, num_warps=1)
    np.testing.assert_array_equal(out, x.astype(np.float32) @ y)


@triton.jit
def transposed_store_kernel(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    tl.store(c_ptr + m[:, None] + n[None, :] * M, tl.dot(a, b).to(a.dtype))


@pytest.mark.parametrize("shape, warps", [((64, 16, 16), 4), ((32, 64, 16), 1)])
def test_results_that_are_stored_along_columns(shape, warps, rng, device):
    """A thread of the product has neighbours along rows, one of the store along columns."""
    M, N, K = shape
    a, b = random_values(rng, (M, K), "float16"), random_values(rng, (K, N), "float16")
    c = poisoned((N, M), "float16")
    kernel = transposed_store_kernel[(1,)](a, b, c, M, N, K, num_warps=warps)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(c.T.astype(np.float64), expected, rtol=2e-3, atol=2e-2)
    if device.name.startswith("sim:cuda:90") and warps == 4:  # With one warp, parts of a thread's columns are its own.
        assert "stmatrix" in str(kernel.asm["llir"])
