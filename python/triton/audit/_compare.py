"""Two compilations of each launch, for two GPUs or with other options, compared value by value.

Compiled code does not say which line stored a value. The launch also runs in the interpreter, which does, and whose
values show which of the two is wrong.
"""

import ast
import contextlib
import sys
from types import SimpleNamespace

import numpy as np

from ..runtime.driver import driver
from ..runtime.interpreter.places import is_kernel, place_of
from ..runtime.jit import JITFunction
from . import _tuning
from ._beside import BesideBuilder, Executor, run_beside
from ._contents import contents_of, distance
from ._findings import definition_of, launch_finding
from ._machines import driver_of, machine_of
from ._shadow_checks import histogram

KIND = "results that differ between two compilations"
_HELP = "the one that the interpreter does not agree with is wrong; `python -m triton.audit bisect` names the pass"


class Other:
    """The other compilation: another GPU, other options, or both, written as `gfx942` or `num_warps=8,num_stages=1`."""

    def __init__(self, text):
        self.text, self.machine, self.options = text, None, {}
        for part in filter(None, text.split(",")):
            name, is_option, value = part.partition("=")
            if is_option:
                self.options[name.strip()] = self._value(part, value)
            elif self.machine is None:
                self.machine = machine_of(part)
            else:
                raise ValueError(f"`--compare` is `{text}`, which has two GPUs; write one, and options as NAME=VALUE")
        if self.machine is None and not self.options:
            raise ValueError("`--compare` is empty; write a GPU, such as gfx942, or options, such as num_warps=8")
        self.driver = None

    @staticmethod
    def _value(part, text):
        try:
            return ast.literal_eval(text)
        except (ValueError, SyntaxError):
            raise ValueError(f"`--compare` has `{part}`; the value must be a number or True or False") from None

    @contextlib.contextmanager
    def active(self):
        """A context in which kernels are compiled for the other GPU."""
        if self.machine is None:
            yield
            return
        before = driver.active
        self.driver = self.driver or driver_of(self.machine)
        driver.set_active(self.driver)
        try:
            yield
        finally:
            driver.set_active(before)


class _Builder(BesideBuilder):
    """Keeps which place of the source stored what."""

    def __init__(self, options, stored):
        super().__init__(options)
        self.place = None
        store = self.memory.store

        def noted(addresses, values):
            store(addresses, values)
            stored.append((self.place, addresses.astype(np.int64), values.dtype.itemsize))

        self.memory.store = noted

    def operate(self, name, function, args, kwargs):
        if name == "load" or "store" in name or name.startswith("atomic_") or name == "scatter":
            self.place = place_of(sys._getframe(1), is_kernel)
            self.count_read(name, self.place)
        return function(*args, **kwargs)


class _Executor(Executor):
    def __init__(self, kernel, grid):
        self.stored, self.contents, self.names = [], None, kernel.arg_names
        super().__init__(kernel, grid, lambda options: _Builder(options, self.stored))

    def __call__(self, *args, **kwargs):
        super().__call__(*args, **kwargs)
        self.contents = contents_of(self.names, args, kwargs)

    def places(self, array, unknown):
        """For each element of an array the number of its place, and the places."""
        places, numbers = [unknown], np.zeros(len(array.bits), np.int64)
        size = array.bits.dtype.itemsize
        for place, addresses, width in self.stored:
            inside = (addresses >= array.address) & (addresses < array.address + len(array.bits) * size)
            if width != size or place is None or not inside.any():
                continue
            if place not in places:
                places.append(place)
            numbers[(addresses[inside] - array.address) // size] = places.index(place)
        return numbers, places


class _Comparison:
    """One launch, whose arrays hold the first compilation's results. ``executor`` is None if the interpreter does not
    know the kernel."""

    def __init__(self, session, kernel, executor):
        self.session, self.kernel, self.executor = session, kernel, executor

    def compare(self, number, first, second):
        numbers, places = np.zeros(len(first.bits), np.int64), [definition_of(self.kernel)]
        if self.executor is not None:
            numbers, places = self.executor.places(first, places[0])
        if first.is_float:
            self._count(first, second, places, numbers)
        index = first.wrong_element(second)
        if index is not None:
            self._report(number, first, second, places[numbers[index]], index)

    def _count(self, first, second, places, numbers):
        """Adds up how many values of each place are how far off."""
        what, exact = f"`{first.name}` in {first.dtype}, {self.session.other.text}", first.values
        error = distance(exact, second.values)
        for index, place in enumerate(places):
            chosen = numbers == index
            if index == 0 and not error[chosen].any():  # what nothing has stored
                continue
            compared = SimpleNamespace(error=error[chosen], exact=exact[chosen])
            for exponent, count in histogram(compared, first.dtype).items():
                self.session.current.differences[(*place[:3], what, exponent)] += count

    def _report(self, number, first, second, place, index):
        third = self.executor and self.executor.contents
        interpreted = f"; the interpreter has {third[number].text(index)}" if third else ""
        detail = f"element {index} of `{first.name}` is {first.text(index)} on {self.session.machine.name}, and "
        detail += f"{second.text(index)} with `--compare {self.session.other.text}`{interpreted}"
        self.session.current.findings.append(
            launch_finding(self.session, KIND, detail, self.kernel.__name__, place, _HELP)
        )


def _with_other(session, kernel, launch, args, kwargs):
    """What the other compilation leaves in the arrays, whose contents are put back; None if it does not run."""
    with _tuning._restored(_tuning._arrays(args, kwargs)), session.other.active():
        session.is_probing = True
        try:
            launch(**session.other.options)
        except Exception as error:
            reason = f"{error}".partition("\n")[0]
            session.note_incomplete(f"`{kernel.__name__}` does not run with {session.other.text}: {reason}")
            return None
        finally:
            session.is_probing = False
        return contents_of(kernel.arg_names, args, kwargs)


def install(session):
    """Lets launches of this process be compared."""
    launch_as_before = JITFunction.run

    def run(kernel, *args, grid, warmup=False, **kwargs):
        launch = lambda **options: launch_as_before(kernel, *args, grid=grid, warmup=warmup, **{**kwargs, **options})
        if warmup or session.is_probing:
            return launch()
        executors = []

        def make(interpreted):
            executors.append(_Executor(interpreted, grid))
            return executors[0]

        reason = run_beside(kernel, make, args, kwargs)
        if reason is not None:
            session.note_incomplete(f"where `{kernel.__name__}` stores is not known to its end: {reason}")
        other = _with_other(session, kernel, launch, args, kwargs)
        result = launch()
        if other is not None:
            comparison = _Comparison(session, kernel, executors[0] if executors else None)
            for number, pair in enumerate(zip(contents_of(kernel.arg_names, args, kwargs), other, strict=True)):
                comparison.compare(number, *pair)
        return result

    JITFunction.run = run
