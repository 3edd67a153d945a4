"""Kernels as Python functions: the same statements at the same lines, with Python's operators and builtins that mean
something else in kernels replaced by calls.

- ``x = 3`` makes a scalar of the kernel, ``x: tl.constexpr = 3`` a constant.
- ``and``, ``or`` and ``not`` take blocks; chained comparisons join with ``and``.
- ``range`` counts in scalars of the kernel; ``print``, ``min``, ``max`` and ``isinstance`` know tensors.
- ``assert`` is ``tl.device_assert``.
"""

import ast
import builtins
import inspect
import textwrap
import types

from ...language import dtypes
from ...language.constants import constexpr
from ...language.types import tensor_descriptor
from . import formats
from .debugging import device_assert, device_print
from .elementwise import maximum, minimum
from .operators import logical, negated
from .registry import by_launch
from .values import InterpretedTensor, constant, describe, is_number, make, natural_type, plain, promote, to_tensor

_SUPPORT = "__triton_interpreter__"
# The files of the kernels that were rewritten: where the places in messages are.
KERNEL_FILES = set()
_maximum, _minimum = by_launch("maximum")(maximum), by_launch("minimum")(minimum)


def runtime_range(start, end=None, step=1):
    """``range`` of a kernel: gives scalars of the type that its bounds have in common."""
    start, end = (0, start) if end is None else (start, end)
    bounds = [to_tensor(bound) for bound in (start, end, step)]
    for bound in bounds:
        if bound.shape or not bound.dtype.is_int():
            raise TypeError(f"the bounds of a range are integer scalars, not {describe(bound)}")
    dtype = bounds[0].dtype
    for bound in bounds[1:]:
        dtype = promote(constant(0, dtype), constant(0, bound.dtype), 0, "range")[0].dtype
    dtype = dtypes.int32 if dtype.is_bool() else dtype
    low, high, by = (int(constant(int(bound), dtype)) for bound in bounds)
    if by == 0:
        raise ValueError("the step of a range is zero")
    compute = formats.compute_type(dtype).type
    for index in range(low, high, by):
        yield make(compute(index), dtype)


class Support:
    """What rewritten kernels call."""

    range = staticmethod(runtime_range)
    negated = staticmethod(negated)
    device_assert = staticmethod(device_assert)

    @staticmethod
    def assigned(value):
        """What a name gets in an assignment: numbers become scalars of the kernel, also inside of tuples."""
        value = plain(value)
        if is_number(value):
            return constant(value, natural_type(value))
        if type(value) in (tuple, list):
            return type(value)(map(Support.assigned, value))
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*map(Support.assigned, value))
        return value

    @staticmethod
    def both(left, right):
        """``left and right``; the right side is a function, which is not called if the left one is a false constant."""
        left = plain(left)
        if hasattr(type(left), "__triton_aggregate__"):
            return left.logical_and(right())
        if not isinstance(left, InterpretedTensor):
            return left and right()
        right = plain(right())
        return logical("and", left, right) if _is_numeric(right) else left and right

    @staticmethod
    def either(left, right):
        left = plain(left)
        if hasattr(type(left), "__triton_aggregate__"):
            return left.logical_or(right())
        if not isinstance(left, InterpretedTensor):
            return left or right()
        right = plain(right())
        return logical("or", left, right) if _is_numeric(right) else left or right

    @staticmethod
    def print(*values, **keywords):
        if values and isinstance(plain(values[0]), str) and not keywords and all(map(_is_numeric, values[1:])):
            device_print(plain(values[0]), *values[1:])
        else:
            print(*values, **keywords)

    @staticmethod
    def min(*values, **keywords):
        return Support._extremum(builtins.min, _minimum, values, keywords)

    @staticmethod
    def max(*values, **keywords):
        return Support._extremum(builtins.max, _maximum, values, keywords)

    @staticmethod
    def _extremum(of_constants, of_tensors, values, keywords):
        values = values[0] if len(values) == 1 else values
        values = [plain(value) for value in values]
        if keywords or not any(isinstance(value, InterpretedTensor) for value in values):
            return of_constants(values, **keywords)
        result = values[0]
        for value in values[1:]:
            is_constant = not any(isinstance(side, InterpretedTensor) for side in (result, value))
            result = of_constants(result, value) if is_constant else of_tensors(result, value)
        return result

    @staticmethod
    def isinstance(value, kinds):
        """Constants are unwrapped here, but ``tl.constexpr`` for kernels; lists are tuples."""
        kinds = kinds if isinstance(kinds, tuple) else (kinds,)
        runtime = (InterpretedTensor, tensor_descriptor, tuple, list)
        if constexpr in kinds and not isinstance(value, runtime):
            return True
        return isinstance(plain(value), kinds) or isinstance(value, list) and tuple in kinds


