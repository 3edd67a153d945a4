"""Prints CPython's syntax trees in the formats of src/frontend/Dump.h, to compare the two parsers."""

import ast

BINARY = {
    "Add": "+",
    "Sub": "-",
    "Mult": "*",
    "MatMult": "@",
    "Div": "/",
    "FloorDiv": "//",
    "Mod": "%",
    "Pow": "**",
    "LShift": "<<",
    "RShift": ">>",
    "BitOr": "|",
    "BitXor": "^",
    "BitAnd": "&",
}
UNARY = {"Invert": "~", "Not": "not", "UAdd": "+", "USub": "-"}
COMPARE = {
    "Eq": "==",
    "NotEq": "!=",
    "Lt": "<",
    "LtE": "<=",
    "Gt": ">",
    "GtE": ">=",
    "Is": "is",
    "IsNot": "is not",
    "In": "in",
    "NotIn": "not in",
}


def escaped(data):
    """As llvm::printEscapedString."""
    parts = []
    for byte in data:
        if byte == 0x5C:
            parts.append("\\\\")
        elif 0x20 <= byte < 0x7F and byte != 0x22:
            parts.append(chr(byte))
        else:
            parts.append("\\%02X" % byte)
    return '"' + "".join(parts) + '"'


def joined(items, separator=", "):
    return separator.join(items)


def optional(text, node):
    return "" if node is None else text + expression(node)


def constant(value):
    if value is None or value is True or value is False:
        return str(value)
    if value is Ellipsis:
        return "..."
    if isinstance(value, int):
        return str(value) if value < 2**64 else "0x%X" % value
    if isinstance(value, float):
        return "%.17g" % value + "f"
    if isinstance(value, complex):
        return "%.17g" % value.imag + "j"
    if isinstance(value, bytes):
        return "b" + escaped(value)
    return escaped(value.encode("utf-8", "surrogatepass"))


def parameters(node):
    positional = node.posonlyargs + node.args
    defaults = [None] * (len(positional) - len(node.defaults)) + node.defaults

    def one(prefix, arg, default=None):
        return prefix + arg.arg + optional(": ", arg.annotation) + optional(" = ", default)

    parts = []
    for index, (arg, default) in enumerate(zip(positional, defaults)):
        parts.append(one("", arg, default) + (", /" if index + 1 == len(node.posonlyargs) else ""))
    if node.vararg:
        parts.append(one("*", node.vararg))
    for index, (arg, default) in enumerate(zip(node.kwonlyargs, node.kw_defaults)):
        parts.append(("*, " if index == 0 and not node.vararg else "") + one("", arg, default))
    if node.kwarg:
        parts.append(one("**", node.kwarg))
    return joined(parts)


def arguments(positional, keywords):
    parts = [expression(arg) for arg in positional]
    parts += [("**" if word.arg is None else word.arg + "=") + expression(word.value) for word in keywords]
    return joined(parts)


def generators(nodes):
    return joined(
        (
            ("async " if node.is_async else "")
            + "for "
            + expression(node.target)
            + " in "
            + expression(node.iter)
            + "".join(" if " + expression(test) for test in node.ifs)
            for node in nodes
        ),
        " ",
    )


def formatted(node):
    conversion = "!" + chr(node.conversion) if node.conversion != -1 else ""
    return "{" + expression(node.value) + conversion + optional(":", node.format_spec) + "}"


def dict_items(node):
    return joined(
        "**" + expression(value) if key is None else expression(key) + ": " + expression(value)
        for key, value in zip(node.keys, node.values)
    )


