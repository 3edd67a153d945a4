"""What a launch leaves in its arrays, for comparisons."""

import numpy as np

from .. import _C
from .._memory import memory_of, view_at
from ..language import str_to_ty
from ..runtime.interpreter import formats
from . import _tuning
from ._shadow_checks import is_float
from ._shadow_memory import as_float64, half_unit

#: Results further apart, in units in the last place of the largest one, are not of one computation: parts of sums.
_MOST_UNITS = 64


def distance(one, other):
    """How far apart floats are; equal infinities and two NaN are not."""
    with np.errstate(all="ignore"):
        return np.where((one == other) | (np.isnan(one) & np.isnan(other)), 0.0, np.abs(one - other))


def are_near(one, other, unit):
    """Whether values differ by no more than rounding; ``unit`` is one in the last place of 1."""
    return are_within(one, other, _MOST_UNITS * unit)


def are_within(one, other, part):
    """Whether values differ by no more than a part of the largest one."""
    with np.errstate(all="ignore"):
        largest = np.max(np.abs(one), where=np.isfinite(one), initial=0.0)
        return bool((distance(one, other) <= part * largest).all())


class Contents:
    """What a launch leaves in an array."""

    def __init__(self, name, array):
        self.name = name
        self.dtype = str_to_ty(_C.inspect_array(array)[1])
        place = memory_of(array)
        self.address = place[0]
        size = np.dtype(formats.storage_type(self.dtype)).itemsize
        held = bytes(view_at(*place))[: place[1] // size * size] if place[1] else b""
        self.bits = np.frombuffer(held, formats.storage_type(self.dtype))

    @property
    def is_float(self):
        return is_float(self.dtype)

    @property
    def values(self):
        return as_float64(formats.decode(self.bits, self.dtype) if self.is_float else self.bits)

    def differing(self, other):
        """The numbers of the elements with other bits."""
        whole = f"u{self.bits.dtype.itemsize}"
        return np.flatnonzero(self.bits.view(whole) != other.bits.view(whole))

    def wrong_element(self, other):
        """The number of the element that is furthest off if values differ by more than two ways to round, also that of
        tf32, or two units of the type; None otherwise. Integers differ in any bit: float64 does not hold all."""
        wrong = self.differing(other)
        if not wrong.size or not self.is_float:
            return int(wrong[0]) if wrong.size else None
        one, two = self.values, other.values
        if are_within(one, two, max(2.0**-9, 4 * half_unit(self.dtype))):
            return None
        return int(np.nanargmax(np.nan_to_num(distance(one, two), nan=np.inf)))

    def text(self, index):
        return f"{self.values[index]:.9g}" if self.is_float else str(self.bits[index])

    def rounding(self, other):
        """The first element that differs by rounding, as a text, or None."""
        wrong = self.differing(other)
        one, two = self.values, other.values
        if not wrong.size or not are_near(one, two, 2 * half_unit(self.dtype)):
            return None
        index = wrong[0]
        return f"element {index} of `{self.name}` is {two[index]:.9g} in place of {one[index]:.9g}"


def contents_of(names, args, kwargs):
    named = [*zip(names, args, strict=False), *kwargs.items()]
    return [Contents(name, array) for name, value in named for array in _tuning._arrays([value], {})]
