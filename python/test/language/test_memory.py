"""Loads and stores: masks, edges at unmapped memory, pointers of every kind."""

import numpy as np
import pytest
import triton
import triton.language as tl
import values
from fuzzing.guarded import guarded
from values import ALL, argument, poisoned, random_values

N_VALUES = [1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 128, 129, 255, 257]


@triton.jit
def copy_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)


@pytest.mark.parametrize("at_start", [False, True])
@pytest.mark.parametrize("dtype", ["int1", "int8", "int16", "bfloat16", "float16", "float32", "float64", "uint64"])
def test_masked_edge_at_unmapped_page(device, rng, dtype, at_start):
    for n in N_VALUES:
        x = guarded(random_values(rng, n, dtype), at_start)
        out = guarded(poisoned(n, dtype), at_start)
        copy_kernel[(triton.cdiv(n, 128),)](argument(x, dtype), argument(out, dtype), n, BLOCK=128)
        np.testing.assert_array_equal(out.view(np.uint8), x.view(np.uint8), err_msg=str(n))


@triton.jit
def window_kernel(x_ptr, out_ptr, low, high, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = (i >= low) & (i < high)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=mask, other=-1.0) * 2, mask=mask)


@pytest.mark.parametrize("low,high", [(0, 64), (5, 64), (0, 59), (17, 43), (31, 32), (20, 20), (60, 10)])
def test_window_touches_nothing_outside(host_device, rng, low, high):
    """The pointers lie so that everything below `low` and from `high` on is unmapped."""
    data = rng.random(max(high - low, 0), dtype=np.float32)
    for at_start in (False, True):
        x = guarded(data if data.size else np.zeros(1, np.float32), at_start)
        out = guarded(np.full_like(x, np.nan), at_start)
        shifted = [triton.reinterpret(Address(array.ctypes.data - 4 * low), tl.float32) for array in (x, out)]
        with triton.testing.accessible_memory(x, out):
            window_kernel[(1,)](*shifted, low, high, BLOCK=64)
        np.testing.assert_array_equal(out, data * 2 if data.size else np.full(1, np.nan, np.float32))


class Broken:
    @property
    def __array_interface__(self):
        raise RuntimeError("there is no array")


class Address:
    """An address without bounds, as `data_ptr()` objects are."""

    dtype, shape = "float32", (1,)

    def __init__(self, address):
        self.address = address
        self.kind, self.broken = np.float32, Broken()  # neither is memory

    def data_ptr(self):
        return self.address


