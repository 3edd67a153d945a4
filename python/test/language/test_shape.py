"""Creation of tensors and changes of shape."""

import numpy as np
import pytest
import triton
import triton.language as tl
from values import ALL, argument, poisoned, store_as, tl_dtype


@triton.jit
def creation_kernel(out_ptr, START: tl.constexpr, END: tl.constexpr):
    i = tl.arange(START, END)
    tl.static_assert(i.dtype == tl.int32)
    tl.store(out_ptr + i - START, i)
    tl.store(out_ptr + (END - START) + i - START, tl.full((END - START,), 42, tl.int32))
    tl.store(out_ptr + 2 * (END - START) + i - START, tl.zeros_like(i))


@pytest.mark.parametrize("start,end", [(0, 1), (0, 16), (3, 19), (7, 8), (100, 1124)])
def test_arange_full_zeros(device, start, end):
    n = end - start
    out = poisoned((3, n), "int32")
    creation_kernel[(1,)](out, START=start, END=end)
    np.testing.assert_array_equal(out, [np.arange(start, end), np.full(n, 42), np.zeros(n)])


@triton.jit
def full_kernel(out_ptr, VALUE: tl.constexpr, TYPE: tl.constexpr):
    i = tl.arange(0, 16)
    tl.store(out_ptr + i, tl.full((16,), VALUE, TYPE))
    tl.store(out_ptr + 16 + i, tl.zeros((16,), dtype=TYPE))
    tl.store(out_ptr + 32, tl.full((), VALUE, TYPE))


@pytest.mark.parametrize("dtype", ALL)
def test_full_of_every_type(device, dtype):
    out = poisoned(33, dtype)
    full_kernel[(1,)](argument(out, dtype), VALUE=1, TYPE=tl_dtype(dtype))
    np.testing.assert_array_equal(out, store_as(np.array([1] * 16 + [0] * 16 + [1]), dtype))