EXPRESSIONS = {
    "BoolOp": lambda n: "(" + joined(map(expression, n.values), " and " if isinstance(n.op, ast.And) else " or ") + ")",
    "NamedExpr": lambda n: "(" + expression(n.target) + " := " + expression(n.value) + ")",
    "BinOp": lambda n: f"({expression(n.left)} {BINARY[type(n.op).__name__]} {expression(n.right)})",
    "UnaryOp": lambda n: f"({UNARY[type(n.op).__name__]} {expression(n.operand)})",
    "Lambda": lambda n: f"(lambda {parameters(n.args)}: {expression(n.body)})",
    "IfExp": lambda n: f"({expression(n.body)} if {expression(n.test)} else {expression(n.orelse)})",
    "Dict": lambda n: "{" + dict_items(n) + "}",
    "Set": lambda n: "{" + joined(map(expression, n.elts)) + "}",
    "ListComp": lambda n: f"[{expression(n.elt)} {generators(n.generators)}]",
    "SetComp": lambda n: f"{{{expression(n.elt)} {generators(n.generators)}}}",
    "DictComp": lambda n: f"{{{expression(n.key)}: {expression(n.value)} {generators(n.generators)}}}",
    "GeneratorExp": lambda n: f"({expression(n.elt)} {generators(n.generators)})",
    "Await": lambda n: f"(await {expression(n.value)})",
    "Yield": lambda n: f"(yield{optional(' ', n.value)})",
    "YieldFrom": lambda n: f"(yield from {expression(n.value)})",
    "Compare": lambda n: (
        "("
        + expression(n.left)
        + "".join(f" {COMPARE[type(op).__name__]} {expression(right)}" for op, right in zip(n.ops, n.comparators))
        + ")"
    ),
    "Call": lambda n: f"{expression(n.func)}({arguments(n.args, n.keywords)})",
    "JoinedStr": lambda n: f"f<{joined(map(expression, n.values))}>",
    "FormattedValue": formatted,
    "Constant": lambda n: constant(n.value),
    "Attribute": lambda n: f"{expression(n.value)}.{n.attr}",
    "Subscript": lambda n: f"{expression(n.value)}[{expression(n.slice)}]",
    "Starred": lambda n: "*" + expression(n.value),
    "Name": lambda n: n.id,
    "List": lambda n: "[" + joined(map(expression, n.elts)) + "]",
    "Tuple": lambda n: "(" + joined(map(expression, n.elts)) + (",)" if len(n.elts) == 1 else ")"),
    "Slice": lambda n: optional("", n.lower) + ":" + optional("", n.upper) + optional(":", n.step),
}


def expression(node):
    return EXPRESSIONS[type(node).__name__](node)


def aliases(nodes):
    return joined(node.name + (f" as {node.asname}" if node.asname else "") for node in nodes)


def pattern(node):
    kind = type(node).__name__
    if kind == "MatchValue":
        return expression(node.value)
    if kind == "MatchSingleton":
        return constant(node.value)
    if kind == "MatchSequence":
        return "[" + joined(map(pattern, node.patterns)) + "]"
    if kind == "MatchMapping":
        parts = [expression(key) + ": " + pattern(value) for key, value in zip(node.keys, node.patterns)]
        return "{" + joined(parts + (["**" + node.rest] if node.rest else [])) + "}"
    if kind == "MatchClass":
        parts = [pattern(part) for part in node.patterns]
        parts += [f"{name}={pattern(part)}" for name, part in zip(node.kwd_attrs, node.kwd_patterns)]
        return f"{expression(node.cls)}({joined(parts)})"
    if kind == "MatchStar":
        return "*" + (node.name or "_")
    if kind == "MatchAs":
        if node.pattern is None:
            return node.name or "_"
        return f"({pattern(node.pattern)} as {node.name})"
    text = pattern(node.patterns[0])
    for part in node.patterns[1:]:
        text = f"({text} | {pattern(part)})"
    return text


