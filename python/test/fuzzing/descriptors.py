"""Steps: tensor descriptors that the host or the kernel makes, alone and in products over tiles, and loads whose
pointers are wild where the mask is false."""

import numpy as np

from . import elements
from .elements import is_float
from .products import loop_options
from .program import Value


class HostDescriptor:
    """What a launch makes a descriptor of, with the array of the argument."""

    def __init__(self, shape, block, padding):
        self.shape, self.block, self.padding = list(shape), list(block), padding
        self.strides = [int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))]

    def made(self, base):
        from triton.tools.tensor_descriptor import TensorDescriptor

        return TensorDescriptor(base, self.shape, self.strides, self.block, self.padding)


def _size(program, length, least):
    """Rows of `least` elements that about fill the length, some more or less."""
    return max(1, length // least + program.random.choice([-1, 0, 0, 1])) * least


def _made(program, argument, shape, block, padding="zero"):
    """The name of a descriptor of the argument's array, of the host or of the kernel, and lines that make it."""
    if program.chance(0.5):
        argument.descriptor = HostDescriptor(shape, block, padding)
        return argument.name, []
    name = program.fresh("desc")
    strides = [int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))]
    words = f', padding_option="{padding}"' if padding != "zero" else ""
    sizes = ", ".join(program.number(each) if program.chance(0.3) else str(each) for each in shape)
    call = f"tl.make_tensor_descriptor({argument.name}, shape=[{sizes}], strides={strides}, block_shape={block}{words})"
    return name, [f"{name} = {call}"]


def _windows(data, starts, block, outside):
    """The block of each program from one array, with `outside` beyond its edges."""
    results = []
    for start in starts:
        places = np.meshgrid(*[np.arange(length) + at for length, at in zip(block, start, strict=True)], indexing="ij")
        inside = np.ones(block, bool)
        for place, size in zip(places, data.shape, strict=True):
            inside &= (place >= 0) & (place < size)
        clipped = tuple(np.clip(place, 0, size - 1) for place, size in zip(places, data.shape, strict=True))
        results.append(np.where(inside, data[clipped], outside))
    return np.stack(results).astype(data.dtype)


