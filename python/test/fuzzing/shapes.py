"""Steps: what changes the shape or the order of elements, and leaves them as they are."""

import numpy as np

from . import elements
from .elementwise import aligned, joint_shape, number_for, text_of
from .program import Value


def block(program, least_rank=1, test=lambda value: True):
    """A block of at least this rank."""
    ranks = [rank for rank in (1, 1, 2, 2, 3, 4) if rank >= least_rank]
    return program.pick(
        lambda value: value.rank >= least_rank and test(value),
        fallback=lambda: program.input(shape=program.shape(ranks)),
    )


def factors(program, count, most_rank=4):
    """A shape with so many elements."""
    dims = [1] * program.random.randint(1, most_rank)
    while count > 1:
        dims[program.random.randrange(len(dims))] *= 2
        count //= 2
    return tuple(dims)


def reshape(program):
    value = block(program)
    shape = factors(program, value.size, 5)
    forms = [f"tl.reshape({value.name}, {list(shape)})", f"{value.name}.reshape({', '.join(map(str, shape))})"]
    if len(shape) == 1 and program.chance(0.5):
        forms = [f"tl.ravel({value.name})", f"{value.name}.ravel()"]
    program.add(program.random.choice(forms), value.dtype, value.data.reshape(-1, *shape))


def permute(program):
    value = block(program, 2)
    order = list(range(value.rank))
    program.random.shuffle(order)
    data = value.data.transpose(0, *[axis + 1 for axis in order])
    if value.rank == 2 and program.chance(0.5):
        text, data = program.random.choice([f"tl.trans({value.name})", f"{value.name}.T"]), value.data.swapaxes(1, 2)
    elif program.chance(0.3):
        text, data = f"tl.trans({value.name})", value.data.swapaxes(-1, -2)
    else:
        text = program.random.choice(
            [f"tl.permute({value.name}, {order})", f"{value.name}.permute({', '.join(map(str, order))})"]
            + [f"tl.trans({value.name}, {', '.join(map(str, order))})"]
        )
    program.add(text, value.dtype, data)


def expand(program):
    value = block(program)
    if value.rank > 4:
        return
    axis = program.random.randrange(value.rank + 1)
    data = np.expand_dims(value.data, axis + 1)
    index = ", ".join("None" if place == axis else ":" for place in range(value.rank + 1))
    text = program.random.choice(
        [f"{value.name}[{index}]", f"tl.expand_dims({value.name}, {axis})"]
        + [f"tl.expand_dims({value.name}, {axis - value.rank - 1})", f"tl.unsqueeze({value.name}, {axis})"]
    )
    program.add(text, value.dtype, data)


def squeeze(program):
    value = block(program, 1, lambda each: each.rank > 1 and 1 in each.shape)
    places = [axis for axis, length in enumerate(value.shape) if length == 1]
    if not places or value.rank < 2:
        return
    axis = program.random.choice(places)
    program.add(f"tl.squeeze({value.name}, {axis})", value.dtype, value.data.squeeze(axis + 1))


def broadcast(program):
    value = program.pick(lambda each: each.size * 2 * program.programs <= program.most)
    if value.rank == 0:
        shape = program.shape()
    else:
        shape = list(value.shape)
        for axis in range(len(shape)):
            length = 2 ** program.random.randrange(1, 6)
            if shape[axis] == 1 and int(np.prod(shape)) * length * program.programs <= program.most:
                shape[axis] = length
    sizes = program.random.choice([str(list(shape)), ", ".join(map(str, shape))])
    text = f"tl.broadcast_to({value.name}, {sizes})"
    data = value.data.reshape(-1, *(value.shape or (1,) * len(shape)))
    program.add(text, value.dtype, np.broadcast_to(data, (program.programs, *shape)))


def pair(program, value):
    """A value of the same type and shape."""
    return program.pick(
        lambda each: each.shape == value.shape and each.dtype == value.dtype,
        0.7,
        lambda: program.input(value.dtype, value.shape),
    )


def small(program):
    """A value that may double its size."""
    return program.pick(lambda each: each.size * 2 * program.programs <= program.most and each.rank < 4)


def join(program):
    first = small(program)
    second = pair(program, first)
    data = np.stack([first.data, second.data], axis=-1)
    if program.chance(0.5):
        program.add(f"tl.join({first.name}, {second.name})", first.dtype, data)
    else:
        data = data.reshape(program.programs, *first.shape[:-1], -1)
        program.add(f"tl.interleave({first.name}, {second.name})", first.dtype, data)