def _is_numeric(value):
    return isinstance(plain(value), InterpretedTensor) or is_number(plain(value))


def _is_constexpr(annotation):
    if isinstance(annotation, ast.Attribute):
        return annotation.attr == "constexpr"
    if isinstance(annotation, ast.Constant):
        return str(annotation.value).endswith("constexpr")
    return isinstance(annotation, ast.Name) and annotation.id == "constexpr"


class _Rewriter(ast.NodeTransformer):
    """Replaces what kernels mean differently from Python. ``hidden`` are names that are not Python's builtins here."""

    _BUILTINS = ("range", "print", "min", "max", "isinstance")

    def __init__(self, hidden):
        self.hidden, self.declared = hidden, set()

    @staticmethod
    def _support(name, node):
        support = ast.copy_location(ast.Name(_SUPPORT, ast.Load()), node)
        return ast.copy_location(ast.Attribute(support, name, ast.Load()), node)

    def _call(self, name, node, *args):
        return ast.copy_location(ast.Call(self._support(name, node), list(args), []), node)

    def _assigned(self, target, value):
        """The value for a target: unchanged where that is a constant of the kernel or no name."""
        if isinstance(target, (ast.Attribute, ast.Subscript)):
            return value
        if isinstance(target, ast.Name) and target.id in self.declared:
            return value
        return self._call("assigned", value, value)

    def visit_Assign(self, node):
        self.generic_visit(node)
        node.value = self._assigned(node.targets[0], node.value)
        return node

    def visit_AugAssign(self, node):
        if not isinstance(node.target, ast.Name):
            return self.generic_visit(node)
        before = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        result = ast.copy_location(ast.BinOp(before, node.op, self.visit(node.value)), node)
        return ast.copy_location(ast.Assign([node.target], self._assigned(node.target, result)), node)

    def visit_AnnAssign(self, node):
        value = self.visit(node.value) if node.value is not None else None
        if _is_constexpr(node.annotation):
            if isinstance(node.target, ast.Name):
                self.declared.add(node.target.id)
            if value is None:
                return ast.copy_location(ast.Pass(), node)
            return ast.copy_location(ast.Assign([node.target], value), node)
        if value is None:
            return node
        return ast.copy_location(ast.Assign([node.target], self._assigned(node.target, value)), node)

    def visit_NamedExpr(self, node):
        self.generic_visit(node)
        node.value = self._assigned(node.target, node.value)
        return node

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        # A name that an operand assigns would be the lambda's own.
        if any(isinstance(part, ast.NamedExpr) for value in node.values for part in ast.walk(value)):
            return node
        result = node.values[-1]
        for value in reversed(node.values[:-1]):
            empty = ast.arguments([], [], None, [], [], None, [])
            later = ast.copy_location(ast.Lambda(empty, result), result)
            result = self._call("both" if isinstance(node.op, ast.And) else "either", node, value, later)
        return result

    def visit_Compare(self, node):
        if len(node.ops) == 1:
            return self.generic_visit(node)
        # a < b < c as (a < (x := b)) and (x < c)
        left, parts = node.left, []
        for number, (op, right) in enumerate(zip(node.ops, node.comparators, strict=True)):
            shared, again = right, right
            if number + 1 < len(node.ops) and not isinstance(right, (ast.Name, ast.Constant)):
                name = f"{_SUPPORT}{node.lineno}_{node.col_offset}_{number}"
                shared = ast.copy_location(ast.NamedExpr(ast.Name(name, ast.Store()), right), right)
                again = ast.copy_location(ast.Name(name, ast.Load()), right)
            parts.append(ast.copy_location(ast.Compare(left, [op], [shared]), node))
            left = again
        return self.visit(ast.copy_location(ast.BoolOp(ast.And(), parts), node))

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return self._call("negated", node, node.operand) if isinstance(node.op, ast.Not) else node

    def visit_Assert(self, node):
        self.generic_visit(node)
        message = node.msg or ast.copy_location(ast.Constant(""), node)
        return ast.copy_location(ast.Expr(self._call("device_assert", node, node.test, message)), node)

    def visit_comprehension(self, node):
        """A comprehension runs when the kernel is compiled: its ``range`` counts in numbers."""
        saved, self.hidden = self.hidden, self.hidden | {"range"}
        self.generic_visit(node)
        self.hidden = saved
        return node

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load) and node.id in self._BUILTINS and node.id not in self.hidden:
            return self._support(node.id, node)
        return node


