"""Branches, loops, early returns and what survives them."""

import numpy as np
import pytest
import triton
import triton.language as tl
from values import poisoned


@triton.jit
def branch_kernel(x_ptr, out_ptr, n, MODE: tl.constexpr):
    i = tl.program_id(0)
    x = tl.load(x_ptr + i)
    if MODE == "if":
        result = 0.0
        if x > 0:
            result = x * 2
        tl.store(out_ptr + i, result)
    elif MODE == "else":
        if x > 0:
            result = x * 2
        else:
            result = x - 1
        tl.store(out_ptr + i, result)
    elif MODE == "elif":
        if x > 1:
            result = 3.0
        elif x > 0:
            result = 2.0
        elif x == 0:
            result = 1.0
        else:
            result = 0.0
        tl.store(out_ptr + i, result)
    elif MODE == "nested":
        result = x
        if x > 0:
            if i < n // 2:
                result = x + 10
            else:
                result = x + 20
        tl.store(out_ptr + i, result)
    elif MODE == "ternary":
        tl.store(out_ptr + i, x if x > 0 else -x)
    elif MODE == "return":
        tl.store(out_ptr + i, 5.0)
        if x > 0:
            return
        tl.store(out_ptr + i, x)
    elif MODE == "and":
        result = 0.0
        if x > -1 and x < 1 and not i == 3:
            result = 1.0
        if x > 1 or i == 0:
            result += 2.0
        tl.store(out_ptr + i, result)


