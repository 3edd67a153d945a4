"""Which lines of kernels run, which way their conditions go, and whether their masks are ever false.

Compiled code lacks these places: conditions become predicates, and stores of one element have a mask of their
own. Each launch therefore also runs in the interpreter, from the same contents, which are put back.
"""

import ast
import contextlib
import inspect
import sys
from collections import Counter

from ..runtime.interpreter import GridExecutor, InterpretedFunction, InterpreterBuilder, rewriting
from ..runtime.jit import JITFunction
from . import _tuning

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
        for node in ast.walk(rewriting._definition(code)):
            if not isinstance(node, ast.stmt) or isinstance(node, ast.FunctionDef):
                continue
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):  # a docstring
                continue
            is_condition = isinstance(node, (ast.If, ast.While))
            self.lines.add(node.test.lineno if is_condition else node.lineno)
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
        if code.co_filename not in rewriting.KERNEL_FILES or not code.co_name.isidentifier():
            return None
        if code not in self.functions:
            self.functions[code] = _Function(code)
            self.counts.update(self.functions[code].zeros())
        return _Frame(self.counts, self.functions[code])

    def note_mask(self, frame, mask):
        """A mask of a call in a kernel, whose frame is the nearest one of a kernel."""
        while frame is not None and frame.f_code not in self.functions:
            frame = frame.f_back
        if frame is None:
            return
        columns = list(frame.f_code.co_positions()) if hasattr(frame.f_code, "co_positions") else []
        column = columns[frame.f_lasti // 2][2] if columns else None
        place = frame.f_code.co_filename, frame.f_lineno, 0 if column is None else column + 1
        chosen = int((mask != 0).sum())
        self.counts[(*place, "mask true")] += chosen
        self.counts[(*place, "mask false")] += mask.size - chosen


class _Builder(InterpreterBuilder):
    trace = None

    def call(self, function, args, kwargs):
        if function.__name__ in _MASKED or function.__name__.startswith("atomic_"):
            mask = inspect.signature(function).bind(*args, **kwargs).arguments.get("mask")
            if hasattr(mask, "data"):
                self.trace.note_mask(sys._getframe(1), mask.data)
        return super().call(function, args, kwargs)


class _Executor(GridExecutor):
    """Runs a launch in the interpreter, and counts."""

    def __init__(self, kernel, grid):
        super().__init__(kernel.rewritten, kernel.arg_names, grid, (), kernel.params, kernel.options)
        self.trace = _Trace()
        self.builder_class = self._traced_builder

    def _traced_builder(self, options):
        builder = _Builder(options)
        builder.trace = self.trace
        return builder

    def _hooks(self, builder, bound):
        return contextlib.nullcontext()

    def _run(self, builder, bound):
        before = sys.gettrace()
        sys.settrace(self.trace)
        try:
            super()._run(builder, bound)
        finally:
            sys.settrace(before)


def _options(kernel, kwargs):
    return {name: value for name, value in kwargs.items() if name in kernel.arg_names or name in ("num_warps", "debug")}


def _cover(session, kernel, args, grid, kwargs):
    interpreted = InterpretedFunction.of(kernel)
    executor = _Executor(interpreted, grid)
    with _tuning._restored(_tuning._arrays(args, kwargs)):
        try:
            executor(*args, **_options(interpreted, kwargs))
        except Exception as error:  # what is wrong with the launch is seen when it runs
            session.note_uncovered(f"`{kernel.__name__}` was not covered to its end: {error}".splitlines()[0])
    session.current.coverage.update(executor.trace.counts)


def install(session):
    """Lets launches of this process be covered."""
    launch = JITFunction.run

    def run(kernel, *args, grid, warmup=False, **kwargs):
        if not warmup and not session.is_probing:
            _cover(session, kernel, args, grid, kwargs)
        return launch(kernel, *args, grid=grid, warmup=warmup, **kwargs)

    JITFunction.run = run
