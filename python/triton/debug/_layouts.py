"""Which threads hold the elements of a kernel's tensors, once it is compiled for a GPU."""

import ast
import functools
import os

import numpy as np

from .. import _C
from ..backends.compiler import GPUTarget
from ..compiler.compiler import compile_for
from ..errors import TritonError
from ..runtime._inspection import Launch
from ..runtime.interpreter import places
from ..runtime.interpreter.rewriting import definition_of
from ..runtime.interpreter.values import InterpretedTensor
from ._values import MASK, LaterChildren, Placed, Text, table

_POINTER_BITS = 64
_ELSEWHERE = "the compiled kernel computes nothing of this shape here: it may share the value of another place"


# ---- The places of values ----


@functools.cache
def definition(code):
    return definition_of(code)


def _place(node):
    return node.lineno, node.col_offset + 1


def _assigned_places(statement, name):
    """The places of what a statement assigns to a name."""
    if isinstance(statement, ast.AugAssign):
        is_named = isinstance(statement.target, ast.Name) and statement.target.id == name
        return [_place(statement)] if is_named else []
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    value, found = getattr(statement, "value", None), []
    if value is None:
        return found
    for target in targets:
        if isinstance(target, ast.Name) and target.id == name:
            found.append(_place(value))
        elif isinstance(target, ast.Tuple):
            values = value.elts if isinstance(value, ast.Tuple) else [value] * len(target.elts)
            pairs = zip(target.elts, values, strict=False)
            found += [_place(each) for part, each in pairs if isinstance(part, ast.Name) and part.id == name]
    return found


def places_of_name(frame, name, history):
    """The places where the value of a name may have been computed: the statement that ran last, then others."""
    found = {}
    for statement in places.statements(definition(frame.f_code)):
        for place in _assigned_places(statement, name):
            found.setdefault(places.first_line(statement), []).append(place)
    file = frame.f_code.co_filename
    last = next((line for _, of, line in reversed(history) if of == file and line in found), None)
    latest = [found.pop(last)] if last is not None else []
    return [*latest, [place for each in found.values() for place in each]]


# ---- The layouts of places ----


class LaunchLayouts:
    """Those of one launch of a kernel, which is compiled when they are first asked for."""

    def __init__(self, kernel, args, options, machine):
        self.kernel, self.args, self.options, self.machine = kernel, args, options, machine

    @functools.cached_property
    def _by_place(self):
        machine = self.machine
        # For the simulator, because that needs no assembler of the GPU's vendor.
        target = GPUTarget(f"sim:{machine.backend}", machine.arch, machine.lanes)
        source = Launch(self.kernel, self.args, self.options, target).source
        options = {name: value for name, value in self.options.items() if name not in self.kernel.arg_names}
        found = {}
        for file, line, column, layout in _C.placed_layouts(compile_for(target, source, options).asm["ttgir"]):
            shape, bits, encoding = layout[:3]
            of_place = found.setdefault((os.path.abspath(file), line, column, tuple(shape), bits), {})
            of_place[encoding] = layout[3:]
        return found

    def at(self, code, choices, value):
        """{encoding: (in words, layout)} for a tensor, by the first of the choices of places that has some."""
        bits = _POINTER_BITS if value.dtype.is_ptr() else value.dtype.primitive_bitwidth
        file = os.path.abspath(code.co_filename)
        for choice in choices:
            found = {}
            for place in choice:
                found.update(self._by_place.get((file, *place, value.shape, bits), {}))
            if found:
                return found
        return {}


def _holders(layout, shape):
    """({input: its number} and {dimension: number}) of each place that can hold an element."""
    sizes = {name: 1 << len(bases) for name, bases in layout.bases}
    numbers = dict(zip(sizes, np.indices(list(sizes.values())).reshape(len(sizes), -1), strict=True))
    coordinates = np.zeros((len(shape), numbers[next(iter(sizes))].size), np.int64)
    for name, bases in layout.bases:
        for bit, basis in enumerate(bases):
            coordinates ^= np.outer(basis, numbers[name] >> bit & 1)
    return numbers, np.ravel_multi_index(coordinates, shape)


def _grid(layout, shape):
    """Warp, lane and register of each element, as `tritonc layout` writes them."""
    numbers, elements = _holders(layout, shape)
    if "lane" not in numbers:
        return Text("in shared memory")
    order = np.lexsort((numbers["register"], numbers["lane"], numbers["warp"], numbers["block"]))
    held, first, counts = np.unique(elements[order], return_index=True, return_counts=True)
    of_element = {
        int(element): (order[index], count) for element, index, count in zip(held, first, counts, strict=True)
    }

    def cell(element):
        if element not in of_element:
            return "-"
        place, count = of_element[element]
        text = ":".join(str(int(numbers[name][place])) for name in ("warp", "lane", "register"))
        block = int(numbers["block"][place])
        return f"{block}:" * bool(block) + text + (f"+{count - 1}" if count > 1 else "")

    return Text(table(shape, cell))


def _ranges(numbers):
    """Numbers in order as a text: 0 to 3, 7."""
    parts = np.split(numbers, np.flatnonzero(np.diff(numbers) != 1) + 1)
    return ", ".join(f"{part[0]}" if len(part) == 1 else f"{part[0]} to {part[-1]}" for part in parts)


def _idle_lanes(layout, mask):
    """The lanes of which a mask switches all elements off."""
    numbers, elements = _holders(layout, mask.shape)
    threads = numbers["warp"] << 16 | numbers["lane"]
    idle = np.setdiff1d(threads, threads[mask.reshape(-1)[elements]])
    of_lanes = {}
    for warp in np.unique(idle >> 16):
        of_lanes.setdefault(_ranges(idle[idle >> 16 == warp] & 0xFFFF), []).append(int(warp))
    parts = [f"lanes {lanes} of warps {_ranges(np.array(warps))}" for lanes, warps in of_lanes.items()]
    return Text("; ".join(parts) or "none")


def _described(found, value):
    mask = value.handle.attr.get(MASK)
    if mask is None and value.dtype.is_bool():
        mask = value.data != 0
    parts = []
    for encoding, (words, layout) in found.items():
        of_layout = [("warp:lane:register", functools.partial(_grid, layout, value.shape))]
        if mask is not None and "lane" in dict(layout.bases):
            of_layout.append(("lanes that are masked off", functools.partial(_idle_lanes, layout, mask)))
        parts.append((encoding, LaterChildren("; ".join(words), functools.partial(_each, of_layout))))
    return parts


def _each(parts):
    return [(name, make()) for name, make in parts]


def placed(value, code, choices, layouts):
    """The value with the layouts that it has in the compiled kernel, if it is a tensor with a shape. In Gluon,
    the kernel itself says which one it has."""
    if not isinstance(value, InterpretedTensor) or not value.shape or layouts is None:
        return value
    if hasattr(value, "linear") and (own := value.linear()) is not None:
        found = {type(value.layout).__name__: ([repr(value.layout)], own)}
        return Placed(value, LaterChildren("in its layout", lambda: _described(found, value)))

    def named():
        try:
            found = layouts.at(code, choices(), value)
        except (TritonError, ValueError, TypeError, RuntimeError) as error:
            return [("unknown", Text(f"the kernel does not compile for this GPU: {error}"))]
        return _described(found, value) or [("unknown", Text(_ELSEWHERE))]

    return Placed(value, LaterChildren(f"on {layouts.machine.name}", named))
