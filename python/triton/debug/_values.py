"""Values of kernels as a debugger shows them: tensors with their shape, type, extremes and elements."""

import functools
import inspect
import math

import numpy as np

from ..runtime.interpreter import formats
from ..runtime.interpreter.accesses import BlockPointer, InterpretedDescriptor
from ..runtime.interpreter.buffers import Elements
from ..runtime.interpreter.execution import InterpreterBuilder
from ..runtime.interpreter.values import InterpretedTensor, describe, make, plain

#: The entry of a tensor's attributes with which of its elements a mask let a load read.
MASK = "debugger's mask"
#: Of the values between operations, those that are shown: no functions, modules and numbers of Python.
SHOWN_BETWEEN = (InterpretedTensor, BlockPointer, InterpretedDescriptor, Elements)
_LONGEST = 300
#: Of a larger grid, only this many rows and columns at each end are shown.
_GRID_ELEMENTS, _GRID_EDGE, _GRID_WIDTH, _GRID_DIGITS = 4096, 8, 160, 6
_MOST_ELEMENTS = 8


class Children:
    """What a value consists of: parts with names, and ``count`` parts with numbers, which ``item`` makes."""

    def __init__(self, named=(), count=0, item=None):
        self.named, self.count, self._item = list(named), count, item

    def items(self, start, count):
        end = self.count if not count else min(self.count, start + count)
        return [(f"[{index}]", self._item(index)) for index in range(start, end)]


class LaterChildren(Children):
    """Parts with names that are made when a user wants to see them. ``text`` stands beside them before."""

    def __init__(self, text, make):
        self.text, self._make, self.count = text, make, 0

    @functools.cached_property
    def named(self):
        return self._make()


class Placed:
    """A tensor, with parts that say where a compiled kernel has it."""

    def __init__(self, value, threads):
        self.value, self.threads = value, threads


class Text(str):
    """A text that is shown as it is, without quotes."""


class Later:
    """A value that is made when it is shown."""

    def __init__(self, make):
        self.make = make


class Shown:
    def __init__(self, text, type_="", children=None):
        self.text, self.type, self.children = text, type_, children


def shown(value, memory):
    """A value as it is shown; of the program's side, also what Python has."""
    value = value.make() if isinstance(value, Later) else plain(value)
    if isinstance(value, Text):
        return Shown(str(value))
    if isinstance(value, Placed):
        found = shown(value.value, memory)
        found.children.named.insert(1, ("threads", value.threads))
        return found
    if isinstance(value, LaterChildren):
        return Shown(value.text, "", value)
    if isinstance(value, BlockPointer):
        return _shown_block_pointer(value, memory)
    if isinstance(value, InterpretedTensor):
        return _Tensor(value, memory).shown()
    if isinstance(value, InterpretedDescriptor):
        return _shown_descriptor(value, memory)
    if isinstance(value, Elements):
        return _shown_buffer(value, memory)
    return _shown_object(value, memory)


def _text_of_sequence(value, memory):
    """The elements if they are few and have no parts, otherwise how many there are."""
    parts = [shown(each, memory) for each in value[:_MOST_ELEMENTS]]
    if len(value) > len(parts) or any(part.children for part in parts):
        return f"{type(value).__name__} of {len(value)}"
    return f"({', '.join(part.text for part in parts)})"


