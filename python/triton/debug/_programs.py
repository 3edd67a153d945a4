"""One program of a launch, which runs as often as its user goes back: programs are deterministic."""

import contextlib
import functools
import os
import re
import sys
import threading

from ..audit._machines import DEFAULT, MACHINES
from ..runtime.interpreter import places
from ..runtime.interpreter.rewriting import definition_of
from ._breakpoints import Breakpoints
from ._evaluation import evaluate
from ._memory import JournalMemory
from ._messages import RequestError
from ._output import WithoutThread
from ._values import shown

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_RUNNER = os.path.join(_PACKAGE, "_programs.py")
_FIELD = re.compile(r"\{([^{}]*)\}")
#: Exceptions by which iteration ends.
_ENDS = (StopIteration, GeneratorExit)


class _Rewind(BaseException):
    """Ends a run of a program, which then begins anew."""


class Stop:
    """Where a program has stopped."""

    def __init__(self, run, frame, reason, **facts):
        self.run, self.reason, self.facts = run, reason, facts
        self.error = facts.pop("error", None)
        self.frames = list(_frames_from(frame))  # [(frame, whether it is one of a kernel)]
        gluon = run.builder.gluon
        if gluon is not None and gluon.groups.running is not gluon.groups.first:  # a thread of its own
            self.frames += _frames_from(gluon.groups.frame)


def _frames_from(frame):
    """The frames that users know, the innermost first: those of kernels, then those of the program that launches."""
    in_kernel = True
    while frame is not None and frame.f_code.co_filename != _RUNNER:
        in_kernel = in_kernel and frame.f_code is not ProgramRun.run.__code__
        file = frame.f_code.co_filename
        is_own = file.startswith((_PACKAGE, "<")) or file.endswith(("runpy.py", os.sep + "threading.py"))
        if places.is_kernel(frame.f_code) if in_kernel else not is_own:
            yield frame, in_kernel
        frame = frame.f_back


@functools.cache
def _lines_of(code):
    return places.lines_of_statements(definition_of(code))


class _Call:
    """Sees the statements of one call of a kernel's function."""

    def __init__(self, run, code, depth):
        self.run, self.depth, self.statement, self.has_begun = run, depth, None, False
        self.lines = _lines_of(code)

    def __call__(self, frame, event, argument):
        if self.run.is_rewinding:  # another group of warps has gone back
            return None
        if event == "line":
            statement = self.lines.get(frame.f_lineno)
            if statement is not None and statement != self.statement:
                self.statement = statement
                is_first, self.has_begun = not self.has_begun, True
                self.run.at_statement(frame, statement, self.depth, is_first)
        elif event == "exception":
            self.run.at_exception(frame, self.depth, argument[1])
        elif event == "return":
            self.run.at_return(frame, self.depth)
        return self


class _Depth(threading.local):
    """How many calls of kernels' functions are open on a thread. Those of groups of warps are called by the kernel."""

    calls = 1


