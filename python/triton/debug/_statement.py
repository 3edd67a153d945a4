"""The values between the operations of a statement, which have no names."""

import ast

from ..runtime.interpreter import places
from ._layouts import definition

#: Calls in the head of a loop, whose result nobody names.
_COUNTING = ("range", "static_range")
_OPERATIONS = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.Call, ast.Subscript, ast.IfExp)
#: What has names of its own, so that its parts have no values outside of it.
_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _statement_at(frame):
    for statement in places.statements(definition(frame.f_code)):
        if places.first_line(statement) <= frame.f_lineno <= places.last_line(statement):
            return statement
    return None


def _is_counting(node):
    name = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
    return name in _COUNTING


def _operations(node):
    """The operations of an expression, in the order in which they run."""
    if isinstance(node, _SCOPES):
        return
    for child in ast.iter_child_nodes(node):
        yield from _operations(child)
    if isinstance(node, _OPERATIONS):
        yield node


def _heads(statement):
    """(expression, whether it is an operation whose value somebody may want)."""
    if isinstance(statement, ast.AugAssign):
        target = ast.copy_location(ast.Name(getattr(statement.target, "id", "_"), ast.Load()), statement.target)
        yield statement.value, True
        yield ast.copy_location(ast.BinOp(target, statement.op, statement.value), statement), True
    elif isinstance(statement, ast.For):
        yield statement.iter, not (isinstance(statement.iter, ast.Call) and _is_counting(statement.iter))
    else:
        for name in ("value", "test"):
            if (node := getattr(statement, name, None)) is not None:
                yield node, not (isinstance(statement, ast.Expr) and isinstance(node, ast.Call))


def operations_at(frame):
    """(text, place) of the operations in the statement that a frame is at. A call for the sake of what it does, such as
    `tl.store`, is not among them, but what it is given."""
    found, statement = {}, _statement_at(frame)
    for head, is_value in () if statement is None else _heads(statement):
        for node in _operations(head):
            if node is not head or is_value:
                found.setdefault(ast.unparse(node), (node.lineno, node.col_offset + 1))
    return list(found.items())
