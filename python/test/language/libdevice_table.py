"""Every function of libdevice: operands, the exact function, and how far from it a result may lie."""

from collections.abc import Callable
from dataclasses import dataclass

import mpmath
import numpy as np

#: Bits that references are computed with; sums and products of f64 are exact.
PRECISION = 240
EXACT = 2400


@dataclass(frozen=True)
class Row:
    name: str
    operands: tuple  # dtypes
    result: str
    exact: Callable  # of Python's ints, or of mpmath's numbers: the exact result, or the NumPy value itself
    low: float = -4.0  # floats are taken from low to high, and from `special`
    high: float = 4.0
    ulps: float = 0
    absolute: float = 0  # allowed where `ulps` is not kept
    special: tuple = ()
    gpu_absolute: float = 0
    precision: int = PRECISION


def floats(name, exact, low, high, ulps32, ulps64=None, count=1, special=(), absolute=(0, 0), gpu_absolute=0):
    """Rows for f32 and for f64."""
    ulps64 = ulps32 if ulps64 is None else ulps64
    rows = []
    for dtype, ulps, slack in (("float32", ulps32, absolute[0]), ("float64", ulps64, absolute[1])):
        approximate = gpu_absolute if dtype == "float32" else 0
        rows.append(Row(name, (dtype,) * count, dtype, exact, low, high, ulps, slack, special, approximate))
    return rows


def nearest_odd_away(x):
    """Halves away from zero."""
    return mpmath.sign(x) * mpmath.floor(abs(x) + mpmath.mpf(1) / 2)


def rounded(value, dtype, direction):
    """The exact value in a float type, in the direction: "rn", "rz", "rd" or "ru"."""
    kind = np.dtype(dtype).type
    if not mpmath.isfinite(value):
        return kind(float(value))
    with np.errstate(over="ignore"):
        below = above = (
            kind(float(value)) if abs(value) < mpmath.mpf(2) ** 1100 else kind(float(mpmath.sign(value)) * np.inf)
        )
        while mpmath.mpf(float(below)) > value:
            below = np.nextafter(below, kind(-np.inf))
        while mpmath.mpf(float(above)) < value:
            above = np.nextafter(above, kind(np.inf))
        while (
            np.nextafter(below, kind(np.inf)) <= above and mpmath.mpf(float(np.nextafter(below, kind(np.inf)))) <= value
        ):
            below = np.nextafter(below, kind(np.inf))
        while mpmath.mpf(float(np.nextafter(above, kind(-np.inf)))) >= value:
            above = np.nextafter(above, kind(-np.inf))
    if direction == "rd":
        return below
    if direction == "ru":
        return above
    if direction == "rz":
        return below if value > 0 else above
    if np.isinf(above) or np.isinf(below):
        finite = below if np.isinf(above) else above
        limit = mpmath.mpf(2) ** (128 if dtype == "float32" else 1024) * (
            1 - mpmath.mpf(2) ** -(25 if dtype == "float32" else 54)
        )
        return finite if abs(value) < limit else (above if np.isinf(above) else below)
    left, right = value - mpmath.mpf(float(below)), mpmath.mpf(float(above)) - value
    if left == right:
        return below if int(below.view(f"u{below.itemsize}")) % 2 == 0 else above
    return below if left < right else above


def integer_in(value, dtype, direction):
    """A float as an integer: rounded in the direction, and the nearest of the type beyond its range."""
    limits = np.iinfo(dtype)
    if mpmath.isinf(value):
        return limits.max if value > 0 else limits.min
    whole = {
        "rn": mpmath.nint,
        "rz": lambda x: mpmath.sign(x) * mpmath.floor(abs(x)),
        "rd": mpmath.floor,
        "ru": mpmath.ceil,
    }
    return min(max(int(whole[direction](value)), limits.min), limits.max)


def bits_of(x, width):
    return int(x) & ((1 << width) - 1)


def signed(value, width):
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def reverse_bits(width):
    return lambda x: signed(int(f"{bits_of(x, width):0{width}b}"[::-1], 2), width)


def lowest_bit(x):
    return (int(x) & -int(x)).bit_length()


