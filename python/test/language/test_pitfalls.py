"""What other tile compilers got wrong once, as kernels: each test is named after what goes wrong. docs/testing.md lists
them, with those that are tested elsewhere."""

from itertools import product

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import ASTSource
from values import is_refused, poisoned

WARPS = [1, 4, 8]


# --- Copies of elements: tensors smaller than the block ------------------------------------------------------------


@triton.jit
def checked_sum_kernel(x_ptr, sums_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    sums = tl.cumsum(tl.load(x_ptr + i), 0)
    tl.device_assert(sums == tl.load(sums_ptr + i), "a thread holds another value than the one it stands for")


@pytest.mark.parametrize("num_warps", WARPS)
@pytest.mark.parametrize("n", [1, 2, 16, 64, 512])
def test_assertions_see_final_values_in_every_copy_of_a_scan(device, rng, n, num_warps):
    x = rng.integers(0, 100, n).astype(np.int32)
    checked_sum_kernel[(1,)](x, np.cumsum(x, dtype=np.int32), N=n, num_warps=num_warps, debug=True)


@triton.jit
def scan_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + i, tl.cumsum(tl.load(x_ptr + i), AXIS, reverse=REVERSE))


@pytest.mark.parametrize("num_warps", WARPS)
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("shape,axis", [((1, 4), 1), ((2, 2), 0), ((8, 4), 0), ((1, 32), 1), ((64, 1), 0)])
def test_cumsum_counts_no_copy_of_an_element(device, rng, shape, axis, reverse, num_warps):
    x = rng.integers(-50, 50, shape).astype(np.int32)
    out = poisoned(shape, "int32")
    scan_kernel[(1,)](x, out, M=shape[0], N=shape[1], AXIS=axis, REVERSE=reverse, num_warps=num_warps)
    expected = np.flip(np.cumsum(np.flip(x, axis), axis), axis) if reverse else np.cumsum(x, axis)
    np.testing.assert_array_equal(out, expected)


@triton.jit
def ticket_kernel(counter_ptr, out_ptr, N: tl.constexpr, THREADS: tl.constexpr):
    """Every element draws a ticket; all threads look at all tickets."""
    i = tl.arange(0, N)
    tickets = tl.atomic_add(counter_ptr + i * 0, 1, mask=i < N // 2 + 1)
    tickets = tl.where(i < N // 2 + 1, tickets, -1)
    tl.store(out_ptr + tl.arange(0, THREADS)[:, None] * N + i[None, :], tl.zeros((THREADS, N), tl.int32) + tickets)


@pytest.mark.parametrize("num_warps", WARPS)
@pytest.mark.parametrize("n", [1, 8, 128])
def test_every_copy_gets_the_old_value_of_an_atomic(device, n, num_warps):
    counter, out = np.zeros(1, np.int32), poisoned((32, n), "int32")
    ticket_kernel[(1,)](counter, out, N=n, THREADS=32, num_warps=num_warps)
    drawn = n // 2 + 1 if n > 1 else 1
    assert counter[0] == drawn
    np.testing.assert_array_equal(np.sort(out[0])[n - drawn :], np.arange(drawn))
    np.testing.assert_array_equal(out, np.broadcast_to(out[0], out.shape))


@triton.jit
def histogram_kernel(x_ptr, out_ptr, N: tl.constexpr, BINS: tl.constexpr, n):
    i = tl.arange(0, N)
    tl.store(out_ptr + tl.arange(0, BINS), tl.histogram(tl.load(x_ptr + i), BINS, mask=i < n))


@pytest.mark.parametrize("num_warps", WARPS)
@pytest.mark.parametrize("n,bins", [(1, 2), (8, 4), (64, 16), (256, 128), (1024, 8)])
def test_histogram_counts_each_element_once(device, rng, n, bins, num_warps):
    x = rng.integers(0, bins, n).astype(np.int32)
    out = poisoned(bins, "int32")
    valid = max(1, n - 3)
    histogram_kernel[(1,)](x, out, N=n, BINS=bins, n=valid, num_warps=num_warps)
    np.testing.assert_array_equal(out, np.bincount(x[:valid], minlength=bins))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16"])
@pytest.mark.parametrize("bins", [64, 128, 256, 1024, 65536])
def test_histogram_of_narrow_integers(device, rng, dtype, bins):
    """The number of bins is no value of the elements' type, and a negative value names no bin."""
    if bins > 8192 and device.name != "cpu":
        pytest.skip("does not fit in shared memory")
    info = np.iinfo(dtype)
    x = rng.integers(info.min, min(bins, int(info.max) + 1), 128).astype(dtype)
    out = poisoned(bins, "int32")
    histogram_kernel[(1,)](x, out, N=128, BINS=bins, n=100)
    counted = x[:100][x[:100] >= 0]
    np.testing.assert_array_equal(out, np.bincount(counted, minlength=bins))


@triton.jit
def gather_kernel(x_ptr, index_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, L: tl.constexpr, K: tl.constexpr,
                  AXIS: tl.constexpr):  # fmt: skip
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    i = tl.arange(0, L)[:, None] * K + tl.arange(0, K)[None, :]
    tl.store(out_ptr + i, tl.gather(x, tl.load(index_ptr + i), AXIS))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "int64"])
