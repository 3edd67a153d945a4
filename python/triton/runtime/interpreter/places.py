"""Where interpreted kernels are: their frames, the places in their source, and their statements."""

import ast
import functools

from .rewriting import KERNEL_FILES


@functools.cache
def _positions(code):
    return list(code.co_positions())


def place_of(frame, is_kernel):
    """(file, line, column, where it ends) of the nearest frame whose code ``is_kernel``, or None. Columns count from 1;
    0 is unknown."""
    while frame is not None and not is_kernel(frame.f_code):
        frame = frame.f_back
    if frame is None:
        return None
    column = end = None
    if hasattr(frame.f_code, "co_positions"):
        _, last, column, end = _positions(frame.f_code)[frame.f_lasti // 2]
        end = end if last == frame.f_lineno else None
    return frame.f_code.co_filename, frame.f_lineno, 0 if column is None else column + 1, 0 if end is None else end + 1


def is_kernel(code):
    return code.co_filename in KERNEL_FILES and code.co_name.isidentifier()


def statements(definition):
    """The statements in a function's syntax tree, less its docstring."""
    for node in ast.walk(definition):
        if not isinstance(node, ast.stmt) or isinstance(node, ast.FunctionDef):
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):  # a docstring
            continue
        yield node


def first_line(statement):
    """The line at which Python says that the statement runs."""
    return statement.test.lineno if isinstance(statement, (ast.If, ast.While)) else statement.lineno


def last_line(statement):
    """The last line of a statement, or of its head if statements follow in it."""
    if isinstance(statement, (ast.If, ast.While)):
        return statement.test.end_lineno
    if isinstance(statement, ast.For):
        return statement.iter.end_lineno
    return statement.lineno if hasattr(statement, "body") else statement.end_lineno


def lines_of_statements(definition):
    """The first line of the statement, by each line in which a part of it stands."""
    lines = {}
    for statement in statements(definition):
        first = first_line(statement)
        for line in range(first, last_line(statement) + 1):
            lines.setdefault(line, first)
    return lines