def permute(x, y, selector):
    source = [bits_of(x, 32) >> 8 * i & 255 for i in range(4)] + [bits_of(y, 32) >> 8 * i & 255 for i in range(4)]
    return signed(sum(source[bits_of(selector, 32) >> 4 * i & 7] << 8 * i for i in range(4)), 32)


def reinterpreted(to):
    return lambda x: x.view(to)


def bessel(function):
    return lambda n, x: function(int(n), x)


half = mpmath.mpf(1) / 2
POINTS = (0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1e-30, -1e-30)
ENDS = (np.inf, -np.inf, np.nan)


def real_functions():
    def length(*coordinates):
        return mpmath.sqrt(sum(c * c for c in coordinates))

    rows = []
    add = lambda *row, **facts: rows.extend(floats(*row, **facts))  # noqa: E731
    add("floor", mpmath.floor, -99, 99, 0, special=POINTS)
    add("ceil", mpmath.ceil, -99, 99, 0, special=POINTS)
    add("trunc", lambda x: mpmath.sign(x) * mpmath.floor(abs(x)), -99, 99, 0, special=POINTS)
    add("rint", mpmath.nint, -99, 99, 0, special=(0.5, 1.5, 2.5, -2.5))
    add("nearbyint", mpmath.nint, -99, 99, 0, special=(0.5, 1.5, 2.5, -2.5))
    add("round", nearest_odd_away, -99, 99, 0, special=(0.5, 1.5, 2.5, -2.5, 0.49999997, 8388609.0))
    add("abs", abs, -9, 9, 0, special=POINTS)
    add("rsqrt", lambda x: 1 / mpmath.sqrt(x), 0.1, 99, 2)
    add("sqrt", mpmath.sqrt, 0, 99, 1, 0.5)
    add("exp", mpmath.exp, -10, 10, 12, 1.5)
    add("exp2", lambda x: mpmath.mpf(2) ** x, -10, 10, 3, 2)
    add("exp10", lambda x: mpmath.mpf(10) ** x, -9, 9, 4)
    add("expm1", mpmath.expm1, -9, 9, 3, special=(1e-6, -1e-6))
    add("log", mpmath.log, 0.01, 99, 4, gpu_absolute=1e-7)
    add("log2", lambda x: mpmath.log(x, 2), 0.01, 99, 4, gpu_absolute=3e-7)
    add("log10", lambda x: mpmath.log(x, 10), 0.01, 99, 4)
    add("log1p", mpmath.log1p, -0.9, 99, 4, special=(1e-6, -1e-6))
    add("logb", lambda x: mpmath.floor(mpmath.log(abs(x), 2)), 0.01, 99, 0, special=(1e-40, 8.0, 0.25))
    add("sin", mpmath.sin, -99, 99, 4)
    add("cos", mpmath.cos, -99, 99, 4)
    add("tan", mpmath.tan, -99, 99, 4)
    add("sinpi", mpmath.sinpi, -99, 99, 2, special=(0.5, 1.0, -1.0, 1000.0, 0.999))
    add("cospi", mpmath.cospi, -99, 99, 2, special=(0.5, 1.0, -1.5, 1001.0, 0.499))
    add("asin", mpmath.asin, -1, 1, 4)
    add("acos", mpmath.acos, -1, 1, 3)
    add("atan", mpmath.atan, -99, 99, 3)
    add("sinh", mpmath.sinh, -9, 9, 3, special=(1e-6,))
    add("cosh", mpmath.cosh, -9, 9, 3)
    add("tanh", mpmath.tanh, -9, 9, 3, special=(1e-6,))
    add("asinh", mpmath.asinh, -99, 99, 4, special=(1e-6,))
    add("acosh", mpmath.acosh, 1, 99, 4)
    add("atanh", mpmath.atanh, -1, 1, 4, special=(1e-6,))
    add("cbrt", mpmath.cbrt, 0.01, 99, 4, special=(8.0,))  # libmvec: 2.9 were seen
    add("rcbrt", lambda x: 1 / mpmath.cbrt(x), 0.01, 99, 2)
    add("erf", mpmath.erf, -4, 4, 4)
    add("erfc", mpmath.erfc, -4, 9, 5)
    add("erfcx", lambda x: mpmath.exp(x * x) * mpmath.erfc(x), -4, 99, 4)
    add("erfinv", mpmath.erfinv, -1, 1, 5)
    add("erfcinv", lambda x: mpmath.erfinv(1 - x), 0.001, 1.999, 6)
    add("normcdf", mpmath.ncdf, -9, 4, 5)
    add("normcdfinv", lambda x: mpmath.sqrt(2) * mpmath.erfinv(2 * x - 1), 0.001, 0.999, 7, absolute=(1e-7, 1e-15))
    add("lgamma", lambda x: mpmath.log(abs(mpmath.gamma(x))), -9, 40, 6, 4, absolute=(1e-6, 1e-14))
    add("tgamma", mpmath.gamma, -9, 30, 5, 10)
    wave = dict(absolute=(2.2e-6, 5e-12))
    add("j0", lambda x: mpmath.besselj(0, x), -40, 40, 9, 7, **wave)
    add("j1", lambda x: mpmath.besselj(1, x), -40, 40, 9, 7, **wave)
    add("y0", lambda x: mpmath.bessely(0, x), 0.01, 40, 9, 7, **wave)
    add("y1", lambda x: mpmath.bessely(1, x), 0.01, 40, 9, 7, **wave)
    add("cyl_bessel_i0", lambda x: mpmath.besseli(0, x), -20, 20, 6)
    add("cyl_bessel_i1", lambda x: mpmath.besseli(1, x), -20, 20, 6)
    add("copysign", lambda x, y: abs(x) * (-1 if y < 0 else 1), -9, 9, 0, count=2)
    add("nextafter", None, -9, 9, 0, count=2)
    add("atan2", mpmath.atan2, -9, 9, 4, count=2)
    add("hypot", length, -9, 9, 3, count=2)
    add("rhypot", lambda x, y: 1 / length(x, y), -9, 9, 3, count=2)
    add("fmod", mpmath.fmod, 0.1, 99, 0, count=2)
    add("remainder", lambda x, y: x - y * mpmath.nint(x / y), -99, 99, 0, count=2)
    add("fdim", lambda x, y: max(x - y, mpmath.mpf(0)), -9, 9, 0.5, count=2)
    add("pow", lambda x, y: x**y, 0.1, 9, 10, 4, count=2)
    add("fma", lambda x, y, z: x * y + z, -9, 9, 0.5, count=3)
    add("norm3d", length, -9, 9, 3, count=3)
    add("rnorm3d", lambda *c: 1 / length(*c), -9, 9, 3, count=3)
    add("norm4d", length, -9, 9, 3, count=4)
    add("rnorm4d", lambda *c: 1 / length(*c), -9, 9, 3, count=4)
    return rows