class Statements:
    def __init__(self):
        self.lines = []

    def add(self, indent, text):
        self.lines.append(" " * indent + text)

    def body(self, nodes, indent):
        for node in nodes:
            getattr(self, type(node).__name__)(node, indent)

    def block(self, indent, text, nodes):
        if nodes:
            self.add(indent, text)
            self.body(nodes, indent + 2)

    def FunctionDef(self, node, indent, prefix=""):
        for decorator in node.decorator_list:
            self.add(indent, "@" + expression(decorator))
        self.block(
            indent, f"{prefix}def {node.name}({parameters(node.args)}){optional(' -> ', node.returns)}:", node.body
        )

    def AsyncFunctionDef(self, node, indent):
        self.FunctionDef(node, indent, "async ")

    def ClassDef(self, node, indent):
        for decorator in node.decorator_list:
            self.add(indent, "@" + expression(decorator))
        self.block(indent, f"class {node.name}({arguments(node.bases, node.keywords)}):", node.body)

    def Return(self, node, indent):
        self.add(indent, "return" + optional(" ", node.value))

    def Delete(self, node, indent):
        self.add(indent, "del " + joined(map(expression, node.targets)))

    def Assign(self, node, indent):
        self.add(indent, joined(map(expression, node.targets), " = ") + " = " + expression(node.value))

    def AugAssign(self, node, indent):
        self.add(indent, f"{expression(node.target)} {BINARY[type(node.op).__name__]}= {expression(node.value)}")

    def AnnAssign(self, node, indent):
        self.add(indent, f"{expression(node.target)}: {expression(node.annotation)}{optional(' = ', node.value)}")

    def TypeAlias(self, node, indent):
        self.add(indent, f"type {node.name.id} = {expression(node.value)}")

    def For(self, node, indent, prefix=""):
        self.block(indent, f"{prefix}for {expression(node.target)} in {expression(node.iter)}:", node.body)
        self.block(indent, "else:", node.orelse)

    def AsyncFor(self, node, indent):
        self.For(node, indent, "async ")

    def While(self, node, indent):
        self.block(indent, f"while {expression(node.test)}:", node.body)
        self.block(indent, "else:", node.orelse)

    def If(self, node, indent):
        self.block(indent, f"if {expression(node.test)}:", node.body)
        self.block(indent, "else:", node.orelse)

    def With(self, node, indent, prefix=""):
        items = joined(expression(item.context_expr) + optional(" as ", item.optional_vars) for item in node.items)
        self.block(indent, f"{prefix}with {items}:", node.body)

    def AsyncWith(self, node, indent):
        self.With(node, indent, "async ")

    def Match(self, node, indent):
        self.add(indent, f"match {expression(node.subject)}:")
        for case in node.cases:
            self.block(indent + 2, f"case {pattern(case.pattern)}{optional(' if ', case.guard)}:", case.body)

    def Raise(self, node, indent):
        self.add(indent, "raise" + optional(" ", node.exc) + optional(" from ", node.cause))

    def Try(self, node, indent, star=""):
        self.block(indent, "try:", node.body)
        for handler in node.handlers:
            name = f" as {handler.name}" if handler.name else ""
            self.block(indent, f"except{star}{optional(' ', handler.type)}{name}:", handler.body)
        self.block(indent, "else:", node.orelse)
        self.block(indent, "finally:", node.finalbody)

    def TryStar(self, node, indent):
        self.Try(node, indent, "*")

    def Assert(self, node, indent):
        self.add(indent, "assert " + expression(node.test) + optional(", ", node.msg))

    def Import(self, node, indent):
        self.add(indent, "import " + aliases(node.names))

    def ImportFrom(self, node, indent):
        self.add(indent, f"from {'.' * node.level}{node.module or ''} import {aliases(node.names)}")

    def Global(self, node, indent):
        self.add(indent, "global " + joined(node.names))

    def Nonlocal(self, node, indent):
        self.add(indent, "nonlocal " + joined(node.names))

    def Expr(self, node, indent):
        self.add(indent, expression(node.value))

    def Pass(self, node, indent):
        self.add(indent, "pass")

    def Break(self, node, indent):
        self.add(indent, "break")

    def Continue(self, node, indent):
        self.add(indent, "continue")


def dump_tree(tree):
    statements = Statements()
    statements.body(tree.body, 0)
    return "".join(line + "\n" for line in statements.lines)


RENAMED = {
    "AsyncFunctionDef": "FunctionDef",
    "AsyncFor": "For",
    "AsyncWith": "With",
    "TryStar": "Try",
    "Expr": "ExpressionStatement",
}


def ranges(tree, text):
    """The (kind, begin, end) of all nodes outside of f-strings and match statements, in bytes."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    work = list(tree.body)
    while work:
        node = work.pop()
        kind = type(node).__name__
        if isinstance(node, (ast.stmt, ast.expr)):
            found.append(
                (
                    RENAMED.get(kind, kind),
                    starts[node.lineno - 1] + node.col_offset,
                    starts[node.end_lineno - 1] + node.end_col_offset,
                )
            )
        if isinstance(node, ast.NamedExpr):  # its target is no node of ours
            work.append(node.value)
        elif not isinstance(node, (ast.JoinedStr, ast.Match)):
            work.extend(ast.iter_child_nodes(node))
    return found
