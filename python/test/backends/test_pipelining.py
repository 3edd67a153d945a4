"""Loops whose loads run ahead: the pitfalls of docs/testing.md that concern them, and nests that become one loop."""

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import ASTSource
from values import poisoned


def small_numbers(rng, shape):
    """Halves whose products and sums are exact in f32."""
    return rng.integers(-4, 5, shape).astype(np.float16)


@triton.jit
def product_kernel(
    x_ptr,
    y_ptr,
    out_ptr,
    lower,
    upper,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
    stride,
    skipped,
    FORM: tl.constexpr,
    num_stages: tl.constexpr,
):
    """Sums products of K-wide pieces of x and y, in several forms of a loop's body."""
    m, n, k = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)
    total = tl.zeros((M, N), tl.float32)
    for step in tl.range(lower, upper, num_stages=num_stages):
        at = step * K + k
        if FORM == "other":
            x = tl.load(x_ptr + m * stride + at[None, :], mask=at[None, :] < skipped, other=2.0)
        elif FORM == "zero":
            x = tl.load(x_ptr + m * stride + at[None, :], mask=at[None, :] < skipped, other=0.0)
        else:
            x = tl.load(x_ptr + m * stride + at[None, :])
        y = tl.load(y_ptr + at[:, None] * N + n)
        if FORM == "if":
            if step != skipped:
                total = tl.dot(x, y, total)
        else:
            total = tl.dot(x, y, total)
    tl.store(out_ptr + m * N + n, total)


def run_product(x, y, lower, upper, k, form, skipped, num_stages):
    out = poisoned((x.shape[0], y.shape[1]), "float32")
    product_kernel[(1,)](
        x,
        y,
        out,
        lower,
        upper,
        M=x.shape[0],
        N=y.shape[1],
        K=k,
        stride=x.shape[1],
        skipped=skipped,
        FORM=form,
        num_stages=num_stages,
    )
    return out


@pytest.mark.parametrize("num_stages", [2, 3, 5])
@pytest.mark.parametrize("steps", [1, 2, 3, 7])
def test_tiles_under_a_branch_belong_to_their_iteration(device, rng, steps, num_stages):
    x, y = small_numbers(rng, (32, 32 * steps)), small_numbers(rng, (32 * steps, 32))
    skipped = steps // 2
    kept = np.repeat(np.arange(steps) != skipped, 32)
    actual = run_product(x, y, 0, steps, 32, "if", skipped, num_stages)
    np.testing.assert_array_equal(actual, x[:, kept].astype(np.float32) @ y[kept].astype(np.float32))


@pytest.mark.parametrize("num_stages", [2, 4])
@pytest.mark.parametrize("form,fill", [("other", 2), ("zero", 0)])
def test_masked_elements_of_pipelined_loads_have_the_value_asked_for(device, rng, form, fill, num_stages):
    x, y = small_numbers(rng, (32, 96)), small_numbers(rng, (96, 32))
    actual = run_product(x, y, 0, 3, 32, form, 48, num_stages)
    filled = np.where(np.arange(96) < 48, x, fill).astype(np.float32)
    np.testing.assert_array_equal(actual, filled @ y.astype(np.float32))


@pytest.mark.parametrize("num_stages", [1, 2, 4])
@pytest.mark.parametrize("lower,upper", [(0, 0), (3, 3), (5, 2), (-1, -1), (2, -7)])
def test_loops_that_do_not_run_load_nothing(device, rng, lower, upper, num_stages):
    """The arrays are too small for a single iteration."""
    x, y = small_numbers(rng, (32, 1)), small_numbers(rng, (1, 32))
    np.testing.assert_array_equal(run_product(x, y, lower, upper, 32, "", 0, num_stages), np.zeros((32, 32)))


@triton.jit
def bounded_kernel(x_ptr, y_ptr, out_ptr, bounds_ptr, first, N: tl.constexpr, num_stages: tl.constexpr):
    """Sums products of tiles; the loop counts from `first` in the type of its bounds."""
    r, c = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    total = tl.zeros((N, N), tl.float32)
    for k in tl.range(tl.load(bounds_ptr), tl.load(bounds_ptr + 1), tl.load(bounds_ptr + 2), num_stages=num_stages):
        tile = (k.to(tl.int64) - first) * N * N + r * N + c
        total = tl.dot(tl.load(x_ptr + tile), tl.load(y_ptr + tile), total)
    tl.store(out_ptr + r * N + c, total)