def single_functions():
    def one(name, exact, low, high, ulps, count=1, absolute=0.0, special=()):
        return Row(name, ("float32",) * count, "float32", exact, low, high, ulps, absolute, special)

    fast = dict(absolute=4e-6)
    return [
        one("saturatef", lambda x: min(max(x, mpmath.mpf(0)), mpmath.mpf(1)), -2, 2, 0, special=(np.inf, -np.inf)),
        one("rsqrt_rn", lambda x: 1 / mpmath.sqrt(x), 0.1, 99, 0.5),
        one("fast_sinf", mpmath.sin, -3, 3, 4, **fast),
        one("fast_cosf", mpmath.cos, -3, 3, 4, **fast),
        one("fast_tanf", mpmath.tan, -1.4, 1.4, 64, **fast),
        one("fast_tanhf", mpmath.tanh, -4, 4, 4096),
        one("fast_expf", mpmath.exp, -10, 10, 16),
        one("fast_exp10f", lambda x: mpmath.mpf(10) ** x, -9, 9, 64),
        one("fast_logf", mpmath.log, 0.01, 99, 4, **fast),
        one("fast_log2f", lambda x: mpmath.log(x, 2), 0.01, 99, 4, **fast),
        one("fast_log10f", lambda x: mpmath.log(x, 10), 0.01, 99, 4, **fast),
        one("fast_powf", lambda x, y: x**y, 0.1, 9, 64, count=2),
        one("fast_dividef", lambda x, y: x / y, 0.1, 9, 2, count=2),
        Row("rcp64h", ("float64",), "float64", lambda x: 1 / x, 0.1, 9, 2.0**33),
    ]


