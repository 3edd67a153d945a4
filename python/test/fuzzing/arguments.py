"""Steps: numbers as arguments of every kind that a launch takes, as values of the kernel."""

import enum

import numpy as np

from . import elements
from .elements import is_float
from .elementwise import partner
from .program import Value


class _Level(enum.IntEnum):
    ZERO = 0
    ONE = 1
    SIXTEEN = 16


def forms(number):
    """What stands for an integer in a launch: Python's and NumPy's numbers."""
    found = [number, number, number]
    for name in elements.INTEGERS:
        low, high = elements.limits(name)
        if low <= number <= high:
            found.append(np.dtype(name).type(number))
    if number in (0, 1, 16):
        found.append(_Level(number))
    return found


def type_of(number):
    """The type of an integer argument, which its value decides."""
    return "int32" if -(2**31) <= number < 2**31 else "int64" if number < 2**63 else "uint64"


#: Values that specialize an argument, others, and the ends of types.
INTEGERS = [0, 1, 16, 17, -1, 2, 15, 32, 48, 255]
INTEGERS += [2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**32, 2**63 - 1, -(2**63), 2**63]
FLOATS = [0.0, -0.0, 1.0, 0.5, -2.5, 1e-3, float("inf"), float("-inf"), float("nan"), 3e38, 1e-40]


def integer(program):
    """An integer argument, alone or with a block."""
    number = program.random.choice(INTEGERS)
    name = program.number(number)
    argument = program.arguments[-1]
    if argument.is_constant:
        return
    dtype = type_of(number)
    data = np.full(program.programs, number, dtype)
    if program.chance(0.4):
        # Something computed from it, as an argument of 1 is a constant without a dtype.
        other = program.input(program.dtype("int"), ())
        dtype_of_both = elements.promote(dtype, other.dtype)
        if number == 1:
            dtype_of_both = other.dtype
        result = other.data.astype(dtype_of_both) + data.astype(dtype_of_both)
        program.add(f"{other.name} + {name}", dtype_of_both, result)
        return
    shape = program.shape((1, 1, 2))
    column = data.astype(np.int64).reshape(-1, *(1,) * len(shape))
    full = np.broadcast_to(column, (program.programs, *shape))
    program.add(f"tl.full({list(shape)}, {name}, tl.int64)", "int64", full)


def floating(program):
    number = program.random.choice(FLOATS)
    form = program.random.choice([number, number, np.float32(number), np.float64(number), np.float16(number)])
    name = program.number(0)
    argument = program.arguments[-1]
    argument.stored, argument.is_constant = form, False
    value = partner(program, program.input("float32"), dtype="float32")
    number = np.float32(form)
    program.add(f"{value.name} + {name}", "float32", value.data + number)


def boolean(program):
    flag = program.chance(0.5)
    name = program.number(0)
    argument = program.arguments[-1]
    argument.stored, argument.is_constant = program.random.choice([flag, np.bool_(flag)]), program.chance(0.3)
    one, other = program.input(), None
    other = program.input(one.dtype, one.shape)
    if program.chance(0.5):
        program.add(f"{one.name} if {name} else {other.name}", one.dtype, one.data if flag else other.data)
    else:
        program.add(f"tl.where({name}, {one.name}, {other.name})", one.dtype, one.data if flag else other.data)


def absent(program):
    """None, which a kernel asks about while it is compiled."""
    name = program.number(0)
    argument = program.arguments[-1]
    is_absent = program.chance(0.5)
    argument.stored = None if is_absent else program.random.choice([1, 16, 5])
    argument.is_constant = program.chance(0.3)
    one = program.input()
    other = program.input(one.dtype, one.shape)
    result = program.fresh()
    lines = [f"if {name} is None:", f"    {result} = {one.name}", "else:", f"    {result} = {other.name}"]

    program.add_all(lines, [Value(result, one.dtype, one.data if is_absent else other.data)])


def text(program):
    """A string that the kernel compares."""
    words = program.random.choice(["sum", "max", ""])
    name = program.number(0)
    argument = program.arguments[-1]
    argument.stored, argument.is_constant = words, True
    value = program.input(program.dtype("int"))
    data = value.data + value.data if words == "sum" else ~value.data
    program.add(f'({value.name} + {value.name}) if {name} == "sum" else ~{value.name}', value.dtype, data)


def pieces(program):
    """A tuple of numbers and arrays."""
    count = program.random.randint(1, 3)
    numbers = [program.random.choice([0, 1, 2, 16, -7, 1000]) for _ in range(count)]
    name = program.number(0)
    argument = program.arguments[-1]
    argument.stored, argument.is_constant = tuple(numbers), False
    place = program.random.randrange(count)
    value = program.input(program.random.choice(["int32", "int64"]))
    data = value.data + np.array(numbers[place], value.data.dtype)
    if is_float(value.dtype):
        return
    program.add(f"{value.name} + {name}[{place}]", value.dtype, data)


STEPS = [(5, integer), (2, floating), (2, boolean), (2, absent), (1, text), (2, pieces)]
