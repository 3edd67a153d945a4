"""How far the values of each place in the source are from their shadows, as a text."""

from collections import defaultdict


def _units(exponent):
    return "exact" if exponent is None else f"1/{2**-exponent}" if exponent < 0 else str(2**exponent)


def report_lines(errors, other="float64"):
    """``errors`` is {(file, line, column, what, exponent of two or None): number of values}."""
    places = defaultdict(dict)
    for (*place, exponent), count in errors.items():
        if count:
            places[tuple(place)][exponent] = count
    if places:
        yield f"values by their distance from {other}, in units in the last place, rounded up to a power of two"
    for (file, line, column, what), counts in sorted(places.items()):
        ordered = sorted(counts.items(), key=lambda item: (item[0] is not None, item[0] or 0))
        yield f"{file}:{line}:{column} {what}: " + ", ".join(f"{_units(key)}: {count}" for key, count in ordered)


def write_report(errors, path):
    with open(path, "w") as file:
        file.writelines(f"{line}\n" for line in report_lines(errors))
