"""Files of classes: what launches of a program have needed, so that another process has it before it is needed.

`TRITON_RECORD_CLASSES` names a file, to which each process adds a line of JSON for each class of each kernel that it
launches or warms up, or that a program such as PyTorch gives to `triton.compile` and launches itself. Lines are whole:
a writer holds a lock, and takes back what it could not write to its end.
"""

import contextlib
import dataclasses
import errno
import fcntl
import functools
import hashlib
import importlib
import json
import math
import os
import threading
import warnings
from collections import namedtuple

from .. import _function_classes, knobs
from .._version import __version__
from ..backends.active import driver
from ..backends.compiler import GPUTarget
from ..backends.registry import GPU_BACKENDS
from ..compiler.compiler import ASTSource
from ..errors import TritonError
from ..tools.kernel_names import function_of, module_of_file
from . import _fallback, _generated_files, _manifest
from ._interpolation import Measured, is_count
from ._ranges import arguments_in_range, attributes_for
from ._specialization_data import deserialize_specialization_data, serialize_specialization_data
from ._variants import variant_key, with_variants

#: The name of the file in a folder of ahead-of-time compiled classes.
FILE_NAME = "classes.jsonl"
_FORMAT = 1


# ---- Writing ----


class _Recorder:
    """A file of classes that this process adds to."""

    def __init__(self, path):
        self.path = path
        self._known, self._read_to = set(), 0
        self._lock = threading.Lock()

    def add(self, line):
        """Adds the line if the file does not have it."""
        with self._lock:
            file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                fcntl.flock(file, fcntl.LOCK_EX)
                end = self._read_others(file)
                if line not in self._known:
                    self._append(file, line, end)
            finally:
                os.close(file)  # gives the lock back

    def _append(self, file, line, end):
        data = line.encode() + b"\n"
        try:
            if os.pwrite(file, data, end) != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            os.ftruncate(file, end)
            raise
        self._known.add(line)
        self._read_to = end + len(data)

    def _read_others(self, file):
        """Learns what others have added; where whole lines end, which is where the next one begins. What a process that
        was killed has left behind them is cut off."""
        size = os.fstat(file).st_size
        if size < self._read_to:  # another file now
            self._known, self._read_to = set(), 0
        new = os.pread(file, size - self._read_to, self._read_to)
        whole = new.rpartition(b"\n")[0] + b"\n" * (b"\n" in new)
        self._known.update(whole.decode(errors="replace").split("\n")[:-1])
        self._read_to += len(whole)
        if self._read_to != size:
            os.ftruncate(file, self._read_to)
        return self._read_to


_recorder = None


def record(kernel, src, options, values):
    """Adds the class of a launch to the file that the settings name; ``values`` are the arguments by name. A failure is
    a warning, one for each file."""
    _add(lambda: _line_of(kernel, src, options, values))


def record_source(src, target, options):
    """The same for an ASTSource that a program has compiled, and launches in a way of its own."""
    _add(lambda: _source_line(src, target, options or {}))


def record_choice(tuner, key, config, measured, device):
    """The same for the configuration that a tuning run has chosen for a key, with what was `Measured`, or None, on
    which device, unless the key has values without a text."""
    if all(part is None or type(part) in (bool, int, float, str) for part in key):
        _add(lambda: _choice_line(tuner, key, config, measured, device))


def _add(make_line):
    global _recorder
    path = os.path.abspath(knobs.runtime.record_classes)
    if _recorder is None or _recorder.path != path:
        _recorder = _Recorder(path)
    if _recorder is not _failed:
        _try_to_add(_recorder, make_line)


_failed = None


def _try_to_add(recorder, make_line):
    global _failed
    try:
        recorder.add(make_line())
    except Exception as error:  # a launch goes on whatever happens here
        _failed = recorder
        warnings.warn(
            f"the classes of launches are not recorded in `{recorder.path}` (TRITON_RECORD_CLASSES) any more: {error}",
            RuntimeWarning,
            stacklevel=3,
        )


def _line_of(kernel, src, options, values):
    variant = json.loads(kernel._describe_variant("", src, options))
    del variant["key"]
    in_range = arguments_in_range(kernel, src, values)
    return json.dumps({**_facts_of(kernel), "in_range": in_range, "variant": variant})


