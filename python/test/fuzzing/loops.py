"""Steps: loops that load and store tiles, through what memory says, in nests, and what returns before the end."""

import numpy as np

from . import elements
from .elements import cast, is_float
from .products import loop_options
from .program import Value


def _tile(program):
    """A type whose sums are exact, and the shape of a tile."""
    dtype = program.random.choice(["int32", "int64", "int8", "uint16", "float32", "float16", "bfloat16"])
    return dtype, program.shape((1, 1, 2))


def _tiles(program, dtype, count, shape):
    if is_float(dtype):
        return program.generator.integers(-3, 4, (program.programs, count, *shape)).astype(elements.model_type(dtype))
    return elements.random_values(program.generator, dtype, (program.programs, count, *shape))


def _sum_type(dtype):
    return "float32" if is_float(dtype) else "int64" if dtype == "int64" else "int32"


def _at(program, name, count, shape, index):
    """Pointers to the tile of an index, of an array with so many tiles for each program."""
    size = int(np.prod(shape))
    return f"{name} + {program.start(count * size)}({index}) * {size} + {program.offsets(shape)}"


def tiles(program):
    """A sum over tiles, whose order an array of indices may say, with masks and one load that depends on another."""
    dtype, shape = _tile(program)
    count = program.random.choice([1, 2, 3, 4, 6])
    if count * int(np.prod(shape)) * program.programs > 4 * program.most:
        return
    data = _tiles(program, dtype, count, shape)
    x = program.array("x", dtype, data)
    total = _sum_type(dtype)
    acc, step, index, loaded = (program.fresh(prefix) for prefix in ("acc", "k", "i", "t"))
    order = np.broadcast_to(np.arange(count), (program.programs, count))
    lines = [f"{acc} = tl.zeros({list(shape)}, tl.{total})"]
    limit = program.number(count) if program.chance(0.6) else str(count)
    lines.append(f"for {step} in {loop_options(program)(f'0, {limit}')}:")
    if program.chance(0.4):
        kind = program.random.choice(["int8", "int32", "int64", "uint8"])
        order = program.generator.integers(0, count, (program.programs, count))
        table = program.array("x", kind, order.astype(kind))
        lines.append(f"    {index} = tl.load({table.name} + {program.start(count)}{step}).to(tl.int32)")
    else:
        lines.append(f"    {index} = {step}")
    picked = np.stack([data[row, order[row]] for row in range(program.programs)])
    text = _at(program, x.name, count, shape, index)
    if program.chance(0.4):
        mask = program.input("int1", shape)
        number = program.random.choice([0, 2])
        lines.append(f"    {loaded} = tl.load({text}, mask={mask.name}, other={number})")
        picked = np.where(mask.data[:, None], picked, np.asarray(number, picked.dtype))
    else:
        lines.append(f"    {loaded} = tl.load({text})")
    numbers = cast(picked, dtype, total)
    if program.chance(0.3):
        lines += [f"    if {step} % 2 == 0:", f"        {acc} += {loaded}"]
        numbers = numbers[:, ::2]
    elif program.chance(0.3) and not is_float(dtype):
        lines.append(f"    {acc} = {acc} * 3 + {loaded}")
        result = np.zeros((program.programs, *shape), numbers.dtype)
        for place in range(count):
            result = result * np.asarray(3, result.dtype) + numbers[:, place]
        program.add_all(lines, [Value(acc, total, result)])
        return
    else:
        lines.append(f"    {acc} += {loaded}")
    result = numbers.sum(axis=1, dtype=numbers.dtype)
    program.add_all(lines, [Value(acc, total, result, loose=is_float(total))])


def reduced_tiles(program):
    """Scalars that a loop carries: the sum, the largest element and where it is, of tiles one after the other."""
    dtype = program.random.choice(["int32", "int64", "uint32"])
    shape, count = program.shape((1, 2)), program.random.choice([1, 2, 3, 5])
    if count * int(np.prod(shape)) * program.programs > 4 * program.most:
        return
    data = _tiles(program, dtype, count, shape)
    x = program.array("x", dtype, data)
    most, total, at, step, loaded, here = (program.fresh(prefix) for prefix in ("most", "sum", "at", "k", "t", "h"))
    low = elements.limits(dtype)[0]
    larger = program.helper("larger", "def NAME(a, b):\n    return tl.maximum(a, b)\n")
    lines = [f"{most} = tl.full([], {low}, tl.{dtype})", f"{total} = tl.zeros([], tl.{dtype})", f"{at} = -1"]
    lines += [
        f"for {step} in {loop_options(program)(f'0, {count}')}:",
        f"    {loaded} = tl.load({_at(program, x.name, count, shape, step)})",
        f"    {here} = tl.max({loaded}, axis=None).to(tl.{dtype})" if dtype != "uint32" else
        f"    {here} = tl.reduce({loaded}, None, {larger})",
        f"    {total} += tl.sum({loaded}, axis=None)",
        f"    if {here} > {most}:",
        f"        {most} = {here}",
        f"        {at} = {step}",
    ]  # fmt: skip
    rows = data.reshape(program.programs, count, -1)
    best = rows.max(axis=2)
    place = np.argmax(best, axis=1)
    found = best.max(axis=1)
    place = np.where(found > low, place, -1).astype(np.int32)
    sums = rows.sum(axis=(1, 2), dtype=rows.dtype)
    program.add_all(lines, [Value(most, dtype, found), Value(total, dtype, sums), Value(at, "int32", place)])


