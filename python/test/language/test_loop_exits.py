"""`break`, `continue`, `return` and `else` of loops over tiles, against NumPy. Random scalar programs with them are in
test_random_control_flow.py."""

import importlib.util

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def until_kernel(x_ptr, out_ptr, steps_ptr, n, limit, BLOCK: tl.constexpr, MODE: tl.constexpr):
    """Adds rows until their sum exceeds a limit."""
    i = tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    rows = x_ptr + i
    step = 0
    if MODE == "for":
        for step in range(n):  # noqa: B007
            row = tl.load(rows)
            if tl.sum(total) > limit:
                total -= 1
                break
            total += row
            rows += BLOCK
        else:
            total += 1
    elif MODE == "while":
        while step < n:
            row = tl.load(rows)
            if tl.sum(total) > limit:
                total -= 1
                break
            total += row
            rows += BLOCK
            step += 1
        else:
            total += 1
            step = n - 1
    elif MODE == "endless":
        while True:
            if step == n:
                total += 1
                step = n - 1
                break
            if tl.sum(total) > limit:
                total -= 1
                break
            total += tl.load(rows)
            rows += BLOCK
            step += 1
    elif MODE == "repeated":
        for k in tl.static_range(8):
            if k == n:
                total += 1
                step = n - 1
                break
            if tl.sum(total) > limit:
                total -= 1
                step = k
                break
            total += tl.load(x_ptr + k * BLOCK + i)
    tl.store(out_ptr + i, total)
    tl.store(steps_ptr, step)


@pytest.mark.parametrize("limit", [-1, 40, 100, 1000])
@pytest.mark.parametrize("mode", ["for", "while", "endless", "repeated"])
def test_loops_over_tiles_are_left(device, rng, mode, limit):
    x = rng.random((7, 64)).astype(np.float32)
    out, steps = np.full(64, np.nan, np.float32), np.full(1, -1, np.int32)
    until_kernel[(1,)](x, out, steps, 7, limit, BLOCK=64, MODE=mode)
    total, step = np.zeros(64, np.float32), 0
    for step in range(7):  # noqa: B007
        if total.sum() > limit:
            total -= 1
            break
        total += x[step]
    else:
        total += 1
    np.testing.assert_allclose(device.get(out), total, rtol=1e-6)
    assert device.get(steps)[0] == step


@triton.jit
def find_row(x_ptr, n, value, BLOCK: tl.constexpr):
    """The first row that holds the value, and where; the row before all if there is none."""
    i = tl.arange(0, BLOCK)
    for row in range(n):
        x = tl.load(x_ptr + row * BLOCK + i)
        if tl.max((x == value).to(tl.int32)) == 0:
            continue
        for column in range(BLOCK):
            if tl.load(x_ptr + row * BLOCK + column) == value:
                return row, column, x
    return -1, 0, tl.zeros([BLOCK], tl.int32)


@triton.jit(noinline=True)
def first_divisor(n):
    d = 2
    while d * d <= n:
        if n % d == 0:
            return d
        d += 1
    else:
        return n


@triton.jit
def find_kernel(x_ptr, out_ptr, tile_ptr, n, value, BLOCK: tl.constexpr):
    row, column, tile = find_row(x_ptr, n, value, BLOCK)
    tl.store(out_ptr, row)
    tl.store(out_ptr + 1, column)
    tl.store(out_ptr + 2, first_divisor(value))
    tl.store(tile_ptr + tl.arange(0, BLOCK), tile)
    for i in range(n):
        if i == row:
            return
    tl.store(out_ptr + 1, -1)


@pytest.mark.parametrize("value", [3, 49, 187, 318, 1000])
def test_functions_return_from_loops(device, rng, value):
    x = rng.permutation(320).astype(np.int32).reshape(5, 64)
    out, tile = np.full(3, -7, np.int32), np.full(64, -7, np.int32)
    find_kernel[(1,)](x, out, tile, 5, value, BLOCK=64)
    divisor = next(d for d in range(2, value + 1) if value % d == 0)
    if value < 320:
        row, column = (int(where[0]) for where in np.nonzero(x == value))
        assert list(device.get(out)) == [row, column, divisor]
        np.testing.assert_array_equal(device.get(tile), x[row])
    else:
        assert list(device.get(out)) == [-1, -1, divisor]
        np.testing.assert_array_equal(device.get(tile), 0)


@triton.jit
def product_kernel(a_ptr, b_ptr, out_ptr, last_ptr, K, M: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr):
    """A product that stops at a flag, with operands that a loop would load ahead."""
    m, n, k = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, STEP)
    total = tl.zeros([M, N], tl.float32)
    for start in range(0, K, STEP):
        if start >= tl.load(last_ptr):
            break
        a = tl.load(a_ptr + m * K + start + k[None, :])
        if start == STEP:
            continue
        b = tl.load(b_ptr + (start + k[:, None]) * N + n)
        total = tl.dot(a, b, total)
    tl.store(out_ptr + m * N + n, total)