def rounded_functions():
    operations = {
        "add": (lambda x, y: x + y, 2),
        "sub": (lambda x, y: x - y, 2),
        "mul": (lambda x, y: x * y, 2),
        "div": (lambda x, y: x / y, 2),
        "rcp": (lambda x: 1 / x, 1),
        "sqrt": (mpmath.sqrt, 1),
        "fma": (lambda x, y, z: x * y + z, 3),
    }
    rows = []
    for name, (exact, count) in operations.items():
        for direction in ("rn", "rz", "rd", "ru"):
            for dtype in ("float32", "float64"):
                function = lambda *x, exact=exact, dtype=dtype, direction=direction: rounded(
                    exact(*x), dtype, direction
                )  # noqa: E731
                low = 0.01 if name == "sqrt" else -9
                special = (3e38, 1e-38, 1e-45, 3.0) if dtype == "float32" else (1.7e308, 1e-308, 5e-324, 3.0)
                rows.append(
                    Row(
                        f"{name}_{direction}",
                        (dtype,) * count,
                        dtype,
                        function,
                        low,
                        9,
                        special=special,
                        precision=EXACT,
                    )
                )
    return rows


def conversions():
    rows = []
    integers = {"int": "int32", "uint": "uint32", "ll": "int64", "ull": "uint64"}
    edges = (2.5, -2.5, 3.5, 2147483647.5, -2147483648.5, 4294967295.5, 1e10, -1e10, 1e19, -1e19, 2e19, np.inf, -np.inf)
    for source, dtype in (("float", "float32"), ("double", "float64")):
        for letters, integer in integers.items():
            for direction in ("rn", "rz", "rd", "ru"):
                function = lambda x, integer=integer, direction=direction: integer_in(x, integer, direction)  # noqa: E731
                rows.append(
                    Row(f"{source}2{letters}_{direction}", (dtype,), integer, function, -999, 999, special=edges)
                )
    for letters, integer in integers.items():
        for target, dtype in (("float", "float32"), ("double", "float64")):
            for direction in ("rn", "rz", "rd", "ru"):
                if target == "double" and letters in ("int", "uint") and direction != "rn":
                    continue
                function = lambda x, dtype=dtype, direction=direction: rounded(mpmath.mpf(int(x)), dtype, direction)  # noqa: E731
                rows.append(Row(f"{letters}2{target}_{direction}", (integer,), dtype, function))
    for direction in ("rn", "rz", "rd", "ru"):
        function = lambda x, direction=direction: rounded(x, "float32", direction)  # noqa: E731
        special = (1e39, -1e39, 1e-46, -1e-46, 3.4028235677973366e38)
        rows.append(Row(f"double2float_{direction}", ("float64",), "float32", function, -9, 9, special=special))
    for name, source, target in (
        ("int_as_float", "int32", "float32"),
        ("float_as_int", "float32", "int32"),
        ("uint_as_float", "uint32", "float32"),
        ("float_as_uint", "float32", "uint32"),
        ("longlong_as_double", "int64", "float64"),
        ("double_as_longlong", "float64", "int64"),
    ):
        rows.append(Row(name, (source,), target, None))
    rows.append(Row("hiloint2double", ("int32", "int32"), "float64", None))
    rows.append(Row("double2loint", ("float64",), "int32", None))
    rows.append(Row("double2hiint", ("float64",), "int32", None))
    return rows


