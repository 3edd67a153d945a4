"""The functions and values that kernels use, as source text of one file."""

import ast
import importlib
import inspect
import math
import textwrap
import types

from ...errors import TritonError
from ...language import constexpr, dtype
from ...runtime.jit import JITFunction


def find(path):
    """The object that `module.path:object` names."""
    module, separator, name = path.partition(":")
    if not separator:
        raise TritonError(f"a kernel is named as `module.path:object`, not {path!r}")
    try:
        value = importlib.import_module(module)
        for part in name.split("."):
            value = getattr(value, part)
    except (ImportError, AttributeError) as error:
        raise TritonError(f"there is no kernel {path!r}: {error}") from error
    return value


def kernel_of(value):
    """The kernel below tuners, heuristics and other decorators."""
    while not isinstance(value, JITFunction) and hasattr(value, "fn"):
        value = value.fn
    return value


def function_of(value):
    """The function of Python that a kernel, or a function of the compiler's, is written as; None for other values."""
    kernel = kernel_of(value)
    if isinstance(kernel, JITFunction):
        return kernel.fn
    return inspect.unwrap(kernel) if isinstance(kernel, types.FunctionType) else None


def tree_of(function):
    """The definition of a function, without what stands around it."""
    return ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]


def used_names(tree, function):
    """{name: value} of the globals, and of what functions around it define, that a function uses."""
    scope = {**function.__globals__, **inspect.getclosurevars(function).nonlocals}
    own = local_names(function)
    inside = [node.id for statement in tree.body for node in _names(statement) if node.id not in own]
    around = [tree.args, *tree.decorator_list, *([tree.returns] if tree.returns else [])]
    outside = [node.id for part in around for node in _names(part)]
    return {name: scope[name] for name in outside + inside if name in scope}


def local_names(function):
    """The names of a function's parameters and variables."""
    return {*function.__code__.co_varnames, *function.__code__.co_cellvars}


def _names(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.Name)]


def constant_text(value):
    """The value as an expression of a file that imports `triton.language` as `tl`; None if it has none."""
    if isinstance(value, constexpr):
        inner = constant_text(value.value)
        return inner and f"tl.constexpr({inner})"
    if type(value) is dtype:
        return repr(value).replace("triton.language.", "tl.")
    if type(value) in (list, tuple):
        parts = [constant_text(part) for part in value]
        if None in parts:
            return None
        listed = ", ".join(parts)
        return f"[{listed}]" if isinstance(value, list) else f"({listed}{',' * (len(parts) == 1)})"
    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, float):
        text = float.__repr__(value)
        return text if math.isfinite(value) else f'float("{text}")'
    plain = next((kind for kind in (int, str) if isinstance(value, kind)), None)
    return plain and plain.__repr__(value)


class Slice:
    """The text of functions, and of all that they use.

    `is_leaf(value, module)` says what is imported from its module, `rewrite(tree, kernel)` changes a function's
    definition, and `header` are the lines before all else.
    """

    def __init__(self, is_leaf=lambda value, module: False, rewrite=None, header=()):
        self._is_leaf = is_leaf
        self._rewrite = rewrite or (lambda tree, kernel: tree)
        self._imports = list(header)
        self._parts = []
        self._names = {}

    def add(self, value, name=None):
        """Adds a function with what it uses, which comes first."""
        function = function_of(value)
        if function is None:
            raise TritonError(f"{value!r} is not a kernel, and not a function that kernels call")
        name = name or function.__name__
        if self._known(name, function):
            return
        tree = tree_of(function)
        tree.name = name
        kernel = kernel_of(value) if isinstance(kernel_of(value), JITFunction) else None
        of_source = used_names(tree, function)  # What else the new text uses is the header's.
        tree = self._rewrite(tree, kernel)
        for used, item in used_names(tree, function).items():
            if used in of_source and function_of(item) is not function:
                self._add_used(used, item, for_kernel=kernel is not None)
        self._parts.append(ast.unparse(ast.fix_missing_locations(tree)))

    def text(self):
        """The file."""
        return "\n".join(dict.fromkeys(self._imports)) + "\n\n\n" + "\n\n\n".join(self._parts) + "\n"

    def _known(self, name, value):
        if name not in self._names:
            self._names[name] = value
            return False
        if self._names[name] is not value and self._names[name] != value:
            raise TritonError(f"two things are named `{name}`: {self._names[name]!r} and {value!r}; rename one of them")
        return True

    def _add_used(self, name, value, for_kernel):
        if isinstance(value, types.ModuleType):
            alias = "" if name == value.__name__ else f" as {name}"
            self._imports.append(f"import {value.__name__}{alias}")
            return
        module = None if isinstance(value, dtype) else getattr(function_of(value) or value, "__module__", None)
        text = constant_text(value)
        if text is not None:
            if not self._known(name, value):
                is_plain = for_kernel and not isinstance(value, (constexpr, dtype))
                self._parts.append(f"{name} = tl.constexpr({text})" if is_plain else f"{name} = {text}")
        elif module and (module.split(".")[0] in ("triton", "builtins") or self._is_leaf(value, module)):
            original = getattr(function_of(value) or value, "__name__", name)
            self._imports.append(f"from {module} import {original}" + (f" as {name}" if original != name else ""))
        elif function_of(value) is not None:
            self.add(value, name)
        else:
            raise TritonError(f"`{name}`, {value!r}, cannot be written as text; make it a constant or a function")