def persistent(program):
    """Tiles that the programs share among them, each stored where it belongs, by a loop or a nest that may be fused."""
    dtype, shape = _tile(program)
    count, size = program.random.choice([1, 3, 5, 8]), int(np.prod(shape))
    if count * size > 4 * program.most:
        return
    inner = program.random.choice([0, 1, 2, 3])
    data = _tiles(program, dtype, count, shape)[:1]
    x = program.array("x", dtype, data)
    total = _sum_type(dtype)
    wide = cast(data, dtype, total)
    result = wide if inner == 0 else (wide * np.asarray(inner, wide.dtype)).astype(wide.dtype)
    output = program.output(Value("memory", total, result, loose=is_float(total)))
    tile, step, acc = (program.fresh(prefix) for prefix in ("tile", "k", "acc"))
    limit = program.number(count) if program.chance(0.6) else str(count)
    offsets = program.offsets(shape)
    bounds = loop_options(program)(f"pid, {limit}, {program.programs}")
    lines = [f"for {tile} in {bounds}:"]
    if inner == 0:
        lines.append(f"    {acc} = tl.load({x.name} + {tile} * {size} + {offsets}).to(tl.{total})")
    else:
        lines.append(f"    {acc} = tl.zeros({list(shape)}, tl.{total})")
        lines.append(f"    for {step} in {loop_options(program)(f'0, {inner}')}:")
        lines.append(f"        {acc} += tl.load({x.name} + {tile} * {size} + {offsets})")
    lines.append(f"    tl.store({output.name} + {tile} * {size} + {offsets}, {acc})")
    program.add_all(lines, [])


def rewritten(program):
    """Memory that the program stores and then loads, in another order, with a barrier between."""
    value = program.pick(lambda each: each.rank == 1)
    if value.rank != 1:
        return
    count = value.size
    argument = program.output(Value("memory", value.dtype, value.data))
    start = program.start(count)
    form, places = program.random.choice(
        [
            (f"({count - 1} - tl.arange(0, {count}))", np.arange(count)[::-1]),
            (f"(tl.arange(0, {count}) ^ 1)" if count > 1 else "0 * tl.arange(0, 1)", np.arange(count) ^ (count > 1)),
            (f"(tl.arange(0, {count}) * 5 % {count})", np.arange(count) * 5 % count),
        ]
    )
    barrier = "pass" if program.device is not None and program.device.name == "interpret" else "tl.debug_barrier()"
    lines = [f"tl.store({argument.name} + {start}tl.arange(0, {count}), {value.name})", barrier]
    program.add(f"tl.load({argument.name} + {start}{form})", value.dtype, value.data[:, places], before=lines)


def leaves(program):
    """A return that depends on data, after which nothing is stored. It belongs at the end of a program."""
    test = program.input("int32", (), style="small")
    value = program.pick()
    before = elements.random_values(program.generator, value.dtype, value.data.shape)
    goes = test.data > 1
    after = np.where(goes.reshape(-1, *(1,) * value.rank), before, value.data)
    argument = program.output(Value(value.name, value.dtype, after), before)
    store = f"tl.store({program.pointers(argument.name, value.shape)}, {value.name})"
    form = program.random.choice(["plain", "else", "nested"])
    lines = [f"if {test.name} > 1:", "    return"]
    if form == "else":
        lines = [f"if {test.name} <= 1:", f"    {store}", "else:", "    return"]
    elif form == "nested":
        lines = [f"if {test.name} > -100:", f"    if {test.name} > 1:", "        return"]
    program.add_all(lines if form == "else" else [*lines, store], [])


STEPS = [(5, tiles), (3, reduced_tiles), (4, persistent), (2, rewritten)]