def run_bounded(rng, bounds, dtype, num_stages):
    """Checks the sum over all iterations, with arrays that end with the last one's tile."""
    iterations = range(*bounds)
    tiles = iterations[-1] - bounds[0] + 1 if iterations else 0
    x, y = small_numbers(rng, (tiles, 16, 16)), small_numbers(rng, (tiles, 16, 16))
    out = poisoned((16, 16), "float32")
    bounded_kernel[(1,)](x, y, out, np.array(bounds, dtype), bounds[0], N=16, num_stages=num_stages)
    used = [k - bounds[0] for k in iterations]
    np.testing.assert_array_equal(out, (x[used].astype(np.float32) @ y[used].astype(np.float32)).sum(axis=0))


@pytest.mark.parametrize("num_stages", [1, 2, 3, 5])
@pytest.mark.parametrize("bounds", [(0, 0, 1), (0, 1, 1), (0, 2, 1), (0, 7, 1), (5, 2, 1), (3, 9, 2)])
@pytest.mark.parametrize("dtype", ["uint32", "uint64", "int64"])
def test_loops_of_every_index_type_wait_for_their_tiles(device, rng, dtype, bounds, num_stages):
    run_bounded(rng, bounds, dtype, num_stages)


@pytest.mark.parametrize("num_stages", [2, 4])
@pytest.mark.parametrize(
    "dtype,bounds",
    [
        ("int32", (-(2**31), -(2**31) + 2, 1)),
        ("int32", (2**31 - 10, 2**31 - 9, 4)),
        ("int16", (32750, 32753, 5)),
        ("uint32", (2**32 - 8, 2**32 - 5, 3)),
        ("uint8", (0, 1, 100)),
    ],
)
def test_iterations_that_do_not_exist_load_nothing_at_the_ends_of_the_index_type(
    device, rng, dtype, bounds, num_stages
):
    """A bound less some steps, or an index plus some, lies outside of the type."""
    run_bounded(rng, bounds, dtype, num_stages)


