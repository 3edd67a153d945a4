"""Choices of tuned kernels for sizes between those that were measured: the time of each configuration at a new size is
estimated from its times at the sizes nearby (src/runtime/TimeEstimate.cpp)."""

import math
from collections import namedtuple

from .. import _C

Measured = namedtuple("Measured", ["configuration", "milliseconds", "programs", "processors"], defaults=({}, 1))
Measured.__doc__ = """What tuning has found for a key: the text of the configuration that was chosen, {text of a
configuration: its time}, which is empty where the choice alone is known, {text: the number of programs}, without those
that are unknown, and how many processors the device has that run them."""

Candidate = namedtuple("Candidate", ["constants", "programs"], defaults=((), None))
Candidate.__doc__ = """A configuration that a launch may take: the numbers that it is compiled with, such as the sizes
of blocks, and how many programs the launch would have, or None."""

Estimate = namedtuple("Estimate", ["configuration", "keys"])
Estimate.__doc__ = "The text of the configuration that should be the fastest, and from how many keys that follows."

_MOST_KEYS = 96  # what an estimate takes grows with their cube
_NEIGHBOURS = 8  # for each size of the key: what these have not measured may not fit, or is left out by programs
_ALIGNMENT = 2  # how many octaves sizes count as farther apart of which one is a multiple of 16
_MOST = 2**53  # what is larger counts nothing, and C++ would have no room for it


def interpolate(measured, key, candidates):
    """The `Estimate` for a key, of the ``candidates``, {text of a configuration: Candidate}; None if the key does not
    lie between keys of ``measured``, {key: Measured}, that differ from it in sizes alone."""
    places = [place for place, part in enumerate(key) if is_count(part)]
    alike = [other for other in measured if _is_alike(key, other)]
    timed = [other for other in alike if measured[other].milliseconds]
    if not places or not _is_between(key, alike, places):
        return None
    if not _is_between(key, timed, places):
        return _choice_of_the_nearest(_nearest_first(key, alike, places), measured, candidates)
    near = _nearest_first(key, timed, places)[:_MOST_KEYS]
    return _fastest(key, near, places, measured, candidates) or _choice_of_the_nearest(near, measured, candidates)


def is_count(value):
    """Whether the value may be a size, or a number of programs or of processors."""
    return type(value) is int and 0 < value < _MOST


def _is_alike(key, other):
    return len(key) == len(other) and all(
        (is_count(mine) and is_count(its)) or (type(mine) is type(its) and mine == its)
        for mine, its in zip(key, other, strict=True)
    )


def _is_between(key, others, places):
    return bool(others) and all(
        min(other[place] for other in others) <= key[place] <= max(other[place] for other in others) for place in places
    )


def _nearest_first(key, others, places):
    def square_of_distance(other):
        return sum(
            math.log2(other[place] / key[place]) ** 2
            + _ALIGNMENT**2 * ((other[place] % 16 == 0) != (key[place] % 16 == 0))
            for place in places
        )

    return sorted(others, key=square_of_distance)


def _choice_of_the_nearest(near, measured, candidates):
    choices = (measured[other].configuration for other in near)
    return next((Estimate(choice, 1) for choice in choices if choice in candidates), None)


def _fastest(key, near, places, measured, candidates):
    """Of the configurations that were measured at all keys around, but for keys where the choice of the nearest one was
    not: it may not fit there, or programs leave it out, and must be compared here."""
    choice = measured[near[0]].configuration
    if choice in candidates:
        near = [other for other in near if choice in measured[other].milliseconds] or near
    around = [measured[other].milliseconds for other in near[: _NEIGHBOURS * len(places)]]
    names = [name for name in around[0] if name in candidates and all(name in times for times in around)]
    if not names:
        return None
    known = [measured[other] for other in near]
    are_counted = all(
        is_count(candidates[name].programs)
        and all(name in each.programs for each in known if name in each.milliseconds)
        for name in names
    )
    sizes = [[other[place] for place in places] for other in [*near, key]]
    times = _C.estimate_times(
        sizes, [_times_of(name, known, candidates[name], are_counted) for name in names], known[0].processors
    )
    return Estimate(min(zip(times, names, strict=True))[1], len(near))


def _times_of(name, known, candidate, are_counted):
    """What `estimate_times` takes for a configuration."""
    # Those of keys for which it was not measured are not looked at.
    programs = [*(each.programs.get(name, 1) for each in known), candidate.programs] if are_counted else []
    return list(candidate.constants), programs, [each.milliseconds.get(name, 0.0) for each in known]
