"""Steps: atomic operations of all kinds, with masks, and with their results."""

import numpy as np

from . import elements
from .elements import is_float
from .program import Value

OPERATIONS = {
    "add": np.add,
    "max": np.maximum,
    "min": np.minimum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
#: What the processor and all GPUs add and compare.
KINDS = ("int32", "int32", "uint32", "int64", "uint64", "float32", "float64", "float16")


def _words(program, scopes=("gpu", "cta", "sys")):
    words = ""
    if program.chance(0.3):
        words += f', sem="{program.random.choice(["acquire", "release", "acq_rel", "relaxed"])}"'
    if program.chance(0.2):
        words += f', scope="{program.random.choice(scopes)}"'
    return words


def _operation(program, dtype):
    if dtype == "float16":
        return "add"
    if is_float(dtype):
        return program.random.choice(["add", "max", "min"])
    return program.random.choice(list(OPERATIONS))


def _values(program, dtype, shape):
    """Numbers whose sums are exact; floats without NaN, and with zeros of one sign."""
    if not is_float(dtype):
        return elements.random_values(program.generator, dtype, shape)
    return program.generator.integers(-8, 9, shape).astype(dtype)


def distinct(program):
    """Each element has a place of its own, so that the results are known."""
    dtype, shape = program.random.choice(KINDS), program.shape((0, 1, 1, 2, 3))
    full = (program.programs, *shape)
    name = _operation(program, dtype)
    before, value = _values(program, dtype, full), program.input(dtype, shape, data=_values(program, dtype, full))
    after = OPERATIONS[name](before, value.data)
    mask, test = "", np.ones(full, bool)
    if program.chance(0.5):
        condition = program.input("int1", shape)
        mask, test = f", mask={condition.name}", condition.data
    argument = program.output(Value("memory", dtype, np.where(test, after, before), loose=is_float(dtype)), before)
    pointers = program.pointers(argument.name, shape)
    call = f"tl.atomic_{name}({pointers}, {value.name}{mask}{_words(program)})"
    if program.chance(0.35):
        program.add_all([call], [])
        return
    result = program.fresh("old")
    lines = [f"{result} = {call}"]
    if mask:
        text = f"tl.where({condition.name}, {result}, 0)"
        known = np.where(test, before, np.zeros((), before.dtype))
        program.add(text, dtype, known, before=lines, loose=is_float(dtype))
    else:
        program.add(result, dtype, before, before=lines, loose=is_float(dtype))


def shared(program):
    """All programs and many elements meet at few places."""
    dtype, shape = program.random.choice(KINDS[:-1]), program.shape((1, 1, 2))
    full = (program.programs, *shape)
    places = program.random.choice([1, 2, 7, 32])
    name = _operation(program, dtype)
    values = program.input(dtype, shape, data=_values(program, dtype, full))
    data = program.generator.integers(0, places, full)
    kind = program.random.choice(["int32", "int8", "int64", "uint8"])
    index = program.input(kind, shape, data=data.astype(kind))
    before = _values(program, dtype, (1, places))
    after = before.copy()
    mask, test = "", np.ones(full, bool)
    if program.chance(0.4):
        condition = program.input("int1", shape)
        mask, test = f", mask={condition.name}", condition.data
    OPERATIONS[name].at(after[0], data[test], values.data[test])
    argument = program.output(Value("memory", dtype, after, loose=is_float(dtype)), before)
    words = _words(program, ("gpu", "sys"))
    program.add_all([f"tl.atomic_{name}({argument.name} + {index.name}, {values.name}{mask}{words})"], [])


def exchanged(program):
    """xchg and cas, each element at a place of its own."""
    dtype, shape = program.random.choice(["int32", "uint32", "int64", "uint64"]), program.shape((0, 1, 1, 2))
    full = (program.programs, *shape)
    before = elements.random_values(program.generator, dtype, full)
    value = program.input(dtype, shape)
    if program.chance(0.5):
        after, call = value.data, f", {value.name}"
        name = "xchg"
    else:
        compared = np.where(program.generator.random(full) < 0.5, before, value.data)
        expected = program.input(dtype, shape, data=compared)
        after, call, name = np.where(before == compared, value.data, before), f", {expected.name}, {value.name}", "cas"
    argument = program.output(Value("memory", dtype, after), before)
    pointers = program.pointers(argument.name, shape)
    program.add(f"tl.atomic_{name}({pointers}{call}{_words(program)})", dtype, before)


def counted(program):
    """A scalar atomic in a loop or under a condition: once for each program, whatever its threads."""
    dtype = program.random.choice(["int32", "uint32", "int64", "float32"])
    test = program.input("int32", (), style="small")
    times = program.random.choice([1, 2, 5])
    total = np.zeros((1, 1), dtype) + np.asarray((test.data > 0).sum() * times).astype(dtype)
    argument = program.output(Value("memory", dtype, total), np.zeros((1, 1), dtype))
    lines = [f"if {test.name} > 0:", f"    for {program.fresh('i')} in range({times}):"]
    lines.append(f"        tl.atomic_add({argument.name}, {'1.0' if is_float(dtype) else '1'})")
    program.add_all(lines, [])


STEPS = [(4, distinct), (3, shared), (3, exchanged), (1, counted)]
