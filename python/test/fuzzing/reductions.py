"""Steps: reductions and scans, also with functions of the program, sorting, and histograms."""

import numpy as np

from . import elements
from .elements import BITS, cast, is_float, is_signed
from .elementwise import is_integer, is_number
from .program import Value
from .shapes import block


def _number_block(program, test=lambda value: True):
    return program.pick(
        lambda value: value.rank and is_number(value) and test(value),
        0.7,
        lambda: program.input(program.dtype("int", "int", "float"), style=program.random.choice([None, "small"])),
    )


def _axis(program, value, may_be_all=True):
    if may_be_all and program.chance(0.3):
        return None
    return program.random.randrange(value.rank)


def _place(program, value, axis):
    """The axis as text; from the end for some."""
    return str(axis if axis is None or program.chance(0.7) else axis - value.rank)


def _add_call(program, name, value, axis, extra, dtype, result, keyword="axis="):
    """Calls the function, or the method, of this name. Zeros of floats may have either sign."""
    text = program.random.choice([f"tl.{name}({value.name}, ", f"{value.name}.{name}("])
    loose = is_float(dtype) and bool((result == 0).any())
    program.add(f"{text}{keyword}{_place(program, value, axis)}{extra})", dtype, result, loose=loose)


def _rows(data, axis, keeps):
    """NumPy's axis argument and the shape of the result."""
    axes = tuple(range(1, data.ndim)) if axis is None else (axis + 1,)
    return axes, keeps


def _widened(dtype):
    """What sums of the type are added in."""
    if is_float(dtype) or BITS[dtype] >= 32:
        return dtype
    return "int32" if is_signed(dtype) else "uint32"


def total(program):
    value = block(program, 1, lambda each: each.dtype not in elements.NARROW)
    if value.dtype in elements.NARROW:
        return
    axis, keeps = _axis(program, value), program.chance(0.3)
    dtype = _widened(value.dtype)
    extra = ", keep_dims=True" if keeps else ""
    if program.chance(0.2):
        dtype = program.dtype("int") if not is_float(value.dtype) else program.random.choice(["float32", "float64"])
        extra += f", dtype=tl.{dtype}"
    data = cast(value.data, value.dtype, dtype)
    axes, keeps = _rows(data, axis, keeps)
    if is_float(dtype):
        if not elements.adds_exactly(data, dtype, axes):
            return
        result = data.astype(np.float64).sum(axis=axes, keepdims=keeps).astype(data.dtype)
    else:
        result = data.sum(axis=axes, keepdims=keeps, dtype=data.dtype)
    _add_call(program, "sum", value, axis, extra, dtype, result)


def largest(program):
    """tl.max and tl.min."""
    value = block(program, 1, lambda each: each.dtype not in elements.NARROW)
    if value.dtype in elements.NARROW or (is_float(value.dtype) and np.isnan(value.data).any()):
        return
    axis, keeps, is_most = _axis(program, value), program.chance(0.3), program.chance(0.5)
    dtype = value.dtype
    if BITS[dtype] < 32:
        dtype = "float32" if is_float(dtype) else "int32"
    data = cast(value.data, value.dtype, dtype)
    axes, keeps = _rows(data, axis, keeps)
    result = (data.max if is_most else data.min)(axis=axes, keepdims=keeps)
    extra = ", keep_dims=True" if keeps else ""
    name = "max" if is_most else "min"
    _add_call(program, name, value, axis, extra, dtype, result)


def positions(program):
    """argmax, argmin, and max and min with indices, on blocks with many ties."""
    value = _number_block(program)
    if is_float(value.dtype) and np.isnan(value.data).any():
        return
    axis, keeps, is_most = _axis(program, value, False), program.chance(0.3), program.chance(0.5)
    choose = np.argmax if is_most else np.argmin
    index = np.expand_dims(choose(value.data, axis + 1), axis + 1)
    best = np.take_along_axis(value.data, index, axis + 1)
    if not keeps:
        index, best = index.squeeze(axis + 1), best.squeeze(axis + 1)
    extra = ", keep_dims=True" if keeps else ""
    place = _place(program, value, axis)
    if program.chance(0.5):
        name = "argmax" if is_most else "argmin"
        program.add(f"tl.{name}({value.name}, {place}{extra})", "int32", index.astype(np.int32))
        return
    dtype = "float32" if value.dtype == "bfloat16" else value.dtype
    pair = [
        Value(program.fresh(), dtype, best, loose=is_float(dtype) and bool((best == 0).any())),
        Value(program.fresh(), "int32", index.astype(np.int32)),
    ]
    name = "max" if is_most else "min"
    call = f"tl.{name}({value.name}, {place}, return_indices=True{extra})"
    program.add_all([f"{pair[0].name}, {pair[1].name} = {call}"], pair)


