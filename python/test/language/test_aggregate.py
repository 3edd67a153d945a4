"""Classes made by `triton.aggregate`, in kernels and outside."""

from collections import namedtuple

import numpy as np
import pytest
import triton
import triton.language as tl


@triton.aggregate
class Pair:
    first: tl.tensor
    second: tl.tensor

    @triton.jit
    def total(self):
        return self.first + self.second

    @triton.jit
    def moved(self, by):
        return Pair(self.first + by, self.second + by)

    @staticmethod
    @triton.jit
    def twice(x):
        return x * 2

    @triton.constexpr_function
    def elements(self):
        return self.first.numel


@triton.aggregate
class Scale:
    factor: tl.constexpr
    offset: tl.constexpr = 3
    name: tl.constexpr = "plain"

    @triton.constexpr_function
    def doubled(self):
        return self.factor.value * 2

    @triton.jit
    def __call__(self, x):
        return x * self.factor + self.offset


@triton.jit
def use_pair(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    pair = Pair(tl.load(x_ptr + i), second=tl.load(y_ptr + i))
    moved = pair.moved(10)
    tl.static_assert(moved.elements() == N)
    tl.store(out_ptr + i, pair.total())
    tl.store(out_ptr + N + i, moved.total())
    tl.store(out_ptr + 2 * N + i, Pair.twice(moved.first))
    tl.store(out_ptr + 3 * N + i, tl.aggregate_replace(moved, first=pair.second).total())


def test_fields_methods_and_replacement(device):
    x, y, out = np.arange(16, dtype=np.int32), np.arange(16, dtype=np.int32) * 100, np.zeros(64, np.int32)
    use_pair[(1,)](x, y, out, N=16)
    expected = [x + y, x + y + 20, (x + 10) * 2, y + y + 10]
    np.testing.assert_array_equal(out, np.concatenate(expected))


@triton.jit
def use_scale(x_ptr, N: tl.constexpr, scale: tl.constexpr):
    i = tl.arange(0, N)
    own = Scale(4, name="own")
    tl.static_assert(own.factor == 4 and own.offset == 3 and own.name == "own" and own.doubled() == 8)
    tl.static_assert(isinstance(own, Scale) and not isinstance(own, Pair) and not isinstance(own, tuple))
    tl.static_assert(scale.name == "given" and Scale.offset == 3)
    tl.store(x_ptr + i, scale(own(tl.load(x_ptr + i))))


def test_constants(device):
    x = np.arange(16, dtype=np.int32)
    use_scale[(1,)](x, N=16, scale=Scale(2, 1, "given"))
    np.testing.assert_array_equal(x, (np.arange(16) * 4 + 3) * 2 + 1)
    with pytest.raises(triton.CompilationError):
        use_scale[(1,)](x, N=16, scale=Scale(2, 1, "other"))


@triton.jit
def carry(x_ptr, out_ptr, steps, flag, N: tl.constexpr):
    i = tl.arange(0, N)
    state = Pair(tl.load(x_ptr + i), tl.zeros([N], tl.int32))
    for step in range(steps):
        state = Pair(state.first * 2, state.second + state.first)
        if step == flag:
            state = state.moved(1)
    while tl.max(state.first, 0) < 1000:
        state = tl.aggregate_replace(state, first=state.first + 300)
    tl.store(out_ptr + i, state.first)
    tl.store(out_ptr + N + i, state.second)


def test_loops_and_branches_carry_fields(device):
    x, out = np.arange(8, dtype=np.int32), np.zeros(16, np.int32)
    carry[(1,)](x, out, 3, 1, N=8)
    first, second = x.copy(), np.zeros(8, np.int32)
    for step in range(3):
        first, second = first * 2, second + first
        if step == 1:
            first, second = first + 1, second + 1
    while first.max() < 1000:
        first = first + 300
    np.testing.assert_array_equal(out, np.concatenate([first, second]))


@triton.jit
def _choose(a, b, takes_first):
    if takes_first:
        return a
    return b


@triton.jit
def choose(out_ptr, flag):
    pair = _choose(Pair(flag + 1, flag + 2), Pair(flag + 30, flag + 40), flag > 0)
    same = pair if flag > 5 else pair.moved(100)
    tl.store(out_ptr, pair.first)
    tl.store(out_ptr + 1, pair.second)
    tl.store(out_ptr + 2, same.total())


@pytest.mark.parametrize("flag", [0, 2, 7])
def test_functions_return_aggregates(device, flag):
    out = np.zeros(3, np.int32)
    choose[(1,)](out, flag)
    first, second = (flag + 1, flag + 2) if flag > 0 else (flag + 30, flag + 40)
    assert out.tolist() == [first, second, first + second + (0 if flag > 5 else 200)]


@triton.aggregate
class Complex:
    real: tl.tensor
    imaginary: tl.tensor

    @triton.jit
    def __add__(self, other):
        if isinstance(other, Complex):
            return Complex(self.real + other.real, self.imaginary + other.imaginary)
        return Complex(self.real + other, self.imaginary)

    @triton.jit
    def __radd__(self, other):
        return self + other

    @triton.jit
    def __mul__(self, other):
        if not isinstance(other, Complex):
            return NotImplemented
        real = self.real * other.real - self.imaginary * other.imaginary
        return Complex(real, self.real * other.imaginary + self.imaginary * other.real)

    @triton.jit
    def __rsub__(self, other):
        return Complex(other - self.real, -self.imaginary)

    @triton.jit
    def __neg__(self):
        return Complex(-self.real, -self.imaginary)

    @triton.jit
    def __lt__(self, other):
        return self.real < other

    @triton.jit
    def __eq__(self, other):
        return (self.real == other.real) & (self.imaginary == other.imaginary)

    @triton.jit
    def logical_and(self, other):
        return self.real + other.real

    @triton.jit
    def __getitem__(self, index):
        return self.real if index == 0 else self.imaginary


@triton.aggregate
class Gain:
    value: tl.constexpr

    @triton.jit
    def __rmul__(self, other):
        return Complex(other.real * self.value, other.imaginary * self.value)


@triton.jit
def use_operators(out_ptr, a, b):
    x, y = Complex(a, b), Complex(b, a + b)
    results = (x + y, x + 1, tl.load(out_ptr) + x, x * y, x * Gain(3), 7 - x, -x)
    for k in tl.static_range(7):
        tl.store(out_ptr + 2 * k, results[k].real)
        tl.store(out_ptr + 2 * k + 1, results[k][1])
    tl.store(out_ptr + 14, (x < 5).to(tl.int32))
    tl.store(out_ptr + 15, (5 > x).to(tl.int32))
    tl.store(out_ptr + 16, (x == y).to(tl.int32))
    tl.store(out_ptr + 17, x and y)


def test_operators(device):
    out = np.zeros(18, np.int32)
    use_operators[(1,)](out, 3, 4)
    x, y = 3 + 4j, 4 + 7j
    expected = []
    for value in (x + y, x + 1, x, x * y, x * 3, 7 - x, -x):
        expected += [int(value.real), int(value.imag)]
    assert out.tolist() == [*expected, 1, 1, 0, 7]


@triton.aggregate
class Tile:
    rows: tl.constexpr
    size: tl.constexpr
    start: tl.tensor
    ends: tl.tuple

    def __init__(self, rows, columns, start, _semantic=None):
        half = columns // 2
        self.rows = rows
        self.size = rows * half * 2
        if rows > 4:
            self.start = start
        else:
            self.start = start + 1
        self.ends = (start, rows)


@triton.aggregate
class Named(Tile):
    label: tl.constexpr = "none"

    @triton.jit
    def at(self):
        return self.start * self.size


@triton.jit
def use_tiles(out_ptr, n):
    large, small = Tile(8, 16, n), Named(2, 4, n)
    tl.static_assert(large.size == 128 and small.size == 8 and small.label == "none" and small.ends[1] == 2)
    tl.static_assert(isinstance(small, Tile) and not isinstance(large, Named))
    tl.store(out_ptr, large.start)
    tl.store(out_ptr + 1, small.at() + small.ends[0])


def test_own_initializers_and_inheritance(device):
    out = np.zeros(2, np.int32)
    use_tiles[(1,)](out, 50)
    assert out.tolist() == [50, 51 * 8 + 50]


@triton.aggregate
class Both:
    tile: Scale
    pair: Pair


@triton.jit
def use_nested(out_ptr, n, outer: tl.constexpr):
    both = Both(Scale(5), Pair(n, n + 1))
    both = tl.aggregate_replace(both, pair=both.pair.moved(2))
    tl.store(out_ptr, both.tile(both.pair.second) + outer.factor)


def test_aggregates_in_aggregates(device):
    out = np.zeros(1, np.int32)
    use_nested[(1,)](out, 6, outer=Scale(1000))
    assert out[0] == 9 * 5 + 3 + 1000


GLOBAL_SCALE = Scale(6)


@triton.constexpr_function
def make_scale(factor):
    return Scale(factor, offset=1)


@triton.jit
def use_globals(x_ptr, given):
    tl.store(x_ptr, GLOBAL_SCALE(tl.load(x_ptr)) + make_scale(7)(1) + given.factor)


def test_objects_of_the_host(device):
    x = np.array([2], np.int32)
    use_globals[(1,)](x, Scale(100))
    assert x[0] == 2 * 6 + 3 + 7 + 1 + 100


@triton.jit
def change_field(out_ptr):
    pair = Pair(tl.load(out_ptr), tl.load(out_ptr))
    pair.first = pair.second


@triton.jit
def give_a_number(out_ptr):
    Pair(1, tl.load(out_ptr))


@triton.jit
def replace_nothing(out_ptr):
    tl.store(out_ptr, tl.aggregate_replace(tl.load(out_ptr), first=1).first)


@triton.jit
def replace_an_unknown_field(out_ptr):
    tl.store(out_ptr, tl.aggregate_replace(Scale(1), other=1).factor)


@triton.jit
def leave_a_field_out(out_ptr):
    Pair(tl.load(out_ptr))


@triton.jit
def add_what_has_no_sum(out_ptr):
    Scale(1) + Scale(2)


@pytest.mark.parametrize(
    "kernel, message",
    [
        (change_field, r"immutable(.|\n)*aggregate_replace\(\.\.\., first="),
        (give_a_number, "the field `first` of `Pair` must be a `tl.tensor`, not the constant 1"),
        (replace_nothing, "changes an aggregate, not int32"),
        (replace_an_unknown_field, "`Scale` has no field `other`"),
        (leave_a_field_out, "`second`"),
        (add_what_has_no_sum, r"`\+` does not apply to a `Scale` and a `Scale`"),
    ],
)
def test_errors_in_kernels(device, kernel, message):
    with pytest.raises(triton.CompilationError, match=message):
        kernel[(1,)](np.zeros(1, np.int32))


def test_construction_on_the_host():
    scale = Scale(2, name="x")
    assert (scale.factor.value, scale.offset.value, scale.name.value) == (2, 3, "x")
    assert isinstance(scale.factor, tl.constexpr) and scale.doubled() == 4
    assert Scale.__triton_aggregate__ and list(Scale.__aggregate_fields__) == ["factor", "offset", "name"]
    assert Scale.__aggregate_defaults__ == {"offset": 3, "name": "plain"}
    changed = tl.aggregate_replace(scale, factor=9)
    assert (changed.factor.value, changed.name.value, scale.factor.value) == (9, "x", 2)
    for call, message in (
        (lambda: Scale(), "lacks a value for `factor`"),
        (lambda: Scale(1, 2, "x", 4), "takes 3 arguments"),
        (lambda: Scale(1, factor=2), "two values for `factor`"),
        (lambda: Scale(1, other=2), "unexpected keyword argument `other`"),
        (lambda: Pair(1, 2), "the field `first` of `Pair` must be a `tensor`, not a `constexpr`"),
        (lambda: tl.aggregate_replace(scale, other=1), "no field `other`"),
        (lambda: tl.aggregate_replace(3, other=1), "changes an aggregate, not a `int`"),
    ):
        with pytest.raises(TypeError, match=message):
            call()
    with pytest.raises(AttributeError, match="aggregate_replace"):
        scale.factor = 3


def test_classes_on_the_host():
    with pytest.raises(TypeError, match="derives from `Plain`, which is not an aggregate"):
        Plain = type("Plain", (), {})
        triton.aggregate(type("Derived", (Plain,), {"__annotations__": {}}))

    Point = namedtuple("Point", ["x", "y"])

    @triton.aggregate
    class Holder:
        point: Point
        values: tl.tuple

        def __init__(self, x, _generator):
            assert _generator is None
            self.point = Point(x, 2)
            self.values = (x, "text")

    holder = Holder(1)
    assert holder.point.y.value == 2 and holder.values[1].value == "text"

    @triton.aggregate
    class Incomplete:
        value: tl.constexpr

        def __init__(self):
            pass

    with pytest.raises(AttributeError, match="gives the field `value` no value"):
        Incomplete()
