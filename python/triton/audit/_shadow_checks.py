"""Whether a value is further from its shadow than it must be, where that began, and how it is reported."""

import linecache
from collections import Counter
from dataclasses import dataclass

import numpy as np

from ..language import dtypes as types
from ..runtime.interpreter import formats
from ._findings import Finding
from ._shadow_memory import as_float64, half_unit

#: So many times what one rounding, or a change of the inputs' last bits, makes of a value is not the kernel's fault.
_MOST_ROUNDINGS, _MOST_ROUNDINGS_FP8 = 16, 4
#: Nor is this part of the largest value of a block.
_LEAST_PART = 2.0**-10
#: An operand that is so many times as large as the sum has cancelled.
_CANCELS = 16
_SUMS = {"+", "-", "add", "sub", "dot", "sum", "reduce", "cumsum", "associative_scan", "fma", "atomic_add"}
_HELP = {
    "accumulator that is too narrow": "add up in float32, and convert the sum: `tl.zeros(shape, tl.float32)`, "
    "`.to(tl.float32)` before `tl.sum`, `out_dtype=tl.float32` of `tl.dot`",
    "cancellation": "compute the difference from values that have not been rounded yet: for a variance, subtract the "
    "mean before squaring",
    "value out of range": "scale or clamp the value to what the type has",
    "NaN of numbers": "mask the elements, or choose another operand for them",
    "loss of accuracy": "compute this in float32, or in another form",
}


@dataclass(frozen=True)
class Origin:
    """The operation after which a value was first wrong."""

    kind: str
    operation: str
    place: tuple  # file, line, column, end of the column
    program: tuple
    detail: str


@dataclass
class Comparison:
    """Values with their shadows, elementwise: which lost accuracy, which left the range of the type, which are NaN."""

    actual: np.ndarray
    exact: np.ndarray
    error: np.ndarray
    lost: np.ndarray
    outside: np.ndarray
    is_nan: np.ndarray

    def where(self, kind):
        """The elements that have what is wrong with an origin of the kind."""
        return {"range": self.outside | self.is_nan, "nan": self.is_nan, "lost": self.lost}[kind]


def largest(dtype):
    """What values beyond it leave the range of the type."""
    return formats._limits(dtype)[0] * (1 + half_unit(dtype))


def compare(data, dtype, shadows, unit=0.0):
    """``unit`` is half a unit in the last place of 1 in the narrowest type in which the values were computed."""
    actual, exact = as_float64(data), shadows[0]
    with np.errstate(all="ignore"):
        error, size = np.abs(actual - exact), np.abs(exact)
        is_number = np.isfinite(error)
        spread = np.max([np.abs(other - exact) for other in shadows[1:]], axis=0)
        spread = np.where(np.isnan(spread), np.inf, spread)
        is_lost = np.isinf(actual) & (spread < size)  # as when a narrower type has become infinite before
        outside = np.isfinite(exact) & (is_lost | (size > largest(dtype)))
        smallest = 2.0 ** (1 - dtype.exponent_bias)
        times = _MOST_ROUNDINGS_FP8 if dtype.is_fp8() else _MOST_ROUNDINGS
        rounding = np.maximum(size, smallest) * max(half_unit(dtype), unit)
        most = np.max(size, where=is_number, initial=0.0)
        lost = is_number & ~outside & (error > np.maximum(times * np.maximum(spread, rounding), _LEAST_PART * most))
    return Comparison(actual, exact, error, lost, outside, np.isnan(actual))


def histogram(compared, dtype):
    """{exponent of two: number of values whose error is at most so many units in the last place}; None: no error."""
    smallest = 2.0 ** (1 - dtype.exponent_bias)
    known = np.isfinite(compared.error)
    error = compared.error[known]
    with np.errstate(all="ignore"):
        units = error / (np.maximum(np.abs(compared.exact[known]), smallest) * 2 * half_unit(dtype))
        wrong = units > 0
        counts = Counter({None: int(units.size - wrong.sum())})
        numbers, times = np.unique(np.clip(np.ceil(np.log2(units[wrong])), -3, 30).astype(int), return_counts=True)
    counts.update(dict(zip(numbers.tolist(), times.tolist(), strict=True)))
    return counts


def _number(value):
    return f"{float(value):.9g}"


def _at(array, shape, index):
    """The element of an operand that belongs to an element of the result, if the operation goes element by element."""
    try:
        return np.broadcast_to(array, shape)[index]
    except ValueError:
        return None


