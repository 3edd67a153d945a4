#!/usr/bin/env python3
"""Draws docs/shapes: what functions that change shapes do to the elements of small blocks.

docs/builtins.md shows the picture of a function that has one. check_generated_docs.py fails when one is out of date.
"""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs/shapes"
CELL, GAP, MARGIN = 28, 26, 8


def block(shape, first=0, step=1):
    """The elements of a block in row-major order, as nested lists."""
    if not shape:
        return first
    inner = step
    for extent in shape[1:]:
        inner *= extent
    return [block(shape[1:], first + index * inner, step) for index in range(shape[0])]


def shape_of(value):
    return [len(value), *shape_of(value[0])] if isinstance(value, list) else []


def planes_of(value):
    """The block as a list of lists of rows."""
    rank = len(shape_of(value))
    return {0: [[[value]]], 1: [[value]], 2: [value]}.get(rank, value)


# Each is a row of blocks and, as texts, of what stands between them.
WIDE, SQUARE = block([2, 4]), block([2, 2])
ROW, NEXT = block([4]), block([4], 4)
PICTURES = {
    "trans": [WIDE, "trans", [list(column) for column in zip(*WIDE, strict=True)]],
    "reshape": [block([8]), "reshape", WIDE],
    "permute": [block([1, 2, 4]), "permute 2, 0, 1", [[[column, column + 4]] for column in range(4)]],
    "join": [ROW, ",", NEXT, "join", [[a, b] for a, b in zip(ROW, NEXT, strict=True)]],
    "split": [block([4, 2]), "split", [0, 2, 4, 6], ",", [1, 3, 5, 7]],
    "cat": [ROW, ",", NEXT, "cat", ROW + NEXT],
    "interleave": [ROW, ",", NEXT, "interleave", [0, 4, 1, 5, 2, 6, 3, 7]],
    "broadcast": [SQUARE, ",", [[4], [5]], "broadcast", SQUARE, ",", [[4, 4], [5, 5]]],
    "broadcast_to": [[ROW], "broadcast_to", [ROW, ROW]],
    "expand_dims": [ROW, "expand_dims 1", [[each] for each in ROW]],
    "flip": [ROW, "flip", ROW[::-1]],
    "reduce": [WIDE, "reduce 1, add", [sum(row) for row in WIDE]],
    "gather": [ROW, "gather 3, 2, 0, 0", [3, 2, 0, 0]],
}
RESULTS_OF_SUMS = {"reduce"}


class Picture:
    def __init__(self):
        self.parts = []
        self.x = MARGIN
        self.bottom = 0

    def text(self, x, y, text, anchor="middle"):
        self.parts.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}">{text}</text>')

    def add_block(self, value, is_plain):
        planes = planes_of(value)
        width, y = max(len(row) for plane in planes for row in plane) * CELL, MARGIN
        for plane in planes:
            for row in plane:
                for column, element in enumerate(row):
                    color = "#eee" if is_plain else f"hsl({element * 45 % 360}, 65%, 80%)"
                    x = self.x + column * CELL
                    self.parts.append(f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{color}"/>')
                    self.text(x + CELL // 2, y + CELL // 2 + 5, element)
                y += CELL
            y += CELL // 4
        label = str(shape_of(value))
        needed = max(width, 8 * len(label))
        self.text(
            self.x + width // 2 if needed == width else self.x, y + 12, label, "middle" if needed == width else "start"
        )
        self.x += needed
        self.bottom = max(self.bottom, y + 12)

    def add_between(self, text):
        if text == ",":
            self.x += GAP
            return
        width = max(48, 8 * len(text) + 16)
        y = MARGIN + CELL
        self.text(self.x + GAP // 2 + width // 2, y - 6, text)
        begin, end = self.x + GAP // 2, self.x + GAP // 2 + width
        self.parts.append(f'<path d="M{begin} {y}H{end}m-6 -5l6 5l-6 5" fill="none"/>')
        self.x += width + GAP

    def svg(self):
        head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.x + MARGIN}" height="{self.bottom + MARGIN}" '
        style = 'font-family="sans-serif" font-size="13" fill="#333" stroke-width="1">\n'
        page = '<style>rect, path { stroke: #555; } text { stroke: none; }</style>\n<rect width="100%" height="100%" '
        return head + style + page + 'style="fill: white; stroke: none"/>\n' + "\n".join(self.parts) + "\n</svg>\n"


def documents():
    """Path and content of each picture."""
    contents = {}
    for name, row in PICTURES.items():
        picture = Picture()
        for index, part in enumerate(row):
            if isinstance(part, str):
                picture.add_between(part)
            else:
                picture.add_block(part, is_plain=name in RESULTS_OF_SUMS and index == len(row) - 1)
        contents[FOLDER / f"{name}.svg"] = picture.svg()
    return contents


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for path, content in documents().items():
        path.write_text(content, encoding="utf-8")