@triton.jit
def irregular_kernel(x_ptr, mask_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = tl.load(mask_ptr + i)
    x = tl.load(x_ptr + i, mask=mask, other=7)
    tl.store(out_ptr + i, x)
    tl.store(out_ptr + BLOCK + i, x, mask=~mask)


@pytest.mark.parametrize("dtype", ALL)
def test_mask_and_other(device, rng, dtype):
    x, mask = random_values(rng, 64, dtype), random_values(rng, 64, "int1")
    out = poisoned(128, dtype)
    before = out.copy()
    irregular_kernel[(1,)](argument(x, dtype), mask, argument(out, dtype), BLOCK=64)
    seven = values.store_as(np.array(7), dtype)
    np.testing.assert_array_equal(out[:64], np.where(mask, x, seven))
    expected = np.where(~mask, seven, before[64:])
    np.testing.assert_array_equal(out[64:].view(np.uint8), expected.view(np.uint8))


@triton.jit
def tile_copy_kernel(
    x_ptr, out_ptr, rows, columns, stride_xr, stride_xc, stride_or, stride_oc, R: tl.constexpr, C: tl.constexpr
):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.program_id(1) * C + tl.arange(0, C)
    mask = (r[:, None] < rows) & (c[None, :] < columns)
    x = tl.load(x_ptr + r[:, None] * stride_xr + c[None, :] * stride_xc, mask=mask)
    tl.store(out_ptr + r[:, None] * stride_or + c[None, :] * stride_oc, x, mask=mask)


@pytest.mark.parametrize("rows,columns", [(1, 1), (3, 5), (16, 16), (17, 33), (40, 7), (64, 31)])
@pytest.mark.parametrize("x_order,out_order", [("C", "C"), ("F", "C"), ("C", "F"), ("F", "F")])
def test_tile_with_strides(device, rng, rows, columns, x_order, out_order):
    x = guarded(rng.random(rows * columns, dtype=np.float32)).reshape((rows, columns), order=x_order)
    out = guarded(np.full(rows * columns, np.nan, np.float32)).reshape((rows, columns), order=out_order)
    strides = [stride // 4 for stride in x.strides + out.strides]
    tile_copy_kernel[(triton.cdiv(rows, 16), triton.cdiv(columns, 16))](x, out, rows, columns, *strides, R=16, C=16)
    np.testing.assert_array_equal(out, x)


@triton.jit
def gather_kernel(x_ptr, index_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < n
    index = tl.load(index_ptr + i, mask=mask, other=0)
    tl.store(out_ptr + index, tl.load(x_ptr + index * 2, mask=mask), mask=mask)


@pytest.mark.parametrize("index_dtype", ["int32", "int64", "uint32", "int16"])
@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64"])
def test_gather_and_scatter(device, rng, dtype, index_dtype):
    x = random_values(rng, 200, dtype)
    index = rng.permutation(100).astype(index_dtype)
    out = guarded(poisoned(100, dtype))
    gather_kernel[(1,)](guarded(x), guarded(index), out, 100, BLOCK=128)
    np.testing.assert_array_equal(out, x[::2])


@triton.jit
def strided_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + 3 * i, tl.load(x_ptr + 2 * i))


@pytest.mark.parametrize("dtype", ["int1", "int8", "int16", "float64"])
def test_constant_strides(device, rng, dtype):
    x, out = random_values(rng, 512, dtype), guarded(poisoned(3 * 256, dtype))
    strided_kernel[(1,)](x, out, BLOCK=256)
    np.testing.assert_array_equal(out[::3], x[::2])


@triton.jit
def transposed_mask_kernel(index_ptr, counts_ptr, rows, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """The mask and the indices are kept in memory in the order of the flat tensor, and computed by columns."""
    row, column = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    mask = (row < rows)[:, None] & (column[None, :] < COLUMNS)
    index = tl.load(index_ptr + row[:, None] * COLUMNS + tl.minimum(column, COLUMNS - 1)[None, :], mask=mask, other=-1)
    flat_mask = tl.reshape(mask, [ROWS * COLUMNS])
    flat_index = tl.where(flat_mask, tl.reshape(index, [ROWS * COLUMNS]), 0)
    tl.atomic_add(counts_ptr + flat_index, tl.full([ROWS * COLUMNS], 1, tl.int32), mask=flat_mask)


@pytest.mark.parametrize("rows", [32, 64, 256])
def test_flattened_mask(device, rng, rows):
    index = rng.integers(0, 8, (rows - 5, 2), dtype=np.int32)
    counts = np.zeros(8, np.int32)
    transposed_mask_kernel[(1,)](index, counts, rows - 5, ROWS=rows, COLUMNS=2)
    np.testing.assert_array_equal(counts, np.bincount(index.ravel(), minlength=8))


@triton.jit
def reverse_kernel(x_ptr, out_ptr, n, stride, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + (n - 1 - i) * stride, mask=i < n), mask=i < n)


def test_negative_and_runtime_strides(device, rng):
    x = guarded(rng.random(3 * 50, dtype=np.float32))
    out = guarded(np.full(50, np.nan, np.float32))
    reverse_kernel[(1,)](x, out, 50, 3, BLOCK=64)
    np.testing.assert_array_equal(out, x[::3][::-1])


@triton.jit
def scalar_kernel(x_ptr, out_ptr):
    value = tl.load(x_ptr + 3)
    tl.store(out_ptr, value * 2)
    if value > 1000:
        tl.store(out_ptr + 1, value)
    tl.store(out_ptr + 2, tl.load(x_ptr + 100000000, mask=value > 1000, other=5))


@pytest.mark.parametrize("dtype", ["int32", "float32", "int64", "float64"])
def test_scalar_access(device, dtype):
    x = guarded(np.arange(4, dtype=dtype))
    out = guarded(np.full(3, 77, dtype))
    scalar_kernel[(1,)](x, out)
    np.testing.assert_array_equal(out, [6, 77, 5])


@triton.jit
def far_kernel(x_ptr, out_ptr, offset, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + offset + i))


def test_offsets_beyond_32_bits(host_device):
    data = np.arange(64, dtype=np.int8)
    offset = 5_000_000_000
    base = triton.reinterpret(Address(data.ctypes.data - offset), tl.int8)
    out = poisoned(64, "int8")
    with triton.testing.accessible_memory(data):
        far_kernel[(1,)](base, out, offset, BLOCK=64)
    np.testing.assert_array_equal(out, data)


@triton.jit
def unsigned_offset_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK).to(tl.uint8) + 200
    tl.store(out_ptr + tl.arange(0, BLOCK), tl.load(x_ptr + i))


