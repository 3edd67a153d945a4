"""Operands that wait in shared memory for their product, and copies beside what follows a product in flight."""

import re

import numpy as np
import pytest
import triton
import triton.language as tl
from fuzzing.guarded import guarded
from values import poisoned


@triton.jit
def four_products(q_ptr, k_ptr, g_ptr, out_ptr, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    tile = i[:, None] * SIZE + i[None, :]
    g = tl.load(g_ptr + tile)
    q, k = tl.load(q_ptr + tile), tl.load(k_ptr + tile)
    rising, falling = q * tl.exp(g), k * tl.exp(-g)
    both, swapped = q * tl.exp(-g), k * tl.exp(g)
    a = tl.dot(rising, falling, input_precision="tf32")
    b = tl.dot(both, swapped, input_precision="tf32")
    c = tl.dot(tl.trans(rising), swapped, input_precision="tf32")
    d = tl.dot(tl.trans(both), falling, input_precision="tf32")
    tl.store(out_ptr + tile, a + c)
    tl.store(out_ptr + SIZE * SIZE + tile, b + d)


@pytest.mark.parametrize("warps", [4, 8])
def test_operands_that_are_read_in_two_ways(warps, rng, device):
    q, k, g = (rng.integers(-2, 3, (64, 64)).astype(np.float32) for _ in range(3))
    g *= np.float32(np.log(2))
    out = poisoned((2, 64, 64), "float32")
    kernel = four_products[(1,)](guarded(q), guarded(k), guarded(g), out, 64, num_warps=warps)
    rising, falling, both, swapped = q * np.exp(g), k * np.exp(-g), q * np.exp(-g), k * np.exp(g)
    expected = np.stack([rising @ falling + rising.T @ swapped, both @ swapped + both.T @ falling])
    np.testing.assert_allclose(out, expected, rtol=2e-3, atol=2e-3 * np.abs(expected).max())
    if device.name == "sim:cuda:80":
        # An operand that waits is read after another product.
        names = re.findall(r"= (tt.dot|ttg.local_load|ttg.local_alloc) ", kernel.asm["ttgir"])
        assert "ttg.local_load" in names[names.index("tt.dot") :]


@triton.jit
def sum_beside_others(x_ptr, y_ptr, w_ptr, sum_ptr, out_ptr, n, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    w = tl.load(w_ptr + i[:, None] * SIZE + i[None, :])
    sum = tl.zeros((SIZE, SIZE), tl.float32)
    for step in tl.range(n, num_stages=2):
        tile = (step * SIZE + i)[:, None] * SIZE + i[None, :]
        x, y = tl.load(x_ptr + tile), tl.load(y_ptr + tile)
        sum = tl.dot(x, y, sum)
        tl.store(out_ptr + tile, tl.dot(w, y) * x.to(tl.float32))
    tl.store(sum_ptr + i[:, None] * SIZE + i[None, :], sum)


@pytest.mark.parametrize("warps", [4, 8])
def test_copies_beside_what_follows_a_product_in_flight(warps, rng, device):
    size, steps = 64, 5
    x, y = (rng.integers(-3, 4, (steps, size, size)).astype(np.float16) for _ in range(2))
    w = rng.integers(-3, 4, (size, size)).astype(np.float16)
    sum, out = poisoned((size, size), "float32"), poisoned((steps, size, size), "float32")
    kernel = sum_beside_others[(1,)](guarded(x), guarded(y), guarded(w), sum, out, steps, SIZE=size, num_warps=warps)
    x, y, w = (array.astype(np.float32) for array in (x, y, w))
    np.testing.assert_array_equal(sum, np.einsum("sij,sjk->ik", x, y))
    np.testing.assert_array_equal(out, (w @ y) * x)
    if device.name == "sim:cuda:90":
        loop = kernel.asm["ttgir"].split("scf.for")[1]
        copy, store = loop.index("async_copy_global_to_local"), loop.index("tt.store")
        assert loop.index("warp_group_dot_wait") < copy < store
