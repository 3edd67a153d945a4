"""Guesses the types and the constants that a kernel takes, from its text, its tuning and the calls that launch it.

A `Guess` holds for each parameter a list of alternatives, the likeliest first. An alternative is a type ("*fp16",
"i32") or `Constant(value)`.
"""

import ast
import inspect
import re
import textwrap
from typing import NamedTuple

import triton.language as tl

DTYPES = {name: getattr(tl, name) for name in ("float16", "float32", "bfloat16", "int32", "int8", "float8e4nv")}
INDEX_NAME = re.compile(
    r"idx|index|indices|ids?(_|$)|offset|seqlens?|cu_|lens?(_|$)|length|table|_locs?(_|$)|map|slot|count|num|position"
    r"|label|perm|expert|indptr|ptrs$|start|target|cumsum|tokens|counter|lock|req_|step",
    re.IGNORECASE,
)
MASK_NAME = re.compile(r"mask|flag|is_|has_|bool|valid|finished", re.IGNORECASE)
SINGLE_NAME = re.compile(r"scale|lse|max|sum|stat|mean|rstd|var|state|logit|loss|norm|delta|prob|^[ML]$|score|_s$|gate")
FLOAT_NAME = re.compile(
    r"eps|scale|alpha|beta|momentum|^p$|dropout|lr$|rate|temp|soft|cap$|thresh|slope|inv|decay|limit|gamma|min_|max_val"
    r"|factor|prob|weight|smoothing|value|coef|correction|bias",
    re.IGNORECASE,
)
SIZE_NAME = re.compile(r"BLOCK|^B[A-Z]{1,3}$|TILE|DIM|^D[A-Z]?$|^[KVNMC]$|SIZE|CHUNK|PAD|POW|ROUND|next", re.IGNORECASE)
DTYPE_NAME = re.compile(r"dtype|_type$|^type|DTYPE|TYPE$")
STRIDE_NAME = re.compile(r"stride|^s[a-z]_|_s[a-z]$|str_", re.IGNORECASE)
POINTER_NAME = re.compile(r"ptr|^[A-Z][a-z]*$|buf", re.IGNORECASE)


class Constant(NamedTuple):
    value: object


def names_in(node):
    return [child.id for child in ast.walk(node) if isinstance(child, ast.Name)]


def attribute_of(call):
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def tree_of(function):
    lines, first = inspect.getsourcelines(function)
    tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
    return tree


POINTER_OPERATIONS = {"load", "store", "make_block_ptr", "make_tensor_descriptor", "advance"}
FIRST_ARGUMENT = {"multiple_of", "max_contiguous", "advance", "cast", "broadcast_to", "expand_dims", "reshape"}


