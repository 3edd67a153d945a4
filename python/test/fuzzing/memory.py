"""Steps: masks and what stands outside of them, strides, indices of all types, and blocks over the edges of arrays."""

import numpy as np

from . import elements
from .elements import is_float
from .elementwise import number_for, text_of
from .program import Value


def mask_for(program, shape):
    """The text of a mask for a block of the shape, and its value in each program, broadcast."""
    full = (program.programs, *shape)
    kind = program.random.choice(["loaded", "loaded", "below", "between", "one", "scalar", "compared"])
    if kind == "loaded" or not shape:
        test = program.input("int1", shape)
        return test.name, test.data
    if kind == "one":
        # A mask of fewer dimensions or of size 1 there.
        part = [length if program.chance(0.5) else 1 for length in shape]
        part = part[program.random.randrange(len(part)) :]
        test = program.input("int1", tuple(part))
        return test.name, np.broadcast_to(test.data.reshape(-1, *(1,) * (len(shape) - len(part)), *part), full)
    if kind == "scalar":
        test = program.input("int1", ())
        return test.name, np.broadcast_to(test.data.reshape(-1, *(1,) * len(shape)), full)
    if kind == "compared":
        value = program.input(program.dtype("int"), shape)
        number = number_for(program, value.dtype)
        return f"{value.name} <= {text_of(number)}", value.data <= number
    count = int(np.prod(shape))
    places = np.arange(count).reshape(shape)
    limits = program.generator.integers(-2, count + 3, program.programs)
    kind_of_limit = program.random.choice(["int16", "int32", "int64"])
    limit = program.input(kind_of_limit, (), data=limits.astype(kind_of_limit))
    column = limits.reshape(-1, *(1,) * len(shape))
    offsets = program.offsets(shape)
    if kind == "below":
        return f"({offsets}) < {limit.name}", places < column
    return f"(({offsets}) >= 1) & (({offsets}) < {limit.name})", (places >= 1) & (places < column)


def masked_load(program):
    dtype, shape = program.dtype("int", "float", "float", "bool", "narrow"), program.shape()
    text, test = mask_for(program, shape)
    data = elements.random_values(program.generator, dtype, (program.programs, *shape))
    argument = program.array("x", dtype, data)
    pointers = program.pointers(argument.name, shape)
    kind = program.random.choice(["number", "block", "scalar", "none"])
    hint = program.hint(["", ".ca", ".cg", ".cv"])
    if dtype in elements.NARROW and kind in ("number", "none"):
        kind = "block"
    if kind == "number":
        number = number_for(program, dtype)
        result = np.where(test, data, np.asarray(number).astype(data.dtype))
        return program.add(f"tl.load({pointers}, mask={text}, other={text_of(number)}{hint})", dtype, result)
    if kind == "none":
        name, chosen = program.fresh("l"), program.fresh("m")
        lines = [f"{chosen} = {text}", f"{name} = tl.load({pointers}, mask={chosen}{hint})"]
        zero = "False" if dtype == "int1" else "0"
        result = np.where(test, data, np.zeros((), data.dtype))
        return program.add(f"tl.where({chosen}, {name}, {zero})", dtype, result, before=lines)
    other = program.input(dtype, shape if kind == "block" else ())
    outside = other.data if kind == "block" else other.data.reshape(-1, *(1,) * len(shape))
    result = np.where(test, data, outside)
    return program.add(f"tl.load({pointers}, {text}, {other.name}{hint})", dtype, result)


def masked_store(program):
    value = program.pick()
    text, test = mask_for(program, value.shape)
    before = elements.random_values(program.generator, value.dtype, value.data.shape)
    after = Value(value.name, value.dtype, np.where(test, value.data, before))
    argument = program.output(after, before)
    hint = program.hint(["", ".wb", ".cg", ".cs", ".wt"])
    program.add_all([f"tl.store({program.pointers(argument.name, value.shape)}, {value.name}, mask={text}{hint})"], [])


