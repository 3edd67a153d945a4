"""Which lines of kernels run, which way their conditions go, and whether their masks are ever false.

Compiled code lacks these places: conditions become predicates, and stores of one element have a mask of their
own. Each launch therefore also runs in the interpreter, from the same contents, which are put back.
"""

import ast
import inspect
import sys
from collections import Counter

from ..runtime.interpreter import InterpreterBuilder, places, rewriting
from ..runtime.interpreter.places import is_kernel, place_of
from ._beside import Executor, run_beside
from ._lcov import UNKNOWN, WAYS

_MASKED = ("load", "store")
#: So often runs a loop that may wait for another program, which would run only later.
_MOST_ROUNDS = 10_000


def _may_wait(loop):
    """Whether it asks memory in its condition, or has atomic operations."""
    calls = [node.func for node in ast.walk(loop) if isinstance(node, ast.Call)]
    is_asked = any(isinstance(node, ast.Call) for node in ast.walk(loop.test))
    return is_asked or any(isinstance(call, ast.Attribute) and call.attr.startswith("atomic_") for call in calls)


class _Function:
    """What is known of a kernel's function before it runs: its statements, and the conditions of `if` and `while`."""

    def __init__(self, code):
        self.file, self.lines, self.ways, self.waits = code.co_filename, set(), {}, set()
        for node in places.statements(rewriting.definition_of(code)):
            is_condition = isinstance(node, (ast.If, ast.While))
            self.lines.add(places.first_line(node))
            if isinstance(node, ast.While) and _may_wait(node):
                self.waits.add(node.test.lineno)
            if is_condition and node.body[0].lineno > node.test.end_lineno:
                place = node.test.lineno, node.test.col_offset + 1
                body = range(node.body[0].lineno, node.body[-1].end_lineno + 1)
                for line in range(node.test.lineno, node.test.end_lineno + 1):
                    self.ways[line] = place, node.test.end_lineno, body

    def zeros(self):
        """All counts, so that what never runs is in the file."""
        zeros = {(self.file, line, 0, "line"): 0 for line in self.lines}
        for (line, column), _, _ in self.ways.values():
            zeros.update({(self.file, line, column, f"if {way}"): 0 for way in ("true", "false")})
        return zeros


class _Frame:
    """Counts the lines of a call, and which way its conditions go."""

    def __init__(self, counts, function):
        self.counts, self.function, self.before, self.rounds = counts, function, None, Counter()

    def __call__(self, frame, event, argument):
        if event not in ("line", "return"):
            return self
        file, line = self.function.file, frame.f_lineno if event == "line" else None
        if line in self.function.lines:
            self.counts[file, line, 0, "line"] += 1
        if line in self.function.waits:
            self.rounds[line] += 1
            if self.rounds[line] > _MOST_ROUNDS:
                raise RuntimeError("the loop may wait for a program that runs only later here")
        if self.before in self.function.ways:
            (first, column), last, body = self.function.ways[self.before]
            if line is None or not first <= line <= last:
                self.counts[file, first, column, f"if {'true' if line in body else 'false'}"] += 1
        self.before = line
        return self


class _Trace:
    """Counts what the kernels of one launch do."""

    def __init__(self):
        self.counts, self.functions = Counter(), {}

    def __call__(self, frame, event, argument):
        code = frame.f_code
        if not is_kernel(code):
            return None
        if code not in self.functions:
            self.functions[code] = _Function(code)
            self.counts.update(self.functions[code].zeros())
        return _Frame(self.counts, self.functions[code])

    def note_mask(self, frame, mask):
        """A mask of a call in a kernel, whose frame is the nearest one of a kernel."""
        place = place_of(frame, self.functions.__contains__)
        if place is None:
            return
        chosen = int((mask != 0).sum())
        self.counts[(*place[:3], "mask true")] += chosen
        self.counts[(*place[:3], "mask false")] += mask.size - chosen


class _Builder(InterpreterBuilder):
    trace = None

    def call(self, function, args, kwargs):
        if function.__name__ in _MASKED or function.__name__.startswith("atomic_"):
            mask = inspect.signature(function).bind(*args, **kwargs).arguments.get("mask")
            if hasattr(mask, "data"):
                self.trace.note_mask(sys._getframe(1), mask.data)
        return super().call(function, args, kwargs)


class _Executor(Executor):
    """Runs a launch in the interpreter, and counts."""

    def __init__(self, kernel, grid, trace):
        super().__init__(kernel, grid, self._traced_builder)
        self.trace = trace

    def _traced_builder(self, options):
        builder = _Builder(options)
        builder.trace = self.trace
        return builder

    def _run(self, builder, bound):
        before = sys.gettrace()
        sys.settrace(self.trace)
        try:
            super()._run(builder, bound)
        finally:
            sys.settrace(before)


def cover(session, kernel, args, grid, kwargs):
    """Counts what a launch does."""
    trace = _Trace()
    reason = run_beside(kernel, lambda interpreted: _Executor(interpreted, grid, trace), args, kwargs)
    if reason is not None:
        session.note_incomplete(f"`{kernel.__name__}` was not covered to its end: {reason}")
        # Which ways the rest of the launch would have gone, nobody knows.
        trace.counts.update({(*key[:3], UNKNOWN): 1 for key in trace.counts if key[3] in WAYS})
    session.current.coverage.update(trace.counts)