@triton.jit
def divided_kernel(x_ptr, out_ptr, lower, upper, N: tl.constexpr, num_stages: tl.constexpr):
    r, c = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    total = tl.zeros((N, N), tl.float32)
    for k in tl.range(lower, upper, num_stages=num_stages):
        x = tl.load(x_ptr + 12 // -k * N * N + r * N + c)
        total = tl.dot(x, x, total)
    tl.store(out_ptr + r * N + c, total)


@pytest.mark.parametrize("num_stages", [2, 3])
def test_iterations_that_do_not_exist_divide_by_nothing(device, rng, num_stages):
    """The index of the iteration after the last one is zero."""
    x, out = small_numbers(rng, (13, 16, 16)), poisoned((16, 16), "float32")
    divided_kernel[(1,)](x, out, -4, 0, N=16, num_stages=num_stages)
    used = x[[12, 6, 4, 3]].astype(np.float32)
    np.testing.assert_array_equal(out, (used @ used).sum(axis=0))


@triton.jit
def invariant_kernel(x_ptr, out_ptr, lower, upper, N: tl.constexpr):
    i = tl.arange(0, N)
    total = tl.zeros((N,), tl.float32)
    for _ in range(lower, upper):
        total += tl.load(x_ptr + i)
    tl.store(out_ptr + i, total)


@pytest.mark.parametrize("lower,upper", [(0, 0), (5, 2), (-1, -1), (2, -7), (-2, 1)])
def test_what_leaves_a_loop_that_does_not_run_loads_nothing(device, lower, upper):
    runs = max(0, upper - lower)
    x, out = np.ones(64 if runs else 1, np.float32), poisoned(64, "float32")
    invariant_kernel[(1,)](x, out, lower, upper, N=64)
    np.testing.assert_array_equal(out, np.full(64, runs))


@triton.jit
def nested_kernel(x_ptr, y_ptr, out_ptr, starts_ptr, tiles, N: tl.constexpr, num_stages: tl.constexpr):
    """A persistent kernel: the inner loops have lengths of their own, some of them none."""
    r, c = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    for tile in range(tiles):
        total = tl.zeros((N, N), tl.float32)
        for k in tl.range(tl.load(starts_ptr + tile), tl.load(starts_ptr + tile + 1), num_stages=num_stages):
            total = tl.dot(tl.load(x_ptr + k * N * N + r * N + c), tl.load(y_ptr + k * N * N + r * N + c), total)
        tl.store(out_ptr + tile * N * N + r * N + c, total)


@triton.jit
def both_loops_kernel(q_ptr, x_ptr, out_ptr, tiles, steps, N: tl.constexpr, outer: tl.constexpr, inner: tl.constexpr):
    """Tiles of the outer loop are asked for ahead, and so are those of the inner one."""
    r, c = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    total = tl.zeros((N, N), tl.float32)
    for tile in tl.range(tiles, num_stages=outer):
        q = tl.load(q_ptr + tile * N * N + r * N + c)
        for k in tl.range(steps, num_stages=inner):
            total = tl.dot(q, tl.load(x_ptr + k * N * N + r * N + c), total)
    tl.store(out_ptr + r * N + c, total)


@pytest.mark.parametrize("tiles,steps", [(0, 3), (1, 1), (3, 0), (4, 3)])
@pytest.mark.parametrize("outer,inner", [(1, 3), (2, 1), (2, 2), (3, 2), (2, 4)])
def test_loops_inside_pipelined_loops_are_pipelined_as_well(device, rng, outer, inner, tiles, steps):
    q, x = small_numbers(rng, (tiles, 32, 32)), small_numbers(rng, (steps, 32, 32))
    out = poisoned((32, 32), "float32")
    both_loops_kernel[(1,)](q, x, out, tiles, steps, N=32, outer=outer, inner=inner)
    expected = q.astype(np.float32).sum(axis=0) @ x.astype(np.float32).sum(axis=0)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("num_stages", [1, 3])
def test_inner_loops_of_any_length_leave_the_outer_one_in_step(device, rng, num_stages):
    starts = np.array([0, 0, 2, 2, 1, 5, 6], np.int32)
    x, y = small_numbers(rng, (6, 16, 16)), small_numbers(rng, (6, 16, 16))
    out = poisoned((6, 16, 16), "float32")
    nested_kernel[(1,)](x, y, out, starts, 6, N=16, num_stages=num_stages)
    products = x.astype(np.float32) @ y.astype(np.float32)
    for tile, (start, end) in enumerate(zip(starts[:-1], starts[1:], strict=True)):
        np.testing.assert_array_equal(out[tile], products[start:end].sum(axis=0))


@triton.jit
def indirect_kernel(
    index_ptr, x_ptr, y_ptr, out_ptr, steps, N: tl.constexpr, num_stages: tl.constexpr, selects: tl.constexpr
):
    r, c = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    total = tl.zeros((N, N), tl.float32)
    for k in tl.range(0, steps, num_stages=num_stages):
        rows = tl.load(index_ptr + k * N + tl.arange(0, N))
        x = tl.load(x_ptr + rows[:, None] * N + c)
        if selects:  # What the addresses come from is also part of the operand.
            x = tl.where(rows[:, None] >= 16, x, 0)
        total = tl.dot(x, tl.load(y_ptr + k * N * N + r * N + c), total)
    tl.store(out_ptr + r * N + c, total)


@pytest.mark.parametrize("num_stages", [1, 2, 3, 5])
@pytest.mark.parametrize("steps", [0, 1, 4])
@pytest.mark.parametrize("selects", [False, True])
def test_loads_through_loaded_addresses_are_ready_at_any_depth(device, rng, steps, num_stages, selects):
    n = 32
    index = rng.integers(0, 64, (max(steps, 1), n)).astype(np.int32)
    x, y = small_numbers(rng, (64, n)), small_numbers(rng, (max(steps, 1), n, n))
    out = poisoned((n, n), "float32")
    indirect_kernel[(1,)](index, x, y, out, steps, N=n, num_stages=num_stages, selects=selects)
    if selects:
        x[:16] = 0
    expected = sum((x[index[k]].astype(np.float32) @ y[k].astype(np.float32) for k in range(steps)), np.zeros((n, n)))
    np.testing.assert_array_equal(out, expected)


@triton.jit
def search_kernel(sorted_ptr, found_ptr, last_ptr, count, rounds, N: tl.constexpr):
    """Where numbers belong among sorted ones. Each load needs what the one before has found."""
    wanted = tl.arange(0, N)
    low, high, last = tl.zeros((N,), tl.int32), tl.full((N,), count - 1, tl.int32), tl.zeros((N,), tl.int32)
    for _ in range(rounds):
        middle = (low + high + 1) // 2
        is_below = tl.load(sorted_ptr + middle) <= wanted
        low, high = tl.where(is_below, middle, low), tl.where(is_below, high, middle - 1)
    for k in range(count):  # what the loop only carries to its end
        last = tl.load(sorted_ptr + k + tl.zeros((N,), tl.int32))
    tl.store(found_ptr + wanted, low)
    tl.store(last_ptr + wanted, last)


def test_searches_and_the_last_of_many_loads(device):
    numbers = np.array([0, 5, 5, 17, 40, 99], np.int32)
    found, last = np.zeros(128, np.int32), np.zeros(128, np.int32)
    search_kernel[(1,)](numbers, found, last, numbers.size, 3, N=128)
    np.testing.assert_array_equal(found, np.searchsorted(numbers, np.arange(128), side="right") - 1)
    assert (last == 99).all()


@triton.jit
def swapping_kernel(x_ptr, y_ptr, out_ptr, steps, N: tl.constexpr):
    """What the loop carries changes places every time; one of the two is wanted in another layout."""
    r, c = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    a, b = tl.load(x_ptr + r * N + c), tl.load(y_ptr + c * N + r)
    total = tl.zeros((N, N), tl.float32)
    for _ in range(steps):
        total = tl.dot(a, b, total)
        a, b = b, tl.trans(a)
    tl.store(out_ptr + r * N + c, total)
    tl.store(out_ptr + N * N + r * N + c, a.to(tl.float32))


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
def test_carried_values_change_places_together(device, rng, steps):
    x, y = small_numbers(rng, (32, 32)), small_numbers(rng, (32, 32))
    out = poisoned((2, 32, 32), "float32")
    swapping_kernel[(1,)](x, y, out, steps, N=32)
    a, b, total = x.astype(np.float32), y.T.astype(np.float32), np.zeros((32, 32), np.float32)
    for _ in range(steps):
        total += a @ b
        a, b = b, a.T
    np.testing.assert_array_equal(out, [total, a])


@triton.jit
def forwarding_kernel(x_ptr, y_ptr, out_ptr, steps, first, second, N: tl.constexpr, num_stages: tl.constexpr):
    """Rows of x come from where the iteration before the last one put them; `older` is only passed on."""
    r, c = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    total = tl.zeros((N, N), tl.float32)
    older, newer = first, second
    for k in tl.range(steps, num_stages=num_stages):
        total = tl.dot(tl.load(x_ptr + older * N * N + r * N + c), tl.load(y_ptr + k * N * N + r * N + c), total)
        older, newer = newer, older + newer
    tl.store(out_ptr + r * N + c, total)
    tl.store(out_ptr + N * N + r * N + c, total * 0 + older)


@pytest.mark.parametrize("num_stages", [1, 2, 3, 4])
@pytest.mark.parametrize("steps", [0, 1, 2, 6])
def test_values_that_are_only_passed_on_arrive_two_iterations_later(device, rng, steps, num_stages):
    numbers = [1, 2, 3, 5, 8, 13, 21]
    x, y = small_numbers(rng, (22, 16, 16)), small_numbers(rng, (max(steps, 1), 16, 16))
    out = poisoned((2, 16, 16), "float32")
    forwarding_kernel[(1,)](x, y, out, steps, 1, 2, N=16, num_stages=num_stages)
    products = (x[numbers[k]].astype(np.float32) @ y[k].astype(np.float32) for k in range(steps))
    np.testing.assert_array_equal(out[0], sum(products, np.zeros((16, 16), np.float32)))
    np.testing.assert_array_equal(out[1], np.full((16, 16), numbers[steps]))


# --- Nests that become one loop ------------------------------------------------------------------------------------


@triton.jit
def tile_of(tile_id, num_pid_in_group, num_pid_m, GROUP_M: tl.constexpr):
    group = tile_id // num_pid_in_group
    first = group * GROUP_M
    size = min(num_pid_m - first, GROUP_M)
    return first + tile_id % size, (tile_id % num_pid_in_group) // size


@triton.jit
def persistent_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
    PROGRAMS: tl.constexpr,
    FLATTEN: tl.constexpr,
    num_stages: tl.constexpr,
):
    """The persistent product of the tutorials, with pointers."""
    start_pid = tl.program_id(0)
    num_pid_m = tl.cdiv(M, BLOCK_M)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    k_tiles = tl.cdiv(K, BLOCK_K)
    tile_id_c = start_pid - PROGRAMS
    offs_k_for_mask = tl.arange(0, BLOCK_K)
    num_pid_in_group = GROUP_M * num_pid_n
    for tile_id in tl.range(
        start_pid, num_pid_m * num_pid_n, PROGRAMS, flatten=FLATTEN, disallow_acc_multi_buffer=True
    ):
        pid_m, pid_n = tile_of(tile_id, num_pid_in_group, num_pid_m, GROUP_M)
        offs_am = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
        offs_bn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
        offs_am = tl.where(offs_am < M, offs_am, 0)
        offs_bn = tl.where(offs_bn < N, offs_bn, 0)
        offs_am = tl.max_contiguous(tl.multiple_of(offs_am, BLOCK_M), BLOCK_M)
        offs_bn = tl.max_contiguous(tl.multiple_of(offs_bn, BLOCK_N), BLOCK_N)
        accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for ki in tl.range(k_tiles, num_stages=num_stages):
            offs_k = ki * BLOCK_K + tl.arange(0, BLOCK_K)
            a = tl.load(
                a_ptr + offs_am[:, None] * K + offs_k[None, :], offs_k_for_mask[None, :] < K - ki * BLOCK_K, other=0.0
            )
            b = tl.load(
                b_ptr + offs_k[:, None] * N + offs_bn[None, :], offs_k_for_mask[:, None] < K - ki * BLOCK_K, other=0.0
            )
            accumulator = tl.dot(a, b, accumulator)
        tile_id_c += PROGRAMS
        pid_m, pid_n = tile_of(tile_id_c, num_pid_in_group, num_pid_m, GROUP_M)
        offs_cm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
        offs_cn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
        c_mask = (offs_cm[:, None] < M) & (offs_cn[None, :] < N)
        tl.store(c_ptr + offs_cm[:, None] * N + offs_cn[None, :], accumulator, mask=c_mask)


