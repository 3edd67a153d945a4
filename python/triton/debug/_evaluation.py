"""Expressions that a user writes, with the values of a frame."""

import ast
import os

import numpy as np

from ..language.dtypes import pointer_type
from ..runtime.interpreter import formats
from ..runtime.interpreter.buffers import Elements
from ..runtime.interpreter.rewriting import rewrite_expression
from ..runtime.interpreter.values import InterpretedTensor, describe, make, plain
from ._messages import RequestError
from ._values import Children, Text, part_of, shown

_MOST_WRITERS = 100


class Slicer(ast.NodeTransformer):
    """Lets tensors be indexed as NumPy's arrays are."""

    def visit_Subscript(self, node):
        self.generic_visit(node)
        part = ast.Name("__part__", ast.Load())
        index = node.slice
        if isinstance(index, ast.Slice) or isinstance(index, ast.Tuple):
            index = self._index(index)
        return ast.copy_location(ast.Call(part, [node.value, index], []), node)

    def _index(self, index):
        if isinstance(index, ast.Tuple):
            return ast.Tuple([self._index(each) for each in index.elts], ast.Load())
        if isinstance(index, ast.Slice):
            bounds = [bound or ast.Constant(None) for bound in (index.lower, index.upper, index.step)]
            return ast.Call(ast.Name("slice", ast.Load()), bounds, [])
        return index


def _index_of(index):
    index = plain(index)
    if isinstance(index, tuple):
        return tuple(map(_index_of, index))
    if isinstance(index, slice):
        return slice(*(None if bound is None else int(plain(bound)) for bound in (index.start, index.stop, index.step)))
    return int(index) if isinstance(index, InterpretedTensor) else index


def _part(value, index):
    value = plain(value)
    index = _index_of(index) if isinstance(value, (InterpretedTensor, np.ndarray, tuple, list)) else index
    if isinstance(value, InterpretedTensor) and hasattr(value, "handle"):
        return part_of(value, index)
    return value[index]


def _text_of_write(found, element, size, memory):
    """What a user reads of the last write to an element of a type, which ``found`` is."""
    if found is None and memory.has_forgotten:
        return Text("nobody of whom it is known: the first writes of this launch are too many to be kept")
    if found is None:
        return Text("nobody in this launch")
    write, index = found
    value = write.values[index : index + 1]
    if write.size == size:
        value = shown(make(formats.decode(value, element).reshape(()), element), memory).text
    step = f", step {write.step}" if write.step else ""
    file = os.path.basename(write.file)
    return Text(f"`{file}`:{write.line} in program {write.program}{step}: {value}")


def _last_write(memory):
    """The function ``last_write(pointer)``."""

    def last_write(pointer):
        pointer = plain(pointer)
        if isinstance(pointer, Elements):
            pointer = make(pointer.addresses.reshape(-1), pointer_type(pointer.dtype))
        if not isinstance(pointer, InterpretedTensor) or not pointer.dtype.is_ptr():
            raise TypeError(f"`last_write` takes a pointer, a block of them, or a buffer, not {describe(pointer)}")
        element = pointer.dtype.element_ty
        size = formats.storage_type(element).itemsize
        addresses = [int(each) for each in pointer.data.reshape(-1)[:_MOST_WRITERS]]
        texts = [_text_of_write(memory.last_write(each, size), element, size, memory) for each in addresses]
        if not pointer.shape:
            return texts[0]
        return Children(zip([memory.name_of(each, size) for each in addresses], texts, strict=True))

    return last_write


def evaluate(text, frame, builder, is_kernel=True):
    """The value of an expression in a frame; of one in a kernel with the meaning that it has in kernels. What it stores
    is undone."""
    scope = {**frame.f_globals, **frame.f_locals}
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError) as error:
        raise RequestError(f"`{text}` is not an expression: {error}") from None
    mark = builder.memory.mark()
    try:
        if not is_kernel:
            return eval(compile(tree, "<expression>", "eval"), scope)
        tree = rewrite_expression(tree, scope)
        scope.setdefault("last_write", _last_write(builder.memory))
        scope["__part__"] = _part
        code = compile(ast.fix_missing_locations(Slicer().visit(tree)), "<expression>", "eval")
        with builder.running(), builder.aside():
            return eval(code, scope)
    except (Exception, SystemExit, KeyboardInterrupt) as error:  # an expression ends no thread of the debugger
        raise RequestError(f"{type(error).__name__}: {error}") from None
    finally:
        builder.memory.undo_to(mark)