def strided_load(program):
    """A block at strides that are arguments, some of them 0, 1, 16 or negative."""
    dtype, shape = program.dtype("int", "float", "bool"), program.shape((1, 2, 2, 3))
    strides = [program.random.choice([0, 1, 1, 2, 3, 16, -1, -5]) for _ in shape]
    places = sum(
        np.arange(length).reshape(-1, *(1,) * (len(shape) - axis - 1)) * stride
        for axis, (length, stride) in enumerate(zip(shape, strides, strict=True))
    )
    if int(places.max() - places.min()) > 20000:
        return
    start = -int(places.min())
    size = int(places.max()) + start + 1
    data = elements.random_values(program.generator, dtype, (program.programs, size))
    argument = program.array("x", dtype, data)
    terms = [argument.name, f"{program.start(size)}{start}"]
    for axis, (length, stride) in enumerate(zip(shape, strides, strict=True)):
        index = ", ".join(":" if other == axis else "None" for other in range(len(shape)))
        step = program.number(stride) if program.chance(0.7) else text_of(stride)
        terms.append(f"tl.arange(0, {length})[{index}] * {step}")
    program.add(f"tl.load({' + '.join(terms)})", dtype, data[:, places + start])


def indexed_load(program):
    """Elements at indices of any type, also near its ends."""
    dtype, shape = program.dtype("int", "float", "bool"), program.shape((1, 1, 2))
    kind = program.random.choice(["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
    low, high = elements.limits(kind)
    low, high = max(low, -32768), min(high, 65535)
    indices = program.generator.integers(low, high, (program.programs, *shape), endpoint=True)
    edges = program.generator.choice([low, high, max(low, 0), high - 1, low + 1], indices.shape)
    indices = np.where(program.generator.random(indices.shape) < 0.4, edges, indices)
    table = elements.random_values(program.generator, dtype, (1, high - low + 1))
    index = program.input(kind, shape, data=indices.astype(kind))
    argument = program.array("x", dtype, table)
    name = index.name
    middle = f"({argument.name} + {-low}) + {name}" if low < 0 else f"{argument.name} + {name}"
    program.add(f"tl.load({middle})", dtype, table[0][indices - low])


def indexed_store(program):
    """A permutation of elements, by indices of any type that holds them."""
    value = program.pick(lambda each: each.rank == 1)
    if value.rank != 1:
        return
    order = np.stack([program.generator.permutation(value.size) for _ in range(program.programs)])
    fit = [name for name in elements.INTEGERS if elements.limits(name)[1] >= value.size - 1]
    kind = program.random.choice(fit)
    index = program.input(kind, value.shape, data=order.astype(kind))
    data = np.empty_like(value.data)
    np.put_along_axis(data, order, value.data, 1)
    output = program.output(Value(value.name, value.dtype, data))
    program.add_all([f"tl.store({output.name} + {program.start(value.size)}{index.name}, {value.name})"], [])


def near_the_end(program):
    """A scalar near the end of its type plus a range: the sum wraps, and is compared, widened or subtracted."""
    kind = program.random.choice(["int32", "int32", "int64", "uint32", "uint64", "int16", "uint8"])
    count = 2 ** program.random.randrange(2, 8)
    low, high = elements.limits(kind)
    spread = program.generator.integers(0, 2 * count, program.programs)
    numbers = [np.array(high - int(each) if program.chance(0.7) else low + int(each), kind) for each in spread]
    scalar = program.input(kind, (), data=np.stack(numbers))
    ranged = "int32"
    dtype = elements.promote(kind, ranged)
    total = scalar.data.astype(dtype)[:, None] + np.arange(count, dtype=dtype)
    line = program.fresh("t")
    text = f"{line} = {scalar.name} + tl.arange(0, {count})"
    choice = program.random.choice(["compare", "widen", "difference", "shift"])
    if choice == "compare":
        number = program.random.choice([0, elements.limits(dtype)[1], elements.limits(dtype)[0], 5])
        program.add(f"{line} < {text_of(number)}", "int1", total < np.array(number, dtype), before=[text])
    elif choice == "widen":
        target = program.random.choice(["int64", "uint64", "float64", "float32"])
        program.add(f"{line}.to(tl.{target})", target, elements.cast(total, dtype, target), before=[text])
    elif choice == "difference":
        data = total - scalar.data.astype(dtype)[:, None]
        program.add(f"{line} - {scalar.name}", dtype, data, before=[text])
    else:
        program.add(f"{line} >> 3", dtype, total >> np.array(3, dtype), before=[text])


def _region(program, rank):
    """The shape of an array, that of a block, and where the block begins, which may be outside."""
    block = program.shape((rank,))
    array = [max(1, length + program.random.randint(-length // 2 - 1, length)) for length in block]
    start = [program.random.randint(-length // 2, size) for length, size in zip(block, array, strict=True)]
    return array, block, start


def _cut(data, array, block, start, outside):
    """The block of each program at `start`, with `outside` where the array ends."""
    places = np.meshgrid(*[np.arange(length) + at for length, at in zip(block, start, strict=True)], indexing="ij")
    inside = np.ones(block, bool)
    for place, size in zip(places, array, strict=True):
        inside &= (place >= 0) & (place < size)
    clipped = tuple(np.clip(place, 0, size - 1) for place, size in zip(places, array, strict=True))
    return np.where(inside, data[(slice(None), *clipped)], outside), inside, clipped


def block_pointer(program):
    rank = program.random.choice([1, 2, 2, 3])
    array, block, start = _region(program, rank)
    dtype = program.dtype("int", "float")
    fills_nan = is_float(dtype) and program.chance(0.4)
    size = int(np.prod(array))
    data = elements.random_values(program.generator, dtype, (program.programs, *array))
    argument = program.array("x", dtype, data)
    outside = np.array(np.nan if fills_nan else 0, data.dtype)
    result, inside, _ = _cut(data, array, block, start, outside)
    strides = [int(np.prod(array[axis + 1 :])) for axis in range(rank)]
    order = list(reversed(range(rank)))
    name = program.fresh("p")
    moved = [program.random.choice([0, 1, -3]) for _ in start] if program.chance(0.4) else [0] * rank
    begun = [at - by for at, by in zip(start, moved, strict=True)]
    numbers = [program.number(each) if program.chance(0.3) else str(each) for each in (*array, *begun)]
    base = argument.name + (f" + pid * {size}" if program.programs > 1 else "")
    lines = [
        f"{name} = tl.make_block_ptr({base}, shape=[{', '.join(numbers[:rank])}], strides={strides}, "
        f"offsets=[{', '.join(numbers[rank:])}], block_shape={list(block)}, order={order})"
    ]
    if any(moved):
        lines.append(f"{name} = tl.advance({name}, {moved})")
    checked = list(range(rank)) if not inside.all() or program.chance(0.5) else []
    extra = f", boundary_check={checked}" if checked else ""
    extra += f', padding_option="{"nan" if fills_nan else "zero"}"' if checked else ""
    program.add(f"tl.load({name}{extra})", dtype, result, before=lines)


def descriptor(program):
    """Loads and stores through a descriptor that the kernel makes."""
    rank = program.random.choice([1, 2, 2, 2, 3])
    dtype = program.dtype("float", "int")
    item = elements.storage_type(dtype).itemsize
    array, block, start = _region(program, rank)
    least = max(1, 16 // item)
    block = (*block[:-1], max(block[-1], least))
    array[-1] = -(-array[-1] // least) * least
    if int(np.prod(block)) * program.programs > program.most:
        return
    size = int(np.prod(array))
    data = elements.random_values(program.generator, dtype, (program.programs, *array))
    fills_nan = is_float(dtype) and program.chance(0.3)
    strides = [int(np.prod(array[axis + 1 :])) for axis in range(rank)]
    name = program.fresh("desc")
    sizes = [program.number(each) if program.chance(0.3) else str(each) for each in array]
    starts = [program.number(each) if program.chance(0.3) else str(each) for each in start]
    steps = [str(each) for each in strides]

    def made(argument):
        base = argument.name + (f" + pid * {size}" if program.programs > 1 else "")
        padding = ', padding_option="nan"' if fills_nan else ""
        return (
            f"{name} = tl.make_tensor_descriptor({base}, shape=[{', '.join(sizes)}], "
            f"strides=[{', '.join(steps)}], block_shape={list(block)}{padding})"
        )

    outside = np.array(np.nan if fills_nan else 0, data.dtype)
    if program.chance(0.6):
        result, _, _ = _cut(data, array, block, start, outside)
        line = made(program.array("x", dtype, data, is_aligned=True))
        program.add(f"{name}.load([{', '.join(starts)}])", dtype, result, before=[line])
        return
    value = program.input(dtype, block)
    _, inside, clipped = _cut(data, array, block, start, outside)
    after = data.copy()
    places = tuple(each[inside] for each in clipped)
    after[(slice(None), *places)] = value.data[:, inside]
    line = made(program.output(Value(value.name, dtype, after), data, is_aligned=True))
    program.add_all([line, f"{name}.store([{', '.join(starts)}], {value.name})"], [])


STEPS = [
    (5, masked_load),
    (4, masked_store),
    (3, strided_load),
    (4, indexed_load),
    (2, indexed_store),
    (3, near_the_end),
    (3, block_pointer),
    (3, descriptor),
]