def window(program):
    """A block of an array that all programs share, at an offset that the program computes or loads."""
    dtype = program.dtype("float", "int", "narrow")
    least = max(1, 16 // elements.storage_type(dtype).itemsize)
    block = list(program.shape((1, 2, 2, 3)))
    block[-1] = max(block[-1], least)
    shape = [_size(program, length, 1) for length in block[:-1]] + [_size(program, block[-1], least)]
    if int(np.prod(block)) * program.programs > program.most:
        return
    padding = "nan" if dtype in elements.FLOATS and program.chance(0.3) else "zero"
    data = elements.random_values(program.generator, dtype, (1, *shape))
    argument = program.array("x", dtype, data, is_aligned=True)
    name, lines = _made(program, argument, shape, block, padding)
    steps = [program.random.choice([0, 1, length, -1, length // 2]) for length in block]
    starts = [[row * step for step in steps] for row in range(program.programs)]
    texts = ", ".join(f"pid * {step}" if program.programs > 1 else "0" for step in steps)
    result = _windows(data[0], starts, block, np.nan if padding == "nan" else 0)
    program.add(f"{name}.load([{texts}])", dtype, result, before=lines)


def stored(program):
    """Blocks that the programs put side by side, and whose part beyond the array is dropped."""
    dtype = program.random.choice(["float16", "float32", "bfloat16", "int8", "int32", "int64", "uint16"])
    least = max(1, 16 // elements.storage_type(dtype).itemsize)
    block = [program.random.choice([1, 2, 4, 8, 16]), max(least, program.random.choice([8, 16, 32]))]
    if int(np.prod(block)) * program.programs > program.most:
        return
    value = program.input(dtype, tuple(block))
    shape = [max(1, block[0] * program.programs - program.random.choice([0, 0, 1])), _size(program, block[1], least)]
    before = elements.random_values(program.generator, dtype, (1, *shape))
    after = before.copy()
    rows = value.data.reshape(-1, block[1])[: shape[0], : shape[1]]
    after[0, : rows.shape[0], : rows.shape[1]] = rows
    argument = program.output(Value(value.name, dtype, after), before, is_aligned=True)
    name, lines = _made(program, argument, shape, block)
    row = f"pid * {block[0]}" if program.programs > 1 else "0"
    program.add_all([*lines, f"{name}.store([{row}, 0], {value.name})"], [])


def product(program):
    """A matrix product whose tiles come through descriptors; each program has its rows of the result."""
    dtype = program.random.choice(["float16", "float16", "bfloat16", "float32", "int8", "float8e5"])
    height, width, depth = program.random.choice([16, 32, 64]), program.random.choice([16, 32]), 32
    count = program.random.choice([1, 2, 3, 5])
    inner = depth * count - program.random.choice([0, 0, 16])
    if height * inner * program.programs > 4 * program.most:
        return
    transposed = program.chance(0.4)
    rows = height * program.programs - program.random.choice([0, 0, 3])
    first = program.generator.integers(-2, 3, (1, rows, inner)).astype(elements.model_type(dtype))
    second = program.generator.integers(-2, 3, (1, inner, width)).astype(elements.model_type(dtype))
    a = program.array("x", dtype, first, is_aligned=True)
    b = program.array("x", dtype, second.swapaxes(1, 2).copy() if transposed else second, is_aligned=True)
    left, lines = _made(program, a, [rows, inner], [height, depth])
    shape, block = ([width, inner], [width, depth]) if transposed else ([inner, width], [depth, width])
    right, more = _made(program, b, shape, block)
    result = "int32" if dtype == "int8" else "float32"
    acc, step, one, other = (program.fresh(prefix) for prefix in ("acc", "k", "a", "b"))
    row = f"pid * {height}" if program.programs > 1 else "0"
    column = f"[0, {step} * {depth}]" if transposed else f"[{step} * {depth}, 0]"
    limit = program.number(count) if program.chance(0.6) else str(count)
    lines = lines + more + [
        f"{acc} = tl.zeros([{height}, {width}], tl.{result})",
        f"for {step} in {loop_options(program)(f'0, {limit}')}:",
        f"    {one} = {left}.load([{row}, {step} * {depth}])",
        f"    {other} = {right}.load({column})",
        f"    {acc} = tl.dot({one}, {other}{'.T' if transposed else ''}, {acc})",
    ]  # fmt: skip
    wide = np.zeros((height * program.programs, inner))
    wide[:rows] = first[0]
    total = (wide @ second[0].astype(np.float64)).reshape(program.programs, height, width)
    program.add_all(lines, [Value(acc, result, total.astype(result), loose=is_float(result))])


def wild(program):
    """Pointers far outside where the mask is false: nothing may be read or written there."""
    dtype, shape = program.dtype("int", "float", "bool"), program.shape((1, 1, 2))
    full = (program.programs, *shape)
    test = program.input("int1", shape)
    far = program.random.choice(["1 << 29", "-(1 << 28)", "1 << 30"])
    index = program.fresh("at")
    line = f"{index} = tl.where({test.name}, {program.offsets(shape)}, {far})"
    size = int(np.prod(shape))
    data = elements.random_values(program.generator, dtype, full)
    if program.chance(0.6):
        argument = program.array("x", dtype, data)
        text = f"tl.load({argument.name} + {program.start(size)}{index}, mask={test.name}, other=0)"
        program.add(text, dtype, np.where(test.data, data, np.zeros((), data.dtype)), before=[line])
        return
    value = program.input(dtype, shape)
    argument = program.output(Value(value.name, dtype, np.where(test.data, value.data, data)), data)
    program.add_all([line, f"tl.store({argument.name} + {program.start(size)}{index}, {value.name}, {test.name})"], [])


#: Ranges near the ends of the types of their bounds, with the type that the index has.
ENDS = [
    ("int32", 2**31 - 5, 2**31 - 1, 1),
    ("int32", 2**31 - 7, 2**31 - 1, 3),
    ("int32", -(2**31), -(2**31) + 4, 1),
    ("int64", 2**31 - 2, 2**31 + 3, 1),
    ("int64", 2**63 - 5, 2**63 - 1, 2),
    ("int64", -(2**63), -(2**63) + 9, 4),
    ("int64", -(2**31) - 3, -(2**31) + 2, 2),
]


def near_the_end(program):
    """A loop whose bounds are near the end of a type; the index after each turn is added up."""
    dtype, begin, end, step = program.random.choice(ENDS)
    numbers = np.array(range(begin, end, step), dtype)
    total, index = program.fresh("total"), program.fresh("i")
    bounds = []
    for number in (begin, end):
        if program.chance(0.5):
            bounds.append(program.input(dtype, (), data=np.full(program.programs, number, dtype)).name)
        else:
            bounds.append(program.number(number) if program.chance(0.5) else str(number))
    head = f"for {index} in {loop_options(program)(f'{bounds[0]}, {bounds[1]}, {step}')}:"
    lines = [f"{total} = tl.zeros([], tl.int64)", head, f"    {total} = {total} * 3 + {index}"]
    data = np.zeros((), np.int64)
    for number in numbers.astype(np.int64):
        data = data * np.int64(3) + number
    program.add_all(lines, [Value(total, "int64", np.full(program.programs, data))])


STEPS = [(4, window), (3, stored), (4, product), (3, wild), (3, near_the_end)]
