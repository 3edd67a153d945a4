"""Which sums the programs of a launch compute: how many values at a time, how often. Where two launches differ in that,
they add up in another order."""

import math
import sys
from collections import Counter, defaultdict

from ..runtime.interpreter.places import is_kernel, place_of
from ..runtime.interpreter.values import InterpretedTensor
from ._beside import BesideBuilder, Executor, run_beside
from ._shadow_checks import is_float

#: In the order in which they are blamed. A difference of the others may be one of how many rows a program has.
_REDUCTIONS, _OTHERS = ("dot", "dot_scaled", "sum", "reduce", "cumsum", "associative_scan"), ("atomic_add", "+", "-")


def _size(name, args, kwargs):
    """How many values become one."""
    args = args or list(kwargs.values())
    if name.startswith("dot"):
        return args[0].shape[-1]
    axis = kwargs.get("axis", args[1] if len(args) > 1 else None)
    shape = args[0].shape if isinstance(args[0], InterpretedTensor) else args[0][0].shape
    axis = getattr(axis, "value", axis)
    return shape[axis] if isinstance(axis, int) and shape else math.prod(shape)


class Sums:
    """``counts`` is {(name of the operation, place): {number of values that become one, or 0: how often}}."""

    def __init__(self):
        self.programs, self.counts = 1, defaultdict(Counter)


class _Builder(BesideBuilder):
    def __init__(self, options, sums):
        super().__init__(options)
        self.sums, self.is_inside = sums, False

    def set_grid_dim(self, *extents):
        super().set_grid_dim(*extents)
        self.sums.programs = math.prod(extents)

    def operate(self, name, function, args, kwargs):
        if self.is_inside:
            return function(*args, **kwargs)
        self.is_inside = True
        try:
            result = function(*args, **kwargs)
        finally:
            self.is_inside = False
        self._note(name, args, kwargs, result)
        return result

    def _note(self, name, args, kwargs, result):
        is_sum = name in _REDUCTIONS or name in _OTHERS
        if not is_sum and name != "load" and not name.startswith("atomic_"):
            return
        place = place_of(sys._getframe(2), is_kernel)
        self.count_read(name, place)
        result = result[0] if isinstance(result, tuple) else result
        if is_sum and place and isinstance(result, InterpretedTensor) and is_float(result.dtype):
            size = _size(name, args, kwargs) if name in _REDUCTIONS else 0
            self.sums.counts[name, place][size] += 1


def sums_of(kernel, args, grid, kwargs):
    """The sums of a launch, as far as the interpreter runs it."""
    sums = Sums()
    run_beside(kernel, lambda each: Executor(each, grid, lambda options: _Builder(options, sums)), args, kwargs)
    return sums


def _do_the_same(before, after, parts):
    """Whether a sum runs equally often for each of one of the parts, which are (before, after)."""
    is_same = lambda size, of: abs(before[size] / of[0] - after[size] / of[1]) < 1e-9
    return before.keys() == after.keys() and any(all(is_same(size, of) for size in before) for of in parts)


def first_difference(before, after, rows=None):
    """(place, text) of the first sum that two launches of a kernel compute in another way, or None. A sum that runs
    equally often in each program adds up in the same way, and so does one that does for each of ``rows``, the numbers
    of the launches' rows."""
    parts = [(before.programs, after.programs), *([rows] if rows else [])]
    others = [
        key
        for key, counts in before.counts.items()
        if key in after.counts and not _do_the_same(counts, after.counts[key], parts)
    ]
    if not others:
        return None
    has_one_size = lambda key: before.counts[key].keys() == after.counts[key].keys()
    name, place = key = min(others, key=lambda key: (has_one_size(key), key[0] in _OTHERS))
    if has_one_size(key):
        mean = lambda sums: f"{sum(sums.counts[key].values()) / sums.programs:.4g}"
        return place, f"`{name}` in line {place[1]} runs {mean(after)} times in a program in place of {mean(before)}"
    sizes = lambda sums: " and ".join(map(str, sorted(sums.counts[key])))
    return place, f"`{name}` in line {place[1]} adds up {sizes(after)} values at a time in place of {sizes(before)}"