def _local_names(tree):
    return {part.id for part in ast.walk(tree) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)} | {
        part.arg for part in ast.walk(tree) if isinstance(part, ast.arg)
    }


def definition_of(function):
    """The function's syntax tree, without decorators, at its place in its file."""
    lines, first = inspect.getsourcelines(function)
    text = "".join(lines)
    dedented = textwrap.dedent(text)
    tree = ast.parse(dedented).body[0]
    indent = len(lines[0]) - len(lines[0].lstrip()) if dedented != text else 0
    for node in ast.walk(tree):
        if hasattr(node, "col_offset"):
            node.col_offset += indent
            node.end_col_offset += indent
    ast.increment_lineno(tree, max(first, 1) - 1)
    tree.decorator_list = []
    return _without_annotations(tree)


def _without_annotations(tree):
    """Annotations and defaults of parameters were evaluated when the kernel was defined."""
    tree.returns = None
    arguments = tree.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
        if argument is not None:
            argument.annotation = None
    return tree


def _code_of(module, name, filename):
    """The code of the function ``name`` in a compiled factory."""
    code = compile(ast.fix_missing_locations(module), filename, "exec")
    while code.co_name != name:
        code = next(constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    return code


def rewritten(function):
    """A Python function that does what ``function``, a kernel, means. It has the same globals and closure."""
    tree = definition_of(function)
    free = function.__code__.co_freevars
    cells = dict(zip(free, function.__closure__ or (), strict=True))
    hidden = _local_names(tree) | {name for name in _Rewriter._BUILTINS if name in function.__globals__ or name in free}
    tree = _Rewriter(hidden).visit(tree)
    arguments = tree.args
    arguments.defaults = [ast.copy_location(ast.Constant(None), default) for default in arguments.defaults]
    arguments.kw_defaults = [
        default and ast.copy_location(ast.Constant(None), default) for default in arguments.kw_defaults
    ]
    outer = [ast.arg(name) for name in (_SUPPORT, *free)]
    factory = ast.parse("def factory(): pass").body[0]
    factory.args, factory.body = ast.arguments([], outer, None, [], [], None, []), [tree]
    tree.name = _SUPPORT + "kernel"  # its own name means what it means outside
    code = _code_of(ast.Module([factory], []), tree.name, function.__code__.co_filename)
    code = code.replace(co_name=function.__name__)
    KERNEL_FILES.add(code.co_filename)
    cells[_SUPPORT] = types.CellType(Support)
    closure = tuple(cells[name] for name in code.co_freevars)
    result = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    result.__kwdefaults__ = function.__kwdefaults__
    result.__qualname__, result.__module__ = function.__qualname__, function.__module__
    return result


def rewritten_module(text, filename, namespace):
    """Runs a file of library functions, all of them kernels, in ``namespace``."""
    tree = ast.parse(text)
    named = {statement.name for statement in tree.body if isinstance(statement, ast.FunctionDef)}
    rewrite = lambda statement: _Rewriter(_local_names(statement) | named).visit(_without_annotations(statement))
    tree.body = [rewrite(statement) for statement in tree.body]
    namespace[_SUPPORT] = Support
    exec(compile(ast.fix_missing_locations(tree), filename, "exec"), namespace)


def rewrite_expression(tree, names):
    """An expression that means what it does in a kernel in which these names have values. What it calls is added to
    ``names``."""
    hidden = {name for name in _Rewriter._BUILTINS if name in names}
    names[_SUPPORT] = Support
    return _Rewriter(hidden).visit(tree)
