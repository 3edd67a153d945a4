"""Whether all configurations of a tuned kernel leave the same bits: which one runs is a matter of times, and of the
arguments in the key, such as how large a batch is."""

import numpy as np

from .. import _C
from .._memory import memory_of, view_at
from ..language import str_to_ty
from ..runtime.interpreter import formats
from . import _tuning
from ._findings import Finding
from ._invariance import difference_of, noted_launches
from ._shadow_checks import is_float
from ._shadow_memory import as_float64, half_unit

KIND = "results that depend on the configuration"
_HELP = "give rows the same split in every configuration, or launch the kernel with one configuration"
#: Results further apart, in units in the last place of the largest one, are not of one computation: parts of sums.
_MOST_UNITS = 64


def are_near(one, other, unit):
    """Whether values differ by no more than rounding; ``unit`` is one in the last place of 1."""
    with np.errstate(all="ignore"):
        largest = np.max(np.abs(one), where=np.isfinite(one), initial=0.0)
        apart = np.where((one == other) | (np.isnan(one) & np.isnan(other)), 0.0, np.abs(one - other))
    return bool((apart <= _MOST_UNITS * unit * largest).all())


class _Contents:
    """What a launch leaves in an array of floats."""

    def __init__(self, name, array):
        self.name = name
        self.dtype = str_to_ty(_C.inspect_array(array)[1])
        place = memory_of(array)
        size = np.dtype(formats.storage_type(self.dtype)).itemsize
        held = bytes(view_at(*place))[: place[1] // size * size] if place[1] else b""
        self.bits = np.frombuffer(held, formats.storage_type(self.dtype))

    def difference(self, other):
        """The first element that differs by rounding, as a text, or None."""
        whole = f"u{self.bits.dtype.itemsize}"
        wrong = np.flatnonzero(self.bits.view(whole) != other.bits.view(whole))
        one, two = (as_float64(formats.decode(each.bits, self.dtype)) for each in (self, other))
        if not wrong.size or not are_near(one, two, 2 * half_unit(self.dtype)):
            return None
        index = wrong[0]
        return f"element {index} of `{self.name}` is {two[index]:.9g} in place of {one[index]:.9g}"


def _contents(tuner, args, kwargs):
    named = [*zip(tuner.arg_names, args, strict=False), *kwargs.items()]
    arrays = [(name, array) for name, value in named for array in _tuning._arrays([value], {})]
    return [_Contents(*each) for each in arrays if is_float(str_to_ty(_C.inspect_array(each[1])[1]))]


class _Comparison:
    """The configurations of one tuned kernel for one key."""

    def __init__(self, session):
        self.session, self.first, self.other = session, None, None

    def look(self, tuner, config, args, kwargs):
        if self.other is not None:
            return
        contents = _contents(tuner, args, kwargs)
        if self.first is None:
            self.first = config, contents
            return
        pairs = zip(self.first[1], contents, strict=True)
        text = next(filter(None, (one.difference(other) for one, other in pairs)), None)
        if text is not None:
            self.other = config, text

    def _launches(self, tuner, config, args, kwargs):
        with noted_launches(with_sums=True) as launches, _tuning._restored(_tuning._arrays(args, kwargs)):
            tuner.fn.run(*args, **tuner._with_config(kwargs, config))
        return launches

    def report(self, tuner, args, kwargs):
        session = self.session
        session.is_probing = True
        try:
            both = [self._launches(tuner, config, args, kwargs) for config, *_ in (self.first, self.other)]
        finally:
            session.is_probing = False
        kernel, place, why = difference_of(*both)
        place = place or _definition(tuner)
        detail = f"{self.other[1]} after another configuration: {why}"
        session.current.findings.append(variant_finding(session, KIND, detail, kernel, place, _HELP))


def _definition(tuner):
    function = tuner
    while hasattr(function, "fn"):
        function = function.fn
    return function.__code__.co_filename, function.__code__.co_firstlineno, 0, 0


def variant_finding(session, kind, detail, kernel, place, remedy):
    """A finding about a whole launch."""
    file, line, column, _ = place
    where = f"{file}:{line}:{column}" if column else f"{file}:{line}"
    text = f"{where}: error: {kind}: {detail}\nhelp: {remedy}"
    return Finding(kind, detail, file, line, column, thread=None, kernel=kernel, test=session.test, text=text)


def same_bits(session):
    """A chooser that runs every configuration, and reports those whose results differ by rounding."""

    def choose(tuner, configs, args, kwargs):
        comparison = _Comparison(session)
        chosen = _tuning.each_in_turn(session, comparison.look)(tuner, configs, args, kwargs)
        if comparison.other is not None:
            comparison.report(tuner, args, kwargs)
        return chosen

    return choose