def split(program):
    value = block(program, 1, lambda each: each.size > 1)
    if value.size < 2:
        return
    data, name = value.data, value.name
    before = []
    if value.shape[-1] != 2:
        name = program.fresh("s")
        shape = (*factors(program, value.size // 2, 3), 2)
        before = [f"{name} = tl.reshape({value.name}, {list(shape)})"]
        data = data.reshape(-1, *shape)
    halves = [Value(program.fresh(), value.dtype, data[..., side]) for side in (0, 1)]
    call = program.random.choice([f"tl.split({name})", f"{name}.split()"])
    program.add_all([*before, f"{halves[0].name}, {halves[1].name} = {call}"], halves)


def concatenate(program):
    first = small(program)
    if first.rank == 0:
        return
    second = pair(program, first)
    axis = program.random.randrange(first.rank)
    data = np.concatenate([first.data, second.data], axis=axis + 1)
    extra = f", dim={axis}" if axis or program.chance(0.5) else ""
    program.add(f"tl.cat({first.name}, {second.name}{extra})", first.dtype, data)


def flip(program):
    value = block(program)
    axis = program.random.randrange(value.rank)
    place = axis if program.chance(0.5) else axis - value.rank
    text = program.random.choice([f"tl.flip({value.name}, {place})", f"{value.name}.flip({place})"])
    program.add(text, value.dtype, np.flip(value.data, axis + 1))


def gather(program):
    value = block(program)
    axis = program.random.randrange(value.rank)
    length = value.shape[axis]
    most = program.most // program.programs // max(1, value.size // length)
    shape = list(value.shape)
    shape[axis] = program.random.choice([size for size in (1, 2, 4, 8, 16, 32, 64, 128) if size <= max(1, most)])
    fit = [name for name, top in (("int8", 127), ("uint8", 255), ("int16", 32767)) if length - 1 <= top]
    dtype = program.random.choice([*fit, *fit, "uint16", "int32", "int32", "uint32", "int64", "uint64"])
    index = program.generator.integers(0, length, (program.programs, *shape)).astype(dtype)
    name = program.input(dtype, tuple(shape), data=index).name
    data = np.take_along_axis(value.data, index.astype(np.int64), axis + 1)
    place = axis if program.chance(0.7) else axis - value.rank
    text = program.random.choice([f"tl.gather({value.name}, {name}, {place})", f"{value.name}.gather({name}, {place})"])
    program.add(text, value.dtype, data)


def both_broadcast(program):
    """`tl.broadcast`, which returns a pair."""
    first = block(program)
    shape = tuple(length if program.chance(0.5) else 1 for length in first.shape)
    second = program.input(shape=shape)
    if joint_shape(first.shape, second.shape) is None:
        return
    one, other = aligned(first.data, second.data)
    shape = np.broadcast_shapes(one.shape, other.shape)
    pairs = [
        Value(program.fresh(), first.dtype, np.broadcast_to(one, shape)),
        Value(program.fresh(), second.dtype, np.broadcast_to(other, shape)),
    ]
    program.add_all([f"{pairs[0].name}, {pairs[1].name} = tl.broadcast({first.name}, {second.name})"], pairs)


def created(program):
    """Blocks made of nothing: full, zeros, arange."""
    shape = program.shape()
    kind = program.random.choice(["full", "zeros", "arange", "item"])
    if kind == "arange":
        count = 2 ** program.random.randrange(0, 9)
        start = program.random.choice([0, 1, 3, 17, 2**31 - count - 1, 2**31 - count])
        data = np.broadcast_to(np.arange(start, start + count, dtype=np.int64), (program.programs, count))
        return program.add(f"tl.arange({start}, {start + count})", "int32", data.astype(np.int32))
    if kind == "item":
        value = program.pick(lambda each: each.rank and each.size == 1, fallback=lambda: program.input(shape=(1,)))
        return program.add(f"{value.name}.item()", value.dtype, value.data.reshape(-1))
    dtype = program.dtype()
    number = 0 if kind == "zeros" else number_for(program, dtype)
    filled = np.full((program.programs, *shape), number).astype(elements.model_type(dtype))
    text = f"tl.zeros({list(shape)}, tl.{dtype})" if kind == "zeros" else ""
    return program.add(text or f"tl.full({list(shape)}, {text_of(number)}, tl.{dtype})", dtype, filled)


STEPS = [
    (4, reshape),
    (4, permute),
    (3, expand),
    (1, squeeze),
    (2, broadcast),
    (4, join),
    (3, split),
    (2, concatenate),
    (3, flip),
    (4, gather),
    (1, both_broadcast),
    (1, created),
]
