"""Writes kernels of ``triton.language`` as kernels in Gluon, all of whose blocks have layouts."""

import argparse
import ast
import inspect
import sys
import types
from pathlib import Path

from ... import language
from ...errors import TritonError
from ...experimental.gluon._names import LANGUAGE, table
from ...runtime.jit import JITFunction
from ._sources import Slice, find, local_names, used_names

TARGETS = ("generic", "sm80", "sm90", "sm100", "sm103", "sm107", "gfx90a", "gfx942", "gfx950", "gfx1250")

_PACKAGE = __package__
_HEADER = (
    "import triton",
    "import triton.language as tl",
    "from triton.experimental import gluon",
    "from triton.experimental.gluon import language as ttgl",
    f"from {_PACKAGE} import helpers",
)
#: Functions of the language whose place a helper takes.
_HELPERS = {
    "arange": "tl_arange",
    "full": "tl_full",
    "zeros": "tl_zeros",
    "expand_dims": "tl_expand_dims",
    "histogram": "tl_histogram",
    "dot": "tl_dot",
    "dot_scaled": "tl_dot_scaled",
}
#: Functions, and methods of blocks, whose result has another layout than their operands.
_CHANGING = frozenset(
    "argmax argmin broadcast_to cat flip interleave join max min permute ravel reduce reduce_or reshape sort split "
    "squeeze sum topk trans unsqueeze view xor_sum".split()
)
#: Functions that arrange a block anew, and that take blocks in any layout: between them nothing need be settled.
_ARRANGING = frozenset("T join permute ravel reshape trans view".split())
#: Functions that take blocks in any layout.
_TOLERANT = _ARRANGING - {"join"} | frozenset("max min reduce reduce_or sum xor_sum".split())
#: What Gluon calls otherwise.
_RENAMED = {"debug_barrier": "barrier"}
#: What has no counterpart, and what a kernel does in its place.
_REFUSED = {
    "make_block_ptr": "compute pointers",
    "advance": "compute pointers",
    "make_tensor_descriptor": "pass a descriptor with a layout from the launch",
}


#: What these names stand for in a file that the translator writes.
_MODULES = {
    "tl": "triton.language",
    "gluon": "triton.experimental.gluon",
    "ttgl": "triton.experimental.gluon.language",
    "helpers": f"{_PACKAGE}.helpers",
}


def _of_language(node, name="tl"):
    """The function of the language that an expression names, as `tl.name` or `tl.math.name`; None for others."""
    if not isinstance(node, ast.Attribute):
        return None
    base = node.value
    if isinstance(base, ast.Attribute) and base.attr == "math":
        base = base.value
    return node.attr if isinstance(base, ast.Name) and base.id == name else None


def _helper(name, arguments, keywords=()):
    function = ast.Attribute(ast.Name("helpers", ast.Load()), name, ast.Load())
    return ast.Call(function, list(arguments), list(keywords))


def _unsettled(node, user):
    """An operand of the function `user` without what settles it, where the user takes any layout. The parts of pairs
    that were joined lie in one thread, as `split` needs them."""
    if not (isinstance(node, ast.Call) and ast.unparse(node.func) == "helpers.settled"):
        return node
    (inner,) = node.args
    function = inner.func if isinstance(inner, ast.Call) else inner
    name = getattr(function, "attr", None)
    arranges = name in _ARRANGING and user in _TOLERANT or name == "join" and user == "split"
    return inner if arranges else node


def _in_language(value):
    """The expression by which a file names the language, its module `math` or a function of theirs; None for others."""
    if value is language:
        return "tl"
    if value is language.math:
        return "tl.math"
    name = getattr(value, "__name__", None) if isinstance(value, type | types.FunctionType | JITFunction) else None
    for prefix, module in (("tl", language), ("tl.math", language.math)):
        if name and vars(module).get(name) is value:
            return f"{prefix}.{name}"
    return None


class _Naming(ast.NodeTransformer):
    """Names the language `tl` and its functions `tl.name`, whatever a module calls them."""

    def __init__(self, tree, function):
        own = local_names(function)
        self.used = {name: value for name, value in used_names(tree, function).items() if name not in own}
        for name, value in self.used.items():
            if name in _MODULES and getattr(value, "__name__", None) != _MODULES[name]:
                raise TritonError(
                    f"{function.__code__.co_filename}: `{name}` is `{_MODULES[name]}` in a kernel that is written in "
                    f"Gluon, and not {value!r}; rename it"
                )

    def visit_Name(self, node):
        text = _in_language(self.used.get(node.id))
        return ast.copy_location(ast.parse(text, mode="eval").body, node) if text else node

    def visit_Attribute(self, node):
        self.generic_visit(node)
        is_language = node.attr == "language" and isinstance(node.value, ast.Name)
        if is_language and getattr(self.used.get(node.value.id), "language", None) is language:
            return ast.copy_location(ast.Name("tl", ast.Load()), node)
        return node