class Uses:
    """What a kernel does with its parameters, its helpers included."""

    known = {}

    @classmethod
    def of(cls, jit):
        # By identity, as the hash of a function of Triton's is that of all that it calls.
        if id(jit) not in cls.known:
            cls.known[id(jit)] = None  # recursion ends here
            try:
                cls.known[id(jit)] = cls(jit)
            except (OSError, SyntaxError, TypeError, AttributeError, IndexError):
                pass
        return cls.known[id(jit)]

    def __init__(self, jit):
        self.jit, self.tree = jit, tree_of(jit.fn)
        arguments = self.tree.args
        self.parameters = [argument.arg for argument in arguments.posonlyargs + arguments.args + arguments.kwonlyargs]
        self.globals = jit.fn.__globals__
        self.assigned = {}
        self.pointers, self.integers, self.floats, self.sizes, self.truths = set(), set(), set(), set(), set()
        self.dtypes, self.nones, self.loops = set(), set(), set()
        self.descriptors = {}
        self.compared = {}
        self.factors = set()
        for node in ast.walk(self.tree):
            self.read_assignment(node)
        for node in ast.walk(self.tree):
            self.read_use(node)

    def read_assignment(self, node):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    self.assigned.setdefault(target.id, []).append(node.value)
                elif isinstance(target, ast.Tuple):
                    parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value] * len(target.elts)
                    for one, value in zip(target.elts, parts, strict=False):
                        if isinstance(one, ast.Name):
                            self.assigned.setdefault(one.id, []).append(value)
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign)) and isinstance(node.target, ast.Name) and node.value:
            self.assigned.setdefault(node.target.id, []).append(node.value)
        elif isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            self.assigned.setdefault(node.target.id, []).append(node.iter)

    def terms(self, node, seen):
        """The parameters that are terms of a sum."""
        if isinstance(node, ast.Name):
            if node.id in seen:
                return set()
            seen.add(node.id)
            found = {node.id} if node.id in self.parameters else set()
            return found.union(*(self.terms(value, seen) for value in self.assigned.get(node.id, [])))
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            return self.terms(node.left, seen) | self.terms(node.right, seen)
        if isinstance(node, ast.IfExp):
            return self.terms(node.body, seen) | self.terms(node.orelse, seen)
        if isinstance(node, ast.Subscript):
            return self.terms(node.value, seen)
        if isinstance(node, ast.Call):
            name = attribute_of(node)
            if name == "where":
                return set().union(*(self.terms(argument, seen) for argument in node.args[1:]))
            if name in FIRST_ARGUMENT and node.args:
                return self.terms(node.args[0], seen)
            if name == "make_block_ptr":
                return self.terms(self.argument(node, 0, "base"), seen)
        return set()

    @staticmethod
    def argument(call, index, name):
        for keyword in call.keywords:
            if keyword.arg == name:
                return keyword.value
        return call.args[index] if len(call.args) > index else ast.Constant(None)

    def closure(self, node, seen=None):
        """All names that a value depends on, the nearest first."""
        order, queue = [], names_in(node)
        while queue:
            name = queue.pop(0)
            if name not in order:
                order.append(name)
                for value in self.assigned.get(name, []):
                    queue.extend(names_in(value))
        return order

    def read_pointer(self, node):
        terms = self.terms(node, set())
        if len(terms) > 1:
            terms = {name for name in terms if name not in self.factors and not STRIDE_NAME.search(name)} or terms
        if len(terms) > 1:
            terms = {name for name in terms if POINTER_NAME.search(name)} or terms
        self.pointers |= terms
        # What is loaded and then becomes part of an address is an integer.
        for name in self.closure(node):
            for value in self.assigned.get(name, []):
                for call in ast.walk(value):
                    if isinstance(call, ast.Call) and attribute_of(call) == "load" and call.args:
                        self.integers |= self.terms(call.args[0], set())

    def read_use(self, node):
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, (ast.Mult, ast.Mod, ast.FloorDiv, ast.Div)):
                for side in (node.left, node.right):
                    if isinstance(side, ast.Name):
                        self.factors.add(side.id)
            if isinstance(node.op, (ast.LShift, ast.RShift, ast.BitAnd, ast.BitXor)):
                for name in names_in(node.left):
                    for value in self.assigned.get(name, []):
                        if isinstance(value, ast.Call) and attribute_of(value) == "load" and value.args:
                            if not isinstance(node.op, ast.BitAnd):
                                self.integers |= self.terms(value.args[0], set())
        elif isinstance(node, ast.Compare):
            self.read_comparison(node)
        elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
            self.read_truth(node.test)
        elif isinstance(node, ast.Call):
            self.read_call(node)

    def read_truth(self, node):
        if isinstance(node, ast.Name):
            self.truths.add(node.id)
        elif isinstance(node, ast.BoolOp):
            for value in node.values:
                self.read_truth(value)
        elif isinstance(node, ast.UnaryOp):
            self.read_truth(node.operand)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.BitOr)):
            self.read_truth(node.left)
            self.read_truth(node.right)

    def read_comparison(self, node):
        sides = [node.left, *node.comparators]
        names = [side.id for side in sides if isinstance(side, ast.Name)]
        for side in sides:
            if isinstance(side, ast.Constant):
                for name in names:
                    if side.value is None:
                        self.nones.add(name)
                    elif isinstance(side.value, bool):
                        self.truths.add(name)
                    else:
                        self.compared.setdefault(name, []).append(side.value)
            elif isinstance(side, ast.Attribute) and isinstance(side.value, ast.Name) and side.value.id == "tl":
                self.dtypes.update(name for name in names if hasattr(tl, side.attr))
        if not any(isinstance(operator, (ast.Is, ast.IsNot)) for operator in node.ops):
            self.factors.update(names)

    def read_call(self, node):
        name = attribute_of(node)
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
            if node.func.value.id in self.parameters and name in ("load", "store", "atomic_add") and node.args:
                self.descriptors.setdefault(node.func.value.id, self.block_of(node.args[0]))
                return
        if name in POINTER_OPERATIONS or name.startswith("atomic_"):
            self.read_pointer(self.argument(node, 0, "base" if name.startswith("make_") else "pointer"))
        if name == "to" and node.args and isinstance(node.args[0], ast.Name):
            self.dtypes.add(node.args[0].id)
        for keyword in node.keywords:
            if keyword.arg in ("dtype", "out_dtype") and isinstance(keyword.value, ast.Name):
                self.dtypes.add(keyword.value.id)
        if name in ("zeros", "full") and node.args and isinstance(node.args[-1], ast.Name):
            self.dtypes.add(node.args[-1].id)
        if name == "static_range":
            for argument in node.args:
                self.loops.update(name for name in self.closure(argument) if name in self.parameters)
        if name in ("arange", "zeros", "full", "make_block_ptr", "make_tensor_descriptor", "reshape", "view"):
            for argument in [*node.args[name == "reshape" :], *(keyword.value for keyword in node.keywords)]:
                self.sizes.update(name for name in names_in(argument) if name in self.parameters)
        self.read_helper(node)

    def block_of(self, indices):
        """The block of a descriptor that is read at these indices: for each a parameter or a number."""
        block = []
        for index in indices.elts if isinstance(indices, (ast.List, ast.Tuple)) else [indices]:
            near = [name for name in self.closure(index) if name in self.parameters and SIZE_NAME.search(name)]
            block.append(near[0] if near else 64 if isinstance(index, ast.Constant) else 1)
        return block

    def read_helper(self, node):
        """A call of another function of the library says what its parameters say."""
        callee = self.globals.get(node.func.id) if isinstance(node.func, ast.Name) else None
        other = Uses.of(callee) if hasattr(callee, "fn") and hasattr(callee, "arg_names") else None
        if not other:
            return
        given = dict(zip(other.parameters, node.args, strict=False))
        given.update((keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg)
        for parameter, value in given.items():
            if isinstance(value, ast.Starred):
                continue
            if parameter in other.pointers:
                self.read_pointer(value)
            if parameter in other.integers:
                self.integers |= self.terms(value, set())
            if isinstance(value, ast.Name):
                if parameter in other.descriptors and value.id in self.parameters:
                    block = [size if isinstance(size, int) else 64 for size in other.descriptors[parameter]]
                    self.descriptors.setdefault(value.id, block)
                for kind in ("sizes", "truths", "dtypes", "nones", "loops", "factors"):
                    if parameter in getattr(other, kind):
                        getattr(self, kind).add(value.id)
                self.compared.setdefault(value.id, []).extend(other.compared.get(parameter, []))

    def parameters_near(self, line):
        """The parameters that the statement at a line of the kernel depends on, the nearest first."""
        best = None
        for node in ast.walk(self.tree):
            if isinstance(node, ast.stmt) and node is not self.tree and node.lineno <= line <= node.end_lineno:
                if best is None or node.end_lineno - node.lineno <= best.end_lineno - best.lineno:
                    best = node
        if best is None:
            return list(self.parameters)
        if isinstance(best, (ast.If, ast.While)):
            best = best.test
        elif isinstance(best, ast.For):
            best = best.iter
        return [name for name in self.closure(best) if name in self.parameters]


def literal(node):
    try:
        return Constant(ast.literal_eval(node))
    except (ValueError, TypeError, SyntaxError):
        return None


class Launches:
    """How the text of a library launches its kernels: for each kernel and parameter, what was given."""

    def __init__(self):
        self.calls = {}

    def read(self, tree):
        for function in ast.walk(tree):
            if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for node in ast.walk(function):
                    if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript):
                        target = node.func.value
                        name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", None)
                        if name:
                            self.calls.setdefault(name, []).append((function, node))

    def hints(self, name, parameters):
        hints = {}
        for function, call in self.calls.get(name, [])[:4]:
            given = {}
            for parameter, value in zip(parameters, call.args, strict=False):
                if isinstance(value, ast.Starred):
                    break
                given[parameter] = value
            given.update((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg)
            for parameter, value in given.items():
                hint = self.hint(function, value)
                if hint is not None:
                    hints.setdefault(parameter, []).append(hint)
        return hints

    def hint(self, function, node, depth=0):
        constant = literal(node)
        if constant is not None:
            return constant
        text = ast.unparse(node)
        if re.search(r"\.(stride|size|numel|dim)\(.*\)$|\.shape\b|^len\(|cdiv|//", text):
            return "power" if "next_power" in text else "i32"
        if "next_power_of_2" in text:
            return "power"
        if re.search(r" is not None$| is None$|^bool\(|^not | [=!<>]= ", text):
            return Constant("is not None" in text)
        found = re.search(r"(?:torch|tl)\.(float16|bfloat16|float32|int32|int64|int8|uint8|bool|float8_e4m3fn)\b", text)
        if isinstance(node, ast.Call) and re.match(r"torch\.\w+", text) and found:
            return "*" + TORCH_TYPES[found.group(1)]
        if isinstance(node, ast.Attribute) and found and re.match(r"(tl)\.", text):
            return Constant(getattr(tl, found.group(1), tl.float32))
        if isinstance(node, ast.Name) and depth < 2:
            return self.hint_of_name(function, node.id, depth)
        return None

    def hint_of_name(self, function, name, depth):
        for statement in ast.walk(function):
            if isinstance(statement, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id == name for target in statement.targets
            ):
                return self.hint(function, statement.value, depth + 1)
        for argument in function.args.args + function.args.kwonlyargs:
            if argument.arg == name and argument.annotation is not None:
                kind = ast.unparse(argument.annotation)
                return {"int": "i32", "float": "fp32", "bool": Constant(True), "torch.Tensor": "pointer"}.get(kind)
        return None


TORCH_TYPES = {
    "float16": "fp16",
    "bfloat16": "bf16",
    "float32": "fp32",
    "int32": "i32",
    "int64": "i64",
    "int8": "i8",
    "uint8": "u8",
    "bool": "i1",
    "float8_e4m3fn": "fp8e4nv",
}


def unique(items):
    result = []
    for item in items:
        if not any(type(item) is type(other) and repr(item) == repr(other) for other in result):
            result.append(item)
    return result


class Guess:
    """The alternatives of each parameter. `element` is the usual type of tensors, `switches` that of flags."""

    def __init__(self, jit, hints, tuned, element, switches):
        self.uses = Uses.of(jit)
        self.element, self.switches = element, switches
        self.tuned, self.hints = tuned, hints
        self.alternatives = {parameter.name: unique(self.of(parameter)) for parameter in jit.params}

    def of(self, parameter):
        name, uses = parameter.name, self.uses
        hints = self.hints.get(name, [])
        constants = [hint for hint in hints if isinstance(hint, Constant)]
        if name in self.tuned:
            return [Constant(self.tuned[name])]
        if parameter.is_constexpr:
            return self.of_constant(parameter, constants, hints)
        annotation = getattr(parameter, "annotation", "") or ""
        optional = [Constant(None)] if name in uses.nones or Constant(None) in constants else []
        if name in uses.descriptors:
            block = ",".join(str(size) if isinstance(size, int) else f"{{{size}}}" for size in uses.descriptors[name])
            return [f"tensordesc<{element}[{block}]>" for element in (self.element, "fp32", "bf16", "i32", "u8")]
        if name in uses.pointers or any(hint == "pointer" or str(hint).startswith("*") for hint in hints):
            types = self.of_pointer(name, hints)
            if optional and not self.switches:
                return [*optional, *types]
            return [*types[:-1], *optional, *types[-1:]]
        scalars = ["i32", "fp32", "i64", "*" + self.element, "*i32", "*fp32"]
        if FLOAT_NAME.search(name) and not STRIDE_NAME.search(name) and name not in uses.integers or "fp32" in hints:
            scalars = ["fp32", "i32", "*" + self.element, "*fp32"]
        if isinstance(annotation, str) and re.fullmatch(r"\*?(fp|bf|i|u)\d+\w*", annotation):
            scalars = [annotation]
        if name in uses.truths and name not in uses.factors:
            scalars = [Constant(self.switches), *scalars, Constant(not self.switches)]
        if optional:
            scalars = [*optional, *scalars] if not self.switches else [scalars[0], *optional, *scalars[1:]]
        return [*scalars, Constant(None), Constant(1)]

    def of_pointer(self, name, hints):
        given = [hint for hint in hints if isinstance(hint, str) and hint.startswith("*")]
        usual = "*" + self.element
        others = [usual, "*fp32", "*i32", "*i64", "*i8", "*u8", "*i1", "*fp8e4nv"]
        if name in self.uses.integers:
            likely = ["*i32", "*i64"]
        elif MASK_NAME.search(name):
            likely = ["*i1", "*i8", usual]
        elif INDEX_NAME.search(name):
            likely = ["*i32", "*i64"]
        elif re.search(r"fp8|_q$|quant", name):
            likely = ["*fp8e4nv", usual, "*i8"]
        elif SINGLE_NAME.search(name):
            likely = ["*fp32", usual]
        else:
            likely = [usual, "*fp32"]
        return [*given, *likely, *others]

    def of_constant(self, parameter, constants, hints):
        name, uses = parameter.name, self.uses
        default = parameter.default if parameter.has_default else None
        start = list(constants)
        if parameter.has_default:
            start.append(Constant(default))
        compared = [Constant(value) for value in uses.compared.get(name, [])]
        if any(isinstance(value.value, str) for value in [*compared, *start]):
            found = [value for value in [*compared, *start] if isinstance(value.value, (str, type(None)))]
            return found[::-1] if self.switches else found
        if name in uses.dtypes or DTYPE_NAME.search(name):
            others = [Constant(DTYPES[dtype]) for dtype in ("float16", "float32", "bfloat16", "int32", "int8")]
            if self.element != "fp16":
                others = others[1:2] + others[:1] + others[2:]
            return [*start, *others] if not compared else [*start, *compared, *others]
        sizes = [Constant(size) for size in (64, 32, 16, 128, 256, 8, 1, 4, 2)]
        if name in uses.truths and name not in uses.sizes or isinstance(default, bool):
            switch = Constant(self.switches)
            return [switch, *start, Constant(not self.switches), *compared, Constant(4), Constant(None)]
        if name in uses.loops and name not in uses.sizes:
            return [*start, *(Constant(count) for count in (4, 2, 3, 1, 8))]
        if name in uses.sizes or SIZE_NAME.search(name) or "power" in hints:
            return [*[value for value in start if value.value is not None], *sizes, Constant(None)]
        if name in uses.nones:
            none = [Constant(None)]
            return [*none, *start, Constant(4)] if not self.switches else [*start, Constant(4), *none, *sizes]
        if re.search(r"^(IS|HAS|USE|ENABLE|DO|NEED|WITH|STORE|OUTPUT)_|FLAG|CAUSAL", name, re.IGNORECASE):
            return [*start, Constant(self.switches), Constant(not self.switches)]
        if FLOAT_NAME.search(name) and name.islower():
            return [*start, Constant(0.5), Constant(1), Constant(None)]
        if "PRECISION" in name.upper():
            return [*start, *compared, Constant("tf32"), Constant("ieee")]
        counts = [Constant(count) for count in (4, 2, 1, 16, 64, 8, 128, 3)]
        return [*start, *compared, *counts, Constant(True), Constant(0.5), Constant(None), Constant(tl.float32)]