def run_persistent(rng, m, n, k, programs, flatten, num_stages):
    a, b = small_numbers(rng, (m, k)), small_numbers(rng, (k, n))
    c = poisoned((m, n), "float32")
    persistent_kernel[(programs,)](
        a,
        b,
        c,
        m,
        n,
        k,
        BLOCK_M=32,
        BLOCK_N=32,
        BLOCK_K=16,
        GROUP_M=2,
        PROGRAMS=programs,
        FLATTEN=flatten,
        num_stages=num_stages,
    )
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.parametrize("num_stages", [1, 2, 3, 4])
@pytest.mark.parametrize("programs", [1, 3])
@pytest.mark.parametrize("m,n,k", [(32, 32, 16), (96, 64, 64), (80, 96, 40), (64, 64, 0)])
def test_persistent_products_in_one_loop(device, rng, m, n, k, programs, num_stages):
    run_persistent(rng, m, n, k, programs, flatten=True, num_stages=num_stages)


def copies_in_innermost_loop(ttgir):
    """Of asynchronous copies; and how many loops are around them."""
    depth, deepest, copies = 0, 0, {}
    open_loops = []
    for line in ttgir.splitlines():
        indent = len(line) - len(line.lstrip())
        while open_loops and line.strip().startswith("}") and indent <= open_loops[-1]:
            open_loops.pop()
        if "scf.for" in line:
            open_loops.append(indent)
        if "async_copy_global_to_local" in line:
            depth = len(open_loops)
            copies[depth] = copies.get(depth, 0) + 1
            deepest = max(deepest, depth)
    return deepest, copies.get(deepest, 0)


