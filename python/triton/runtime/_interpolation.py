"""Choices of tuned kernels for sizes between those that were measured.

The time of each configuration at a new size is estimated from its times at the sizes nearby: by a plane through their
logarithms, in which near ones weigh more. Kernels pad sizes to powers of two, and take wider accesses where sizes are
multiples of 16, so that times jump there: sizes that are alike in this count as nearer.
"""

import math
from collections import namedtuple

Measured = namedtuple("Measured", ["configuration", "milliseconds"])
Measured.__doc__ = """What tuning has found for a key: the text of the configuration that was chosen, and {text of a
configuration: its time}, which is empty where the choice alone is known."""

Estimate = namedtuple("Estimate", ["configuration", "keys"])
Estimate.__doc__ = "The text of the configuration that should be the fastest, and from how many keys that follows."

_NEIGHBOURS = 8  # for each size of the key
_PADDING, _ALIGNMENT = 0.5, 0.25  # how many octaves sizes count as farther apart that differ in one of these by one
_FLATTENING = 0.02  # keeps the plane level where few keys are near


def interpolate(measured, key, names):
    """The `Estimate` for a key, of those configurations whose texts are among ``names``; None if the key does not lie
    between keys of ``measured``, {key: Measured}, that differ from it in sizes alone."""
    places = [place for place, part in enumerate(key) if _is_size(part)]
    alike = [other for other in measured if _is_alike(key, other)]
    timed = [other for other in alike if measured[other].milliseconds]
    if not places or not _is_between(key, alike, places):
        return None
    if not _is_between(key, timed, places):
        return _choice_of_the_nearest(_points_near(key, alike, places)[1], measured, names)
    here, points = _points_near(key, timed, places)
    return _fastest(here, points, measured, names) or _choice_of_the_nearest(points, measured, names)


def _is_size(part):
    return type(part) is int and part > 0


def _is_alike(key, other):
    return len(key) == len(other) and all(
        (_is_size(mine) and _is_size(its)) or (type(mine) is type(its) and mine == its)
        for mine, its in zip(key, other, strict=True)
    )


def _is_between(key, others, places):
    return bool(others) and all(
        min(other[place] for other in others) <= key[place] <= max(other[place] for other in others) for place in places
    )


class _Point:
    def __init__(self, key, places):
        self.key = key
        self.sizes = [math.log2(key[place]) for place in places]
        self._kinds = []
        for place in places:
            padded, factor = (key[place] - 1).bit_length(), (key[place] & -key[place]).bit_length() - 1
            self._kinds += [_PADDING * padded, _ALIGNMENT * min(factor, 4)]

    def square_of_distance(self, other):
        return math.dist(self.sizes, other.sizes) ** 2 + math.dist(self._kinds, other._kinds) ** 2


def _points_near(key, others, places):
    """(the point of the key, those of the others that are near, the nearest one first)."""
    here = _Point(key, places)
    points = sorted((_Point(other, places) for other in others), key=here.square_of_distance)
    return here, points[: _NEIGHBOURS * len(places)]


def _choice_of_the_nearest(points, measured, names):
    choices = (measured[point.key].configuration for point in points)
    return next((Estimate(configuration, 1) for configuration in choices if configuration in names), None)


def _fastest(here, points, measured, names):
    """Of the configurations that were measured at all points, but for points where the choice of the nearest one was
    not: it may not fit there, or programs leave it out, and must be compared here."""
    choice = measured[points[0].key].configuration
    if choice in names:
        points = [point for point in points if choice in measured[point.key].milliseconds] or points
    times = [measured[point.key].milliseconds for point in points]
    common = [name for name in times[0] if name in names and all(name in each for each in times)]
    shares = _shares(here, points)
    estimates = {
        name: sum(share * math.log(each[name]) for share, each in zip(shares, times, strict=True)) for name in common
    }
    return Estimate(min(estimates, key=estimates.get), len(points)) if estimates else None


def _shares(here, points):
    """The height of the plane at a place is the sum of the values at the points, each times its share."""
    weights = [1 / (here.square_of_distance(point) + 1e-3) ** 2 for point in points]
    total = sum(weights)
    weights = [weight / total for weight in weights]
    offsets = [[1.0, *(its - mine for its, mine in zip(point.sizes, here.sizes, strict=True))] for point in points]
    number = 1 + len(here.sizes)
    matrix = [[0.0] * number for _ in range(number)]
    for weight, offset in zip(weights, offsets, strict=True):
        for row in range(number):
            for column in range(number):
                matrix[row][column] += weight * offset[row] * offset[column]
    for row in range(1, number):
        matrix[row][row] += _FLATTENING
    factors = _solve(matrix, [1.0] + [0.0] * (number - 1))
    return [
        weight * sum(factor * each for factor, each in zip(factors, offset, strict=True))
        for weight, offset in zip(weights, offsets, strict=True)
    ]


def _solve(matrix, right):
    """The solution of linear equations whose matrix is symmetric and positive."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for number, pivot in enumerate(rows):
        for row in rows[number + 1 :]:
            factor = row[number] / pivot[number]
            for column in range(number, len(row)):
                row[column] -= factor * pivot[column]
    solution = [0.0] * len(rows)
    for number in reversed(range(len(rows))):
        row = rows[number]
        known = sum(row[column] * solution[column] for column in range(number + 1, len(rows)))
        solution[number] = (row[-1] - known) / row[number]
    return solution