@pytest.mark.parametrize(
    "shapes", [(256, 2, 256, 2, 0), (128, 16, 8, 16, 0), (1, 128, 1, 512, 1), (512, 128, 2, 128, 0)]
)
def test_gather_by_narrow_indices(device, rng, dtype, shapes):
    """Places in a block are not numbers of the indices' type."""
    m, n, rows, columns, axis = shapes
    x = rng.integers(-100, 100, (m, n)).astype(np.int8)
    index = rng.integers(0, min((m, n)[axis], int(np.iinfo(dtype).max) + 1), (rows, columns)).astype(dtype)
    out = np.zeros((rows, columns), np.int8)
    gather_kernel[(1,)](x, index, out, *shapes)
    np.testing.assert_array_equal(out, np.take_along_axis(x, index.astype(np.int64), axis))


@triton.jit
def narrow_offset_kernel(x_ptr, offset_ptr, out_ptr, N: tl.constexpr, MODE: tl.constexpr):
    i = tl.arange(0, N)
    offset = tl.load(offset_ptr + i)
    if MODE == "before":
        pointer = x_ptr + offset + i * 3
    elif MODE == "after":
        pointer = x_ptr + i * 3 + offset
    else:
        pointer = x_ptr + i * 3 - offset
    tl.store(out_ptr + i, tl.load(pointer))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@pytest.mark.parametrize("mode", ["before", "after", "subtracted"])
def test_sums_of_narrow_offsets(device, dtype, mode):
    info = np.iinfo(dtype)
    n, middle = 64, 40000
    x = np.arange(2 * middle, dtype=np.int32)
    offset = np.resize(np.array([info.min, info.max, 100, info.max - 1], dtype), n)
    out = poisoned(n, "int32")
    narrow_offset_kernel[(1,)](x[middle:], offset, out, N=n, MODE=mode)
    moved = offset.astype(np.int64) * (-1 if mode == "subtracted" else 1)
    np.testing.assert_array_equal(out, middle + np.arange(n) * 3 + moved)


# --- Reductions ----------------------------------------------------------------------------------------------------


@triton.jit
def welford(mean_a, m2_a, weight_a, mean_b, m2_b, weight_b):
    delta = mean_b - mean_a
    weight = weight_a + weight_b
    ratio = weight_b / weight
    return mean_a + delta * ratio, m2_a + m2_b + delta * delta * weight_a * ratio, weight


