"""Element types in NumPy: what has no dtype there is float32 whose values the type has.

`encode` and `decode` go between values and what is stored, `cast` converts as the language does, `random_values`
prefers the ends of a type, and `promote` says what two operands become.
"""

import numpy as np

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = SIGNED + UNSIGNED
FLOATS = ("float16", "bfloat16", "float32", "float64")
#: Exponent bits, mantissa bits, bias, and whether there are infinities.
NARROW = {"float8e5": (5, 2, 15, True), "float8e4nv": (4, 3, 7, False)}
BITS = {"int1": 1, "float8e5": 8, "float8e4nv": 8, "float16": 16, "bfloat16": 16, "float32": 32, "float64": 64}
BITS |= {name: int(name.lstrip("uint")) for name in INTEGERS}
PRECISION = {"float8e5": 3, "float8e4nv": 4, "bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}
#: What a buffer of the type is made of; `triton.reinterpret` gives those the type that have another one in NumPy.
STORAGE = {"int1": "bool", "bfloat16": "uint16", "float8e5": "uint8", "float8e4nv": "uint8"}
LARGEST = {"float8e5": 57344.0, "float8e4nv": 448.0}


def is_float(name):
    return name.startswith(("float", "bfloat"))


def is_signed(name):
    return name in SIGNED


def model_type(name):
    """The dtype in which values of the type are kept here."""
    if name == "int1":
        return np.dtype(bool)
    return np.dtype("float32" if name == "bfloat16" or name in NARROW else name)


def storage_type(name):
    return np.dtype(STORAGE.get(name, name))


def limits(name):
    if name == "int1":
        return 0, 1
    info = np.iinfo(name)
    return int(info.min), int(info.max)


def _table(name):
    """The values of the codes 0 to 127, those of negative sign left out."""
    exponent_bits, mantissa_bits, bias, _ = NARROW[name]
    codes = np.arange(128)
    exponent, mantissa = codes >> mantissa_bits, codes & ((1 << mantissa_bits) - 1)
    one = 1 << mantissa_bits
    values = np.where(
        exponent == 0,
        mantissa / one * 2.0 ** (1 - bias),
        (1 + mantissa / one) * 2.0 ** (exponent.astype(float) - bias),
    )
    if name == "float8e5":
        values[124], values[125:] = np.inf, np.nan
    else:
        values[127] = np.nan
    return values


_TABLES = {name: _table(name) for name in NARROW}


def decode(stored, name):
    if name == "bfloat16":
        return (stored.astype(np.uint32) << 16).view(np.float32)
    if name in NARROW:
        values = _TABLES[name][stored & 127].astype(np.float32)
        return np.where(stored & 128, -values, values).astype(np.float32)
    return stored


def encode(values, name):
    if name == "bfloat16":
        return np.where(np.isnan(values), 0x7FC0, values.view(np.uint32) >> 16).astype(np.uint16)
    if name in NARROW:
        table = _TABLES[name]
        finite = table[np.isfinite(table)]
        code = np.searchsorted(finite, np.abs(values))
        code = np.where(np.isnan(values), 127, np.where(np.isinf(values), 124, code))
        return (code | np.where(np.signbit(values), 128, 0)).astype(np.uint8)
    return values.astype(storage_type(name))


def _odd_float32(values):
    """float64 rounded so that another rounding, to fewer bits, gives what one rounding would."""
    near = values.astype(np.float32)
    wide = near.astype(np.float64)
    inexact = (wide != values) & ~np.isnan(values)
    lower = np.where(np.abs(wide) > np.abs(values), np.nextafter(near, np.float32(0)), near)
    odd = (lower.view(np.uint32) | 1).view(np.float32)
    return np.where(inexact, odd, near)


def _to_bfloat16(values):
    if values.dtype == np.float64:
        values = _odd_float32(values)
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = ((bits.astype(np.uint64) + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32)
    return np.where(np.isnan(values), np.float32(np.nan), rounded.view(np.float32)).astype(np.float32)


def _to_narrow(values, name):
    """For values within the range of the type only: beyond it, targets differ. Through float32, as in the language."""
    values = values.astype(np.float32)
    table = _TABLES[name]
    finite = table[np.isfinite(table)]
    size = np.abs(values.astype(np.float64))
    middles = (finite[:-1] + finite[1:]) / 2
    code = np.searchsorted(middles, size)
    tie = (code < len(middles)) & (middles[np.minimum(code, len(middles) - 1)] == size)
    code = np.where(tie & (code % 2 == 1), code + 1, code)
    rounded = finite[np.minimum(code, len(finite) - 1)]
    return np.copysign(np.where(np.isnan(values), np.nan, rounded), values).astype(np.float32)


def round_to(values, name):
    """Floats of any width rounded to the nearest of the type, ties to even."""
    if name == "bfloat16":
        return _to_bfloat16(values)
    if name in NARROW:
        return _to_narrow(values, name)
    return values.astype(name)


def _float_of_integer(values, name):
    """The narrow ones through float32, as everywhere in the language."""
    return round_to(values.astype(np.float32), name) if BITS[name] < 32 else values.astype(name)


def cast(values, source, target):
    """What `.to` gives. Floats must be in the range of the integers, or of the 8-bit floats, that they become."""
    if source == target:
        return values
    if target == "int1":
        return values != 0
    if is_float(source):
        return round_to(values, target) if is_float(target) else np.trunc(values).astype(target)
    if source == "int1":
        values = values.astype(np.uint8)
    return _float_of_integer(values, target) if is_float(target) else values.astype(target)


def previous(values, name):
    """The neighbours toward zero of numbers of an 8-bit float that are not zero."""
    codes = encode(np.abs(values), name)
    return decode(np.where(codes > 0, codes - 1, 0).astype(np.uint8), name)


def promote(first, second, divides=False):
    """The type of an operation on two tensors; None where the language refuses it."""
    pair = {first, second}
    if any(is_float(name) for name in pair):
        if pair & set(NARROW):
            return first if first == second else None
        for name in ("float64", "float32"):
            if name in pair:
                return name
        if "float16" in pair:
            return "float32" if divides else "float16"
        return "bfloat16" if first == second and not divides else "float32"
    if first == second:
        return first
    if is_signed(first) == is_signed(second):
        return max(first, second, key=BITS.get)
    if divides:
        return None
    unsigned, signed = sorted(pair, key=is_signed)
    return unsigned if BITS[unsigned] >= BITS[signed] else signed


def _edges(name):
    if is_float(name):
        numbers = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 3.0, 7.0, 127.0, 128.0, 255.0, 256.0, 2049.0, 1e-3]
        numbers += [np.inf, -np.inf, np.nan, 65504.0, -65504.0, 65520.0, 2.0**-24, 2.0**-14, 2.0**31, -(2.0**31)]
        numbers += [2.0**63, 3.0e38, -3.4e38, 1e-45, 2.0**-126, 2.0**-130, 1 + 2.0**-11, 1 + 2.0**-8, 1 + 3 * 2.0**-9]
        if name == "float64":
            numbers += [1e300, 5e-324, 1 + 2.0**-24, 1 + 2.0**-53, 65519.999999, 2.0**-25 * (1 + 2.0**-40), 1e-310]
            numbers += [1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-11 + 2.0**-30, 1 + 2.0**-24 + 2.0**-50]
        numbers = np.array(numbers)
        if name in NARROW:
            numbers = np.where(np.abs(numbers) <= LARGEST[name], numbers, 1.0)
        return round_to(numbers, name)
    low, high = limits(name)
    numbers = [low, low + 1, high, high - 1, high // 2, high // 2 + 1, 0, 1, 2, 3, 7, 15, 16, 31, 32, 63, 64, 127, 128]
    numbers += [255, 256, 32767, 32768, 65535, 65536, -1, -2, -127, -128, -129, -32768, 2**31 - 1, 2**31, -(2**31)]
    return np.array([number for number in numbers if low <= number <= high], model_type(name))


STYLES = ("edges", "bits", "mixed", "mixed", "small", "ends", "equal", "rising")


def random_values(generator, name, shape, style=None):
    """An array of the shape in one of the styles. Infinities and NaN of 8-bit floats are left out."""
    style = style or STYLES[generator.integers(len(STYLES))]
    if name == "int1":
        return generator.random(shape) < generator.choice([0.5, 0.1, 0.9])
    if style == "mixed":
        other = random_values(generator, name, shape, "edges")
        return np.where(generator.random(shape) < 0.5, other, random_values(generator, name, shape, "bits"))
    if style == "equal":
        return np.full(shape, generator.choice(_edges(name)), model_type(name))
    if style == "rising":
        count = int(np.prod(shape))
        start = int(generator.integers(-3, 4)) if name not in UNSIGNED else int(generator.integers(0, 4))
        numbers = (np.arange(count) + start).reshape(shape)
        return numbers.astype(name) if not is_float(name) else round_to((numbers % 13).astype(np.float64), name)
    if style == "small":
        numbers = generator.integers(0 if name in UNSIGNED else -4, 5, shape)
        return numbers.astype(model_type(name))
    if style == "edges":
        return generator.choice(_edges(name), shape).astype(model_type(name))
    if is_float(name):
        raw = generator.integers(0, 1 << BITS[name], shape, np.uint64, endpoint=False) if BITS[name] < 64 else None
        if raw is None:
            raw = generator.integers(0, (1 << 64) - 1, shape, np.uint64, endpoint=True)
            values = raw.view(np.float64)
            return np.where(generator.random(shape) < 0.5, values, values.astype(np.float32))
        raw = raw.astype(f"uint{BITS[name]}")
        values = decode(raw, name) if name in STORAGE else raw.view(name)
        return np.where(np.isfinite(values), values, 1).astype(model_type(name)) if name in NARROW else values
    low, high = limits(name)
    if style == "ends":
        distance = generator.integers(0, 20, shape, dtype=model_type(name))
        ends = np.array([low, high], model_type(name))[generator.integers(0, 2, shape)]
        return np.where(ends == low, ends + distance, ends - distance).astype(name)
    return generator.integers(low, high, shape, dtype=name, endpoint=True)


def adds_exactly(values, name, axis=None):
    """Whether sums over the axis are the same in any order: the type has all partial sums."""
    if not is_float(name):
        return True
    wide = values.astype(np.float64)
    if wide.size == 0 or not np.isfinite(wide).all():
        return False
    total = float(np.abs(wide).sum(axis=axis).max())
    mantissa, exponent = np.frexp(wide)
    units = np.ldexp(mantissa, 53).astype(np.int64)
    lowest = exponent - 53 + np.log2((units & -units).astype(np.float64) + (units == 0))
    least = int(np.where(units == 0, 0, lowest).min())
    return least > -14 and total < min(60000, 2.0 ** (least + PRECISION[name]))
