"""Breakpoints: the statements that they are at, and when a program stops there."""

import ast
import functools
import itertools
import os
import re

from ..runtime.interpreter import places
from ._messages import RequestError, why_unreadable

_HIT_CONDITION = re.compile(r"\s*(==|>=|>|<=|<|%|)\s*(\d+)\s*")
_HITS = {
    "": lambda hits, number: hits == number,
    "==": lambda hits, number: hits == number,
    ">=": lambda hits, number: hits >= number,
    ">": lambda hits, number: hits > number,
    "<=": lambda hits, number: hits <= number,
    "<": lambda hits, number: hits < number,
    "%": lambda hits, number: number != 0 and hits % number == 0,
}


class Breakpoint:
    """A breakpoint as the client asked for it. ``line`` is that of a statement, or None where there is none. It is
    verified if the statement is known to be one of a kernel."""

    _numbers = itertools.count(1)

    def __init__(self, asked, line=None, message=""):
        self.id, self.line, self.message, self.is_verified = next(self._numbers), line, message, not message
        self.asked_line = asked.get("line")
        self.condition, self.log = asked.get("condition"), asked.get("logMessage")
        self.hits, self._counts = 0, None
        if hit_condition := asked.get("hitCondition"):
            match = _HIT_CONDITION.fullmatch(hit_condition)
            if match is None:
                self.line, self.is_verified, self.message = (
                    None,
                    False,
                    f"`{hit_condition}` is not a number of hits, such as `3` or `>= 3`",
                )
            else:
                self._counts = functools.partial(
                    lambda test, number, hits: test(hits, number), _HITS[match[1]], int(match[2])
                )

    def described(self):
        body = {"id": self.id, "verified": self.is_verified}
        if line := self.line or self.asked_line:
            body["line"] = line
        return {**body, "message": self.message} if self.message else body

    def reach(self):
        """A program is at the statement. Whether it is now known for the first time to be one of a kernel."""
        is_new, self.is_verified, self.message = not self.is_verified, True, ""
        return is_new

    def is_hit(self, evaluate, report):
        """Whether the program stops at the statement. ``evaluate`` gives the value of an expression there."""
        if self.condition:
            try:
                if not evaluate(self.condition):
                    return False
            except (RequestError, ValueError, TypeError) as error:
                report(f"the condition `{self.condition}` of the breakpoint in line {self.line}: {error}")
        self.hits += 1
        return self._counts is None or self._counts(self.hits)


def _is_kernel(function):
    """Whether a function's decorators make it a kernel."""
    for decorator in function.decorator_list:
        decorator = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = ast.unparse(decorator)
        if name == "jit" or name.endswith(".jit"):
            return True
    return False


def kernels_of(text):
    """The names of the kernels in the text of a file, which may be wrong."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    return [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and _is_kernel(node)]


def _resolve(functions, line):
    """The line of the statement for a breakpoint, or None; what speaks against it, or an empty text."""
    for function in functions:
        first = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])
        if not first <= line <= function.end_lineno:
            continue
        lines = places.lines_of_statements(function)
        after = min((each for each in lines if each >= line), default=None)
        if after is None:
            return None, "no statement of the function follows this line"
        other = f"`{function.name}` is not a kernel as far as its decorators show: only kernels are stepped through"
        return lines[after], "" if _is_kernel(function) else other
    return None, "this line is in no kernel: only functions with @triton.jit or @gluon.jit are stepped through"


class Breakpoints:
    def __init__(self):
        self._by_file = {}
        self.functions = {}  # name: breakpoint

    def set(self, path, asked):
        """Replaces the breakpoints of a file; what became of each."""
        try:
            with open(path, encoding="utf-8") as file:
                tree = ast.parse(file.read())
        except (OSError, SyntaxError, ValueError) as error:
            made = [Breakpoint(each, None, f"the file cannot be read: {why_unreadable(error)}") for each in asked]
        else:
            functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
            functions.reverse()  # those inside of others come first
            made = [Breakpoint(each, *_resolve(functions, each["line"])) for each in asked]
        lines = {}
        for each in made:
            if each.line is not None:
                lines.setdefault(each.line, []).append(each)
        # The program's thread may go through the old ones.
        self._by_file = {**self._by_file, os.path.realpath(path): lines}
        return [each.described() for each in made]

    def set_functions(self, asked):
        """Replaces the breakpoints of functions; what became of each."""
        made = [Breakpoint(each) for each in asked]
        names = [each["name"] for each in asked]
        self.functions = {name: each for name, each in zip(names, made, strict=True) if each.is_verified}
        return [each.described() for each in made]

    def clear(self):
        self._by_file, self.functions = {}, {}

    def begin_program(self):
        """Hits are counted in each program, so that it stops at the same statements when it runs again."""
        for each in [*self._all()]:
            each.hits = 0

    def _all(self):
        for lines in self._by_file.values():
            yield from itertools.chain.from_iterable(lines.values())
        yield from self.functions.values()

    def at(self, file, line):
        return self._by_file.get(_real(file), {}).get(line, ())

    def of_function(self, name):
        found = self.functions.get(name)
        return [] if found is None else [found]


_real = functools.cache(os.path.realpath)