EXPECTED = {
    "if": lambda x, i, n: np.where(x > 0, x * 2, 0),
    "else": lambda x, i, n: np.where(x > 0, x * 2, x - 1),
    "elif": lambda x, i, n: np.where(x > 1, 3, np.where(x > 0, 2, np.where(x == 0, 1, 0))),
    "nested": lambda x, i, n: np.where(x > 0, np.where(i < n // 2, x + 10, x + 20), x),
    "ternary": lambda x, i, n: np.abs(x),
    "return": lambda x, i, n: np.where(x > 0, 5, x),
    "and": lambda x, i, n: ((x > -1) & (x < 1) & (i != 3)) + 2.0 * ((x > 1) | (i == 0)),
}


@pytest.mark.parametrize("mode", EXPECTED)
def test_branches(device, mode):
    x = np.array([-2, -0.5, 0, 0.5, 2, 0.25, -1, 3], np.float32)
    out = poisoned(8, "float32")
    branch_kernel[(8,)](x, out, 8, MODE=mode)
    np.testing.assert_array_equal(out, EXPECTED[mode](x, np.arange(8), 8).astype(np.float32))


@triton.jit
def loop_kernel(x_ptr, out_ptr, n, start, step, MODE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    if MODE == "range":
        for k in range(n):
            total += tl.load(x_ptr + k * BLOCK + i) * k
    elif MODE == "start step":
        for k in range(start, n, step):
            total += tl.load(x_ptr + k * BLOCK + i) * k
    elif MODE == "down":
        for k in range(7, -1, -1):
            total = total * 0.5 + tl.load(x_ptr + k * BLOCK + i)
    elif MODE == "tl.range":
        for k in tl.range(0, n, num_stages=3, loop_unroll_factor=2):
            total += tl.load(x_ptr + k * BLOCK + i) * k
    elif MODE == "static":
        for k in tl.static_range(8):
            total += tl.load(x_ptr + k * BLOCK + i) * k
    elif MODE == "while":
        k = 0
        while k < n:
            total += tl.load(x_ptr + k * BLOCK + i) * k
            k += 1
    elif MODE == "nested":
        for k in range(n):
            for j in range(k):
                total += tl.load(x_ptr + j * BLOCK + i)
    elif MODE == "pointer":
        pointers = x_ptr + i
        for k in range(n):
            total += tl.load(pointers) * k
            pointers += BLOCK
    elif MODE == "if inside":
        for k in range(n):
            if k % 2 == 0:
                total += tl.load(x_ptr + k * BLOCK + i) * k
    elif MODE == "none":
        for k in range(n, n):
            total += tl.load(x_ptr + k * BLOCK + i)
    tl.store(out_ptr + i, total)


def loop_result(mode, x, start, step):
    k = np.arange(len(x))[:, None]
    if mode == "start step":
        return (x * k)[start::step].sum(axis=0)
    if mode == "down":
        return (x * 0.5**k).sum(axis=0)
    if mode == "nested":
        return (x * (len(x) - 1 - k)).sum(axis=0)
    if mode == "if inside":
        return (x * k)[::2].sum(axis=0)
    return (x * k).sum(axis=0) * (mode != "none")


@pytest.mark.parametrize(
    "mode", ["range", "start step", "down", "tl.range", "static", "while", "nested", "pointer", "if inside", "none"]
)
def test_loops(device, rng, mode):
    x = rng.random((8, 16), dtype=np.float32)
    out = poisoned(16, "float32")
    loop_kernel[(1,)](x, out, 8, 2, 3, MODE=mode, BLOCK=16)
    np.testing.assert_allclose(out, loop_result(mode, x.astype(np.float64), 2, 3), rtol=1e-5)


@triton.jit
def gcd_kernel(a_ptr, b_ptr, out_ptr):
    i = tl.program_id(0)
    a, b = tl.load(a_ptr + i), tl.load(b_ptr + i)
    while b != 0:
        a, b = b, a % b
    tl.store(out_ptr + i, a)


def test_while_with_data_dependent_end(device, rng):
    a, b = rng.integers(1, 1000, (2, 50)).astype(np.int32)
    out = poisoned(50, "int32")
    gcd_kernel[(50,)](a, b, out)
    np.testing.assert_array_equal(out, np.gcd(a, b))


@triton.jit
def carried_kernel(out_ptr, n):
    a, b = tl.full((), 0, tl.int64), tl.full((), 1, tl.int64)
    for _ in range(n):
        a, b = b, a + b
    tl.store(out_ptr, a)


@pytest.mark.parametrize("n", [0, 1, 2, 10, 90])
def test_swapped_loop_values(device, n):
    out = poisoned(1, "int64")
    carried_kernel[(1,)](out, n)
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    assert out[0] == a


@triton.jit
def pruned_kernel(out_ptr, FLAG: tl.constexpr, NOTHING: tl.constexpr):
    if FLAG:
        value = 1
    else:
        value = undefined_name  # noqa: F821 - this branch is not compiled
    if NOTHING is None:
        value += 10
    if not FLAG:
        value += tl.load(not_a_pointer)  # noqa: F821
    result = value if FLAG else undefined_name  # noqa: F821
    tl.store(out_ptr, result)


def test_compile_time_branches_are_pruned(device):
    out = poisoned(1, "int32")
    pruned_kernel[(1,)](out, FLAG=True, NOTHING=None)
    assert out[0] == 11


@triton.jit
def index_type_kernel(out_ptr, n_ptr):
    for k in range(tl.load(n_ptr)):
        tl.static_assert(k.dtype == tl.int64)
        tl.store(out_ptr, k)


def test_loop_index_has_the_promoted_type(device):
    out = poisoned(1, "int64")
    index_type_kernel[(1,)](out, np.array([3], np.int64))
    assert out[0] == 2


@triton.jit
def constexpr_kernel(out_ptr, N: tl.constexpr):
    HALF: tl.constexpr = N // 2
    power: tl.constexpr = 2**HALF if HALF < 10 else -1
    i = tl.arange(0, HALF)
    tl.store(out_ptr + i, i * power + (7 % -4) + (-7 // 2) + int(N > 3) + (3 if 1 < HALF <= 8 else 4))


def test_compile_time_arithmetic(device):
    out = poisoned(8, "int32")
    constexpr_kernel[(1,)](out, N=16)
    np.testing.assert_array_equal(out, np.arange(8) * 256 + 7 % -4 + -7 // 2 + 1 + 3)


@triton.jit
def walrus_kernel(out_ptr, n):
    if (half := n // 2) > 3:
        tl.store(out_ptr, half)
    else:
        tl.store(out_ptr, -half)


@pytest.mark.parametrize("n", [4, 20])
def test_assignment_expression(device, n):
    out = poisoned(1, "int32")
    walrus_kernel[(1,)](out, n)
    assert out[0] == (10 if n == 20 else -2)


@triton.jit
def reused_variable_kernel(out_ptr, n, m, MODE: tl.constexpr):
    total = 0
    if MODE == "constant":
        for i in tl.static_range(3):
            total += 10 * i
        for i in range(n):
            total += i
        total += 1000 * i
    elif MODE == "tile":
        i = tl.arange(0, 16)
        total += tl.sum(i)
        for i in range(n):
            i = i * 2
            total += i
    elif MODE == "pointer":
        i = out_ptr
        for i in range(m):
            total += i
    elif MODE == "wider":
        i = 5
        for i in range(tl.cast(m, tl.int64)):
            total += i.to(tl.int32)
    elif MODE == "nested":
        for i in tl.static_range(2):
            total += i
        for j in range(n):
            for i in range(tl.cast(m, tl.int64)):
                total += i.to(tl.int32) + j
            for i in tl.static_range(3):
                total += i
    elif MODE == "while":
        for i in tl.static_range(2):
            total += i
        steps = n
        while steps > 0:
            for i in range(steps):
                total += i
            steps -= 1
    elif MODE == "branch":
        for i in tl.static_range(4):
            total += i
        if n > 1:
            for i in range(n):
                total += i
        total += 100 * i
    elif MODE == "same":
        for i in range(n):
            for i in range(i):  # noqa: B020
                total += i
    tl.store(out_ptr, total)


def reused_variable(n, m, mode):
    """What Python makes of the same statements."""
    total = 0
    if mode == "constant":
        i = 2
        total += 30
        for i in range(n):
            total += i
        total += 1000 * i
    elif mode == "tile":
        total += 120 + sum(2 * i for i in range(n))
    elif mode in ("pointer", "wider"):
        total += sum(range(m))
    elif mode == "nested":
        total += 1 + sum(sum(i + j for i in range(m)) + 3 for j in range(n))
    elif mode == "while":
        total += 1 + sum(sum(range(steps)) for steps in range(1, n + 1))
    elif mode == "branch":
        total += 6 + (sum(range(n)) if n > 1 else 0) + 100 * (n - 1 if n > 1 else 3)
    elif mode == "same":
        total += sum(sum(range(i)) for i in range(n))
    return total


@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize("mode", ["constant", "tile", "pointer", "wider", "nested", "while", "branch", "same"])
def test_a_name_becomes_the_variable_of_a_loop(device, mode, n):
    """Whatever it was before. After a loop that did not run a number is still what it was."""
    out = poisoned(1, "int32")
    reused_variable_kernel[(1,)](out, n, n + 2, MODE=mode)
    assert out[0] == reused_variable(n, n + 2, mode)


@triton.jit
def no_iteration_kernel(out_ptr, x, FALSE: tl.constexpr, MODE: tl.constexpr):
    w = 1
    if MODE == "literal":
        while False:
            w += 1
    elif MODE == "argument":
        while FALSE:
            w += 1
    elif MODE == "and":
        while w < x and FALSE:
            w += 1
    elif MODE == "comparison":
        while 3 > 5:
            w += x
    elif MODE == "in a loop":
        for _ in range(x):
            while FALSE and w < 5:
                w += 1
    elif MODE == "else":
        while FALSE:
            w += 1
            if w > x:
                break
        else:
            w = w * 3
    elif MODE == "last in a branch":
        if x > 2:
            while FALSE:
                tl.store(out_ptr + 1, 5)
    elif MODE == "assigns":
        while (w := w + x) < 3 and FALSE:
            w += 1
    elif MODE == "has effects":
        while tl.atomic_add(out_ptr + 1, 1) < 3 and FALSE:
            w += 1
    tl.store(out_ptr, w)


@pytest.mark.parametrize(
    "mode,expected",
    [
        *((mode, [1, 0]) for mode in ("literal", "argument", "and", "comparison", "in a loop", "last in a branch")),
        ("else", [3, 0]),
        ("assigns", [5, 0]),
        ("has effects", [1, 1]),
    ],
)
def test_while_that_is_false_at_compile_time(device, mode, expected):
    out = np.zeros(2, np.int32)
    no_iteration_kernel[(1,)](out, 4, FALSE=False, MODE=mode)
    np.testing.assert_array_equal(out, expected)


@triton.jit
def end_of_type_kernel(x_ptr, out_ptr, begin, end, step, STEP: tl.constexpr, MODE: tl.constexpr):
    count = 0
    last = begin - begin
    if MODE == "runtime step":
        for i in range(begin, end, step):
            count += 1
            last = i
    elif MODE == "break":
        for i in range(begin, end, STEP):
            count += 1
            last = i
            if count > 1000:
                break
    elif MODE == "from zero":
        for i in range(0, end, STEP):
            count += 1
            last = i
    elif MODE == "unrolled":
        for i in tl.range(begin, end, step, loop_unroll_factor=4):
            count += 1
            last = i
    elif MODE == "stages":
        total = tl.zeros([64], tl.int32)
        for i in tl.range(begin, end, STEP, num_stages=3):
            total += tl.load(x_ptr + tl.arange(0, 64) + (i & 127))
            last = i
        count += tl.max(total)
    elif MODE == "nested":
        for _ in tl.range(0, 3, flatten=True):
            for i in tl.range(begin, end, STEP):
                count += 1
                last = i
        count = count // 3
    else:
        for i in range(begin, end, STEP):
            count += 1
            last = i
    tl.store(out_ptr, count)
    tl.store(out_ptr + 1, last)


@pytest.mark.parametrize("mode", ["constant step", "runtime step", "break", "unrolled", "stages", "nested"])
@pytest.mark.parametrize(
    "bounds",
    [
        (2**31 - 5, 2**31 - 1, 3),
        (2**31 - 40, 2**31 - 2, 16),
        (-(2**31) + 3, -(2**31), -2),
        (-(2**31), -(2**31) + 1, 64),
        (7, 3, 5),
        (0, -7, 3),
        (2**63 - 9, 2**63 - 2, 4),
    ],
)
def test_range_that_ends_at_the_end_of_its_type(device, mode, bounds):
    check_range(device, mode, *bounds)


@pytest.mark.parametrize(
    "mode, bounds",
    [
        ("from zero", (0, 2**31 - 1, 2**30 + 7)),
        ("from zero", (0, -5, 3)),
        ("unrolled", (-(2**31), 2**31 - 1, 2**30)),
        ("unrolled", (2**31 - 8, 2**31 - 1, 2)),
        ("unrolled", (0, 2**31 - 1, 2**28)),
        ("constant step", (-(2**31), 2**31 - 1, 2**30)),
    ],
)
def test_ranges_of_long_steps(device, mode, bounds):
    check_range(device, mode, *bounds)


def check_range(device, mode, begin, end, step):
    if mode in ("runtime step", "unrolled") and step < 0:
        pytest.skip("a step that is not constant is positive")
    out, ones = poisoned(2, "int64"), np.ones(256, np.int32)
    end_of_type_kernel[(1,)](ones, out, begin, end, step, STEP=step, MODE=mode)
    indices = range(begin, end, step)
    np.testing.assert_array_equal(out, [len(indices), indices[-1] if indices else 0])


@triton.jit
def augmented_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    x += 3
    x *= 2
    x -= 1
    x //= 3
    x %= 1000
    x <<= 2
    x >>= 1
    x |= 1
    x &= 0xFFF
    x ^= 5
    tl.store(out_ptr + i, x)


def test_augmented_assignment(device, rng):
    x = rng.integers(0, 10000, 64).astype(np.int32)
    out = poisoned(64, "int32")
    augmented_kernel[(1,)](x, out, BLOCK=64)
    np.testing.assert_array_equal(out, (((((x + 3) * 2 - 1) // 3 % 1000) << 2 >> 1 | 1) & 0xFFF) ^ 5)