def _shown_object(value, memory):
    kind = type(value).__name__
    if isinstance(value, Children):
        return Shown("", "", value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        parts = Children(zip(value._fields, value, strict=True))
        return Shown(f"{kind} of {len(value)}", kind, parts)
    if isinstance(value, (tuple, list)):
        return Shown(_text_of_sequence(value, memory), kind, Children((), len(value), value.__getitem__))
    if isinstance(value, dict):
        return Shown(f"{kind} of {len(value)}", kind, Children([(repr(key), each) for key, each in value.items()]))
    if hasattr(type(value), "__triton_aggregate__"):
        return Shown(kind, kind, Children(vars(value).items()))
    if inspect.isroutine(value) or inspect.isclass(value) or inspect.ismodule(value):
        return Shown(getattr(value, "__name__", kind), kind)
    text = repr(value)
    return Shown(text if len(text) <= _LONGEST else text[:_LONGEST] + "…", kind)


# ---- Tensors ----


def table(shape, cell):
    """Texts of elements, which ``cell`` makes from their numbers, in rows and columns."""
    numbers, cells = np.arange(math.prod(shape)).reshape(shape), {}

    def write(show):
        sizes = dict(max_line_width=_GRID_WIDTH, threshold=_GRID_ELEMENTS, edgeitems=_GRID_EDGE)
        return np.array2string(numbers, separator=" ", formatter={"all": show}, **sizes)

    write(lambda number: cells.setdefault(number, cell(number)))
    width = max(map(len, cells.values()), default=0)
    return write(lambda number: cells[number].rjust(width))


def part_of(value, index):
    """The tensor of some elements, by an index as NumPy takes it, with the mask that belongs to it."""
    mask = value.handle.attr.get(MASK)
    part = make(value.data[index], value.dtype)
    if mask is not None:
        part.handle.attr[MASK] = mask[index]
    return part


def _number_text(number, dtype, digits=9):
    if dtype.is_bool():
        return str(bool(number))
    return f"{float(number):.{digits}g}" if dtype.is_floating() else str(int(number))


class _Tensor:
    def __init__(self, value, memory):
        self.value, self.memory, self.dtype, self.data = value, memory, value.dtype, value.data
        self.mask = value.handle.attr.get(MASK)

    def shown(self):
        children = None
        if self.data.shape:
            children = Children(
                [("grid", Later(lambda: Text(self.grid())))], self.data.shape[0], functools.partial(part_of, self.value)
            )
        elif self.dtype.is_ptr() and (element := self.memory.peek(int(self.data), self.dtype.element_ty)) is not None:
            children = Children([(f"*{self._address(self.data)}", make(element, self.dtype.element_ty))])
        return Shown(self.text(), describe(self.value), children)

    def text(self):
        if self.data.shape == ():
            text = self._address(self.data) if self.dtype.is_ptr() else _number_text(self.data, self.dtype)
            return f"{text}, masked off" if self.mask is not None and not self.mask else text
        parts = [describe(self.value), *self._summary()]
        if self.mask is not None and not self.mask.all():
            parts.append(f"{int(self.mask.size - self.mask.sum())} masked off")
        return ", ".join(parts)

    def _size(self):
        return formats.storage_type(self.dtype.element_ty).itemsize

    def _address(self, address):
        return self.memory.name_of(int(address), self._size())

    def _summary(self):
        is_read = self.mask is not None and self.mask.any()
        data = self.data[self.mask] if is_read else self.data
        if self.dtype.is_ptr():
            return [self.memory.ranges_of(data.reshape(-1), self._size())]
        if self.dtype.is_bool():
            return [f"{int(np.count_nonzero(data))} of {data.size} true"]
        finite = data[np.isfinite(data)] if self.dtype.is_floating() else data
        parts = []
        if finite.size:
            least, largest = (_number_text(end(finite), self.dtype) for end in (np.min, np.max))
            parts.append(f"all {least}" if least == largest else f"{least} to {largest}")
        if self.dtype.is_floating():
            for name, count in (("NaN", np.isnan(data).sum()), ("infinite", np.isinf(data).sum())):
                parts += [f"{int(count)} {name}"] if count else []
        return parts

    def _cell(self, number):
        if self.mask is not None and not self.mask.flat[number]:
            return "."
        element = self.data.flat[number]
        if self.dtype.is_ptr():
            return self._address(element)
        if self.dtype.is_bool():
            return "1" if element else "."
        return _number_text(element, self.dtype, _GRID_DIGITS)

    def grid(self):
        """The elements in rows and columns. A dot is an element that a mask switched off, and False."""
        return table(self.data.shape, self._cell)


# ---- What refers to blocks of arrays ----


def _shown_places(value, base, places, parts, memory):
    inside = places[1]
    text = f"block {list(inside.shape)} of {shown(base, memory).text}"
    if not inside.all():
        text += f", {int(inside.sum())} of {inside.size} elements inside"
    return Shown(text, type(value).__name__, Children([("base", base), *parts]))


def _shown_block_pointer(value, memory):
    parts = [("shape", value._extent), ("strides", value.strides), ("offsets", value.offsets)]
    every = range(len(value.block_shape))
    return _shown_places(value, value.base, value.places(every), parts, memory)


def _shown_descriptor(value, memory):
    handle = value.handle
    parts = [("shape", handle.shape), ("strides", handle.strides), ("block_shape", handle.block_shape)]
    text = f"descriptor of {shown(handle.base, memory).text}, blocks of {list(handle.block_shape)}"
    return Shown(text, "tensor_descriptor", Children([("base", handle.base), *parts]))


def _shown_buffer(value, memory):
    """Several buffers by their number, one with its elements."""
    reader = InterpreterBuilder()
    reader.memory = memory
    with reader.running():
        state, contents = value.state(), value.contents()
    parts = [("layout", Text(value.layout)), ("address", Text(memory.name_of(int(value.addresses.min()), 1)))]
    if state is not None:
        return Shown(state, "barrier", Children(parts))
    if value.counts_buffers():
        children = Children(parts, value.shape[0], value.index)
        return Shown(f"{value.shape[0]} buffers of {value.index(0).describe()}", "buffers", children)
    found = shown(contents, memory)
    found.children.named += parts
    text = found.text.replace(describe(contents), value.describe(), 1)
    return Shown(text, value.describe(), found.children)