def _source_line(src, target, options):
    text = serialize_specialization_data(
        src.name, src._signature_with_fields, src.constants, src.attrs, options, "", target
    )
    variant = json.loads(text)
    del variant["key"]
    facts = _facts_of(src.fn)
    generated = _generated_files.text_of(facts["file"])
    own = {} if generated is None else {"text": generated}
    return json.dumps({**facts, **own, "launched": False, "in_range": [], "variant": variant})


def generic_lines(recorded, target):
    """The same for the variants that run for classes beside a recorded one; none if the settings do not ask for them,
    or the class is not there, which compiling it says."""
    if not (_fallback.is_on() and recorded.is_launched):
        return []
    try:
        _, kernel = recorded.find()
        src, options = recorded.source_for(kernel, target)
    except ValueError:
        return []
    lines = []
    for each in _fallback.sources_beside(kernel, src, options, target):
        named = each._signature_with_fields
        text = serialize_specialization_data(each.name, named, each.constants, each.attrs, options, "", target)
        variant = json.loads(text)
        del variant["key"]
        lines.append(json.dumps({**recorded.facts, "in_range": [], "variant": variant}))
    return lines


def _choice_line(tuner, key, config, measured, device):
    target = dataclasses.asdict(driver.active.launch_target())
    choice = {"key": list(key), "configuration": str(config), "target": target, "device": device}
    if measured is not None and measured.milliseconds:
        choice["milliseconds"] = measured.milliseconds
        choice["programs"] = [measured.programs.get(name) for name in measured.milliseconds]
        choice["processors"] = measured.processors
    return json.dumps({**_facts_of(function_of(tuner)), "choice": choice})


def device_name():
    """What the driver calls the current GPU; None for a processor."""
    if driver.active.launch_target().backend not in GPU_BACKENDS:
        return None
    return driver.active.utils.get_device_properties(driver.active.get_current_device())["name"]


def processors():
    """How many the current device has that run programs."""
    utils = driver.active.utils
    return utils.get_device_properties(driver.active.get_current_device()).get("multiprocessor_count") or 1


def _facts_of(kernel):
    return {
        "format": _FORMAT,
        "triton": __version__,
        "kernel": f"{kernel.__module__}:{kernel.__qualname__}",
        "file": os.path.abspath(kernel.def_file_name),
        "line": kernel.def_file_line_number,
        "source": digest_of_source(kernel),
    }


def digest_of_source(kernel):
    """A text that changes with the text of the kernel and those of the kernels that it names, wherever they stand."""
    seen, pending = set(), [kernel]
    texts = []
    while pending:
        function = pending.pop()
        if id(function) in seen:
            continue
        seen.add(id(function))
        texts.append(function._source_text)
        scope = function.get_capture_scope()
        named = [scope[name] for name in sorted(function._outside_names() & scope.keys())]
        pending += [value for value in named if isinstance(value, _function_classes.JITFunction)]
    return hashlib.sha256("\0".join(sorted(texts)).encode()).hexdigest()[:32]


# ---- Reading ----