class _Rewriter(ast.NodeTransformer):
    def __init__(self, kernel):
        self.kernel = kernel

    def refuse(self, node, what, instead):
        line = self.kernel._first_line + node.lineno - 1
        raise TritonError(
            f"{self.kernel.fn.__code__.co_filename}:{line}: `{what}` has no counterpart in Gluon; {instead}"
        )

    def visit_Call(self, node):
        name = _of_language(node.func)
        if name in _REFUSED:
            self.refuse(node, f"tl.{name}", _REFUSED[name])
        if name == "range":
            return self._loop(node)
        is_method = name is None and isinstance(node.func, ast.Attribute)
        changing = (node.func.attr if is_method else name) in _CHANGING
        self.generic_visit(node)
        if name in _HELPERS:
            return _helper(_HELPERS[name], node.args, node.keywords)
        if is_method and node.func.attr == "expand_dims":
            return _helper("tl_expand_dims", [node.func.value, *node.args], node.keywords)
        if not changing:
            return node
        if is_method:
            node.func.value = _unsettled(node.func.value, node.func.attr)
        elif node.args:
            node.args[0] = _unsettled(node.args[0], name)
        return _helper("settled", [node])

    def _loop(self, node):
        """The range of a loop without its options, which ask for what a kernel in Gluon does itself."""
        if any(isinstance(item, ast.Starred) for item in node.args) or any(not item.arg for item in node.keywords):
            self.refuse(node, ast.unparse(node), "write each argument of the range by itself")
        names = list(inspect.signature(language.range).parameters)
        given = {**dict(zip(names, node.args, strict=False)), **{item.arg: item.value for item in node.keywords}}
        bounds = {name: self.visit(given[name]) for name in ("arg1", "arg2", "step") if name in given}
        first, second, step = (
            None if isinstance(bound, ast.Constant) and bound.value is None else bound
            for bound in map(bounds.get, ("arg1", "arg2", "step"))
        )
        arguments = [first] if second is None else [first, second]
        if step is not None:
            arguments = [*([ast.Constant(0)] if second is None else []), *arguments, step]
        return ast.Call(ast.Name("range", ast.Load()), arguments, [])

    def visit_Attribute(self, node):
        name = _of_language(node)
        self.generic_visit(node)
        if name in _RENAMED or name in table()[LANGUAGE]:
            return ast.Attribute(ast.Name("ttgl", ast.Load()), _RENAMED.get(name, name), node.ctx)
        if node.attr != "T" or name is not None:
            return node
        node.value = _unsettled(node.value, "T")
        return _helper("settled", [node])

    def visit_Subscript(self, node):
        self.generic_visit(node)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        is_new = [isinstance(part, ast.Constant) and part.value is None for part in parts]
        if not any(is_new):
            return node
        if not all(new or isinstance(part, ast.Slice) for new, part in zip(is_new, parts, strict=True)):
            self.refuse(node, ast.unparse(node), "index a block with `:` and `None` alone")
        value = node.value
        for place, new in enumerate(is_new):
            if new:
                value = _helper("tl_expand_dims", [value, ast.Constant(place)])
        return value


def _as_gluon(tree, kernel):
    """The definition of a kernel, or of a function that kernels call, in Gluon. Others stay what they are."""
    if kernel is None:
        return tree
    options = [keyword for keyword in _jit_options(tree) if keyword.arg in ("noinline", "do_not_specialize", "debug")]
    jit = ast.Attribute(ast.Name("gluon", ast.Load()), "jit", ast.Load())
    tree = _Rewriter(kernel).visit(_Naming(tree, kernel.fn).visit(tree))
    tree.decorator_list = [ast.Call(jit, [], options) if options else jit]
    return tree


def _jit_options(tree):
    for decorator in tree.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).split(".")[-1] == "jit":
            return decorator.keywords
    return []


def check_target(target):
    """Refuses what is not one of `TARGETS`."""
    if target not in TARGETS:
        raise TritonError(f"the target of a translation is one of {', '.join(TARGETS)}, not {target!r}")


def gluon_slice(is_leaf=lambda value, module: False):
    """The slice that writes kernels in Gluon."""
    return Slice(is_leaf, _as_gluon, _HEADER)


def convert_triton_to_gluon(src, target):
    """The text of a file in which the kernels `src`, and all functions that they call, are written in Gluon.

    The text is the same for every target: functions that it calls choose the unit for products when the kernel is
    compiled.
    """
    check_target(target)
    slice_ = gluon_slice()
    for kernel in src:
        slice_.add(kernel)
    return slice_.text()


def translate_kernels(kernels, target):
    """The same as `convert_triton_to_gluon`."""
    return convert_triton_to_gluon(list(kernels), target)


def translate_paths(kernel_paths, target):
    """The same for kernels that are named as `module.path:object`."""
    return translate_kernels([find(path) for path in kernel_paths], target)


def main(arguments=None):
    """``python -m triton.tools.triton_to_gluon_translator.translator KERNEL... --output-path FILE --target TARGET``"""
    parser = argparse.ArgumentParser(prog="translator", description=__doc__)
    parser.add_argument("kernels", nargs="+", metavar="KERNEL", help="module.path:object")
    parser.add_argument("--output-path", required=True, type=Path, help="the file to write")
    parser.add_argument("--target", default="generic", choices=TARGETS)
    given = parser.parse_args(arguments)
    try:
        given.output_path.write_text(translate_paths(given.kernels, given.target))
    except TritonError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