class ProgramRun:
    """One program, and what its user wants next: ``mode`` is the request by which it goes on."""

    def __init__(self, debugger, kernel, builder, stops_at_first):
        self.debugger, self.kernel, self.builder, self.memory = debugger, kernel, builder, builder.memory
        self.mode, self.limit = ("stepIn" if stops_at_first else "continue"), 0
        self.is_entry = stops_at_first
        self.history = []  # (depth, file, line) of each step
        self.target, self.search_end = None, None  # the steps that it runs to on its way back
        self._found = None  # (step, why it may stop there)
        self._begin()

    # ---- Running ----

    def _begin(self):
        self.step, self._depth, self._error = 0, _Depth(), None
        self._depth.calls, self.is_rewinding = 0, False
        self.debugger.points.begin_program()

    def run(self, run_once):
        """Calls ``run_once``, again after each rewind."""
        mark = self.memory.mark()
        while True:
            before = sys.gettrace()
            sys.settrace(self._trace)
            try:
                with self._silent() if self._is_replaying() else contextlib.nullcontext():
                    return run_once()
            except _Rewind:
                self.memory.undo_to(mark)
                self._begin()
            finally:
                sys.settrace(before)

    def _is_replaying(self):
        return self.target is not None or self.search_end is not None

    @contextlib.contextmanager
    def _silent(self):
        """What the program prints on its way back to a place, it has printed before."""
        sys.stdout = WithoutThread(sys.stdout)
        try:
            yield
        finally:
            self._speak()

    def _speak(self):
        if isinstance(sys.stdout, WithoutThread):
            sys.stdout = sys.stdout.stream

    def _trace(self, frame, event, argument):
        if event != "call" or not places.is_kernel(frame.f_code):
            return None
        call = _Call(self, frame.f_code, self._depth.calls)
        self._depth.calls += 1
        return call

    # ---- What happens ----

    def at_statement(self, frame, line, depth, is_first):
        hit = self._next_step(frame, line, depth)
        points = [*self.debugger.points.at(frame.f_code.co_filename, line)]
        points += self.debugger.points.of_function(frame.f_code.co_name) if is_first else []
        hits = [point.id for point in points if self._is_hit(point, frame)]
        self._may_stop(frame, depth, {"reason": "breakpoint", "hitBreakpointIds": hits} if hits else hit)

    def at_return(self, frame, depth):
        """The end of the whole program is a step, so that its user sees what it leaves."""
        self._depth.calls = depth
        if depth == 0 and self._error is None:
            hit = self._next_step(frame, frame.f_lineno, 0)
            self._may_stop(frame, 0, hit, "the program has ended")

    def at_exception(self, frame, depth, error):
        if isinstance(error, (*_ENDS, _Rewind)) or error is self._error:
            return
        self._error = error
        if not self._is_replaying() and self.debugger.breaks_on_errors:
            self._stop(frame, depth, "exception", text=str(error), error=error)

    def _next_step(self, frame, line, depth):
        """Counts; gives why the program may stop here beside its breakpoints, or None."""
        self.step += 1
        self.memory.step = self.step
        if self.step > len(self.history):
            self.history.append((depth, frame.f_code.co_filename, line))
        elif self.history[self.step - 1] != (depth, frame.f_code.co_filename, line):
            self.debugger.say(f"the program has taken another way than before at step {self.step}")
            self.history[self.step - 1 :] = [(depth, frame.f_code.co_filename, line)]
        changed = self.memory.take_changed()
        return None if changed is None else {"reason": "data breakpoint", "hitBreakpointIds": [changed]}

    def _is_hit(self, point, frame):
        if point.reach():
            self.debugger.send("breakpoint", reason="changed", breakpoint=point.described())
        if not point.is_hit(lambda text: bool(evaluate(text, frame, self.builder)), self.debugger.say):
            return False
        if point.log is None:
            return True
        if not self._is_replaying():
            self.debugger.say(_FIELD.sub(lambda field: self._field(field[1], frame), point.log), "stdout")
        return False

    def _field(self, text, frame):
        try:
            return shown(evaluate(text, frame, self.builder), self.memory).text
        except RequestError as error:
            return f"{{{error}}}"

    def _may_stop(self, frame, depth, hit, description=None):
        """Stops if the user wants it here; ``hit`` says why a program that continues does."""
        if self.search_end is not None:
            if self.step >= self.search_end:
                self._rewind(*self._found)
            self._found = (self.step, hit) if hit else self._found
            return
        if self.target is not None:
            if self.step < self.target:
                return
            self.target, hit = None, self._found[1]
        elif self.debugger.takes_pause():
            hit = {"reason": "pause"}
        elif hit is None and self._has_stepped(depth):
            hit = {"reason": "entry" if self.is_entry else "step"}
        if hit is not None:
            self._stop(frame, depth, description=description, **hit)

    def _has_stepped(self, depth):
        if self.mode == "stepIn":
            return True
        return self.mode == "next" and depth <= self.limit or self.mode == "stepOut" and depth < self.limit

    def _stop(self, frame, depth, reason, **facts):
        self.is_entry = False
        self._speak()
        facts = {name: fact for name, fact in facts.items() if fact is not None}
        self.mode, self.limit = self.debugger.wait_at(Stop(self, frame, reason, **facts)), depth
        if self.mode == "stepBack":
            before = [step for step in range(1, self.step) if self.history[step - 1][0] <= depth]
            self._rewind(before[-1] if before else 1)
        if self.mode == "reverseContinue":
            self.search_end, self._found = self.step, (1, {"reason": "entry"})
            self._end_run()
        if self.mode == "restartFrame":
            self._rewind(1)

    def _rewind(self, target, hit=None):
        """Goes back to a step; ``hit`` says why the program stops there."""
        self.target, self.search_end, self._found = target, None, (target, hit or {"reason": "step"})
        self._end_run()

    def _end_run(self):
        self.is_rewinding = True
        raise _Rewind


class Debugger:
    """What the user of one session wants, and the program that runs or has stopped."""

    def __init__(self, send):
        self.send = send  # an event, with its body
        self.points = Breakpoints()
        self.kernel = self.program = None  # the name and the numbers to stop in; None for all
        self.machine = MACHINES[DEFAULT]  # whose threads are shown
        self.stops_at_first, self.breaks_on_errors = False, True
        self.stop = None
        self._wants_pause = self.is_detached = False
        self._command, self._go = None, threading.Semaphore(0)
        self._stopping = threading.Lock()  # a program does not stop while its debugger leaves it
        self._one_launch, self._has_run = threading.RLock(), False

    def say(self, text, category="console"):
        self.send("output", category=category, output=text + "\n")

    def say_what_never_ran(self):
        if not (self.kernel is None and self.program is None or self._has_run or self.is_detached):
            what = "program" if self.program is None else f"program {self.program}"
            of = "any kernel" if self.kernel is None else f"a kernel `{self.kernel}`"
            self.say(f"no launch has run a {what} of {of}: look at `kernel` and `programId` of the configuration")

    def is_about_kernel(self, kernel):
        return not self.is_detached and self.kernel in (None, kernel)

    def run_program(self, kernel, builder, run_once):
        """Runs a program of a launch, by ``run_once``."""
        if self.is_detached and isinstance(builder.memory, JournalMemory):
            builder.memory.close()
        if not self.is_about_kernel(kernel) or self.program not in (None, builder.grid_idx):
            return run_once()
        with self._one_launch:
            self._has_run = True
            run = ProgramRun(self, kernel, builder, self.stops_at_first)
            self.stops_at_first = False
            try:
                run.run(run_once)
            finally:
                # Whoever steps beyond the end of a program comes to the next one.
                self.stops_at_first = self.stops_at_first or run.mode in ("next", "stepIn")

    # ---- For the thread of the program ----

    def wait_at(self, stop):
        """Waits for the user's next command, and gives it."""
        with self._stopping:
            if self.is_detached:
                return "continue"
            self.stop = stop
        self.send("stopped", reason=stop.reason, threadId=1, allThreadsStopped=True, **stop.facts)
        self._go.acquire()
        return self._command

    def takes_pause(self):
        wanted, self._wants_pause = self._wants_pause, False
        return wanted

    # ---- For the thread that answers requests ----

    def pause(self):
        self._wants_pause = True

    def resume(self, command):
        self.stop, self._command = None, command
        self._go.release()

    def detach(self):
        """Lets the program run to its end. The kernel that is run now stays interpreted."""
        with self._stopping:
            self.is_detached = True
        self.points.clear()
        if self.stop is not None:
            self.resume("continue")