def persistent_code(flatten, arch=90):
    """The persistent product of aligned arrays, as TTGIR."""
    signature = dict.fromkeys(("a_ptr", "b_ptr", "c_ptr"), "*fp16") | dict.fromkeys("MNK", "i32")
    constants = {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32, "GROUP_M": 8, "PROGRAMS": 132}
    constants |= {"FLATTEN": flatten, "num_stages": 3}
    aligned = {(i,): [["tt.divisibility", 16]] for i in range(6)}
    source = ASTSource(persistent_kernel, signature, constants, aligned)
    return triton.compile(source, target=GPUTarget("sim:cuda", arch, 32)).asm["ttgir"]


def test_copies_stay_in_flight_from_one_tile_to_the_next():
    """One loop with the copies in it, not a loop inside a loop; its only waits are for all groups but the newest."""
    flat, nested = persistent_code(flatten=True), persistent_code(flatten=False)
    assert copies_in_innermost_loop(flat) == (1, 2)
    assert copies_in_innermost_loop(nested) == (2, 2)
    assert flat.count("ttg.async_wait") == 2 and flat.count("{num = 0 : i32}") == 1
    # 16 bytes at a time, as in the nest: what the loop carries is as contiguous as it was.
    assert flat.count("tt.load") == 0


@triton.jit
def nest_kernel(x_ptr, y_ptr, bias_ptr, out_ptr, sums_ptr, tiles, steps, skip, N: tl.constexpr, FORM: tl.constexpr):
    """Nests that carry values in and between both loops, in several forms."""
    r, c = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    whole = tl.zeros((N, N), tl.float32)
    place = 0
    for tile in tl.range(tiles, flatten=True):
        if FORM == "initial":
            total = tl.load(bias_ptr + tile * N * N + r * N + c)
        else:
            total = tl.zeros((N, N), tl.float32)
        x_ptrs = x_ptr + place * N * N + r * N + c
        for step in tl.range(skip, skip + steps, num_stages=3):
            total = tl.dot(tl.load(x_ptrs), tl.load(y_ptr + (step - skip) * N * N + r * N + c), total)
            x_ptrs += N * N
        if FORM == "across":
            whole += total
        elif FORM == "branch":
            if tile % 2 == 0:
                tl.store(out_ptr + tile * N * N + r * N + c, total)
        else:
            tl.store(out_ptr + tile * N * N + r * N + c, total)
        if FORM == "sum":
            tl.store(sums_ptr + tile * N + tl.arange(0, N), tl.sum(total, axis=1))
        place += steps
    if FORM == "across":
        tl.store(out_ptr + r * N + c, whole + place)


