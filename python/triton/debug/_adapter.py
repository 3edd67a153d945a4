"""Answers the requests of a client, on a thread of its own, while the program runs or waits."""

import functools
import os
import re
import threading
import traceback

from ..audit._machines import machine_of
from ..errors import TritonError
from ..runtime.interpreter.places import place_of
from ..runtime.interpreter.values import plain
from ._evaluation import evaluate
from ._layouts import placed, places_of_name
from ._messages import RequestError, why_unreadable
from ._programs import Debugger
from ._statement import operations_at
from ._values import SHOWN_BETWEEN, Children, LaterChildren, Text, shown

_CAPABILITIES = (
    "supportsConfigurationDoneRequest",
    "supportsConditionalBreakpoints",
    "supportsHitConditionalBreakpoints",
    "supportsLogPoints",
    "supportsFunctionBreakpoints",
    "supportsDataBreakpoints",
    "supportsStepBack",
    "supportsRestartFrame",
    "supportsEvaluateForHovers",
    "supportsExceptionInfoRequest",
    "supportsTerminateRequest",
)
_ERRORS = {"filter": "errors", "label": "Errors in kernels", "default": True}
_DATA = re.compile(r"(\d+):(\d+)")
#: The number of the first data breakpoint, behind those of others.
_FIRST_DATA = 1_000_000
#: What becomes a text.
_PLAIN = (str, int, float)
#: Names that the interpreter has given, which users have not written.
_HIDDEN = ("__triton_interpreter__", ".")


def _need(arguments, name, kind, what):
    """An argument of a request."""
    value = arguments.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise RequestError(f"`{name}` is {value!r}; {what} is expected")
    return value


def _program_of(value):
    """The numbers of a program in the grid, of which there may be fewer than three."""
    numbers = value if isinstance(value, list) else [value]
    if not 1 <= len(numbers) <= 3 or not all(type(each) is int and each >= 0 for each in numbers):
        raise RequestError(f"`programId` is {value!r}; one to three numbers such as [0, 2] are expected")
    return (*numbers, 0, 0)[:3]


def _check_surroundings(arguments):
    """Of a program: its arguments, folder and environment."""
    if not isinstance(arguments.get("cwd") or "", str):
        raise RequestError(f"`cwd` is {arguments['cwd']!r}; the path of a folder is expected")
    given, variables = arguments.get("args"), arguments.get("env")
    if given is not None and not (isinstance(given, list) and all(isinstance(each, _PLAIN) for each in given)):
        raise RequestError(f"`args` is {given!r}; a list of texts is expected")
    if variables is None:
        return
    if not isinstance(variables, dict):
        raise RequestError(f"`env` is {variables!r}; an object with the values of variables is expected")
    for name, value in variables.items():
        if not name or "=" in name:
            raise RequestError(f"`env` has the name {name!r}, which a variable of the environment cannot have")
        if not (value is None or isinstance(value, _PLAIN)):
            raise RequestError(f"`{name}` in `env` is {value!r}; a text is expected, or null to remove the variable")


def _machine(target):
    try:
        return machine_of(target)
    except (ValueError, TypeError, AttributeError) as error:
        raise RequestError(str(error)) from None