def test_unsigned_offsets_are_zero_extended(device):
    x = guarded(np.arange(256, dtype=np.int32))
    out = poisoned(32, "int32")
    unsigned_offset_kernel[(1,)](x, out, BLOCK=32)
    np.testing.assert_array_equal(out, np.arange(200, 232))


@triton.jit
def broadcast_kernel(x_ptr, out_ptr, R: tl.constexpr, C: tl.constexpr):
    r, c = tl.arange(0, R), tl.arange(0, C)
    row = tl.load(x_ptr + c[None, :])
    mask = r[:, None] < 3
    tl.store(out_ptr + r[:, None] * C + c[None, :], tl.load(x_ptr + c[None, :] + r[:, None] * 0, mask=mask, other=9.0))
    tl.store(out_ptr + R * C + r[:, None] * C + c[None, :], row)


def test_broadcast_of_pointer_mask_and_value(device, rng):
    x = rng.random(8, dtype=np.float32)
    out = poisoned((2, 4, 8), "float32")
    broadcast_kernel[(1,)](x, out, R=4, C=8)
    np.testing.assert_array_equal(out[0], np.where(np.arange(4)[:, None] < 3, x, np.float32(9)))
    np.testing.assert_array_equal(out[1], np.broadcast_to(x, (4, 8)))


@triton.jit
def block_pointer_kernel(x_ptr, out_ptr, rows, columns, R: tl.constexpr, C: tl.constexpr):
    x_block = tl.make_block_ptr(
        x_ptr,
        shape=(rows, columns),
        strides=(columns, 1),
        offsets=(tl.program_id(0) * R, 0),
        block_shape=(R, C),
        order=(1, 0),
    )
    out_block = tl.make_block_ptr(
        out_ptr,
        shape=(rows, columns),
        strides=(columns, 1),
        offsets=(tl.program_id(0) * R, 0),
        block_shape=(R, C),
        order=(1, 0),
    )
    for _ in range(0, tl.cdiv(columns, C)):
        x = tl.load(x_block, boundary_check=(0, 1), padding_option="zero")
        tl.store(out_block, x + 1, boundary_check=(0, 1))
        x_block = tl.advance(x_block, (0, C))
        out_block = tl.advance(out_block, (0, C))


@pytest.mark.parametrize("rows,columns", [(16, 32), (13, 32), (16, 50), (5, 3), (33, 65)])
def test_block_pointers(device, rng, rows, columns):
    x = guarded(rng.random((rows, columns), dtype=np.float32))
    out = guarded(np.full((rows, columns), np.nan, np.float32))
    block_pointer_kernel[(triton.cdiv(rows, 16),)](x, out, rows, columns, R=16, C=16)
    np.testing.assert_array_equal(out, x + 1)


@triton.jit
def padding_kernel(x_ptr, out_ptr, n, PADDING: tl.constexpr, BLOCK: tl.constexpr):
    x_block = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (BLOCK,), (0,))
    tl.store(out_ptr + tl.arange(0, BLOCK), tl.load(x_block, boundary_check=(0,), padding_option=PADDING))


@pytest.mark.parametrize("padding,fill", [("zero", 0.0), ("nan", np.nan)])
def test_block_pointer_padding(device, rng, padding, fill):
    x = guarded(rng.random(21, dtype=np.float32))
    out = np.full(32, 5, np.float32)
    padding_kernel[(1,)](x, out, 21, PADDING=padding, BLOCK=32)
    np.testing.assert_array_equal(out, np.concatenate([x, np.full(11, fill, np.float32)]))


@triton.jit
def hints_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr, LOAD: tl.constexpr, STORE: tl.constexpr, EVICT: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    i = tl.max_contiguous(tl.multiple_of(i, BLOCK), BLOCK)
    tl.assume(n > 0)
    x = tl.load(x_ptr + i, mask=i < n, other=7, cache_modifier=LOAD, eviction_policy=EVICT, volatile=False)
    y = tl.load(x_ptr + i % n, cache_modifier=LOAD, eviction_policy=EVICT)
    tl.store(out_ptr + i, x, mask=i < n, cache_modifier=STORE, eviction_policy=EVICT)
    tl.store(out_ptr + n + i, x + y, cache_modifier=STORE, eviction_policy=EVICT)