@pytest.mark.parametrize("form", ["plain", "initial", "across", "branch", "sum"])
@pytest.mark.parametrize("tiles,steps", [(0, 3), (1, 1), (3, 0), (4, 1), (3, 4)])
def test_nests_of_every_form_compute_what_they_did(device, rng, form, tiles, steps):
    n = 16
    x, y = small_numbers(rng, (max(tiles * steps, 1), n, n)), small_numbers(rng, (max(steps, 1), n, n))
    bias = small_numbers(rng, (max(tiles, 1), n, n)).astype(np.float32)
    out, sums = poisoned((max(tiles, 1), n, n), "float32"), poisoned((max(tiles, 1), n), "float32")
    before, sums_before = out.copy(), sums.copy()
    nest_kernel[(1,)](x, y, bias, out, sums, tiles, steps, 5, N=n, FORM=form)
    totals = [
        sum((x[t * steps + s].astype(np.float32) @ y[s].astype(np.float32) for s in range(steps)), np.zeros((n, n)))
        for t in range(tiles)
    ]
    if form == "initial":
        totals = [total + bias[t] for t, total in enumerate(totals)]
    if form == "across":
        np.testing.assert_array_equal(out[0], sum(totals, np.zeros((n, n))) + tiles * steps)
        return
    for t in range(tiles):
        written = form != "branch" or t % 2 == 0
        np.testing.assert_array_equal(out[t], totals[t] if written else before[t])
        np.testing.assert_array_equal(sums[t], totals[t].sum(axis=1) if form == "sum" else sums_before[t])


