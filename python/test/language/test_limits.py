"""The smallest and the largest kernels: one lane, the largest block, many dimensions, many loops, nothing at all."""

import numpy as np
import pytest
import triton
import triton.language as tl

pytestmark = pytest.mark.usefixtures("device")


@triton.jit
def add_one(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


@triton.jit
def write_range(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1)


@pytest.mark.parametrize("block", [1, 2, 1 << 20])
def test_block_sizes(block, rng, device):
    if device.name == "cuda":
        block = min(block, 1 << 16)  # ptxas takes the square of the time for twice the block.
    x = rng.random(3 * block + 1, dtype=np.float32)
    expected = x + np.float32(1)
    add_one[(4,)](x, len(x), BLOCK=block)
    np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize(
    "block, message",
    [
        (1 << 21, "more than 1048576 elements"),
        (0, "is empty"),
        (-8, "is empty"),
        (3, "not a power of two"),
        (1 << 40, "both bounds"),
        (1 << 80, "must be an int"),
        (16.0, "must be an int"),
        (None, "must be an int"),
    ],
)
def test_wrong_block_sizes(block, message):
    with pytest.raises(triton.CompilationError, match=message):
        write_range[(1,)](np.zeros(4, np.int32), BLOCK=block)


def test_blocks_too_large_for_the_threads(device):
    x = np.zeros(1 << 20, np.int32)
    if device.name == "cpu":
        write_range[(1,)](x, BLOCK=1 << 20, num_warps=2)
        assert x.all()
        return
    with pytest.raises(triton.CompilationError, match="gives each of 64 threads 16384, more than 8192"):
        write_range[(1,)](x, BLOCK=1 << 20, num_warps=64 // device.lanes)


@triton.jit
def sort_sums(x, out, total, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    sums = tl.cumsum(tl.load(x + i))
    tl.store(out + i, tl.sort(sums))
    tl.store(total, tl.sum(sums))


@pytest.mark.parametrize("threads", [0, 1024])
@pytest.mark.parametrize("block", [1, 4, 64, 2048])
def test_more_and_less_elements_than_threads(device, block, threads, rng):
    num_warps = max(1, threads // device.lanes)
    x = rng.integers(-9, 10, block).astype(np.int32)
    out, total = np.full_like(x, 99), np.zeros(1, np.int32)
    sort_sums[(1,)](x, out, total, BLOCK=block, num_warps=num_warps)
    np.testing.assert_array_equal(out, np.sort(np.cumsum(x)))
    assert total[0] == np.cumsum(x).sum()


@triton.jit
def product_of_any_size(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M)[:, None], tl.arange(0, N), tl.arange(0, K)
    product = tl.dot(tl.load(a + m * K + k[None, :]), tl.load(b + k[:, None] * N + n[None, :]))
    tl.store(c + m * N + n[None, :], product)


@pytest.mark.parametrize("threads", [0, 1024])
@pytest.mark.parametrize("shape", [(1, 16, 16), (4, 4, 4), (16, 8, 32), (128, 16, 16)], ids=str)
def test_products_of_few_elements_on_many_threads(device, shape, threads, rng):
    num_warps = max(1, threads // device.lanes)
    m, n, k = shape
    a, b = rng.random((m, k)).astype(np.float16), rng.random((k, n)).astype(np.float16)
    c = np.full((m, n), np.nan, np.float32)
    product_of_any_size[(1,)](a, b, c, *shape, num_warps=num_warps)
    np.testing.assert_allclose(c, a.astype(np.float32) @ b.astype(np.float32), rtol=1e-5)


def test_no_elements():
    empty = np.zeros((0, 5), np.float32)
    add_one[(3,)](empty, 0, BLOCK=16)
    add_one[(0,)](empty, 0, BLOCK=16)


@triton.jit
def nothing():
    pass


@triton.jit
def only_scalars(a, b, C: tl.constexpr):
    tl.device_assert(a + b == C)


def test_kernels_without_memory(device):
    nothing[(5,)]()
    nothing[(5000 if device.is_simulated else 2**31 - 1,)]()  # The simulator runs every thread.
    only_scalars[(2,)](2, 3.5, 5.5, debug=True)
    only_scalars[(2,)](2**62, -(2**62), 0, debug=True)
    with pytest.raises(OverflowError, match="`a`"):
        only_scalars[(1,)](2**64, 0, 0)


@triton.jit
def many_dimensions(x, out):
    i = tl.reshape(tl.arange(0, 64), (2, 1, 4, 2, 2, 1, 2))
    y = tl.load(x + i)
    z = tl.permute(y, (6, 5, 4, 3, 2, 1, 0))
    tl.store(out + tl.arange(0, 64), tl.reshape(z, (64,)))
    tl.store(out + 64 + tl.arange(0, 16), tl.reshape(tl.sum(y, axis=2), (16,)))


def test_seven_dimensions(rng):
    x = rng.integers(0, 100, 64).astype(np.int32)
    out = np.full(80, -1, np.int32)
    many_dimensions[(1,)](x, out)
    cube = x.reshape(2, 1, 4, 2, 2, 1, 2)
    np.testing.assert_array_equal(out[:64], cube.transpose().ravel())
    np.testing.assert_array_equal(out[64:], cube.sum(2).ravel())


@triton.jit
def many_loops(x, N: tl.constexpr):
    i = tl.arange(0, 128)
    for j in tl.static_range(N):
        tl.store(x + i, tl.load(x + i) + j % 7)


def test_code_grows_with_the_number_of_loops(device):
    """Not with its square: as much again for as many loops again, in every stage that is a text."""
    texts = [many_loops.warmup(np.float32, loops, grid=(1,)).asm for loops in (70, 140, 210)]
    stages = [stage for stage in texts[0] if stage in ("source", "ttir", "ttgir", "ttcir", "llir", "ptx", "amdgcn")]
    assert len(stages) >= 4
    for stage in stages:
        few, some, many = (len(asm[stage].splitlines()) for asm in texts)
        assert some - few >= 70 and abs((many - some) - (some - few)) <= 0.05 * some, stage


def test_many_loops(device):
    x = np.zeros(128, np.float32)
    loops = 300 if device.name == "cuda" else 3000  # ptxas is slower than we are.
    many_loops[(1,)](x, loops)
    np.testing.assert_array_equal(x, sum(j % 7 for j in range(loops)))


@triton.jit
def chain_kernel(x, y, out, COUNT: tl.constexpr):
    i = tl.arange(0, 128)
    a, b = tl.load(x + i), tl.load(y + i)
    for _ in tl.static_range(COUNT):
        a = a * 0.5 + b
    tl.store(out + i, a)


def test_long_chains_of_definitions(rng):
    """No walk along definitions takes some of the stack for each of them."""
    x, y = rng.random(128, dtype=np.float32), rng.random(128, dtype=np.float32)
    out = np.zeros_like(x)
    chain_kernel[(1,)](x, y, out, COUNT=6000, enable_fp_fusion=False)
    np.testing.assert_allclose(out, 2 * y, rtol=1e-5)


@triton.jit
def shared_operands_kernel(out, n, COUNT: tl.constexpr):
    i = tl.arange(0, 64)
    index = tl.program_id(0)
    for _ in tl.static_range(COUNT):
        index = index + index
    carried = n
    total = tl.zeros((64,), tl.int32)
    for _ in tl.range(0, n + 2, flatten=True):
        for _ in tl.static_range(COUNT):
            carried = carried + carried
        for j in range(0, 3):
            total += j + carried
    tl.store(out + i, total + (index * 64 + i) % ((n + 1) * 64))


def test_definitions_that_share_operands():
    """No walk along definitions goes along each of 2 to the power of 50 paths."""
    out = np.zeros(64, np.int32)
    shared_operands_kernel[(1,)](out, 0, COUNT=50)
    np.testing.assert_array_equal(out, np.arange(64) + 6)


@triton.jit
def unrolled(x, n):
    for j in tl.range(0, n, loop_unroll_factor=1_000_000):
        tl.store(x + j, tl.load(x + j) + 1)


def test_huge_unroll_factor():
    x = np.zeros(1000, np.float32)
    unrolled[(1,)](x, 1000)
    np.testing.assert_array_equal(x, 1)


@pytest.mark.parametrize(
    "grid, error, message",
    [
        ((2**31 - 1,) * 3, RuntimeError, r"2\^63|65535"),  # on a processor, on a GPU
        ((2**31,), ValueError, "extent"),
        ((2**70,), ValueError, "extent"),
        ((-1,), ValueError, "extent"),
        ((), ValueError, "0 extents"),
        ((1,) * 4, ValueError, "4 extents"),
    ],
)
def test_wrong_grids(grid, error, message):
    with pytest.raises(error, match=message):
        nothing[grid]()


@triton.jit
def repeat_too_often(x):
    for j in tl.static_range(10**9):
        tl.store(x, j)


@triton.jit
def counts_up(n: tl.constexpr):
    return counts_up(n + 1)


@triton.jit
def recursive(x):
    tl.store(x, counts_up(0))


@triton.jit
def huge_power(x):
    tl.store(x, (10 ** (10**9)) % 7)


@triton.jit
def huge_string(x):
    tl.static_assert(len("a" * 10**12) == 0)


@pytest.mark.parametrize("kernel", [repeat_too_often, recursive, huge_power, huge_string], ids=lambda k: k.__name__)
def test_constants_that_would_take_all_memory(kernel):
    with pytest.raises(triton.CompilationError):
        kernel[(1,)](np.zeros(4, np.float32))


def test_extents_of_a_grid(device):
    nothing[(1, 65535, 1)]()
    nothing[(65536, 1, 1)]()
    if device.name == "cpu":
        nothing[(1, 1, 65536)]()
    else:
        with pytest.raises(RuntimeError, match=r"grid \(1, 1, 65536\)"):
            nothing[(1, 1, 65536)]()


@triton.jit
def large_product(a, b, c, N: tl.constexpr):
    i = tl.arange(0, N)
    tile = i[:, None] * N + i[None, :]
    tl.store(c + tile, tl.dot(tl.load(a + tile), tl.load(b + tile)))


def test_large_tiles(device, rng):
    """Operands of a product lie in shared memory, one or both at a time, of which a GPU has less than this needs."""
    a, b = (rng.random((256, 256), dtype=np.float32) for _ in range(2))
    c = np.full_like(a, np.nan)
    if device.name != "cpu":
        with pytest.raises(triton.OutOfResources, match=r"shared memory, required: (262144|524288)"):
            large_product[(1,)](a, b, c, N=256)
        return
    large_product[(1,)](a, b, c, N=256)
    np.testing.assert_allclose(c, a @ b, rtol=1e-4)


@triton.jit
def masked_copy(x, out, limit, N: tl.constexpr):
    i = tl.arange(0, N)
    tile = i[:, None] * N + i[None, :]
    values = tl.load(x + tile, mask=(tile % 7) < limit, other=-1.0)
    tl.store(out + tile, values * 2)


@triton.jit
def large_transposition(x, out, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    values = tl.load(x + i[:, None] * N + j[None, :])
    tl.store(out + j[None, :] * M + i[:, None], values)


def test_tiles_larger_than_shared_memory_change_their_layout(device, rng):
    """Values that are loaded one by one and stored in vectors: the tile is larger than all of a GPU's shared memory."""
    x = rng.random((256, 256), dtype=np.float32)
    out = np.full_like(x, np.nan)
    masked_copy[(1,)](x, out, 5, N=256)
    taken = np.arange(256 * 256).reshape(256, 256) % 7 < 5
    np.testing.assert_array_equal(out, 2 * np.where(taken, x, np.float32(-1)))


def test_tiles_larger_than_shared_memory_are_transposed(device, rng):
    # Of 64 lanes, long rows or columns fill a warp, which leaves nothing to exchange in several rounds.
    rows, columns = (512, 32) if device.lanes == 64 else (256, 128)
    x = rng.random((rows, columns))
    out = np.full((columns, rows), np.nan)
    large_transposition[(1,)](x, out, M=rows, N=columns)
    np.testing.assert_array_equal(out, x.T)


@triton.jit
def summing_kernel(x_ptr, out_ptr, n):
    total = 0.0
    for start in range(0, n, 64):
        total += tl.sum(tl.load(x_ptr + start + tl.arange(0, 64)))
    tl.store(out_ptr, total)


def test_passes_report_what_they_change(device, monkeypatch):
    """Calls are inlined by passes inside a pass, after which the check once took every change for one not reported."""
    monkeypatch.setenv("TRITON_CHECK_PASS_CHANGES", "1")
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    out = device.put(np.zeros(1, np.float32))
    summing_kernel[(1,)](device.put(np.ones(128, np.float32)), out, 128)
    assert device.get(out)[0] == 128