def bits_together(program):
    value = program.pick(lambda each: each.rank and is_integer(each))
    axis, keeps = _axis(program, value), program.chance(0.3)
    axes, keeps = _rows(value.data, axis, keeps)
    is_xor = program.chance(0.5)
    operation = np.bitwise_xor if is_xor else np.bitwise_or
    data = value.data
    result = operation.reduce(data, axis=axes, keepdims=keeps)
    name = "xor_sum" if is_xor else "reduce_or"
    extra = ", keep_dims=True" if keeps else ""
    program.add(f"tl.{name}({value.name}, axis={_place(program, value, axis)}{extra})", value.dtype, result)


#: Functions that are associative on all integers, with their meaning; some are not commutative. Each takes and returns
#: a number of values for its elements.
COMBINES = {
    "first": (1, "def NAME(a, b):\n    return a", lambda a, b: (a[0],)),
    "last": (1, "def NAME(a, b):\n    return b", lambda a, b: (b[0],)),
    "sum": (1, "def NAME(a, b):\n    return a + b", lambda a, b: (a[0] + b[0],)),
    "product": (1, "def NAME(a, b):\n    return a * b", lambda a, b: (a[0] * b[0],)),
    "most": (1, "def NAME(a, b):\n    return tl.where(a > b, a, b)", lambda a, b: (np.maximum(a[0], b[0]),)),
    "last_odd": (
        1,
        "def NAME(a, b):\n    return tl.where((b & 1) == 1, b, a)",
        lambda a, b: (np.where(b[0] & 1 == 1, b[0], a[0]),),
    ),
    "affine": (
        2,
        "def NAME(a, b, c, d):\n    return c * a, c * b + d",
        lambda a, b: (b[0] * a[0], b[0] * a[1] + b[1]),
    ),
    "most_and_place": (
        2,
        "def NAME(a, i, b, j):\n    takes = (a > b) | ((a == b) & (i < j))\n"
        "    return tl.where(takes, a, b), tl.where(takes, i, j)",
        lambda a, b: _most(a, b),
    ),
    "matrix": (
        4,
        "def NAME(a, b, c, d, e, f, g, h):\n    return a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h",
        lambda a, b: (
            a[0] * b[0] + a[1] * b[2],
            a[0] * b[1] + a[1] * b[3],
            a[2] * b[0] + a[3] * b[2],
            a[2] * b[1] + a[3] * b[3],
        ),
    ),
    "bounds": (
        2,
        "def NAME(low, high, other_low, other_high):\n"
        "    return tl.minimum(low, other_low), tl.maximum(high, other_high)",
        lambda a, b: (np.minimum(a[0], b[0]), np.maximum(a[1], b[1])),
    ),
    "branch": (
        1,
        "def NAME(a, b):\n    result = a\n    if b > 2:\n        result = b\n    return result",
        lambda a, b: (np.where(b[0] > 2, b[0], a[0]),),
    ),
}


def _most(a, b):
    takes = (a[0] > b[0]) | ((a[0] == b[0]) & (a[1] < b[1]))
    return np.where(takes, a[0], b[0]), np.where(takes, a[1], b[1])


def _operands_of(program, name):
    """Blocks of one shape for the function, and its call's text for them."""
    count, text, meaning = COMBINES[name]
    dtype = program.dtype("int")
    if name == "product" or name in ("affine", "matrix", "sum"):
        dtype = program.random.choice(["int32", "uint32", "int64", "uint64", "int16", "int8", "uint8"])
    shape = program.shape()
    values = [program.input(dtype, shape) for _ in range(count)]
    function = program.helper("combine", text)
    names = values[0].name if count == 1 and program.chance(0.8) else f"({', '.join(each.name for each in values)},)"
    return values, function, names, meaning


def _results(program, dtype, arrays, call, is_tuple):
    results = [Value(program.fresh(), dtype, array) for array in arrays]
    names = ", ".join(each.name for each in results)
    program.add_all([f"{names}{',' if is_tuple and len(results) == 1 else ''} = {call}"], results)