def predicates():
    rows = []
    for dtype in ("float32", "float64"):
        numbers = dict(special=POINTS + ENDS)
        rows.append(Row("isnan", (dtype,), "int1", lambda x: int(mpmath.isnan(x)), **numbers))
        rows.append(Row("isinf", (dtype,), "int1", lambda x: int(mpmath.isinf(x)), **numbers))
        finite = "finitef" if dtype == "float32" else "isfinited"
        rows.append(Row(finite, (dtype,), "int1", lambda x: int(mpmath.isfinite(x)), **numbers))
        rows.append(Row("signbit", (dtype,), "int32", None, special=POINTS + ENDS[:2]))
        exponent = lambda x: int(mpmath.floor(mpmath.log(abs(x), 2)))  # noqa: E731
        rows.append(Row("ilogb", (dtype,), "int32", exponent, 0.01, 99, special=(8.0, 1e-40)))
        whole = lambda x: integer_in(x, "int64", "rn")  # noqa: E731
        rows.append(Row("llrint", (dtype,), "int64", whole, -999, 999, special=(2.5, -2.5, 1e30, -np.inf)))
        away = lambda x: integer_in(nearest_odd_away(x), "int64", "rz")  # noqa: E731
        rows.append(Row("llround", (dtype,), "int64", away, -999, 999, special=(2.5, -2.5, 1e30)))
        rows.append(Row("ldexp", (dtype, "small"), dtype, lambda x, n: x * mpmath.mpf(2) ** int(n), ulps=0.5))
        rows.append(Row("scalbn", (dtype, "small"), dtype, lambda x, n: x * mpmath.mpf(2) ** int(n), ulps=0.5))
        slack = 3e-6 if dtype == "float32" else 1e-11
        rows.append(Row("jn", ("small", dtype), dtype, bessel(mpmath.besselj), -20, 20, 9, slack))
        rows.append(Row("yn", ("small", dtype), dtype, bessel(mpmath.bessely), 2, 20, 9, slack))
        rows.append(Row("pow", (dtype, "small"), dtype, lambda x, n: x ** int(n), 0.5, 2, 8))
    return rows


def integer_functions():
    rows = [
        Row("byte_perm", ("int32", "int32", "int32"), "int32", permute),
        Row("sad", ("int32", "int32", "uint32"), "int32", lambda x, y, z: signed(abs(int(x) - int(y)) + int(z), 32)),
        Row("sad", ("uint32",) * 3, "uint32", lambda x, y, z: bits_of(abs(int(x) - int(y)) + int(z), 32)),
        Row("mul24", ("int32",) * 2, "int32", lambda x, y: signed(signed(int(x), 24) * signed(int(y), 24), 32)),
        Row("mul24", ("uint32",) * 2, "uint32", lambda x, y: bits_of(bits_of(x, 24) * bits_of(y, 24), 32)),
    ]
    for dtype, width in (("int32", 32), ("int64", 64)):
        rows += [
            Row("clz", (dtype,), "int32", lambda x, width=width: width - bits_of(x, width).bit_length()),
            Row("popc", (dtype,), "int32", lambda x, width=width: bits_of(x, width).bit_count()),
            Row("ffs", (dtype,), "int32", lowest_bit),
            Row("brev", (dtype,), dtype, reverse_bits(width)),
            Row("abs", (dtype,), dtype, lambda x, width=width: signed(abs(int(x)), width)),
        ]
    for dtype in ("int32", "uint32"):
        rows.append(Row("hadd", (dtype,) * 2, dtype, lambda x, y: (int(x) + int(y)) >> 1))
        rows.append(Row("rhadd", (dtype,) * 2, dtype, lambda x, y: (int(x) + int(y) + 1) >> 1))
    for dtype, width in (("int32", 32), ("uint32", 32), ("int64", 64), ("uint64", 64)):
        rows.append(Row("mulhi", (dtype,) * 2, dtype, lambda x, y, width=width: int(x) * int(y) >> width))
    return rows


def by_numpy(row, operands):
    """Functions that only move bits."""
    if row.name == "nextafter":
        return np.nextafter(*operands)
    if row.name == "signbit":
        return np.signbit(operands[0]).astype(np.int32)
    if row.name == "hiloint2double":
        high, low = (operand.astype(np.int64).astype(np.uint64) for operand in operands)
        return (high << np.uint64(32) | low & np.uint64(0xFFFFFFFF)).view(np.float64)
    if row.name in ("double2loint", "double2hiint"):
        return operands[0].view(np.int32).reshape(-1, 2)[:, int(row.name == "double2hiint")]
    return operands[0].view(row.result)


ROWS = real_functions() + single_functions() + rounded_functions() + conversions() + predicates() + integer_functions()