@pytest.mark.parametrize("last", [0, 32, 96, 1000])
def test_products_in_loops_that_are_left(device, rng, last):
    a, b = rng.standard_normal((32, 128)).astype(np.float16), rng.standard_normal((128, 32)).astype(np.float16)
    out, flag = np.full((32, 32), np.nan, np.float32), np.array([last], np.int32)
    product_kernel[(1,)](a, b, out, flag, 128, M=32, N=32, STEP=32)
    used = [k for k in range(0, 128, 32) if k < last and k != 32]
    expected = sum((a[:, k : k + 32].astype(np.float64) @ b[k : k + 32] for k in used), np.zeros((32, 32)))
    np.testing.assert_allclose(device.get(out), expected, atol=1e-2)


@triton.jit
def ends_kernel(out_ptr, low, high, MODE: tl.constexpr):
    count = 0
    if MODE == "signed":
        for _ in range(low, high, 3):
            count += 1
            if count == 1000:
                break
    elif MODE == "unsigned":
        for _ in range(low.to(tl.uint32), high.to(tl.uint32), 1 << 30):
            count += 1
            if count == 1000:
                break
    elif MODE == "down":
        for _ in range(high, low, -(1 << 30)):
            count += 1
            if count == 1000:
                break
    tl.store(out_ptr, count)


@pytest.mark.parametrize(
    "mode,low,high,count",
    [
        ("signed", 2**31 - 8, 2**31 - 1, 3),
        ("signed", -(2**31), -(2**31) + 1, 1),
        ("signed", 5, 5, 0),
        ("signed", 7, -7, 0),
        ("unsigned", 0, -1, 4),
        ("unsigned", 2, 2, 0),
        ("down", -(2**31), 2**31 - 1, 4),
    ],
)
def test_indices_do_not_overflow_at_the_end(device, mode, low, high, count):
    out = np.full(1, -1, np.int32)
    ends_kernel[(1,)](out, low, high, MODE=mode)
    assert device.get(out)[0] == count


@triton.jit
def types_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Names whose value before the loop does not matter change their type in it."""
    i = tl.arange(0, BLOCK)
    _, tile, last = 1.5, n, i  # noqa: F841
    largest, where = tl.load(x_ptr), 0
    for row in range(n):
        tile = tl.load(x_ptr + row * BLOCK + i)
        value, _ = tl.max(tile, 0, return_indices=True)
        if value <= largest:
            last = tile
            continue
        largest, where = value, row * BLOCK + _
        last = tile * 2  # noqa: F841
    tl.store(out_ptr, largest)
    tl.store(out_ptr + 1, where.to(tl.float32))


def test_names_that_a_loop_assigns_anew_may_change_their_type(device, rng):
    x = rng.standard_normal((6, 32)).astype(np.float32)
    x[0, 0] = -10
    out = np.full(2, np.nan, np.float32)
    types_kernel[(1,)](x, out, 6, BLOCK=32)
    np.testing.assert_array_equal(device.get(out), [x.max(), x.argmax()])


def partly_returning_source(count):
    """A function of many branches that return on some of their paths only, with loops that others leave."""
    lines = [
        "import triton",
        "import triton.language as tl",
        "",
        "@triton.jit",
        "def kernel(x_ptr, out_ptr, n):",
        "    y = 0",
    ]
    for k in range(count):
        lines += [
            f"    if n > {k}:",
            f"        y += tl.load(x_ptr + {k})",
            f"        if y > {1000 + k}:",
            "            tl.store(out_ptr, -y)",
            "            return",
            f"    for i in range({k}, n):",
            "        if i > 5:",
            "            if y > 900:",
            "                break",
            "            y += i",
            "    else:",
            "        if y == 77:",
            "            return",
        ]
    return "\n".join([*lines, "    tl.store(out_ptr, y)", ""])


def test_code_grows_with_the_text(tmp_path):
    """What follows a branch that may return is lowered once."""
    sizes = []
    for count in (8, 16):
        path = tmp_path / f"many_{count}.py"
        path.write_text(partly_returning_source(count))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        signature = {"x_ptr": "*i32", "out_ptr": "*i32", "n": "i32"}
        source = ASTSource(fn=module.kernel, signature=signature)
        sizes.append(triton.compile(source, target=GPUTarget("cpu", "x86-64-v3", 1)).asm["ttir"].count("\n"))
    assert sizes[1] < 2.5 * sizes[0]


@triton.jit
def partly_returning_kernel(x_ptr, out_ptr, n, limit):
    y = tl.load(x_ptr)
    if n > 0:
        y += 1
        if y > limit:
            tl.store(out_ptr, 1)
            return
    else:
        y += 2
        if y < -limit:
            tl.store(out_ptr, 2)
            return
        y *= 2
    tl.store(out_ptr + 1, y)
    if n > 1:
        if y == 7:
            return
    tl.store(out_ptr, y)


def partly_returning(x, n, limit):
    out, y = [0, 0], x
    if n > 0:
        y += 1
        if y > limit:
            return [1, 0]
    else:
        y += 2
        if y < -limit:
            return [2, 0]
        y *= 2
    out[1] = y
    return out if n > 1 and y == 7 else [y, y]


def test_branches_that_return_on_some_of_their_paths(device):
    for x in (-200, 3, 6, 200):
        for n in (0, 1, 2):
            out = np.zeros(2, np.int32)
            partly_returning_kernel[(1,)](np.array([x], np.int32), out, n, 100)
            assert out.tolist() == partly_returning(x, n, 100), (x, n)