def custom_reduction(program):
    name = program.random.choice(list(COMBINES))
    values, function, names, meaning = _operands_of(program, name)
    axis, keeps = _axis(program, values[0]), program.chance(0.3)
    if axis is None:
        rows = [value.data.reshape(program.programs, -1) for value in values]
    else:
        rows = [np.moveaxis(value.data, axis + 1, -1) for value in values]
    now = tuple(row[..., 0] for row in rows)
    for place in range(1, rows[0].shape[-1]):
        now = meaning(now, tuple(row[..., place] for row in rows))
    arrays = [np.asarray(each).astype(values[0].data.dtype) for each in now]
    if keeps:
        shape = (1,) * values[0].rank
        arrays = [np.expand_dims(a, axis + 1) if axis is not None else a.reshape(-1, *shape) for a in arrays]
    extra = ", keep_dims=True" if keeps else ""
    call = f"tl.reduce({names}, {_place(program, values[0], axis)}, {function}{extra})"
    _results(program, values[0].dtype, arrays, call, names.startswith("("))


def scan(program):
    name = program.random.choice(list(COMBINES))
    values, function, names, meaning = _operands_of(program, name)
    axis, is_reverse = _axis(program, values[0], False), program.chance(0.4)
    rows = [np.moveaxis(value.data, axis + 1, -1) for value in values]
    if is_reverse:
        rows = [np.flip(row, -1) for row in rows]
    results = [np.empty_like(row) for row in rows]
    now = tuple(row[..., 0] for row in rows)
    for place in range(rows[0].shape[-1]):
        if place:
            now = meaning(now, tuple(row[..., place] for row in rows))
        for result, each in zip(results, now, strict=True):
            result[..., place] = each
    if is_reverse:
        results = [np.flip(result, -1) for result in results]
    arrays = [np.moveaxis(result, -1, axis + 1) for result in results]
    extra = ", reverse=True" if is_reverse else ""
    call = f"tl.associative_scan({names}, {_place(program, values[0], axis)}, {function}{extra})"
    _results(program, values[0].dtype, arrays, call, names.startswith("("))


def running(program):
    """cumsum and cumprod."""
    value = _number_block(program)
    axis, is_reverse = _axis(program, value, False), program.chance(0.4)
    is_sum = program.chance(0.6) or is_float(value.dtype)
    dtype = "float32" if is_sum and value.dtype == "bfloat16" else _widened(value.dtype)
    data = cast(value.data, value.dtype, dtype)
    if is_float(dtype) and not elements.adds_exactly(data, dtype, axis + 1):
        return
    rows = np.flip(data, axis + 1) if is_reverse else data
    result = (np.cumsum if is_sum else np.cumprod)(rows, axis=axis + 1, dtype=rows.dtype)
    result = np.flip(result, axis + 1) if is_reverse else result
    extra = ", reverse=True" if is_reverse else ""
    name = "cumsum" if is_sum else "cumprod"
    _add_call(program, name, value, axis, extra, dtype, result, keyword="")


def sorting(program):
    value = _number_block(program, lambda each: each.shape[-1] <= 128)
    if value.shape[-1] > 128 or (is_float(value.dtype) and not np.isfinite(value.data).all()):
        return
    loose = is_float(value.dtype) and bool((value.data == 0).any())
    ordered = np.sort(value.data, axis=-1)
    falls = program.chance(0.5)
    if program.chance(0.6):
        extra = program.random.choice(["", f", dim={value.rank - 1}"]) + (", descending=True" if falls else "")
        result = np.flip(ordered, -1) if falls else ordered
        program.add(f"tl.sort({value.name}{extra})", value.dtype, result, loose=loose)
        return
    count = program.random.choice([size for size in (1, 2, 4, 8, 16) if size <= value.shape[-1]])
    extra = "" if falls else ", descending=False"
    result = np.flip(ordered, -1)[..., :count] if falls else ordered[..., :count]
    program.add(f"tl.topk({value.name}, {count}{extra})", value.dtype, result, loose=loose)


def histogram(program):
    dtype = program.dtype("int")
    shape = program.shape((1,))
    bins = 2 ** program.random.randrange(0, 10)
    top = min(bins - 1, elements.limits(dtype)[1])
    data = program.generator.integers(0, top, (program.programs, *shape), endpoint=True).astype(dtype)
    value = program.input(dtype, shape, data=data)
    extra, counted = "", np.ones(data.shape, bool)
    if program.chance(0.4):
        test = program.input("int1", shape)
        extra, counted = f", mask={test.name}", test.data
    result = np.stack(
        [np.bincount(row[keep].astype(np.int64), minlength=bins) for row, keep in zip(data, counted, strict=True)]
    )
    program.add(f"tl.histogram({value.name}, {bins}{extra})", "int32", result.astype(np.int32))


STEPS = [
    (4, total),
    (3, largest),
    (4, positions),
    (3, bits_together),
    (6, custom_reduction),
    (6, scan),
    (4, running),
    (3, sorting),
    (3, histogram),
]
