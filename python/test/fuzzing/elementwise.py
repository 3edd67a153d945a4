"""Steps: arithmetic, comparisons, choices, conversions and exact functions of elements."""

import numpy as np

from . import elements
from .elements import BITS, LARGEST, cast, is_float, is_signed, limits, promote, round_to
from .program import Value


def aligned(*arrays):
    """The arrays with dimensions of size 1 in front, after that of the programs, so that NumPy broadcasts them."""
    rank = max(array.ndim for array in arrays)
    return [array.reshape(array.shape[0], *(1,) * (rank - array.ndim), *array.shape[1:]) for array in arrays]


def joint_shape(*shapes):
    """The shape of a block made of blocks of these; None where there is none. Pairs of 1-D and 2-D are fine."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return None


def partner(program, value, test=lambda other: True, dtype=None):
    """A value that broadcasts with this one, of a type that both have in common."""

    def matches(other):
        return other.dtype == dtype if dtype else test(other) and promote(value.dtype, other.dtype) is not None

    def fits(other):
        shape = joint_shape(value.shape, other.shape)
        if shape is None or not matches(other):
            return False
        return int(np.prod(shape)) * program.programs <= program.most

    def fresh():
        shape = list(value.shape)
        if shape and program.chance(0.3):
            axis = program.random.randrange(len(shape))
            shape[axis] = 1
        if program.chance(0.2):
            shape = shape[program.random.randrange(len(shape) + 1) :]
        for _ in range(20):
            made = dtype or program.dtype()
            if matches(Value("", made, np.empty((1, *shape), bool))):
                return program.input(made, tuple(shape))
        return program.input(value.dtype, tuple(shape))

    return program.pick(fits, 0.6, fresh)


def converted(value, dtype):
    return cast(value.data, value.dtype, dtype)


def number_for(program, dtype):
    """A Python number that the type takes, and does not change the type of a result."""
    if dtype == "int1":
        return program.chance(0.5)
    if is_float(dtype):
        numbers = [0.0, 1.0, -1.0, 0.5, 2.0, 3, -7, 0.25, 1024.0]
        return program.random.choice([number for number in numbers if number <= LARGEST.get(dtype, np.inf)])
    low, high = limits(dtype)
    near = [low, high, 0, 1, 2, 3, high // 2, high - 1, low + 1, 7, 100]
    return program.random.choice([number for number in near if low <= number <= high])


def text_of(number):
    return f"({number})" if number < 0 else str(number)


ARITHMETIC = {"+": np.add, "-": np.subtract, "*": np.multiply}
BITWISE = {"&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor}
COMPARISONS = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}


def is_plain(value):
    """Of a type that arithmetic takes."""
    return value.dtype not in elements.NARROW


def is_number(value):
    return is_plain(value) and value.dtype != "int1"


def is_integer(value):
    return value.dtype in elements.INTEGERS


def compute(operation, first, second, dtype):
    if dtype == "bfloat16":
        return round_to(operation(first.astype(np.float64), second.astype(np.float64)), dtype)
    return operation(first, second)


def operands(program, test):
    """Two operands in either order: values that broadcast, or one and a Python number. Their texts, values and type."""
    first = program.pick(test)
    if program.chance(0.25):
        number = number_for(program, first.dtype)
        filled = np.full((program.programs, *first.shape), number).astype(first.data.dtype)
        sides = [(first.name, first.data), (text_of(number), filled)]
        dtype = first.dtype
    else:
        second = partner(program, first, test)
        dtype = promote(first.dtype, second.dtype)
        sides = [(first.name, converted(first, dtype)), (second.name, converted(second, dtype))]
    if program.chance(0.5):
        sides.reverse()
    (left, one), (right, other) = sides
    return left, right, *aligned(one, other), dtype


def arithmetic(program):
    left, right, first, second, dtype = operands(program, is_number)
    symbol = program.random.choice(list(ARITHMETIC))
    data = compute(ARITHMETIC[symbol], first, second, dtype)
    inexact = False
    if program.fuses and symbol == "*" and is_float(dtype):
        inexact = True
    text = f"{left} {symbol} {right}"
    if program.chance(0.1):
        text = f"tl.{ {'+': 'add', '-': 'sub', '*': 'mul'}[symbol] }({left}, {right})"
    # Where products are fused with sums, only the product itself is known.
    program.add(text, dtype, data, tolerance=0.0 if inexact else None)


def bitwise(program):
    left, right, first, second, dtype = operands(program, lambda value: not is_float(value.dtype))
    symbol = program.random.choice(list(BITWISE))
    program.add(f"{left} {symbol} {right}", dtype, BITWISE[symbol](first, second))


def division(program):
    left = program.pick(is_integer)
    right = partner(
        program, left, lambda other: other.dtype in elements.INTEGERS and promote(left.dtype, other.dtype, True)
    )
    dtype = promote(left.dtype, right.dtype, True)
    if dtype is None:
        return
    divisor = program.fresh("d")
    one, other = aligned(converted(left, dtype), converted(right, dtype))
    # Zero has no quotient, and the lowest number none by -1.
    bad = (other == 0) | (other == -1) if is_signed(dtype) else other == 0
    test = f"({right.name} == 0) | ({right.name} == -1)" if is_signed(right.dtype) else f"{right.name} == 0"
    # A positive number of the divisor's own type becomes that of the result unchanged.
    chosen = np.where(bad, np.asarray(3, other.dtype), other)
    remainder = np.fmod(one, chosen)
    # The remainder has the dividend's sign, so that this quotient is exact and truncated.
    quotient = (one - remainder) // chosen
    before = [f"{divisor} = tl.where({test}, 3, {right.name})"]
    if program.chance(0.5):
        program.add(f"{left.name} // {divisor}", dtype, quotient.astype(dtype), before=before)
    else:
        program.add(f"{left.name} % {divisor}", dtype, remainder.astype(dtype), before=before)


def shift(program):
    left = program.pick(is_integer)
    bits, dtype = BITS[left.dtype], left.dtype
    if program.chance(0.4):
        amount = program.random.choice([0, 1, bits // 2, bits - 1])
        text, one, amounts = str(amount), left.data, np.array(amount)
    else:
        right = partner(program, left, dtype=left.dtype)
        text, amounts = f"({right.name} & {bits - 1})", right.data & np.asarray(bits - 1, right.data.dtype)
        one, amounts = aligned(left.data, amounts)
    if program.chance(0.5):
        program.add(f"{left.name} << {text}", dtype, (one << amounts.astype(one.dtype)).astype(dtype))
    else:
        program.add(f"{left.name} >> {text}", dtype, (one >> amounts.astype(one.dtype)).astype(dtype))


def comparison(program):
    first = program.pick(is_plain)
    if program.chance(0.25) and first.dtype != "int1":
        number = number_for(program, first.dtype)
        one, other = first.data, np.array(number).astype(first.data.dtype)
        left, right = first.name, text_of(number)
    else:
        second = partner(program, first, is_plain)
        dtype = promote(first.dtype, second.dtype)
        one, other = aligned(converted(first, dtype), converted(second, dtype))
        left, right = first.name, second.name
    symbol = program.random.choice(list(COMPARISONS))
    program.add(f"{left} {symbol} {right}", "int1", COMPARISONS[symbol](one, other))


def condition_for(program, value):
    return partner(program, value, dtype="int1")


def choice(program):
    first = program.pick()
    second = partner(program, first)
    dtype = promote(first.dtype, second.dtype)
    test = condition_for(program, first)
    if joint_shape(first.shape, second.shape, test.shape) is None:
        return
    tests, one, other = aligned(test.data, converted(first, dtype), converted(second, dtype))
    data = np.where(tests, one, other)
    if data.size > program.most * 2:
        return
    program.add(f"tl.where({test.name}, {first.name}, {second.name})", dtype, data)


def _in_range(value, low, high, program):
    """A float with 0 in place of what an integer type cannot hold; None for those near its ends."""
    name = program.fresh("r")
    inside = (value.data >= low) & (value.data <= high)
    line = f"{name} = tl.where(({value.name} >= {low!r}) & ({value.name} <= {high!r}), {value.name}, 0.0)"
    return name, line, np.where(inside, value.data, np.zeros((), value.data.dtype))


def _bounds(source, target):
    """The range of the floats of a type that become integers of another one, as numbers that both have."""
    if target in elements.NARROW:
        return -elements.LARGEST[target], elements.LARGEST[target]
    low, high = limits(target)
    bits = min(elements.PRECISION[source], BITS[target] - is_signed(target))
    top = ((1 << bits) - 1) << (BITS[target] - is_signed(target) - bits)
    if source == "float16":
        return float(max(low, -65504)), float(min(top, 65504))
    return float(low), float(top)


def conversion(program):
    value = program.pick(lambda each: True)
    narrow = [name for name in elements.NARROW if program.knows(name)]
    targets = [*elements.INTEGERS, *elements.FLOATS, *elements.FLOATS, "int1", *narrow]
    if value.dtype in elements.NARROW:
        targets = elements.FLOATS
    elif not is_float(value.dtype):
        targets = [name for name in targets if name not in elements.NARROW]
    target = program.random.choice(targets)
    before, name, data = [], value.name, value.data
    if (
        is_float(value.dtype)
        and value.dtype not in elements.NARROW
        and (target in elements.INTEGERS or target in elements.NARROW)
    ):
        low, high = _bounds(value.dtype, target)
        name, line, data = _in_range(value, low, high, program)
        before = [line]
    text = f"{name}.to(tl.{target})" if program.chance(0.7) else f"tl.cast({name}, tl.{target})"
    program.add(text, target, cast(data, value.dtype, target), before=before)


def bitcast(program):
    value = program.pick(lambda each: each.dtype != "int1")
    known = [name for name in elements.BITS if program.knows(name)]
    same = [name for name in known if BITS[name] == BITS[value.dtype] and name != value.dtype]
    target = program.random.choice(same)
    raw = np.ascontiguousarray(elements.encode(value.data, value.dtype))
    if is_float(value.dtype) and np.isnan(value.data).any():
        return  # which NaN it is, nothing says
    data = elements.decode(raw.view(elements.storage_type(target)), target)
    program.add(f"{value.name}.to(tl.{target}, bitcast=True)", target, data)


def unary(program):
    value = program.pick(is_number)
    name, data = value.name, value.data
    forms = [(f"-{name}", -data), (f"tl.abs({name})", np.abs(data))]
    if is_float(value.dtype):
        if value.dtype in ("float32", "float64"):
            forms += [(f"tl.floor({name})", np.floor(data)), (f"tl.ceil({name})", np.ceil(data))]
        if value.dtype == "float32":
            forms += [(f"tl.sqrt_rn({name})", np.sqrt(data))]
    else:
        forms += [(f"~{name}", ~data)] * 2
    text, result = program.random.choice(forms)
    program.add(text, value.dtype, result.astype(value.data.dtype))


def extremes(program):
    """Minimum and maximum, where zeros of both signs are equal."""
    first = program.pick(is_number)
    second = partner(program, first, is_number)
    dtype = promote(first.dtype, second.dtype)
    one, other = aligned(converted(first, dtype), converted(second, dtype))
    is_most, spreads = program.chance(0.5), program.chance(0.3) and is_float(dtype)
    if is_float(dtype):
        operation = (np.maximum if spreads else np.fmax) if is_most else (np.minimum if spreads else np.fmin)
    else:
        operation = np.maximum if is_most else np.minimum
    extra = ", propagate_nan=tl.PropagateNan.ALL" if spreads else ""
    text = f"tl.{'maximum' if is_most else 'minimum'}({first.name}, {second.name}{extra})"
    data = operation(one, other)
    program.add(text, dtype, data, loose=is_float(dtype) and bool((data == 0).any()))


def _fused(one, other, third):
    """a * b + c of float32, rounded once."""
    one, other, third = (array.astype(np.float64) for array in (one, other, third))
    product = one * other
    total = product + third
    part = total - product
    error = (product - (total - part)) + (third - part)
    bits = total.view(np.int64)
    move = np.isfinite(total) & np.isfinite(error) & (error != 0) & (bits & 1 == 0)
    toward = np.where(error > 0, np.inf, -np.inf)
    return np.where(move, np.nextafter(total, toward), total).astype(np.float32)


def functions(program):
    """div_rn, fma and umulhi."""
    kind = program.random.choice(["div_rn", "fma", "umulhi", "div"])
    if kind == "umulhi":
        first = program.input(program.random.choice(["int32", "uint32", "int64", "uint64"]))
        second = partner(program, first, dtype=first.dtype)
        # As the documentation says, the product is unsigned.
        unsigned = np.dtype(f"uint{BITS[first.dtype]}")
        one, other = (array.view(unsigned).astype(object) for array in aligned(first.data, second.data))
        data = ((one * other) >> BITS[first.dtype]).astype(unsigned).view(first.data.dtype)
        return program.add(f"tl.umulhi({first.name}, {second.name})", first.dtype, data)
    fallback = lambda: program.input("float32")
    first = program.pick(lambda value: value.dtype == "float32", 0.8, fallback)
    second = partner(program, first, dtype="float32")
    one, other = aligned(first.data, second.data)
    if kind == "fma":
        shape = joint_shape(first.shape, second.shape)
        third = program.input("float32", shape)
        one, other, last = aligned(one, other, third.data)
        text = f"tl.fma({first.name}, {second.name}, {third.name})"
        return program.add(text, "float32", _fused(one, other, last))
    data = one / other
    if kind == "div_rn":
        return program.add(f"tl.div_rn({first.name}, {second.name})", "float32", data)
    # The operator may be approximate, and says nothing of numbers near the ends of the exponents.
    ordinary = (np.abs(other) < 2.0**120) & (np.abs(other) > 2.0**-120) & (np.abs(data) > 2.0**-120)
    ordinary &= np.abs(data) < 2.0**120
    if not ordinary.all():
        return None
    bound = np.abs(data.astype(np.float64)) * 2.0**-21
    return program.add(f"{first.name} / {second.name}", "float32", data, tolerance=bound)


STEPS = [
    (6, arithmetic),
    (3, bitwise),
    (3, division),
    (3, shift),
    (4, comparison),
    (3, choice),
    (6, conversion),
    (2, bitcast),
    (2, unary),
    (3, extremes),
    (2, functions),
]