def _index_of_worst(wrong, compared):
    size = np.where(wrong, np.nan_to_num(compared.error, nan=1.0, posinf=np.finfo(np.float64).max) + 1e-300, 0)
    return np.unravel_index(int(np.argmax(size)), size.shape)


class Checker:
    """Keeps where values of a launch went wrong, and makes findings of what reaches memory."""

    def __init__(self, kernel, test, config):
        self.about = {"kernel": kernel, "test": test, "config": config}
        self.findings, self.errors = {}, Counter()
        self.without_shadow = set()  # functions that do not run in float64

    def origins(self, operation, place, program, dtype, compared, operands):
        """{"lost", "range" or "nan": Origin} of a result; ``operands`` are [(data, origins)]."""
        if place is not None:
            text = f"`{operation}` in {dtype}"
            for exponent, count in histogram(compared, dtype).items():
                self.errors[(*place[:3], text, exponent)] += count
        inherited = {}
        for _, origins in operands:
            inherited.update(origins)
        found = {}
        for what in ("range", "lost", "nan"):
            wrong = compared.where(what)
            if not wrong.any():
                continue
            if what in inherited:
                found[what] = inherited[what]
                continue
            if what == "lost" and "range" in inherited:
                found[what] = inherited["range"]
                continue
            if what == "range":
                wrong = compared.outside
            if place is None or not wrong.any() or what == "nan" and "range" in inherited:
                continue
            if what == "nan" and any(np.isnan(data).any() for data, _ in operands if data.dtype.kind == "f"):
                continue
            found[what] = self._origin(what, operation, place, program, dtype, compared, operands, wrong)
        return found

    def _origin(self, what, operation, place, program, dtype, compared, operands, wrong):
        index = _index_of_worst(wrong, compared)
        values = [_at(data, wrong.shape, index) for data, _ in operands if data.dtype.kind in "fiub"]
        of = "" if None in values or not values else f" of {' and '.join(map(_number, values))}"
        detail = f"`{operation}` in {dtype}{of} gives {_number(compared.actual[index])}"
        if what == "nan":
            return Origin("NaN of numbers", operation, place, program, detail)
        detail += f" in place of {_number(compared.exact[index])}"
        if what == "range":
            return Origin("value out of range", operation, place, program, detail)
        kind = "loss of accuracy"
        if operation in _SUMS:
            size = max((abs(float(value)) for value in values if value is not None), default=0)
            if operation in "+-" and of and size > _CANCELS * abs(compared.exact[index]):
                kind = "cancellation"
            elif dtype.primitive_bitwidth <= 16:
                kind = "accumulator that is too narrow"
        return Origin(kind, operation, place, program, detail)

    def check_stored(self, compared, origins, place, program, dtype, name_of):
        """Reports what is wrong with the elements that a store has written; whether something was."""
        is_wrong = False
        for what in ("range", "lost", "nan"):
            wrong = compared.outside if what == "range" else compared.where(what)
            if what == "nan":
                origin = origins.get("range") or origins.get("nan")
                if origin is None:
                    continue  # the NaN was read
            else:
                origin = origins.get(what)
            if not wrong.any():
                continue
            is_wrong = True
            if origin is None:
                kind = "value out of range" if what == "range" else "loss of accuracy"
                does = f"{dtype} does not have this value" if what == "range" else f"the conversion to {dtype} rounds"
                origin = Origin(kind, "store", place, program, does)
            index = int(_index_of_worst(wrong, compared)[0])
            self._report(origin, index, compared, place, name_of)
        return is_wrong

    def _report(self, origin, index, compared, place, name_of):
        name, element = name_of(index)
        exact = f" in place of {_number(compared.exact[index])}" if np.isfinite(compared.exact[index]) else ""
        where = f"element {element} of `{name}`, stored in line {place[1]}, is {_number(compared.actual[index])}{exact}"
        detail = f"{origin.detail}; {where}"
        file, line, column, end = origin.place
        key = origin.kind, file, line, column
        if key in self.findings:
            return
        text = f"{file}:{line}:{column}: error: {origin.kind} in program {origin.program}: {detail}"
        source = linecache.getline(file, line).rstrip()
        if source and column:
            indent = len(source) - len(source.lstrip())
            mark = "^" + "~" * max(0, (end or column + 1) - column - 1)
            text += f"\n    {source.lstrip()}\n    {' ' * (column - 1 - indent)}{mark}"
        text += f"\nhelp: {_HELP[origin.kind]}"
        self.findings[key] = Finding(
            origin.kind, detail, file, line, column, origin.program, None, name, text=text, **self.about
        )


def is_float(dtype):
    return dtype.is_floating() and not isinstance(dtype, types.pointer_type)
