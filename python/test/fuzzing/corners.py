"""Steps: constants with their own arithmetic and types, logic of int1, indices far from an array's start, and functions
of the device library that are exact."""

import numpy as np

from . import elements
from .elements import BITS, is_float, promote
from .elementwise import aligned, is_number, partner, text_of
from .program import Value


def _constant(program, depth):
    """The text of a constant integer and its value in Python."""
    random = program.random
    if depth == 0 or program.chance(0.2):
        number = random.choice([0, 1, 2, 3, 7, 10, 31, 255, 1000, 2**31 - 1, 2**31, 2**33 + 5])
        number = -number if program.chance(0.3) else number
        return text_of(number), number
    (left, one), (right, other) = _constant(program, depth - 1), _constant(program, depth - 1)
    forms = [(f"({left} + {right})", one + other), (f"({left} - {right})", one - other)]
    forms += [(f"({left} * {right})", one * other), (f"({left} & {right})", one & other)]
    forms += [(f"({left} | {right})", one | other), (f"({left} ^ {right})", one ^ other), (f"(-{left})", -one)]
    forms += [(f"min({left}, {right})", min(one, other)), (f"max({left}, {right})", max(one, other))]
    forms += [(f"({left} if {left} > {right} else {right})", one if one > other else other), (f"(~{left})", ~one)]
    if other:
        forms += [(f"({left} // {right})", one // other), (f"({left} % {right})", one % other)]
    if 0 <= other < 12:
        forms += [(f"({left} << {right})", one << other), (f"({left} >> {right})", one >> other)]
    if 0 <= other < 4 and abs(one) < 100:
        forms += [(f"({left} ** {right})", one**other)]
    return random.choice(forms)


def constants(program):
    """Arithmetic of constants, which is Python's."""
    text, number = _constant(program, 3)
    if not -(2**63) <= number < 2**63:
        return
    name = program.fresh("C")
    shape = program.shape((0, 1))
    data = np.full((program.programs, *shape), number, np.int64)
    line = f"{name}: tl.constexpr = {text}"
    program.add(f"tl.full({list(shape)}, {name}, tl.int64)", "int64", data, before=[line])


def _natural(number):
    """The type that a number has when a kernel assigns it."""
    for name in ("int32", "uint32", "int64", "uint64"):
        low, high = elements.limits(name)
        if low <= number <= high:
            return name
    raise AssertionError(f"{number} has no type")


def assigned(program):
    """Numbers that a plain assignment makes scalars, with an operation as of tensors."""
    numbers = [5, -7, 2**31 - 1, 2**31, 2**32 - 1, 2**32, -(2**31) - 1, 2**63, 100]
    number, other = program.random.choice(numbers), program.random.choice([1, 3, 7, 100])
    dtype = _natural(number)
    one, two = np.full(program.programs, number, dtype), np.asarray(other, dtype)
    rest = np.fmod(one, two)
    forms = {"+": one + two, "-": one - two, "*": one * two, "%": rest, "//": ((one - rest) // two).astype(dtype)}
    forms[">>"] = one >> np.asarray(other % BITS[dtype], dtype)
    symbol = program.random.choice(list(forms))
    name = program.fresh("n")
    right = other % BITS[dtype] if symbol == ">>" else other
    program.add(f"{name} {symbol} {right}", dtype, forms[symbol], before=[f"{name} = {text_of(number)}"])


def floats_assigned(program):
    number = program.random.choice([0.1, 1e-40, 1e300, 3.5, -0.0, 16777217.0, 1e38, float("1e-46")])
    has_single = number == 0 or 2.0**-126 <= abs(number) <= 3.4028234663852886e38
    dtype = "float32" if has_single else "float64"
    name = program.fresh("n")
    data = np.full(program.programs, number, dtype)
    program.add(f"{name} + 0.0", dtype, data + np.asarray(0, dtype), before=[f"{name} = {text_of(number)}"])


def truth(program):
    """Arithmetic and comparisons of int1, and its sums, extremes and order."""
    value = program.pick(lambda each: each.dtype == "int1" and each.rank, 0.7, lambda: program.input("int1"))
    other = partner(program, value, dtype="int1")
    x, y = aligned(value.data, other.data)
    a, b = value.name, other.name
    if program.chance(0.6):
        forms = [(f"{a} + {b}", x ^ y), (f"{a} - {b}", x ^ y), (f"{a} * {b}", x & y), (f"{a} < {b}", ~x & y)]
        forms += [(f"{a} >= {b}", x | ~y), (f"{a} != {b}", x ^ y), (f"~{a}", ~value.data), (f"{a} == {b}", ~(x ^ y))]
        forms += [(f"tl.minimum({a}, {b})", x & y), (f"tl.maximum({a}, {b})", x | y), (f"{a} & True", value.data)]
        text, data = program.random.choice(forms)
        program.add(text, "int1", data)
        return
    axis = program.random.randrange(value.rank)
    data = value.data
    forms = [
        (f"tl.sum({a}, {axis})", "uint32", data.sum(axis + 1)),
        (f"tl.max({a}, {axis})", "int32", data.max(axis + 1)),
        (f"tl.min({a}, {axis})", "int32", data.min(axis + 1)),
        (f"tl.argmax({a}, {axis})", "int32", data.argmax(axis + 1)),
        (f"tl.argmin({a}, {axis})", "int32", data.argmin(axis + 1)),
        (f"tl.cumsum({a}, {axis})", "uint32", data.cumsum(axis + 1)),
        (f"tl.xor_sum({a}, {axis})", "int1", np.bitwise_xor.reduce(data, axis + 1)),
        (f"tl.reduce_or({a}, {axis})", "int1", data.any(axis + 1)),
    ]
    text, dtype, result = program.random.choice(forms)
    program.add(text, dtype, result.astype(elements.model_type(dtype)))


def far(program):
    """Indices near the ends of their types, from a pointer as far to the other side."""
    dtype, kind = program.dtype("int", "float"), program.random.choice(["int32", "uint32", "int64", "uint64"])
    low, high = elements.limits(kind)
    count, size = 2 ** program.random.randrange(0, 8), 300
    end = program.random.choice([high, low] if low else [high, high // 2 + 50, high // 2])
    end = min(end, 2**33) if program.chance(0.5) else end
    first = end - size + 1 if end > 0 else end
    data = elements.random_values(program.generator, dtype, (1, size))
    places = program.generator.integers(0, size, (program.programs, count))
    index = np.array([[first + int(place) for place in row] for row in places], kind)
    x = program.array("x", dtype, data)
    name = program.input(kind, (count,), data=index).name
    # Numbers of uint64 above int64 are what wraps to them.
    back = -first if -first >= -(2**63) else 2**64 - first
    forms = [f"({x.name} + ({back})) + {name}", f"{x.name} + ({name} - {text_of(first)})"]
    if first >= 0:
        forms.append(f"({x.name} + {name}) - {first}")
    if back >= 2**63 or first >= 2**63:
        forms = [f"{x.name} + ({name} - {first})"]
    program.add(f"tl.load({program.random.choice(forms)})", dtype, data[0][places])


def library(program):
    """Functions of tl.extra.libdevice that every target has, and whose results are exact."""
    dtype = program.random.choice(["float32", "float64"])
    value = program.pick(lambda each: each.dtype == dtype, 0.6, lambda: program.input(dtype))
    data = value.data
    forms = [
        ("trunc", dtype, np.trunc(data)),
        ("floor", dtype, np.floor(data)),
        ("ceil", dtype, np.ceil(data)),
        ("isnan", "int1", np.isnan(data)),
        ("isinf", "int1", np.isinf(data)),
    ]
    name, result, expected = program.random.choice(forms)
    program.add(f"tl.extra.libdevice.{name}({value.name})", result, expected)


def quotient(program):
    """The operator / of integers, in float32, perhaps approximate."""
    first = program.pick(lambda each: each.dtype in elements.INTEGERS)
    second = partner(program, first, lambda other: other.dtype in elements.INTEGERS)
    if promote(first.dtype, second.dtype, True) is None or (second.data == 0).any():
        return
    one, other = aligned(*(elements.cast(each.data, each.dtype, "float32") for each in (first, second)))
    data = one / other
    bound = np.abs(data.astype(np.float64)) * 2.0**-20
    program.add(f"{first.name} / {second.name}", "float32", data, tolerance=bound)


def picked(program):
    """An element chosen by a reduction: the sum of a block that is 0 elsewhere."""
    value = program.pick(lambda each: each.rank == 1 and is_number(each) and not is_float(each.dtype))
    if value.rank != 1 or value.dtype not in elements.INTEGERS:
        return
    place = program.generator.integers(0, value.size, program.programs)
    index = program.input("int32", (), data=place.astype(np.int32))
    dtype = "int64" if value.dtype == "int64" else "uint64" if value.dtype == "uint64" else None
    dtype = dtype or ("int32" if value.dtype in ("int8", "int16", "int32") else "uint32")
    row = np.arange(program.programs)
    data = elements.cast(value.data[row, place], value.dtype, dtype)
    text = f"tl.sum(tl.where(tl.arange(0, {value.size}) == {index.name}, {value.name}, 0), 0)"
    program.add_all([f"{(name := program.fresh())} = {text}"], [Value(name, dtype, data)])


STEPS = [
    (4, constants),
    (3, assigned),
    (1, floats_assigned),
    (4, truth),
    (4, far),
    (2, library),
    (1, quotient),
    (2, picked),
]