class Recorded(namedtuple("Recorded", ["place", "facts"])):
    """A line of a file of classes, of a class or of a choice; ``place`` is "file:line" of it."""

    __slots__ = ()

    @property
    def kernel(self):
        return self.facts["kernel"]

    @property
    def is_launched(self):
        """Whether this package launches the kernel, not the program that has compiled it."""
        return _is_choice(self.facts) or self.facts.get("launched", True)

    def find(self):
        """(the object with the kernel's name, the kernel in it), whose file is imported if that is not done. ValueError
        if the kernel is not there, or not the same."""
        module, _, name = self.kernel.partition(":")
        what = f"{self.place}: the kernel `{self.kernel}` of {self.facts['file']}:{self.facts['line']}"
        if "<locals>" in name:
            raise ValueError(f"{what} is defined inside a function, so that no other process finds it by its name")
        try:
            owner = self._module(module)
            found = functools.reduce(getattr, name.split("."), owner)
        except (Exception, SystemExit) as error:  # whatever a program's own file raises
            raise ValueError(f"{what} is not found: {type(error).__name__}: {error}") from error
        kernel = function_of(found)
        if kernel is None:
            raise ValueError(f"{what} is not a kernel any more")
        if digest_of_source(kernel) != self.facts["source"]:
            raise ValueError(f"{what} was recorded with another text than it has now; record its classes again")
        return found, kernel

    def _module(self, name):
        file = self.facts["file"]
        # Loading never runs a text of the record: it leaves such classes to the program.
        if not self.is_launched and "text" in self.facts and _generated_files.is_generated(file):
            return _generated_files.import_generated(file, self.facts["text"])
        return module_of_file(file) if os.path.isfile(file) else importlib.import_module(name)

    def take_choice(self):
        """Gives the tuned kernel the choice. ValueError if it does not know the configuration."""
        found, _ = self.find()
        if not hasattr(found, "_take_choice") or not found._take_choice(self.key, self.measured, self.device):
            raise ValueError(
                f"{self.place}: `{self.kernel}` has no configuration `{self.measured.configuration}` any more, which a "
                "tuning run has chosen; record its classes again"
            )
        found._loaded.setdefault(self.device, {})[self.key] = self.measured

    @property
    def key(self):
        """Of a choice, as the tuned kernel has it."""
        return tuple(self.facts["choice"]["key"])

    @property
    def device(self):
        return self.facts["choice"].get("device")

    @property
    def measured(self):
        choice = self.facts["choice"]
        times, numbers = choice.get("milliseconds"), choice.get("programs")
        if not isinstance(times, dict) or not all(map(_is_duration, times.values())):
            return Measured(choice["configuration"], {})
        if not isinstance(numbers, list) or len(numbers) != len(times) or not is_count(choice.get("processors")):
            return Measured(choice["configuration"], times)
        programs = {name: number for name, number in zip(times, numbers, strict=True) if is_count(number)}
        return Measured(choice["configuration"], times, programs, choice["processors"])

    def source_for(self, kernel, target):
        """(ASTSource, options) of the class for a target. ValueError if a value of it has no text."""
        variant = self.facts["variant"]
        try:
            facts = deserialize_specialization_data(json.dumps(variant))
        except RuntimeError as error:
            raise ValueError(f"{self.place}: {error}") from None
        if not self.is_launched:
            return ASTSource(kernel, facts["signature"], facts["constants"], facts["attrs"]), facts["options"]
        recorded = GPUTarget(**variant["target"])
        in_range = [tuple(path) for path in self.facts["in_range"]]
        attrs = attributes_for(facts["signature"], facts["attrs"], in_range, recorded, target)
        return ASTSource._for_launches(kernel, facts["signature"], facts["constants"], attrs), facts["options"]


def _is_duration(value):
    return type(value) is float and 0 < value < math.inf


def read_records(path):
    """(the recorded classes of a file, or of the file in a folder, without repetitions; the recorded choices; a
    sentence for each line that is neither). OSError if the file cannot be read."""
    path = os.path.join(path, FILE_NAME) if os.path.isdir(path) else os.fspath(path)
    with open(path, "rb") as file:
        return records_in(file.read(), path)


def records_in(data, path):
    """The same for the bytes of the file."""
    lines = data.split(b"\n")
    classes, choices, problems, seen = [], [], [], set()
    if lines.pop():
        problems.append(f"{path}:{len(lines) + 1}: the last line is not whole")
    for number, line in enumerate(lines, start=1):
        if line and line not in seen:
            seen.add(line)
            problem, facts = _read_line(line)
            if problem:
                problems.append(f"{path}:{number}: {problem}")
            else:
                (choices if _is_choice(facts) else classes).append(Recorded(f"{path}:{number}", facts))
    return classes, choices, problems


def _is_choice(facts):
    return isinstance(facts.get("choice"), dict)


