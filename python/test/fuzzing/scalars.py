"""Steps: quotients by numbers, logic, pointers as values, casts that cut, and random numbers."""

import numpy as np

from . import elements
from .elements import is_float, is_signed
from .elementwise import aligned, compute, is_integer, is_number, joint_shape, partner, text_of
from .program import Value

DIVISORS = [1, 2, 3, 4, 5, 7, 8, 10, 16, 64, 100, 127, -1, -2, -3, -8, -100]


def divided(program):
    """// and % by a number, which compilers turn into other operations, and what is made of both."""
    value = program.pick(is_integer)
    low, high = elements.limits(value.dtype)
    data = value.data
    more = [high, low, high // 2 + 1] if value.dtype != "uint64" else [high, 2**63]
    numbers = [each for each in DIVISORS + more if low <= each <= high and each != 0]
    number = program.random.choice(numbers)
    if number == -1 and (data == low).any():
        number = 3
    divisor = np.asarray(number, data.dtype)
    remainder = np.fmod(data, divisor)
    quotient = ((data - remainder) // divisor).astype(data.dtype)
    text = text_of(number)
    form = program.random.choice(["//", "%", "both", "cdiv"])
    if form == "cdiv":
        if number < 1 or is_signed(value.dtype) and (data.astype(object) + number > high).any():
            return
        raised = (data + divisor - np.asarray(1, data.dtype)).astype(data.dtype)
        rest = np.fmod(raised, divisor)
        program.add(f"tl.cdiv({value.name}, {text})", value.dtype, ((raised - rest) // divisor).astype(data.dtype))
    elif form == "both":
        result = (quotient * np.asarray(5, data.dtype) + remainder).astype(data.dtype)
        program.add(f"{value.name} // {text} * 5 + {value.name} % {text}", value.dtype, result)
    else:
        program.add(f"{value.name} {form} {text}", value.dtype, quotient if form == "//" else remainder)


def logic(program):
    """and, or, not and chains of comparisons on scalars."""
    dtype = program.dtype("int")
    a, b = (program.input(dtype, (), style="small") for _ in range(2))
    flag = program.input("int1", ())
    x, y, z = a.data, b.data, flag.data
    forms = [
        (f"{a.name} > 1 and {b.name} > 1", (x > 1) & (y > 1)),
        (f"{a.name} > 1 or {flag.name}", (x > 1) | z),
        (f"not {flag.name}", ~z),
        (f"not ({a.name} > {b.name}) or {flag.name}", ~(x > y) | z),
        (f"0 < {a.name} < {b.name}", (x > 0) & (x < y)),
        (f"{a.name} >= {b.name} >= 1", (x >= y) & (y >= 1)),
    ]
    text, data = program.random.choice(forms)
    program.add(text, "int1", data)


def pointers(program):
    """Pointers that are chosen, cast to integers and back, and moved."""
    dtype, shape = program.dtype("int", "float"), program.shape((1, 1, 2))
    full = (program.programs, *shape)
    datas = [elements.random_values(program.generator, dtype, full) for _ in range(2)]
    x, y = (program.array("x", dtype, data) for data in datas)
    first, second = program.pointers(x.name, shape), program.pointers(y.name, shape)
    kind = program.random.choice(["where", "if", "cast", "move", "other type"])
    item = elements.storage_type(dtype).itemsize
    if kind == "where":
        test = program.input("int1", shape)
        text = f"tl.load(tl.where({test.name}, {first}, {second}))"
        return program.add(text, dtype, np.where(test.data, *datas))
    if kind == "if":
        test, name = program.input("int1", ()), program.fresh("p")
        lines = [f"{name} = {x.name}", f"if {test.name}:", f"    {name} = {y.name}"]
        holds = test.data.reshape(-1, *(1,) * len(shape))
        text = f"tl.load({program.pointers(name, shape)})"
        return program.add(text, dtype, np.where(holds, datas[1], datas[0]), before=lines)
    if kind == "cast":
        text = f"tl.load((({first}).to(tl.int64) + 0).to(tl.pointer_type(tl.{dtype})))"
        return program.add(text, dtype, datas[0])
    if kind == "move":
        text = f"tl.load(({first}) + 5 - 3 - 2)"
        return program.add(text, dtype, datas[0])
    signed = f"int{item * 8}"
    if is_float(dtype) and np.isnan(datas[0]).any():
        return None
    raw = np.ascontiguousarray(elements.encode(datas[0], dtype)).view(signed)
    base = f"{x.name}.to(tl.pointer_type(tl.{signed}))"
    return program.add(f"tl.load({program.pointers(base, shape)})", signed, raw)


def cut(program):
    """Floats that become narrower toward zero."""
    source = program.random.choice(["float32", "float32", "float64", "float16"])
    value = program.pick(lambda each: each.dtype == source, 0.7, lambda: program.input(source))
    targets = {"float16": [], "float32": ["float16", "bfloat16"], "float64": ["float16", "bfloat16", "float32"]}[source]
    target = program.random.choice([*targets, *(name for name in elements.NARROW if program.knows(name))])
    largest = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": 3.4028234663852886e38}
    largest = (largest | elements.LARGEST)[target]
    if np.isnan(value.data).any() or (np.abs(value.data) > largest).any():
        return
    near = elements.round_to(value.data, target)
    wide = near.astype(np.float64)
    above = np.abs(wide) > np.abs(value.data.astype(np.float64))
    if target in elements.NARROW:
        lower = elements.previous(near, target)
    elif target == "bfloat16":
        lower = ((near.view(np.uint32) - 0x10000) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    else:
        lower = np.nextafter(near, np.zeros((), near.dtype))
    data = np.copysign(np.where(above, lower, near), value.data).astype(near.dtype)
    program.add(f'{value.name}.to(tl.{target}, fp_downcast_rounding="rtz")', target, data)


def limited(program):
    """tl.clamp of floats."""
    value = program.pick(lambda each: each.dtype in elements.FLOATS)
    low, high = sorted([program.random.choice([-2.0, 0.5, -100.0]), program.random.choice([1.0, 3.0, 2048.0])])
    if np.isnan(value.data).any():
        return
    data = np.clip(value.data, np.asarray(low, value.data.dtype), np.asarray(high, value.data.dtype))
    program.add(f"tl.clamp({value.name}, {low}, {high})", value.dtype, data.astype(value.data.dtype))


def _philox(seed, counters, rounds):
    """Philox with words of 32 bits: the four words of each counter."""
    keys = [np.uint64(seed & 0xFFFFFFFF), np.uint64((seed >> 32) & 0xFFFFFFFF)]
    words = [each.astype(np.uint64) for each in counters]
    low = np.uint64(0xFFFFFFFF)
    for _ in range(rounds):
        even, odd = words[0] * np.uint64(0xD2511F53), words[2] * np.uint64(0xCD9E8D57)
        words = [
            (odd >> np.uint64(32)) ^ words[1] ^ keys[0],
            odd & low,
            (even >> np.uint64(32)) ^ words[3] ^ keys[1],
            even & low,
        ]
        keys = [(keys[0] + np.uint64(0x9E3779B9)) & low, (keys[1] + np.uint64(0xBB67AE85)) & low]
    return [each.astype(np.uint32) for each in words]


def random_numbers(program):
    shape = program.shape((1, 1, 2))
    offsets = program.input(program.random.choice(["int32", "uint32"]), shape)
    seed = program.random.choice([0, 1, 42, 2**31 - 1, 2**40 + 5, -1])
    rounds = program.random.choice([10, 10, 7, 1])
    words = offsets.data.astype(np.uint32)
    zeros = np.zeros_like(words)
    results = _philox(seed, [words, zeros, zeros, zeros], rounds)
    extra = "" if rounds == 10 else f", n_rounds={rounds}"
    if program.chance(0.5):
        program.add(f"tl.randint({text_of(seed)}, {offsets.name}{extra})", "uint32", results[0])
        return
    values = [Value(program.fresh(), "uint32", each) for each in results]
    names = ", ".join(each.name for each in values)
    program.add_all([f"{names} = tl.randint4x({text_of(seed)}, {offsets.name}{extra})"], values)


def swizzled(program):
    sizes = [program.random.choice([1, 2, 3, 4, 7, 8]) for _ in range(3)]
    height, width, group = sizes
    row = program.generator.integers(0, height, program.programs).astype(np.int32)
    column = program.generator.integers(0, width, program.programs).astype(np.int32)
    i, j = program.input("int32", (), data=row), program.input("int32", (), data=column)
    place = row * width + column
    in_group = group * width
    first = place // in_group * group
    rows = np.minimum(height - first, group)
    inside = place % in_group
    results = [(first + inside % rows).astype(np.int32), (inside // rows).astype(np.int32)]
    values = [Value(program.fresh(), "int32", each) for each in results]
    numbers = ", ".join(program.number(each) if program.chance(0.4) else str(each) for each in sizes)
    program.add_all([f"{values[0].name}, {values[1].name} = tl.swizzle2d({i.name}, {j.name}, {numbers})"], values)


def mixed_numbers(program):
    """A Python number of a higher kind than the tensor, which brings its own type."""
    value = program.pick(lambda each: not is_float(each.dtype))
    if value.dtype == "int1":
        number, dtype = program.random.choice([1, 7, -3]), "int32"
    else:
        number, dtype = program.random.choice([1.0, 0.5, -2.0, 1e-3]), "float32"
    data = elements.cast(value.data, value.dtype, dtype)
    operation = program.random.choice(["+", "-"] if program.fuses else ["+", "*", "-"])
    other = np.asarray(number, data.dtype)
    result = {"+": data + other, "-": data - other, "*": data * other}[operation]
    program.add(f"{value.name} {operation} {text_of(number)}", dtype, result)


def order_of_terms(program):
    """Sums and differences of several blocks, which must keep their order for floats."""
    first = program.pick(is_number)
    values = [first, *(partner(program, first, dtype=first.dtype) for _ in range(2))]
    if joint_shape(*(each.shape for each in values)) is None:
        return
    one, two, three = aligned(*(each.data for each in values))
    a, b, c = (each.name for each in values)
    pair = aligned(*(each.data for each in values[:2]))
    dtype = first.dtype
    plus, minus = (lambda x, y: compute(np.add, x, y, dtype)), (lambda x, y: compute(np.subtract, x, y, dtype))
    forms = [
        (f"({a} + {b}) + {c}", plus(plus(one, two), three)),
        (f"{a} + ({b} + {c})", plus(one, plus(two, three))),
        (f"({a} - {b}) + {c}", plus(minus(one, two), three)),
        (f"{a} - ({b} - {c})", minus(one, minus(two, three))),
        (f"({a} + {b}) - {b}", minus(plus(*pair), pair[1])),
    ]
    text, data = program.random.choice(forms)
    program.add(text, dtype, data)


STEPS = [
    (4, divided),
    (2, logic),
    (3, pointers),
    (2, cut),
    (1, limited),
    (2, random_numbers),
    (1, swizzled),
    (2, mixed_numbers),
    (2, order_of_terms),
]