class Adapter:
    """``launch`` is what the client has asked to run, once ``is_ready``."""

    def __init__(self, channel):
        self.channel, self.debugger = channel, Debugger(channel.event)
        self.launch, self.is_ready, self.is_closed = None, threading.Event(), threading.Event()
        self._is_configured = self._is_running = False
        self._shown = []  # what variables refer to, by their number less 1
        self._stop = None

    # ---- The loop ----

    def serve(self):
        """Answers requests until the client closes its side."""
        try:
            while self._serve_one():
                pass
        finally:
            self.is_closed.set()
            self.is_ready.set()
            if self._is_running and not self.debugger.is_detached:
                os._exit(1)  # a program that waits in a kernel does not end

    def _serve_one(self):
        """Answers the next request; whether there may be another one."""
        request = {}
        try:
            request = self.channel.read()
            if request is not None:
                self._answer(request)
        except RequestError as error:
            self.channel.refuse(request, str(error))
            return bool(request)  # otherwise it is unknown where the next message begins
        except Exception:  # a mistake of ours ends no session
            self.channel.refuse(request, "internal error of the debugger: " + traceback.format_exc())
        return request is not None

    def _answer(self, request):
        handler = getattr(self, "on_" + request["command"], None)
        if handler is None:
            raise RequestError(f"`{request['command']}` is not a request that this debugger answers")
        arguments = request.get("arguments") or {}
        if not isinstance(arguments, dict):
            raise RequestError(f"the arguments of `{request['command']}` are not an object")
        then = None
        body = handler(arguments)
        if isinstance(body, tuple):
            body, then = body
        self.channel.respond(request, body)
        if then is not None:
            then()

    def _stopped(self):
        stop = self.debugger.stop
        if stop is None:
            raise RequestError("no program has stopped: set a breakpoint in a kernel, or `pause`")
        if stop is not self._stop:
            self._stop, self._shown = stop, []
        return stop

    # ---- The session ----

    def on_initialize(self, arguments):
        answer = {**dict.fromkeys(_CAPABILITIES, True), "exceptionBreakpointFilters": [_ERRORS]}
        return answer, lambda: self.channel.event("initialized")

    def on_launch(self, arguments):
        if self.launch is not None:
            raise RequestError("the session has its program already; start another one")
        program = _need(arguments, "program", str, "the path of a Python program, or of a launch's file")
        _check_surroundings(arguments)
        folder = arguments.get("cwd") or os.getcwd()
        if not os.path.isdir(folder):
            raise RequestError(f"`cwd` is `{folder}`, which is not a folder")
        if program != "pytest" and not os.path.isfile(os.path.join(folder, program)):
            raise RequestError(f"`program` is `{program}`, which is not a file; write a path, or `pytest`")
        kernel, number = arguments.get("kernel"), arguments.get("programId")
        if (target := arguments.get("target")) is not None:
            self.debugger.machine = _machine(target)
        self.debugger.kernel = None if kernel is None else _need(arguments, "kernel", str, "the name of a kernel")
        self.debugger.program = None if number is None else _program_of(number)
        is_chosen = kernel is not None or number is not None
        self.debugger.stops_at_first = bool(arguments.get("stopOnEntry", is_chosen))
        self.launch = {**arguments, "cwd": folder}
        return {}, self._start_if_ready

    def on_attach(self, arguments):
        raise RequestError("`attach` is not supported: `launch` starts the program under the debugger")

    def on_configurationDone(self, arguments):
        self._is_configured = True
        return {}, self._start_if_ready

    def _start_if_ready(self):
        if self.launch is not None and self._is_configured and not self._is_running:
            self._is_running = True
            self.is_ready.set()

    def ended(self, status):
        self._is_running = False
        self.channel.event("exited", exitCode=status)
        self.channel.event("terminated")

    def on_disconnect(self, arguments):
        if arguments.get("terminateDebuggee", True):
            return {}, self._end
        self.debugger.detach()
        return {}

    def on_terminate(self, arguments):
        return {}, self._end

    def _end(self):
        if self._is_running:
            self.channel.event("terminated")
            os._exit(0)
        self.is_closed.set()
        self.is_ready.set()

    # ---- Breakpoints ----

    def on_setBreakpoints(self, arguments):
        path = _need(_need(arguments, "source", dict, "a source"), "path", str, "the path of a file")
        asked = arguments.get("breakpoints") or [{"line": line} for line in arguments.get("lines") or []]
        for each in asked:
            _need(each, "line", int, "the number of a line")
        return {"breakpoints": self.debugger.points.set(path, asked)}

    def on_setFunctionBreakpoints(self, arguments):
        asked = _need(arguments, "breakpoints", list, "a list")
        for each in asked:
            _need(each, "name", str, "the name of a kernel")
        return {"breakpoints": self.debugger.points.set_functions(asked)}

    def on_setExceptionBreakpoints(self, arguments):
        filters = _need(arguments, "filters", list, "a list")
        self.debugger.breaks_on_errors = "errors" in filters
        return {"breakpoints": [{"verified": each == "errors"} for each in filters]}

    def on_exceptionInfo(self, arguments):
        error = self._stopped().error
        if error is None:
            raise RequestError("the program has not stopped because of an error")
        name = type(error).__name__
        text = f"{error}" if isinstance(error, TritonError) else f"{name}: {error}"
        return {"exceptionId": name, "description": text, "breakMode": "always"}

    def on_dataBreakpointInfo(self, arguments):
        name = _need(arguments, "name", str, "the name of a pointer, or an expression")
        value = self._value_of_data(arguments, name)
        if not (hasattr(value, "dtype") and getattr(value.dtype, "is_ptr", bool)() and value.shape == ()):
            return {"dataId": None, "description": f"`{name}` is not a single pointer, whose memory could be watched"}
        memory, size = self._stop.run.memory, value.dtype.element_ty.primitive_bitwidth // 8
        address = int(value.data)
        return {
            "dataId": f"{address}:{max(size, 1)}",
            "description": memory.name_of(address, max(size, 1)),
            "accessTypes": ["write"],
        }

    def _value_of_data(self, arguments, name):
        stop = self._stopped()
        if reference := arguments.get("variablesReference"):
            children = self._children_of(reference)
            return dict([*children.named, *children.items(0, 0)]).get(name)
        frame, is_kernel = self._frame_of(arguments)
        return evaluate(name, frame, stop.run.builder, is_kernel)

    def on_setDataBreakpoints(self, arguments):
        """They hold for the launch whose program has stopped: another one has other memory."""
        asked = _need(arguments, "breakpoints", list, "a list")
        if self.debugger.stop is None:
            return {"breakpoints": [{"verified": False, "message": "no program has stopped"} for _ in asked]}
        watched, answers = self.debugger.stop.run.memory.watched, []
        watched.clear()
        for number, each in enumerate(asked):
            match = _DATA.fullmatch(_need(each, "dataId", str, "an address"))
            if match is None:
                raise RequestError(f"`dataId` is `{each['dataId']}`, which `dataBreakpointInfo` has not given")
            watched[int(match[1]), int(match[2])] = identity = _FIRST_DATA + number
            answers.append({"verified": True, "id": identity})
        return {"breakpoints": answers}

    # ---- Going on ----

    def _resume(self, command, arguments):
        self._stopped()
        self._stop = None
        return {"allThreadsContinued": True}, functools.partial(self.debugger.resume, command)

    on_continue = functools.partialmethod(_resume, "continue")
    on_next = functools.partialmethod(_resume, "next")
    on_stepIn = functools.partialmethod(_resume, "stepIn")
    on_stepOut = functools.partialmethod(_resume, "stepOut")
    on_stepBack = functools.partialmethod(_resume, "stepBack")
    on_reverseContinue = functools.partialmethod(_resume, "reverseContinue")
    on_restartFrame = functools.partialmethod(_resume, "restartFrame")

    def on_pause(self, arguments):
        self.debugger.pause()

    # ---- What is there ----

    def on_threads(self, arguments):
        stop = self.debugger.stop
        name = "the program" if stop is None else f"{stop.run.kernel}, program {stop.run.builder.grid_idx}"
        return {"threads": [{"id": 1, "name": name}]}

    def on_stackTrace(self, arguments):
        stop = self._stopped()
        frames = [self._described_frame(stop, number) for number in range(len(stop.frames))]
        start = arguments.get("startFrame") or 0
        end = start + (arguments.get("levels") or len(frames))
        return {"stackFrames": frames[start:end], "totalFrames": len(frames)}

    @staticmethod
    def _described_frame(stop, number):
        frame, is_kernel = stop.frames[number]
        path = os.path.abspath(frame.f_code.co_filename)
        body = {
            "id": number + 1,
            "name": frame.f_code.co_name,
            "source": {"name": os.path.basename(path), "path": path},
            "line": frame.f_lineno,
            "column": 1,
        }
        if number > 0 or stop.error is not None:  # in the middle of a statement
            _, _, column, end = place_of(frame, lambda code: True)
            body["column"] = column or 1
            if end:
                body.update(endLine=frame.f_lineno, endColumn=end)
        return body if is_kernel else {**body, "presentationHint": "subtle"}

    def on_source(self, arguments):
        """The text of a file, for a client that reads none itself."""
        path = _need(_need(arguments, "source", dict, "a source"), "path", str, "the path of a file")
        try:
            with open(path, encoding="utf-8") as file:
                return {"content": file.read(), "mimeType": "text/x-python"}
        except (OSError, ValueError) as error:
            raise RequestError(f"`{path}` cannot be read: {why_unreadable(error)}") from None

    def _frame_of(self, arguments):
        """(frame, whether it is a kernel's), the innermost if a request names none."""
        frames = self._stopped().frames
        number = arguments.get("frameId") or 1
        if not isinstance(number, int) or not 1 <= number <= len(frames):
            raise RequestError(f"`frameId` is {number!r}; the stack has the frames 1 to {len(frames)}")
        return frames[number - 1]

    def on_scopes(self, arguments):
        stop = self._stopped()
        frame, is_kernel = self._frame_of(arguments)
        values = {name: value for name, value in frame.f_locals.items() if not name.startswith(_HIDDEN)}
        count = frame.f_code.co_argcount + frame.f_code.co_kwonlyargcount
        if not is_kernel:
            return {"scopes": [self._scope("Locals", values)]}
        values = {name: self._named(frame, name, value) for name, value in values.items()}
        given = {name: values.pop(name) for name in frame.f_code.co_varnames[:count] if name in values}
        launch = stop.run.builder
        facts = {
            "program_id": launch.grid_idx,
            "num_programs": launch.grid_dim,
            "num_warps": launch.options.num_warps if launch.gluon is None else launch.gluon.warps,
            "step": stop.run.step,
        }
        if launch.gluon is not None and len(launch.gluon.groups.all) > 1:
            facts.update(self._groups(launch))
        scopes = {"Locals": values, "Arguments": given, "Program": facts}
        described = [self._scope(name, of) for name, of in scopes.items()]
        between = LaterChildren("", functools.partial(self._between_operations, frame))
        described.insert(2, {"name": "Statement", "variablesReference": self._refer(between), "expensive": True})
        return {"scopes": described}

    @staticmethod
    def _groups(launch):
        """What the groups of warps do."""
        groups = launch.gluon.groups
        with launch.running():
            return {group.name: Text("runs" if group is groups.running else group) for group in groups.all}

    def _named(self, frame, name, value):
        run = self._stop.run
        choices = functools.partial(places_of_name, frame, name, run.history[: run.step - 1])
        return placed(plain(value), frame.f_code, choices, run.builder.layouts)

    def _between_operations(self, frame):
        """The values that the statement computes on its way."""
        builder, found = self._stop.run.builder, []
        for text, place in operations_at(frame):
            try:
                value = plain(evaluate(text, frame, builder))
            except RequestError as error:
                found.append((text, Text(error)))
                continue
            if isinstance(value, SHOWN_BETWEEN):
                found.append((text, placed(value, frame.f_code, lambda place=place: [[place]], builder.layouts)))
        return found

    def _scope(self, name, values):
        children = Children(values.items())
        return {"name": name, "variablesReference": self._refer(children), "expensive": False}

    def _refer(self, children):
        """The number by which the client asks for parts; 0 where there are none."""
        if children is None:
            return 0
        self._shown.append(children)
        return len(self._shown)

    def _described(self, value):
        try:
            found = shown(value, self._stopped().run.memory)
        except RequestError:
            raise
        except Exception as error:  # of an object's own text
            return {"type": type(value).__name__, "variablesReference": 0}, f"{type(error).__name__}: {error}"
        facts = {"type": found.type, "variablesReference": self._refer(found.children)}
        if found.children is not None and not isinstance(found.children, LaterChildren):
            facts.update(namedVariables=len(found.children.named), indexedVariables=found.children.count)
        return facts, found.text

    def _children_of(self, number):
        self._stopped()
        if not isinstance(number, int) or not 1 <= number <= len(self._shown):
            raise RequestError(f"`variablesReference` is {number!r}, which is nothing that was shown at this stop")
        return self._shown[number - 1]

    def on_variables(self, arguments):
        children = self._children_of(arguments.get("variablesReference"))
        chosen, parts = arguments.get("filter"), []
        if chosen != "indexed":
            parts += children.named
        if chosen != "named":
            parts += children.items(arguments.get("start") or 0, arguments.get("count") or 0)
        described = []
        for name, value in parts:
            facts, text = self._described(value)
            described.append({"name": name, "value": text, **facts})
        return {"variables": described}

    def on_evaluate(self, arguments):
        stop = self._stopped()
        text = _need(arguments, "expression", str, "an expression")
        frame, is_kernel = self._frame_of(arguments)
        value = evaluate(text, frame, stop.run.builder, is_kernel)
        if is_kernel and text.strip() in frame.f_locals:
            value = self._named(frame, text.strip(), value)
        facts, result = self._described(value)
        if arguments.get("context") == "repl" and facts["variablesReference"]:
            children = self._children_of(facts["variablesReference"])
            texts = {part: shown(each, stop.run.memory).text for part, each in children.named}
            lines = [text if part == "grid" else f"{part}: {text}" for part, text in texts.items()]
            result = "\n".join([result, *lines]).lstrip("\n")
        return {"result": result, **facts}
