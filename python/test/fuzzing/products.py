"""Steps: products of matrices of all types, shapes and options, in loops and branches."""

import numpy as np

from . import elements
from .elements import is_float
from .program import Value

#: The types of both operands, of the result, and `out_dtype` where it must be said.
KINDS = [
    ("float16", "float32", None),
    ("float16", "float32", None),
    ("float16", "float16", "float16"),
    ("bfloat16", "float32", None),
    ("float32", "float32", None),
    ("float64", "float64", None),
    ("int8", "int32", None),
    ("float8e5", "float32", None),
    ("float8e4nv", "float32", None),
]
DEPTHS = {8: (32, 64), 16: (16, 32, 64), 32: (16, 32), 64: (16, 32)}


def _small(program, dtype, shape):
    """Numbers whose products and sums are exact in every type that multiplies them."""
    top = 3 if dtype in ("float16", "float32", "bfloat16", "float64") else 2
    numbers = program.generator.integers(-top, top + 1, shape)
    if dtype == "int8" and program.chance(0.5):
        return elements.random_values(program.generator, "int8", shape)
    return numbers.astype(elements.model_type(dtype))


def _shape_of(program, dtype):
    sides = (16, 16, 16, 32, 32, 64)
    if program.device is None or program.device.name in ("cpu", "interpret"):
        sides += (1, 2, 4, 8)
    height, width = program.random.choice(sides), program.random.choice(sides)
    depth = program.random.choice(DEPTHS[elements.BITS[dtype]])
    return height, width, depth


def _multiplied(first, second, dtype):
    """The exact product; integers wrap."""
    if is_float(dtype):
        return first.astype(np.float64) @ second.astype(np.float64)
    return first.astype(np.int64) @ second.astype(np.int64)


def _kind(program):
    return program.random.choice([kind for kind in KINDS if program.knows(kind[0])])


def _words(program, dtype, out):
    words = "" if out is None else f", out_dtype=tl.{out}"
    if dtype == "float32":
        words += program.random.choice(["", ', input_precision="ieee"', ", allow_tf32=False"])
        if program.chance(0.2):
            words = ', input_precision="tf32x3"' if not program.device or "hip" not in program.device.name else words
    return words


def _operand(program, dtype, shape, data, form):
    """The text of a block with this data: as it lies in memory, transposed, or computed."""
    if form == "transposed":
        value = program.input(dtype, shape[:-2] + (shape[-1], shape[-2]), data=data.swapaxes(-1, -2).copy())
        return f"tl.trans({value.name})" if len(shape) == 2 else f"tl.permute({value.name}, [0, 2, 1])"
    value = program.input(dtype, shape, data=data)
    if form == "negated" and is_float(dtype) and dtype not in elements.NARROW:
        name = program.fresh()
        with_sign = program.add(f"-{value.name}", dtype, -data, name=name)
        return f"(-{with_sign.name})"
    return value.name


def product(program):
    """One product, with an accumulator or none, of two or three dimensions."""
    dtype, result, out = _kind(program)
    height, width, depth = _shape_of(program, dtype)
    batch = (program.random.choice([2, 4]),) if program.chance(0.15) else ()
    if int(np.prod(batch)) * max(height * width, height * depth, depth * width) * program.programs > 2 * program.most:
        return
    first = _small(program, dtype, (program.programs, *batch, height, depth))
    second = _small(program, dtype, (program.programs, *batch, depth, width))
    forms = ["plain", "plain", "transposed", "negated"]
    one = _operand(program, dtype, (*batch, height, depth), first, program.random.choice(forms))
    other = _operand(program, dtype, (*batch, depth, width), second, program.random.choice(forms))
    words = _words(program, dtype, out)
    data = _multiplied(first, second, result)
    before = []
    if program.chance(0.5):
        start = program.generator.integers(-9, 10, data.shape).astype(elements.model_type(result))
        begin = program.input(result, (*batch, height, width), data=start)
        data = data + start.astype(data.dtype)
        text = program.random.choice([f"tl.dot({one}, {other}, {begin.name}{words})",
                                      f"tl.dot({one}, {other}, acc={begin.name}{words})"])  # fmt: skip
        if program.chance(0.3):
            text = f"{begin.name} + tl.dot({one}, {other}{words})"
    else:
        text = f"tl.dot({one}, {other}{words})"
    program.add(text, result, _wrapped(data, result), before=before, loose=is_float(result))


def _wrapped(data, dtype):
    return data.astype(elements.model_type(dtype))