@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32, np.float64])
@pytest.mark.parametrize(
    "load,store,evict",
    [
        (".cg", ".cs", "evict_first"),
        ("", "", "evict_last"),
        (".ca", ".wb", ""),
        (".cv", ".wt", "evict_first"),
        (".cs", ".cg", ""),
    ],
)
def test_hints_change_nothing(device, rng, dtype, load, store, evict):
    n, blocks = 1000, 8
    x = guarded(rng.integers(-50, 50, n).astype(dtype))
    out = guarded(np.full(n + blocks * 128, -1, dtype))
    hints_kernel[(blocks,)](x, out, n, BLOCK=128, LOAD=load, STORE=store, EVICT=evict)
    extended = np.concatenate([x, np.full(blocks * 128 - n, 7, dtype)])
    np.testing.assert_array_equal(out[:n], x)
    np.testing.assert_array_equal(out[n:], extended + np.concatenate([x, x])[: len(extended)])


@triton.jit
def pointer_table_kernel(table_ptr, out_ptr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr = tl.load(table_ptr + row).to(tl.pointer_type(tl.float32))
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + row * BLOCK + i, tl.load(x_ptr + i))


def test_pointers_stored_as_integers(host_device, rng):
    rows = [rng.random(32, dtype=np.float32) for _ in range(3)]
    table = np.array([row.ctypes.data for row in rows], np.int64)
    out = poisoned((3, 32), "float32")
    with triton.testing.accessible_memory(*rows):
        pointer_table_kernel[(3,)](table, out, BLOCK=32)
    np.testing.assert_array_equal(out, rows)