@triton.jit
def program_kernel(out_ptr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(axis=2)
    nx, ny = tl.num_programs(0), tl.num_programs(1)
    tl.store(out_ptr + x + nx * (y + ny * z), x + 10 * y + 100 * z + 1000 * tl.num_programs(2))


@pytest.mark.parametrize("grid", [(1,), (5,), (3, 4), (2, 3, 4), (1, 1, 7)])
def test_programs_of_the_grid(device, grid):
    nx, ny, nz = (*grid, 1, 1)[:3]
    out = poisoned(nx * ny * nz, "int32")
    program_kernel[grid](out)
    z, y, x = np.meshgrid(np.arange(nz), np.arange(ny), np.arange(nx), indexing="ij")
    np.testing.assert_array_equal(out, (x + 10 * y + 100 * z + 1000 * nz).ravel())


@triton.jit
def transpose_kernel(x_ptr, out_ptr, R: tl.constexpr, C: tl.constexpr, METHOD: tl.constexpr):
    r, c = tl.arange(0, R), tl.arange(0, C)
    x = tl.load(x_ptr + r[:, None] * C + c[None, :])
    if METHOD == "trans":
        y = tl.trans(x)
    elif METHOD == "T":
        y = x.T
    elif METHOD == "permute":
        y = tl.permute(x, (1, 0))
    tl.store(out_ptr + c[:, None] * R + r[None, :], y)


@pytest.mark.parametrize("method", ["trans", "T", "permute"])
@pytest.mark.parametrize("shape", [(1, 16), (16, 16), (8, 64), (64, 2), (32, 32)])
def test_transpose(device, rng, shape, method):
    x = rng.random(shape, dtype=np.float32)
    out = poisoned(shape[::-1], "float32")
    transpose_kernel[(1,)](x, out, R=shape[0], C=shape[1], METHOD=method)
    np.testing.assert_array_equal(out, x.T)


@triton.jit
def permute3_kernel(
    x_ptr,
    out_ptr,
    A: tl.constexpr,
    B: tl.constexpr,
    C: tl.constexpr,
    D0: tl.constexpr,
    D1: tl.constexpr,
    D2: tl.constexpr,
):
    i = tl.arange(0, A * B * C)
    x = tl.reshape(tl.load(x_ptr + i), (A, B, C))
    tl.store(out_ptr + i, tl.reshape(tl.permute(x, (D0, D1, D2)), (A * B * C,)))


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
def test_permute_of_three_dimensions(device, rng, order):
    x = rng.random((4, 8, 16), dtype=np.float32)
    out = poisoned(512, "float32")
    permute3_kernel[(1,)](x, out, 4, 8, 16, *order)
    np.testing.assert_array_equal(out, x.transpose(order).ravel())


@triton.jit
def reshape_kernel(x_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, A * B)
    x = tl.load(x_ptr + i).reshape(A, B)
    a, b = tl.arange(0, A), tl.arange(0, B)
    tl.store(out_ptr + a[:, None] * B + b[None, :], x + 1)
    tl.store(out_ptr + A * B + i, tl.ravel(x))


@pytest.mark.parametrize("a,b", [(1, 32), (32, 1), (4, 8), (16, 64)])
def test_reshape(device, rng, a, b):
    x = rng.random(a * b, dtype=np.float32)
    out = poisoned((2, a * b), "float32")
    reshape_kernel[(1,)](x, out, A=a, B=b)
    np.testing.assert_array_equal(out, [x + 1, x])


@triton.jit
def broadcast_kernel(x_ptr, y_ptr, out_ptr, R: tl.constexpr, C: tl.constexpr):
    r, c = tl.arange(0, R), tl.arange(0, C)
    x, y = tl.load(x_ptr + r), tl.load(y_ptr + c)
    place = out_ptr + r[:, None] * C + c[None, :]
    size: tl.constexpr = R * C
    tl.store(place, x[:, None] + y[None, :])
    tl.store(place + size, tl.expand_dims(x, 1) * y)
    tl.store(place + 2 * size, tl.broadcast_to(y[None, :], (R, C)))
    a, b = tl.broadcast(x[:, None], y[None, :])
    tl.store(place + 3 * size, a - b)
    tl.store(place + 4 * size, tl.broadcast_to(tl.load(x_ptr), (R, C)))


@pytest.mark.parametrize("shape", [(1, 8), (8, 1), (16, 32), (64, 4)])
def test_broadcast(device, rng, shape):
    x, y = rng.random(shape[0], dtype=np.float32), rng.random(shape[1], dtype=np.float32)
    out = poisoned((5, *shape), "float32")
    broadcast_kernel[(1,)](x, y, out, R=shape[0], C=shape[1])
    column = x[:, None]
    expected = [column + y, column * y, np.broadcast_to(y, shape), column - y, np.full(shape, x[0])]
    np.testing.assert_array_equal(out, expected)


@triton.jit
def none_index_kernel(x_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    a, b, c = tl.arange(0, A), tl.arange(0, B), tl.arange(0, C)
    index = a[:, None, None] * B * C + b[None, :, None] * C + c[None, None, :]
    x = tl.load(x_ptr + index)
    tl.static_assert(x.shape == (A, B, C))
    tl.store(out_ptr + index, x * 2)


def test_three_dimensional_indexing(device, rng):
    x = rng.random((2, 4, 8), dtype=np.float32)
    out = poisoned((2, 4, 8), "float32")
    none_index_kernel[(1,)](x, out, A=2, B=4, C=8)
    np.testing.assert_array_equal(out, x * 2)


@triton.jit
def join_split_kernel(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    joined = tl.join(x, y)
    first, second = tl.split(joined)
    tl.store(out_ptr + i, first)
    tl.store(out_ptr + N + i, second)
    tl.store(out_ptr + 2 * N + tl.arange(0, 2 * N), tl.interleave(x, y))
    tl.store(out_ptr + 4 * N + tl.arange(0, 2 * N), tl.cat(x, y, dim=0))


@pytest.mark.parametrize("n", [1, 16, 64])
def test_join_split_interleave_cat(device, rng, n):
    x, y = rng.random(n, dtype=np.float32), rng.random(n, dtype=np.float32)
    out = poisoned(6 * n, "float32")
    join_split_kernel[(1,)](x, y, out, N=n)
    interleaved = np.stack([x, y], axis=1).ravel()
    np.testing.assert_array_equal(out, np.concatenate([x, y, interleaved, x, y]))


@triton.jit
def attributes_kernel(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N)[:, None] + tl.arange(0, 4)[None, :])
    tl.static_assert(x.shape[0] == N)
    tl.static_assert(x.shape[1] == 4)
    tl.static_assert(len(x.shape) == 2)
    tl.static_assert(x.numel == N * 4)
    tl.static_assert(x.dtype == tl.float32)
    tl.static_assert(x_ptr.dtype.element_ty == tl.float32)
    tl.static_assert(x.dtype.is_floating())
    tl.static_assert(x.dtype.primitive_bitwidth == 32)
    tl.store(out_ptr, x.shape[0] + x.shape[1])


def test_attributes(device):
    out = poisoned(1, "int32")
    attributes_kernel[(1,)](np.zeros(32, np.float32), out, N=16)
    assert out[0] == 20


@triton.jit
def cat_in_any_order_kernel(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    joined = tl.cat(tl.load(x_ptr + i), tl.load(y_ptr + i), can_reorder=True)
    tl.store(out_ptr + tl.arange(0, 2 * N), joined)


@pytest.mark.parametrize("n", [1, 16, 64, 128, 512])
def test_cat_in_any_order(device, rng, n):
    x, y = rng.integers(-1000, 1000, (2, n)).astype(np.int32)
    out = np.full(2 * n, 77, np.int32)
    cat_in_any_order_kernel[(1,)](x, y, out, N=n)
    np.testing.assert_array_equal(np.sort(out), np.sort(np.concatenate([x, y])))