def loop(program):
    """A product over tiles that a loop loads, as of a matrix product, perhaps with a mask or under a condition."""
    dtype, result, out = _kind(program)
    if result == "float16":
        return
    height, width, depth = _shape_of(program, dtype)
    count = program.random.choice([1, 2, 3, 4, 5])
    if max(height, width) * depth * count * program.programs > 4 * program.most:
        return
    inner = depth * count - (program.random.choice([0, 0, 1, 3, depth - 1]) if program.chance(0.5) else 0)
    first = _small(program, dtype, (program.programs, height, inner))
    second = _small(program, dtype, (program.programs, inner, width))
    a, b = program.array("x", dtype, first), program.array("x", dtype, second)
    limit = program.number(inner)
    step = program.fresh("k")
    acc, left, right, rows, columns = (program.fresh(prefix) for prefix in ("acc", "a", "b", "row", "column"))
    words = _words(program, dtype, out)
    masks = inner % depth != 0 or program.chance(0.3)
    starts, wide = (program.start(height * inner), program.start(inner * width)), f"tl.arange(0, {width})[None, :]"
    loads = [
        (
            left,
            f"{a.name} + {starts[0]}{rows}[:, None] * {inner} + {columns}[None, :]",
            f"{columns}[None, :] < {limit}",
        ),
        (right, f"{b.name} + {starts[1]}{columns}[:, None] * {width} + {wide}", f"{columns}[:, None] < {limit}"),
    ]
    options = loop_options(program)
    lines = [f"{rows} = tl.arange(0, {height})", f"{acc} = tl.zeros([{height}, {width}], tl.{result})"]
    lines.append(f"for {step} in {options(f'0, {limit}, {depth}')}:")
    lines.append(f"    {columns} = {step} + tl.arange(0, {depth})")
    zero = "0" if not is_float(dtype) else "0.0"
    for name, pointers, mask in loads:
        lines.append(f"    {name} = tl.load({pointers}" + (f", mask={mask}, other={zero})" if masks else ")"))
    taken = np.ones(-(-inner // depth), bool)
    indent = "    "
    if program.chance(0.2):
        lines.append(f"    if ({step} // {depth}) % 2 == 0:")
        taken, indent = np.arange(len(taken)) % 2 == 0, "        "
    if program.chance(0.7):
        lines.append(f"{indent}{acc} = tl.dot({left}, {right}, {acc}{words})")
    else:
        lines.append(f"{indent}{acc} += tl.dot({left}, {right}{words})")
    total = np.zeros((program.programs, height, width), np.float64 if is_float(result) else np.int64)
    for place in np.flatnonzero(taken):
        part = slice(place * depth, (place + 1) * depth)
        total = total + _multiplied(first[:, :, part], second[:, part], result)
    program.add_all(lines, [Value(acc, result, _wrapped(total, result), loose=is_float(result))])


def loop_options(program):
    """A function that writes the iterator of a loop over bounds."""
    if program.chance(0.3):
        return lambda bounds: f"range({bounds})"
    words = ""
    if program.chance(0.5):
        words += f", num_stages={program.random.randint(1, 4)}"
    if program.chance(0.25):
        words += f", loop_unroll_factor={program.random.choice([1, 2, 3, 4])}"
    for name in ("flatten", "disallow_acc_multi_buffer", "warp_specialize", "disable_licm"):
        if program.chance(0.12):
            words += f", {name}=True"
    return lambda bounds: f"tl.range({bounds}{words})"


def chain(program):
    """A product of a product, as in attention."""
    dtype = program.random.choice(["float16", "bfloat16"])
    side = 16
    shape = (program.programs, side, side)
    datas = [program.generator.integers(-1, 2, shape).astype(elements.model_type(dtype)) for _ in range(3)]
    names = [program.input(dtype, (side, side), data=data).name for data in datas]
    first, second, third = datas
    inner = program.fresh("s")
    between = _multiplied(first, second, "float32")
    result = _multiplied(between, third, "float32")
    lines = [f"{inner} = tl.dot({names[0]}, {names[1]})"]
    if program.chance(0.5):
        lines.append(f"{inner} = tl.where({inner} > 0, {inner}, 0.0)")
        result = _multiplied(np.maximum(between, 0), third, "float32")
    text = f"tl.dot({inner}.to(tl.{dtype}), {names[2]})"
    program.add(text, "float32", result.astype(np.float32), before=lines, loose=True)


STEPS = [(5, product), (5, loop), (2, chain)]
