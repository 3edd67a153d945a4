"""Which parts of kernels ran, as text and as a file that lcov, genhtml and services for coverage read."""

from collections import defaultdict

#: The two ways of a condition, and of a mask, with what is to be said if nothing went that way.
WAYS = {
    "if true": "condition that was never true",
    "if false": "condition that was never false",
    "mask true": "mask that was never true",
    "mask false": "mask that was never false",
}
#: Of a place whose launch was not covered to its end: so often may its conditions and masks have gone other ways.
UNKNOWN = "unknown"


def never_lines(coverage):
    """What no launch has done, with its places. Nothing is said of conditions and masks that were not reached, or of
    launches that were not covered to their end."""
    sides, unknown = {}, {key[:3] for key in coverage if key[3] == UNKNOWN}
    for (file, line, column, what), count in coverage.items():
        if what in WAYS:
            sides.setdefault((file, line, column, what.split()[0]), {})[what] = count
    for (file, line, column, _), counts in sorted(sides.items()):
        if any(counts.values()) and (file, line, column) not in unknown:
            for what, count in counts.items():
                if not count:
                    yield f"{WAYS[what]}: {file}:{line}:{column}"


def _records(entries):
    """The lines of one file's section; ``entries`` is {(line, column, what): count}."""
    lines = {line: count for (line, _, what), count in entries.items() if what == "line"}
    ways = {key: count for key, count in entries.items() if key[2] in WAYS}
    places = sorted({(line, column, what.split()[0]) for line, column, what in ways})
    for line, column, kind in places:
        counts = [ways.get((line, column, way), 0) for way in WAYS if way.startswith(kind)]
        for number, count in enumerate(counts):
            block = [place for place in places if place[0] == line].index((line, column, kind))
            yield f"BRDA:{line},{block},{number},{count if any(counts) else '-'}"
    yield f"BRF:{2 * len(places)}"
    yield f"BRH:{sum(count > 0 for count in ways.values())}"
    for line, count in sorted(lines.items()):
        yield f"DA:{line},{count}"
    yield f"LF:{len(lines)}"
    yield f"LH:{sum(count > 0 for count in lines.values())}"


def lcov(coverage):
    """The counts as a tracefile."""
    files = defaultdict(dict)
    for (file, *key), count in coverage.items():
        files[file][tuple(key)] = count
    text = []
    for file, entries in sorted(files.items()):
        text += ["TN:", f"SF:{file}", *_records(entries), "end_of_record"]
    return "".join(line + "\n" for line in text)


def write_lcov(coverage, path):
    with open(path, "w") as file:
        file.write(lcov(coverage))