@triton.jit
def in_place_kernel(x_ptr, y_ptr, tiles, steps, N: tl.constexpr):
    """Each tile is the product of the one before: what is loaded has just been stored through the same argument."""
    r, c = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    for tile in tl.range(tiles, flatten=True):
        total = tl.zeros((N, N), tl.float32)
        for step in tl.range(steps, num_stages=3):
            total = tl.dot(tl.load(x_ptr + tile * N * N + r * N + c), tl.load(y_ptr + step * N * N + r * N + c), total)
        tl.store(x_ptr + (tile + 1) * N * N + r * N + c, total.to(tl.float16))
        tl.debug_barrier()


def test_tiles_stored_through_the_argument_they_are_loaded_from_are_not_loaded_ahead(device, rng):
    n, tiles = 16, 4
    x = np.full((tiles + 1, n, n), np.nan, np.float16)
    x[0] = small_numbers(rng, (n, n))
    y = np.stack([np.eye(n, dtype=np.float16)[rng.permutation(n)], np.zeros((n, n), np.float16)])
    in_place_kernel[(1,)](x, y, tiles, 2, N=n)
    for tile in range(tiles):
        np.testing.assert_array_equal(x[tile + 1], x[tile] @ y[0])


@triton.jit
def volatile_kernel(q_ptr, k_ptr, v_ptr, out_ptr, n, B: tl.constexpr):
    r = tl.arange(0, B)
    q = tl.load(q_ptr + r[:, None] * B + r[None, :])
    total = tl.zeros((B, B), tl.float32)
    for start in range(0, n, B):
        k = tl.load(k_ptr + (start + r)[None, :] * B + r[:, None])
        p = tl.dot(q, k)
        v = tl.load(v_ptr + (start + r)[:, None] * B + r[None, :], volatile=True)
        total += tl.dot(p.to(tl.float16), v)
    tl.store(out_ptr + r[:, None] * B + r[None, :], total)


@pytest.mark.parametrize("num_stages", [1, 2, 4])
def test_loads_do_not_pass_volatile_ones(device, rng, num_stages):
    q, k, v = small_numbers(rng, (32, 32)) / 2, small_numbers(rng, (96, 32)), small_numbers(rng, (96, 32))
    out = poisoned((32, 32), "float32")
    volatile_kernel[(1,)](q, k, v, out, 96, B=32, num_stages=num_stages)
    p = (q.astype(np.float32) @ k.astype(np.float32).T).astype(np.float16).astype(np.float32)
    np.testing.assert_array_equal(out, p @ v.astype(np.float32))


@triton.jit
def computed_rows_kernel(x_ptr, y_ptr, out_ptr, depth, B: tl.constexpr):
    r = tl.arange(0, B)
    total = tl.zeros((B, B), tl.float32)
    x = x_ptr + tl.flip(r.to(tl.int64))[:, None] * depth + r[None, :]
    y = y_ptr + r[:, None] * B + r[None, :]
    for _ in range(0, depth, B):
        total = tl.dot(tl.load(x), tl.load(y), total)
        x += B
        y += B * B
    tl.store(out_ptr + r[:, None] * B + r[None, :], total)


@pytest.mark.parametrize("num_warps", [1, 8])
def test_operands_through_pointers_of_computed_rows(device, rng, num_warps):
    x, y = small_numbers(rng, (16, 48)), small_numbers(rng, (48, 16))
    out = poisoned((16, 16), "float32")
    computed_rows_kernel[(1,)](x, y, out, 48, B=16, num_warps=num_warps)
    np.testing.assert_array_equal(out, x[::-1].astype(np.float32) @ y.astype(np.float32))