def _read_line(line):
    try:
        facts = json.loads(line)
        version = facts["format"]
    except (ValueError, KeyError, TypeError):
        return "the line is not a class that TRITON_RECORD_CLASSES has written", None
    if version != _FORMAT:
        return f"the class has the format {version}; this version of the package reads the format {_FORMAT}", None
    expected = {"kernel": str, "file": str, "line": int, "source": str}
    if _is_choice(facts):
        expected |= {"key": list, "configuration": str, "target": dict, "device": (str, type(None))}
    else:
        expected |= {"in_range": list, "variant": dict, "launched": bool, "text": str}
    given = {"device": None, "launched": True, "text": "", **facts, **(facts["choice"] if _is_choice(facts) else {})}
    if wrong := [name for name, type_ in expected.items() if not isinstance(given.get(name), type_)]:
        return f"the class has no `{wrong[0]}`", None
    parts = given["key"] if _is_choice(facts) else ()
    if wrong := [part for part in parts if isinstance(part, (list, dict))]:
        return f"the key of the choice has the part {json.dumps(wrong[0])}; record the class again", None
    return None, facts


# ---- Using ----


def compile_class(recorded, target, beside=True):
    """(kernel, ASTSource, options, CompiledKernel) of a recorded class. ValueError with a sentence if there is none.
    ``beside`` says whether the generic variants beside it are made, where the settings ask for them."""
    from ..compiler.compiler import compile_for

    try:
        _, kernel = recorded.find()
        src, options = recorded.source_for(kernel, target)
        compiled = compile_for(target, src, options)
        if beside and _fallback.is_on() and recorded.is_launched:
            _fallback.prepare(kernel, src, options, target, is_warmup=True)
        return kernel, src, options, compiled
    except ValueError:
        raise
    except (TritonError, RuntimeError, KeyError, TypeError, AssertionError) as error:
        raise ValueError(f"{recorded.place}: `{recorded.kernel}` cannot be compiled: {error}") from error


def in_order_of_devices(choices):
    """Those of GPUs like the current one last, so that they replace those of others of the same target."""
    device = device_name() if choices else None
    return sorted(choices, key=lambda recorded: recorded.device == device)


LoadedClasses = namedtuple("LoadedClasses", ["compiled", "cached", "problems"])
LoadedClasses.__doc__ = """What `load_classes` has done: how many classes were compiled, how many came from a cache, and
a sentence for each that cannot be loaded."""


def load_classes(path, *, key=None):
    """Gets all classes of a file that TRITON_RECORD_CLASSES or ``python -m triton.tools.build`` wrote, or of the folder
    of the latter, ready for launches on the current device, from the caches where they have them. Tuned kernels get the
    choices that were recorded on such a device. Call it when the
    modules with the kernels are imported; others are imported now. Returns `LoadedClasses`, and warns of each problem.
    With a ``key``, bytes, a folder must be signed by it: ValueError if it is not, or if a file has changed, before
    anything of it is used. OSError if the file cannot be read."""
    if key is not None:
        _manifest.verify(path, key)
    classes, choices, problems = read_records(path)
    if os.path.isdir(path):
        problems += _manifest.problems_of(path, driver.active.launch_target())
    return preload(classes, choices, problems)


def preload(classes, choices, problems, progress=None, generic=()):
    """Gives the kernels what was recorded of them, as LoadedClasses, and warns of each problem. ``progress(done, of)``
    is called after each class. What programs launch themselves, they ask for themselves. ``generic`` are the variants
    beside the classes, where these are listed."""
    target = driver.active.launch_target()
    classes = [recorded for recorded in classes if recorded.is_launched]
    origins = []
    for number, recorded in enumerate(classes, start=1):
        try:
            kernel, src, options, compiled = compile_class(recorded, target, beside=not generic)
        except ValueError as error:
            problems.append(str(error))
            continue
        finally:
            if progress is not None:
                progress(number, len(classes))
        kernel._preloaded[variant_key(src, options)] = compiled
        with_variants.add(kernel)
        origins.append(compiled._origin)
    for recorded in generic if _fallback.is_on() else ():
        if recorded.facts["variant"]["target"] == dataclasses.asdict(target):
            with contextlib.suppress(ValueError):  # The class beside which it stands has said so.
                _fallback.keep(*compile_class(recorded, target, beside=False), target)
    for recorded in in_order_of_devices(choices):
        try:
            if recorded.facts["choice"].get("target") == dataclasses.asdict(target):
                recorded.take_choice()
        except ValueError as error:
            problems.append(str(error))
    for problem in problems:
        warnings.warn(problem, RuntimeWarning, stacklevel=3)
    number = origins.count("compiled")
    return LoadedClasses(number, len(origins) - number, tuple(problems))