@triton.jit
def spread_mean_kernel(x_ptr, out_ptr, N: tl.constexpr, THREADS: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    mean, _, _ = tl.reduce((x, tl.zeros_like(x), tl.full((N,), 1.0, tl.float32)), 0, welford)
    tl.store(out_ptr + tl.arange(0, THREADS), tl.full((THREADS,), 0.0, tl.float32) + mean)


@pytest.mark.parametrize("num_warps", WARPS)
@pytest.mark.parametrize("n", [32, 256, 1024])
def test_threads_agree_on_every_bit_of_a_mean(device, rng, n, num_warps):
    """Swapping the operands of this combination changes the rounding."""
    out = poisoned(512, "float32")
    x = rng.standard_normal(n).astype(np.float32)
    spread_mean_kernel[(1,)](x, out, N=n, THREADS=512, num_warps=num_warps)
    assert len(set(out.view(np.uint32).tolist())) == 1
    np.testing.assert_allclose(out[0], x.mean(dtype=np.float64), atol=1e-6)


@triton.jit
def sum_of_products_kernel(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.zeros((N,), tl.float32) + tl.sum(tl.load(x_ptr + i) * tl.load(y_ptr + i), 0))


def compile_for(backend, arch, kernel, signature, constants, alignment=16):
    aligned = {(i,): [["tt.divisibility", alignment]] for i in range(len(signature))}
    return triton.compile(ASTSource(kernel, signature, constants, aligned), target=GPUTarget(backend, arch, 32))


def test_a_product_is_not_fused_with_the_sum_of_another_lanes_product():
    """Each lane would keep its own product exact and round the other's: the sums would differ. Arrays that are not
    aligned leave one element a thread."""
    signature = dict.fromkeys(("x_ptr", "y_ptr", "out_ptr"), "*fp32")
    kernel = compile_for("cuda", 90, sum_of_products_kernel, signature, {"N": 128}, alignment=4)
    assert "shfl.sync" in kernel.asm["ptx"] and "fma" not in kernel.asm["ptx"]


@triton.jit
def two_uses_kernel(x_ptr, rows_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    r, c = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + r * N + c)
    s = tl.sum(x, axis=1)
    tl.store(rows_ptr + tl.arange(0, M), s)
    # The other use wants columns of a transposed tile.
    tl.store(out_ptr + tl.trans(r * N + c), tl.trans(x * 0 + s[:, None]))


@pytest.mark.parametrize("shape", [(4, 64), (64, 64), (16, 256)])
def test_two_uses_of_one_sum_agree(device, rng, shape):
    m, n = shape
    rows, out = poisoned(m, "float32"), poisoned(shape, "float32")
    two_uses_kernel[(1,)](rng.standard_normal(shape).astype(np.float32), rows, out, M=m, N=n)
    np.testing.assert_array_equal(out, np.broadcast_to(rows[:, None], shape))


@triton.jit
def running_kernel(x_ptr, sum_ptr, max_ptr, steps, start, scale, M: tl.constexpr, N: tl.constexpr):
    """Sums and maxima of rows over the tiles of a loop: each thread may keep parts of its own until the end."""
    r, c = tl.arange(0, M), tl.arange(0, N)
    total, most = tl.full((M,), 0, tl.float32) + start, tl.full((M,), 0, tl.float32) + start
    for step in range(steps):
        x = tl.load(x_ptr + step * M * N + r[:, None] * N + c[None, :])
        total = total * scale + tl.sum(x, axis=1)
        most = tl.maximum(most, tl.max(x, axis=1))
    tl.store(sum_ptr + r, total)
    tl.store(max_ptr + r, most)


@pytest.mark.parametrize("num_warps", WARPS)
@pytest.mark.parametrize("shape", [(1, 256), (16, 64), (128, 16)])
@pytest.mark.parametrize("steps", [0, 1, 5])
def test_parts_of_threads_count_the_start_once(device, rng, steps, shape, num_warps):
    x = rng.integers(-9, 10, (max(steps, 1), *shape)).astype(np.float32)
    total, most = poisoned(shape[0], "float32"), poisoned(shape[0], "float32")
    running_kernel[(1,)](x, total, most, steps, 3.0, 0.5, M=shape[0], N=shape[1], num_warps=num_warps)
    expected, largest = np.full(shape[0], 3.0), np.full(shape[0], 3.0)
    for tile in x[:steps]:
        expected, largest = expected * 0.5 + tile.sum(axis=1), np.maximum(largest, tile.max(axis=1))
    np.testing.assert_array_equal(total, expected)
    np.testing.assert_array_equal(most, largest)


@triton.jit
def positions_kernel(x_ptr, out_ptr, N: tl.constexpr, LEFT: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.argmax(x, 0, tie_break_left=LEFT))
    tl.store(out_ptr + 1, tl.argmin(x, 0, tie_break_left=LEFT))


@pytest.mark.parametrize("num_warps", WARPS)
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("left", [True, False])
def test_positions_of_extremes_do_not_depend_on_where_nan_stands(device, rng, dtype, left, num_warps):
    """NaN is no extreme unless there is nothing else."""
    for n in (4, 128, 512):
        for count in (1, n // 2, n - 1):
            x = rng.permutation(n).astype(dtype)
            x[rng.permutation(n)[:count]] = np.nan
            out = poisoned(2, "int32")
            positions_kernel[(1,)](x, out, N=n, LEFT=left, num_warps=num_warps)
            np.testing.assert_array_equal(out, [np.nanargmax(x), np.nanargmin(x)])
    out = poisoned(2, "int32")
    positions_kernel[(1,)](np.full(64, np.nan, dtype), out, N=64, LEFT=left, num_warps=num_warps)
    assert np.all((out == 0) if left else (out >= 0) & (out < 64))


@pytest.mark.parametrize("num_warps", WARPS)
def test_the_first_of_equal_extremes_is_told(device, num_warps):
    x = np.zeros(256, np.float32)
    x[[17, 100, 230]], x[[31, 32, 255]] = 5, -5
    out = poisoned(2, "int32")
    positions_kernel[(1,)](x, out, N=256, LEFT=True, num_warps=num_warps)
    np.testing.assert_array_equal(out, [17, 31])


# --- Order of accesses ---------------------------------------------------------------------------------------------


@triton.jit
def update_kernel(buffer_ptr, out_ptr, n, N: tl.constexpr, FORM: tl.constexpr):
    """The mask allows only single elements at once, the accesses without it four; small tensors are held by many."""
    i = tl.arange(0, N)
    if FORM == "store, load":
        tl.store(buffer_ptr + i, i * 3, mask=i < n)
    elif FORM == "store, store, load":
        tl.store(buffer_ptr + i, i * 0 + 5)
        tl.store(buffer_ptr + i, i * 3, mask=i < n)
    elif FORM == "load, store, load":
        x = tl.load(buffer_ptr + i)
        tl.store(buffer_ptr + i, i * 3 + (x + 7), mask=i < n)
    elif FORM == "atomic, load":
        tl.atomic_add(buffer_ptr + i, i, mask=i < n)
    tl.store(out_ptr + i, tl.load(buffer_ptr + i) + 1)


@pytest.mark.parametrize("num_warps", WARPS)
@pytest.mark.parametrize("size,n", [(1, 1), (32, 20), (64, 64), (1024, 1001)])
@pytest.mark.parametrize("form", ["store, load", "store, store, load", "load, store, load", "atomic, load"])
def test_accesses_to_the_same_addresses_keep_their_order(device, form, size, n, num_warps):
    buffer, out, i = np.full(size, -7, np.int32), poisoned(size, "int32"), np.arange(size)
    update_kernel[(1,)](buffer, out, n, N=size, FORM=form, num_warps=num_warps)
    written = -7 + i if form == "atomic, load" else i * 3
    expected = np.where(i < n, written, 5 if form == "store, store, load" else -7)
    np.testing.assert_array_equal(buffer, expected)
    np.testing.assert_array_equal(out, expected + 1)


@triton.jit
def cell_kernel(cell_ptr, out_ptr, steps):
    for _ in range(steps):
        tl.store(cell_ptr, tl.load(cell_ptr) * 2 + 1)
    tl.store(out_ptr + tl.arange(0, 128), tl.zeros((128,), tl.int32) + tl.load(cell_ptr))


@pytest.mark.parametrize("num_warps", WARPS)
def test_all_threads_see_what_one_wrote_to_a_cell(device, num_warps):
    cell, out = np.array([3], np.int32), poisoned(128, "int32")
    cell_kernel[(1,)](cell, out, 5, num_warps=num_warps)
    assert cell[0] == 127
    np.testing.assert_array_equal(out, np.full(128, 127))


@triton.jit
def running_product_kernel(x_ptr, a_ptr, steps, N: tl.constexpr, num_stages: tl.constexpr):
    """Each iteration writes the tile that the next one reads."""
    r, c = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    a = tl.load(a_ptr + r * N + c)
    for k in tl.range(0, steps, num_stages=num_stages):
        x = tl.load(x_ptr + k * N * N + r * N + c)
        tl.store(x_ptr + (k + 1) * N * N + r * N + c, tl.dot(x, a).to(tl.float16))
        tl.debug_barrier()


@pytest.mark.parametrize("num_stages", [1, 2, 4])
def test_loads_stay_behind_stores_to_the_same_memory(device, rng, num_stages):
    n, steps = 32, 4
    x = np.full((steps + 1, n, n), np.nan, np.float16)
    x[0], a = rng.integers(-3, 4, (n, n)), np.eye(n, dtype=np.float16)[rng.permutation(n)]
    running_product_kernel[(1,)](x, a, steps, N=n, num_stages=num_stages)
    for k in range(steps):
        np.testing.assert_array_equal(x[k + 1], x[k] @ a)


# --- Matrix products -----------------------------------------------------------------------------------------------


@triton.jit
def dot_kernel(
    x_ptr,
    y_ptr,
    out_ptr,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
    TO: tl.constexpr,
    PRECISION: tl.constexpr = None,
):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(x_ptr + m[:, None] * K + k[None, :])
    y = tl.load(y_ptr + k[:, None] * N + n[None, :])
    out = tl.dot(x.to(TO), y.to(TO), input_precision=PRECISION)
    tl.store(out_ptr + m[:, None] * N + n[None, :], out)


@pytest.mark.parametrize("num_warps", [1, 4, 8])
@pytest.mark.parametrize("k", [16, 32, 64])
@pytest.mark.parametrize(
    "x_dtype,y_dtype,to",
    [
        ("int8", "int8", tl.int8),
        ("int8", "float16", tl.float16),
        ("float16", "int8", tl.float16),
        ("int8", "float32", tl.float32),
        ("float32", "int8", tl.float16),
        ("int8", "int8", tl.bfloat16),
        ("float16", "float32", tl.float32),
        ("float64", "float32", tl.float64),
    ],
)
def test_short_products_of_mixed_types(device, rng, x_dtype, y_dtype, to, k, num_warps):
    x, y = rng.integers(-4, 5, (16, k)).astype(x_dtype), rng.integers(-4, 5, (k, 16)).astype(y_dtype)
    result = {tl.int8: "int32", tl.float64: "float64"}.get(to, "float32")
    out = poisoned((16, 16), result)
    dot_kernel[(1,)](x, y, out, M=16, N=16, K=k, TO=to, num_warps=num_warps)
    np.testing.assert_array_equal(out, x.astype(np.int64) @ y.astype(np.int64))


@triton.jit
def chained_bytes_kernel(q_ptr, k_ptr, v_ptr, out_ptr, N: tl.constexpr):
    r, c = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    scores = tl.dot(tl.load(q_ptr + r * N + c), tl.load(k_ptr + r * N + c))
    weights = (scores % 7).to(tl.int8)
    tl.store(out_ptr + r * N + c, tl.dot(weights, tl.load(v_ptr + r * N + c)))


@pytest.mark.parametrize("num_warps", [1, 4])
def test_bytes_computed_by_one_product_are_operands_of_the_next(device, rng, num_warps):
    """For 16 bits the result of one product lies where the next one reads it; for 8 bits it does not."""
    q, k, v = (rng.integers(0, 5, (32, 32)).astype(np.int8) for _ in range(3))
    out = poisoned((32, 32), "int32")
    chained_bytes_kernel[(1,)](q, k, v, out, N=32, num_warps=num_warps)
    np.testing.assert_array_equal(out, (q.astype(int) @ k.astype(int) % 7) @ v.astype(int))


@pytest.mark.parametrize("precision,bound", [("ieee", 1e-6), ("tf32x3", 1e-6), ("tf32", 2e-3)])
def test_three_products_of_tf32_are_as_exact_as_one_of_f32(device, rng, precision, bound):
    x, y = rng.standard_normal((32, 128)).astype(np.float32), rng.standard_normal((128, 32)).astype(np.float32)
    x[:, 0], y[0] = 1000, 1000  # a sum beside which the small terms are small
    out = poisoned((32, 32), "float32")
    dot_kernel[(1,)](x, y, out, M=32, N=32, K=128, TO=tl.float32, PRECISION=precision)
    exact = x.astype(np.float64) @ y.astype(np.float64)
    assert np.all(np.abs(out - exact) <= bound * np.linalg.norm(x, axis=1)[:, None] * np.linalg.norm(y, axis=0))


def test_three_products_of_tf32_need_twice_the_shared_memory_of_one_at_most():
    """Each operand has two parts, which are computed where the operand is."""

    def shared(precision):
        constants = {"M": 64, "N": 64, "K": 32, "TO": tl.float32, "PRECISION": precision}
        signature = dict.fromkeys(("x_ptr", "y_ptr", "out_ptr"), "*fp32")
        return compile_for("sim:cuda", 80, dot_kernel, signature, constants).metadata.shared

    assert shared("tf32x3") <= 2 * shared("tf32")


# --- Numbers -------------------------------------------------------------------------------------------------------


@triton.jit
def narrow_kernel(x_ptr, out_ptr, N: tl.constexpr, TO: tl.constexpr, ROUNDING: tl.constexpr):
    i = tl.arange(0, N)
    narrow = tl.load(x_ptr + i).to(TO, fp_downcast_rounding=ROUNDING)
    tl.store(out_ptr + i, narrow.to(tl.float32))


@pytest.mark.parametrize("rounding", [None, "rtne", "rtz"])
@pytest.mark.parametrize("to", ["float16", "bfloat16", "float8e5", "float8e4nv"])
def test_nan_stays_nan_when_its_low_bits_go(device, to, rounding):
    """Patterns whose payload is only in bits that the narrow type does not have."""
    patterns = [0x7F800001, 0xFF800001, 0x7F80FFFF, 0x7FBFFFFF, 0x7FC00000, 0x7FFFFFFF, 0xFFFFFFFF, 0x7F800000]
    x, out = np.array(patterns, np.uint32).view(np.float32), poisoned(8, "float32")
    launch = lambda: narrow_kernel[(1,)](x, out, N=8, TO=getattr(tl, to), ROUNDING=rounding)
    if is_refused(device, to, launch):
        return
    launch()
    assert np.isnan(out[:7]).all()
    assert not np.isnan(out[7]) and out[7] > 400  # 8-bit floats may stop at the largest number


@pytest.mark.parametrize("precision", ["tf32", "tf32x3", "ieee"])
@pytest.mark.parametrize("pattern", [0x7F800001, 0x7F801FFF, 0xFF800001, 0x7FFFFFFF])
def test_nan_stays_nan_in_products(device, precision, pattern):
    x, y = np.zeros((16, 16), np.float32), np.eye(16, dtype=np.float32)
    x.view(np.uint32)[3, 5] = pattern
    out = poisoned((16, 16), "float32")
    dot_kernel[(1,)](x, y, out, M=16, N=16, K=16, TO=tl.float32, PRECISION=precision)
    assert np.isnan(out[3]).all() and not np.isnan(np.delete(out, 3, axis=0)).any()


@triton.jit
def negative_quotient_kernel(x_ptr, out_ptr, start, n, N: tl.constexpr):
    """Groups below zero: quotients and remainders round toward zero, and the mask follows them."""
    i = start + tl.arange(0, N)
    tl.store(out_ptr + tl.arange(0, N), tl.load(x_ptr + 64 + i % n, mask=i // n < 1, other=-1.0))


@pytest.mark.parametrize("start", [-64, -48, -16, 0, 16])
@pytest.mark.parametrize("n", [16, 32])
def test_quotients_of_negative_numbers_are_not_equal_in_groups(device, start, n):
    x, out = np.arange(128, dtype=np.float32), poisoned(64, "float32")
    negative_quotient_kernel[(1,)](x, out, start, n, N=64)
    i = start + np.arange(64)
    quotient = np.trunc(i / n).astype(int)
    np.testing.assert_array_equal(out, np.where(quotient < 1, x[64 + i - quotient * n], -1))


@triton.jit
def wrapped_kernel(x_ptr, out_ptr, n, columns, M: tl.constexpr, N: tl.constexpr):
    """Rows modulo their number, as libraries write it; elements then start at multiples of 16 in groups alone."""
    rows = (tl.program_id(0) * M + tl.arange(0, M)) % n
    i = tl.arange(0, N)
    at = (rows[:, None] * N + i[None, :]) % columns
    tl.store(out_ptr + tl.program_id(0) * M * N + tl.arange(0, M)[:, None] * N + i[None, :], tl.load(x_ptr + at))


@pytest.mark.parametrize("n,columns", [(16, 48), (48, 80), (7, 16), (3, 5), (32, 1)])
def test_remainders_are_aligned_at_the_starts_of_groups_alone(device, n, columns):
    x, out = np.arange(columns, dtype=np.float32), poisoned((2, 16, 64), "float32")
    wrapped_kernel[(2,)](x, out, n, columns, M=16, N=64)
    rows = np.arange(32) % n
    expected = x[(rows[:, None] * 64 + np.arange(64)) % columns]
    np.testing.assert_array_equal(out.reshape(32, 64), expected)


@triton.jit
def choice_kernel(x_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + tl.where(i < n, i, i + 64)))


@pytest.mark.parametrize("n", [0, 1, 7, 16, 63])
def test_a_choice_between_runs_is_aligned_where_the_choice_changes(device, n):
    x, out = np.arange(256, dtype=np.float32), poisoned(128, "float32")
    choice_kernel[(1,)](x, out, n, N=128)
    i = np.arange(128)
    np.testing.assert_array_equal(out, x[np.where(i < n, i, i + 64)])


# --- Functions that are not inlined --------------------------------------------------------------------------------


@triton.jit(noinline=True)
def sum_of(x_ptr, N: tl.constexpr):
    return tl.sum(tl.load(x_ptr + tl.arange(0, N)), axis=0)


@triton.jit
def calling_kernel(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    total = tl.sum(x, axis=0)
    for i in range(3):
        total += sum_of(x_ptr + i * N, N) + tl.sum(x * i, axis=0)
    total += sum_of(x_ptr, N)
    tl.store(out_ptr + tl.arange(0, N), tl.zeros((N,), tl.int32) + total)


@pytest.mark.parametrize("num_warps", WARPS)
def test_a_called_function_leaves_the_callers_shared_memory_alone(device, rng, num_warps):
    x = rng.integers(-9, 10, (3, 512)).astype(np.int32)
    out = poisoned(512, "int32")
    calling_kernel[(1,)](x, out, N=512, num_warps=num_warps)
    np.testing.assert_array_equal(out, np.full(512, x.sum() + 5 * x[0].sum()))


@triton.jit
def leaving_kernel(x_ptr, out_ptr, n, N: tl.constexpr):
    """What follows an early return is a block of its own."""
    i = tl.arange(0, N)
    first = tl.sum(tl.load(x_ptr + i), axis=0)
    if first < n:
        return
    second = tl.sum(tl.load(x_ptr + N + i), axis=0)
    tl.store(out_ptr + i, tl.zeros((N,), tl.int32) + first * second)


@pytest.mark.parametrize("num_warps", WARPS)
def test_threads_wait_for_each_other_across_an_early_return(device, num_warps):
    x = np.arange(512, dtype=np.int32)
    for limit, expected in ((0, x[:256].sum() * x[256:].sum()), (10**6, 0)):
        out = np.zeros(256, np.int32)
        leaving_kernel[(1,)](x, out, limit, N=256, num_warps=num_warps)
        np.testing.assert_array_equal(out, np.int64(expected).astype(np.int32))


# --- Size of code --------------------------------------------------------------------------------------------------


@triton.jit
def sorting_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.sort(tl.load(x_ptr + i)))


def test_code_of_a_sort_grows_with_its_steps_alone():
    """log2(n) * (log2(n) + 1) / 2 steps; each takes a bounded number of operations on whole tensors."""
    sizes = {}
    for log in (5, 7, 9):
        kernel = compile_for("sim:cuda", 90, sorting_kernel, {"x_ptr": "*fp32", "out_ptr": "*fp32"}, {"N": 1 << log})
        operations = [line for line in kernel.asm["ttgir"].splitlines() if " = " in line and not line.startswith("#")]
        sizes[log] = len(operations) / (log * (log + 1) / 2)
    assert max(sizes.values()) <= 1.5 * min(sizes.values()) and max(sizes.values()) < 60, sizes


@pytest.mark.parametrize("dtype", ["i32", "i8", "fp32", "bf16"])
def test_sorted_elements_are_compared_once(dtype):
    """Elements become integers of 32 bits, of which one comparison says whether two change places."""
    signature = {"x_ptr": "*" + dtype, "out_ptr": "*" + dtype}
    code = compile_for("sim:cuda", 90, sorting_kernel, signature, {"N": 32}).asm["ttgir"]
    compared = [line for line in code.splitlines() if "arith.cmpi sgt" in line]
    assert len(compared) == 15 and all("xi32, " in line for line in compared)
    assert "arith.cmpi slt" not in code and "arith.cmpf" not in code


@triton.jit
def wrapping_kernel(x_ptr, start, less_ptr, wide_ptr, LIMIT: tl.constexpr, SOURCE: tl.constexpr):
    lanes = tl.arange(0, 64)
    if SOURCE == "reduction":
        first = tl.max(tl.load(x_ptr + tl.arange(0, 128)))
    elif SOURCE == "load":
        first = tl.load(x_ptr)
    else:
        first = start
    found = first + lanes
    tl.store(less_ptr + lanes, found <= LIMIT)
    tl.store(wide_ptr + lanes, found.to(tl.int64))


# A number of 32 bits without a sign is an argument of 64 bits.
WRAPPING = [*product([np.int32, np.uint32, np.int64, np.uint64], ["reduction", "load"]), (np.int32, "argument")]


@pytest.mark.parametrize("dtype, source", WRAPPING)
def test_sums_of_data_and_lanes_may_wrap(device, dtype, source):
    """A place in an array plus a lane does not wrap within a block, what data says may."""
    x = np.full(128, np.iinfo(dtype).max - 8, dtype)
    less, wide = np.zeros(64, np.int8), np.zeros(64, np.int64)
    wrapping_kernel[(1,)](x, x[0], less, wide, LIMIT=1000, SOURCE=source)
    expected = x[0] + np.arange(64).astype(dtype)
    np.testing.assert_array_equal(less, expected <= 1000)
    np.testing.assert_array_equal(wide, expected.astype(np.int64))


@triton.jit
def guarded_kernel(x_ptr, start, bound, out_ptr, below_ptr, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    places = start + lanes
    elsewhere = tl.load(x_ptr + lanes, mask=places < bound, other=-1)
    tl.store(out_ptr + lanes, elsewhere)
    tl.store(below_ptr + lanes, tl.where(lanes.to(tl.int64) + start < bound, 1, 0))


@pytest.mark.parametrize("start, bound", [(2**31 - 9, 5), (2**31 - 9, 2**31 - 3), (-(2**31), -(2**31) + 7), (3, 40)])
def test_masks_wrap_that_do_not_guard_their_own_place(device, start, bound):
    x = np.arange(64, dtype=np.int32)
    out, below = np.zeros(64, np.int32), np.zeros(64, np.int8)
    guarded_kernel[(1,)](x, start, bound, out, below, BLOCK=64)
    places = np.int32(start) + x
    np.testing.assert_array_equal(out, np.where(places < bound, x, -1))
    np.testing.assert_array_equal(below, start + x.astype(np.int64) < bound)


@triton.jit
def distant_kernel(start, bound, out_ptr):
    lanes = tl.arange(0, 64)
    tl.store(out_ptr + lanes, tl.where(start * 64 + lanes <= bound, 1, 0))


@pytest.mark.parametrize("start", [-(2**57), 0, 2**57 - 1])
@pytest.mark.parametrize("bound", [-(2**63), -(2**62), 0, 2**63 - 20, 2**63 - 1])
def test_numbers_of_64_bits_far_apart_compare(device, start, bound):
    out = np.zeros(64, np.int8)
    distant_kernel[(1,)](np.int64(start), np.int64(bound), out)
    np.testing.assert_array_equal(out, [start * 64 + lane <= bound for lane in range(64)])


@triton.jit
def nested_kernel(count_ptr, start, end_ptr, out_ptr):
    last = tl.full([], 0, tl.int64)
    for _ in range(0, tl.load(count_ptr)):
        end = tl.load(end_ptr)
        total = tl.full([], 0, tl.int64)
        for i in range(start, end):
            total = total * 3 + i
        last = total
    tl.store(out_ptr, last)


@pytest.mark.parametrize("count", [-1, 0, 2])
def test_bounds_of_loops_that_never_run_are_not_used(device, count):
    start, end, out = -(2**31), np.full(1, -(2**31) + 3, np.int32), np.full(1, -1, np.int64)
    nested_kernel[(1,)](np.full(1, count, np.int32), start, end, out)
    assert out[0] == (0 if count <= 0 else start * 9 + (start + 1) * 3 + start + 2)


@triton.jit
def unrolled_kernel(out_ptr, START: tl.constexpr, END: tl.constexpr, FACTOR: tl.constexpr):
    total = tl.full([], 0, tl.int64)
    for i in tl.range(START, END, loop_unroll_factor=FACTOR):
        total = total * 3 + i
    tl.store(out_ptr, total)


@pytest.mark.parametrize("factor", [1, 2, 4])
@pytest.mark.parametrize("start", [2**31 - 2, 2**32 - 7, 2**33])
def test_unrolled_loops_end_where_their_numbers_have_no_sign(device, start, factor):
    out, expected = np.zeros(1, np.int64), 0
    unrolled_kernel[(1,)](out, START=start, END=start + 5, FACTOR=factor)
    for i in range(start, start + 5):
        expected = expected * 3 + i
    assert out[0] == expected