@triton.jit
def in_place_kernel(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(x_ptr + (n - 1 - i), x, mask=i < n)


def test_store_after_load_of_the_same_memory(device):
    x = np.arange(100, dtype=np.float32)
    in_place_kernel[(1,)](x, 100, BLOCK=128, num_warps=1)  # nothing orders warps here
    np.testing.assert_array_equal(x, np.arange(100)[::-1])


@triton.jit
def look_up_sums(x, table, rows, found, N: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    block = tl.load(x + i * N + j)
    entries = tl.load(table + tl.sum(block, 1))
    tl.store(rows + i * N + j, block + 1)
    tl.store(found + tl.arange(0, N), entries)


def test_load_at_sums_before_a_store_of_their_blocks(device, rng):
    x, table = rng.integers(0, 9, (16, 16)), rng.integers(-99, 99, 256)
    arrays = x.astype(np.int32), table.astype(np.int32), np.zeros((16, 16), np.int32), np.zeros(16, np.int32)
    look_up_sums[(1,)](*arrays, N=16)
    np.testing.assert_array_equal(arrays[2], x + 1)
    np.testing.assert_array_equal(arrays[3], table[x.sum(1)])


@triton.jit
def copies_in_place_kernel(x_ptr, y_ptr, n, FEW: tl.constexpr, MANY: tl.constexpr):
    i = tl.arange(0, MANY)
    x = tl.zeros((FEW,), tl.int32)
    if n > 0:
        x = tl.load(x_ptr + tl.arange(0, FEW))
    tl.store(x_ptr + tl.arange(0, FEW), x + 1)
    tl.store(y_ptr + i, tl.load(y_ptr + i) + tl.sum(x))


def test_elements_that_many_threads_hold_change_in_place(device):
    """All threads have loaded their copies before one of them stores, also where the pointers are computed twice."""
    x, y = np.arange(16, dtype=np.int32), np.arange(4096, dtype=np.int32)
    copies_in_place_kernel[(1,)](x, y, 5, FEW=16, MANY=4096)
    np.testing.assert_array_equal(x, np.arange(16) + 1)
    np.testing.assert_array_equal(y, np.arange(4096) + 120)


@triton.jit
def stored_pointers_kernel(x_ptr, table_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    table = table_ptr.to(tl.pointer_type(tl.pointer_type(tl.int16)))
    tl.store(table + i, x_ptr + i)
    pointers = tl.load(table + i, mask=i % 2 == 0, other=x_ptr + (BLOCK - 1 - i))
    tl.store(out_ptr + i, tl.load(pointers))


def test_pointers_in_memory(host_device):
    """Neighbouring addresses that are stored, or stand in where a mask is off, step by what they point to."""
    x, table, out = np.arange(64, dtype=np.int16), np.zeros(64, np.int64), poisoned((64,), "int16")
    stored_pointers_kernel[(1,)](x, table, out, BLOCK=64)
    np.testing.assert_array_equal(table, x.ctypes.data + 2 * np.arange(64))
    np.testing.assert_array_equal(out, np.where(np.arange(64) % 2 == 0, x, 63 - x))


@triton.jit
def unmasked_part_kernel(x_ptr, scalar_ptr, out_ptr, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Masked loads without `other`, next to other values that could be left in their registers."""
    column, row = tl.arange(0, COLUMNS), tl.arange(0, ROWS)
    noise = tl.load(x_ptr + row[:, None] * COLUMNS + column[None, :]) * float("inf")
    loaded = tl.load(x_ptr + row[:, None] * COLUMNS + column[None, :], mask=(column < n)[None, :])
    strided = tl.load(x_ptr + column * 2, mask=column < n)
    scalar = tl.load(scalar_ptr, mask=n < 0)
    total = tl.where(noise == 0, noise, loaded) + strided[None, :] + scalar
    tl.store(out_ptr + row[:, None] * COLUMNS + column[None, :], total)


@pytest.mark.parametrize("n", [0, 5, 64])
def test_elements_that_are_masked_off_are_zero(device, rng, n):
    x = rng.standard_normal((16, 64), dtype=np.float32) + 10
    out = np.full((16, 64), np.nan, np.float32)
    unmasked_part_kernel[(1,)](guarded(x), guarded(np.full(1, np.nan, np.float32)), out, n, ROWS=16, COLUMNS=64)
    kept = np.arange(64) < n
    np.testing.assert_array_equal(out, np.where(kept, x, 0) + np.where(kept, x.ravel()[:128:2], 0))


@triton.jit
def wrapped_rows_kernel(x_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, BLOCK: tl.constexpr):
    """As templates of products read operands whose size is no multiple of the block's."""
    columns = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    wrapped = tl.max_contiguous(tl.multiple_of(columns % COLUMNS, BLOCK), BLOCK)
    rows = tl.arange(0, ROWS)
    tile = tl.load(x_ptr + rows[:, None] * COLUMNS + wrapped[None, :])
    tl.store(out_ptr + rows[:, None] * COLUMNS + columns[None, :], tile, mask=columns[None, :] < COLUMNS)


@pytest.mark.parametrize("dtype", ["int8", "int16", "float32"])
@pytest.mark.parametrize("columns, block", [(64, 64), (128, 64), (192, 64), (128, 32)])
def test_wrapped_columns(device, rng, dtype, columns, block):
    x = rng.integers(-100, 100, (16, columns)).astype(dtype)
    out = np.full_like(x, 77)
    wrapped_rows_kernel[(triton.cdiv(columns, block),)](x, out, ROWS=16, COLUMNS=columns, BLOCK=block)
    np.testing.assert_array_equal(out, x)


@triton.jit
def wrapped_gather_kernel(
    x_ptr, rows_ptr, w_ptr, out_ptr, n, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr
):
    """As products of chosen rows do it: what is stated of the wrapped indices is false where n is no multiple of the
    block, and rows from n on are computed from any of the n, and not stored."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    wrapped = tl.max_contiguous(tl.multiple_of(m % n, BLOCK_M), BLOCK_M)
    columns = tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    x_ptrs = x_ptr + tl.load(rows_ptr + wrapped)[:, None] * K + k[None, :]
    w_ptrs = w_ptr + k[:, None] * BLOCK_N + columns[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(0, K, BLOCK_K):
        total = tl.dot(tl.load(x_ptrs), tl.load(w_ptrs), total)
        x_ptrs += BLOCK_K
        w_ptrs += BLOCK_K * BLOCK_N
    tl.store(out_ptr + m[:, None] * BLOCK_N + columns[None, :], total, mask=m[:, None] < n)


@pytest.mark.parametrize("n", [1, 3, 16, 70])
def test_gather_through_wrapped_indices(device, rng, n):
    K, BLOCK_M, BLOCK_N = 64, 64, 32
    x = rng.integers(-4, 5, (80, K)).astype(np.float16)
    w = rng.integers(-4, 5, (K, BLOCK_N)).astype(np.float16)
    rows = rng.permutation(80)[:n].astype(np.int32)
    out = np.zeros((n, BLOCK_N), np.float32)
    grid = (triton.cdiv(n, BLOCK_M),)
    wrapped_gather_kernel[grid](x, guarded(rows), w, out, n, K, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, BLOCK_K=32)
    np.testing.assert_array_equal(out, x[rows].astype(np.float32) @ w.astype(np.float32))


@pytest.mark.parametrize("arch", ["x86-64-v3", "x86-64-v4", "znver5"])
def test_wrapped_columns_stay_contiguous(arch):
    signature = {"x_ptr": "*i8", "out_ptr": "*i8"}
    source = triton.compiler.ASTSource(wrapped_rows_kernel, signature, {"ROWS": 16, "COLUMNS": 64, "BLOCK": 64})
    target = triton.backends.compiler.GPUTarget("cpu", "x86_64", 0)
    kernel = triton.compile(source, target=target, options={"arch": arch})
    assert "x!llvm.ptr>" not in kernel.asm["ttcir"]


@triton.jit
def between_kernel(x_ptr, out_ptr, first, end, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK).to(tl.int64)
    mask = (i >= first) & (i < end)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=mask, other=1), mask=i > 1)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32"])
@pytest.mark.parametrize("block", [32, 64, 256])
def test_wide_indices_between_two_bounds(device, rng, dtype, block):
    x = rng.integers(2, 100, block).astype(dtype)
    out = np.zeros_like(x)
    between_kernel[(1,)](x, out, 3, 50, BLOCK=block)
    i = np.arange(block)
    np.testing.assert_array_equal(out, np.where(i > 1, np.where((i >= 3) & (i < 50), x, 1), 0))


@pytest.mark.parametrize("arch", ["x86-64-v3", "x86-64-v4", "znver4", "sapphirerapids"])
@pytest.mark.parametrize("dtype", ["*i8", "*i1"])
def test_wide_indices_of_narrow_elements_fit_vectors(arch, dtype):
    """Stage ttcir bounds vectors by rule ttcir-2."""
    signature = {"x_ptr": dtype, "out_ptr": dtype, "first": "i32", "end": "i32"}
    source = triton.compiler.ASTSource(between_kernel, signature, {"BLOCK": 256})
    target = triton.backends.compiler.GPUTarget("cpu", "x86_64", 0)
    assert triton.compile(source, target=target, options={"arch": arch}).asm["o"]


@triton.jit
def many_loads_kernel(x_ptr, out_ptr, stride, n, N: tl.constexpr):
    i = tl.arange(0, N)
    first = tl.load(x_ptr + i * stride, mask=i < n, other=5)
    tl.store(out_ptr + i, first + tl.load(x_ptr + i * stride, mask=i < n - 3))


@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32, np.float64])
def test_more_masked_loads_than_have_branches(device, dtype, rng):
    """GPUs of NVIDIA predicate the loads of one operation where these are more than 128 a thread."""
    x, out = rng.integers(0, 9, 32768).astype(dtype), np.zeros(32768, dtype)
    many_loads_kernel[(1,)](x, out, 1, 20001, N=32768, num_warps=4)
    expected = np.where(np.arange(32768) < 20001, x, 5)
    expected[:19998] += x[:19998]
    np.testing.assert_array_equal(out, expected)


@triton.jit
def store_one_lane(x_ptr, out_ptr, place: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i).to(out_ptr.dtype.element_ty), mask=i == place)


@pytest.mark.parametrize("block, place", [(2, 0), (2, 1), (8, 3)])
@pytest.mark.parametrize(
    "dtype, wide", [("uint8", "int64"), ("int16", "int64"), ("int32", "uint64"), ("int8", "int32")]
)
def test_one_lane_of_a_narrower_block_is_stored_alone(device, dtype, wide, block, place):
    """LLVM makes one store of it, which was as wide as the elements before their conversion."""
    out, expected = np.full(16, 77, dtype), np.full(16, 77, dtype)
    store_one_lane[(1,)](np.arange(1, 17, dtype=wide), out, place, BLOCK=block)
    expected[place] = place + 1
    np.testing.assert_array_equal(out, expected)
