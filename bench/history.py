"""The figures of earlier commits, kept as lines of JSON, and a page that draws them.

history.py HISTORY PAGE     writes PAGE, HTML without scripts, from HISTORY, which bench.py appends to
"""

import json
import os
import sys
from html import escape
from pathlib import Path

WIDTH, HEIGHT, MARGIN = 420, 130, 34

STYLE = """
:root { color-scheme: light dark; --line: #1668b8; --reach: #b36b00; }
@media (prefers-color-scheme: dark) { :root { --line: #6db3f2; --reach: #e0a24a; } }
body { font: 15px/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 27rem), 1fr)); gap: 1.5rem; }
figure { margin: 0; } figcaption { font-weight: 600; } svg { width: 100%; height: auto; }
text { font-size: 11px; fill: currentColor; } .axis { fill: none; stroke: currentColor; opacity: .4; }
.reach { stroke: var(--reach); stroke-dasharray: 4 3; } .line { fill: none; stroke: var(--line); stroke-width: 1.5; }
circle { fill: var(--line); } .missed { fill: var(--reach); }
"""


class BrokenHistory(Exception):
    """A line that is not what `append` writes."""


def append(path, commit, date, figures):
    """Adds the figures of a commit, one line in one write, so that the file never has half of them."""
    line = json.dumps({"commit": commit, "date": date, "figures": figures}) + "\n"
    with open(path, "ab") as file:
        file.write(line.encode())


def read(path):
    """Entries in the order in which they were measured. Raises BrokenHistory with the line's number."""
    entries = []
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        try:
            entry = json.loads(line)
            entry["commit"], entry["date"], [figure["name"] for figure in entry["figures"]]
        except (ValueError, KeyError, TypeError):
            raise BrokenHistory(f"{path}:{number}: this line is not a measurement; delete it to go on") from None
        entries.append(entry)
    return entries


def _points(entries, name):
    """(commit, date, figure) of each entry that has the figure."""
    for entry in entries:
        for figure in entry["figures"]:
            if figure["name"] == name:
                yield entry["commit"], entry["date"], figure


def _measured(figure):
    return figure["value"] if figure["ratio"] is None else figure["ratio"]


def _is_reached(figure):
    relation, bound = figure["reach"].split()
    return _measured(figure) <= float(bound) if relation == "<=" else _measured(figure) >= float(bound)


def _chart(name, points):
    last = points[-1][2]
    bound = float(last["reach"].split()[1])
    unit = last["unit"] if last["ratio"] is None else "times"
    top = 1.1 * max([bound, *(_measured(figure) for _, _, figure in points)]) or 1

    def x(index):
        return MARGIN + (WIDTH - 2 * MARGIN) * (index / (len(points) - 1) if len(points) > 1 else 0.5)

    def y(value):
        return HEIGHT - 20 - (HEIGHT - 30) * value / top

    path = " ".join(f"{x(i):.1f},{y(_measured(figure)):.1f}" for i, (_, _, figure) in enumerate(points))

    def dot(index, commit, date, figure):
        kind = "reached" if _is_reached(figure) else "missed"
        value = f"{_measured(figure):.3g} {unit}, reach {figure['reach']}"
        title = f"<title>{escape(f'{commit}, {date}: {value}')}</title>"
        return f'<circle class="{kind}" cx="{x(index):.1f}" cy="{y(_measured(figure)):.1f}" r="3">{title}</circle>'

    dots = "".join(dot(index, *point) for index, point in enumerate(points))
    bottom, right = HEIGHT - 20, WIDTH - MARGIN
    caption = f"{name}: {_measured(last):.3g} {unit}, reach {last['reach']}"
    return (
        f"<figure><figcaption>{escape(caption)}</figcaption>"
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(name)} over commits">'
        f'<path class="axis" d="M{MARGIN},8V{bottom}H{right}"/>'
        f'<text x="2" y="14">{top:.3g}</text><text x="2" y="{bottom}">0</text>'
        f'<path class="reach" d="M{MARGIN},{y(bound):.1f}H{right}"/><polyline class="line" points="{path}"/>{dots}'
        f'<text x="{MARGIN}" y="{HEIGHT - 6}">{escape(points[0][0])}</text>'
        f'<text x="{right}" y="{HEIGHT - 6}" text-anchor="end">{escape(points[-1][0])}</text></svg></figure>'
    )


def page(entries):
    """HTML with a chart for each figure. The dashed line is what the figure is to reach."""
    names = dict.fromkeys(figure["name"] for entry in entries for figure in entry["figures"])
    charts = "".join(_chart(name, list(_points(entries, name))) for name in names)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>Nereid's figures</title><style>{STYLE}</style><h1>Nereid's figures over commits</h1>"
        "<p>Point at a measurement for its commit and value; the dashed line is what is to be reached.</p>"
        f"<main>{charts}</main></html>\n"
    )


def write_page(history, target):
    """Writes the page whole or not at all."""
    temporary = f"{target}.{os.getpid()}.tmp"
    Path(temporary).write_text(page(read(history)))
    os.replace(temporary, target)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        write_page(*sys.argv[1:])
    except (BrokenHistory, OSError) as error:
        sys.exit(f"error: {error}")
