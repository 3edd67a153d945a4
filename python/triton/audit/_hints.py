"""Whether what kernels state by `tl.max_contiguous` and `tl.max_constancy` is true.

Compiled code shows the consequences alone: one access in place of several. Launches of kernels that state such facts
run in the interpreter, too, which believes none of them. A statement that is not true is reported if the launch leaves
something else than the interpreter: in elements that nothing uses, it does no harm.
"""

import inspect
import sys

import numpy as np

from ..language.constants import constexpr
from ..runtime.errors import SimulationError
from ..runtime.interpreter.places import is_kernel, place_of
from ..runtime.jit import JITFunction
from ._beside import BesideBuilder, Executor, run_beside
from ._contents import contents_of
from ._findings import launch_finding

KIND = "assumption that does not hold"
_WORDS = {"max_contiguous": "count up by one", "max_constancy": "are equal"}


def _wrong_element(data, numbers, step):
    """(axis, number stated, index, value, value before it in the run) of the first element that is not as stated."""
    for axis, number in enumerate(numbers):
        if number < 2 or axis >= data.ndim:
            continue
        moved = np.moveaxis(data, axis, -1)
        inside = np.arange(1, moved.shape[-1]) % number != 0
        wrong = np.argwhere((moved[..., 1:] != moved[..., :-1] + step) & inside)
        if len(wrong):
            *others, last = map(int, wrong[0])
            index = [*others]
            index.insert(axis, last + 1)
            return axis, number, index, int(moved[(*others, last + 1)]), int(moved[(*others, last)])
    return None


class _Builder(BesideBuilder):
    def __init__(self, options, wrong):
        super().__init__(options)
        self.wrong = wrong  # {place: (program, what is wrong)}

    def operate(self, name, function, args, kwargs):
        result = function(*args, **kwargs)
        if name in _WORDS:
            self._check(name, result, args[1] if len(args) > 1 else kwargs["values"])
        elif name == "load" or name.startswith("atomic_"):
            self.count_read(name, place_of(sys._getframe(1), is_kernel))
        return result

    def _check(self, name, tensor, values):
        numbers = [int(getattr(each, "value", each)) for each in (values if hasattr(values, "__len__") else [values])]
        size = tensor.dtype.element_ty.primitive_bitwidth // 8 if tensor.dtype.is_ptr() else 1
        data = np.asarray(tensor.data).astype(np.int64)
        found = _wrong_element(data, numbers, size if name == "max_contiguous" else 0)
        place = place_of(sys._getframe(2), is_kernel)
        if found is not None and place is not None:
            axis, number, index, value, before = found
            along = f" along axis {axis}" if data.ndim > 1 else ""
            at = index[0] if len(index) == 1 else tuple(index)
            text = f"`tl.{name}` states that runs of {number} elements{along} {_WORDS[name]}, but element {at} is "
            self.wrong.setdefault(place, (self.grid_idx, f"{text}{value} after {before}"))


class _Executor(Executor):
    """Keeps what the interpreter leaves in the arrays."""

    def __init__(self, kernel, grid, wrong):
        super().__init__(kernel, grid, lambda options: _Builder(options, wrong))
        self.names, self.contents = kernel.arg_names, None

    def __call__(self, *args, **kwargs):
        super().__call__(*args, **kwargs)
        self.contents = contents_of(self.names, args, kwargs)


def _codes(code):
    yield code
    for constant in code.co_consts:
        if inspect.iscode(constant):
            yield from _codes(constant)


def _surroundings(function):
    """What the names in a function mean outside of it, and these names."""
    names = {name for code in _codes(function.__code__) for name in (*code.co_names, *code.co_freevars)}
    try:
        outer = {**function.__globals__, **inspect.getclosurevars(function).nonlocals}
    except ValueError:  # a name has no value yet: the launch itself will say so
        return [], names
    return [outer[name] for name in names if name in outer], names


def states_facts(values):
    """Whether the source of one of the kernels among the values, or of a function that it may call, has such
    statements. Nothing is compiled for that: the program would see it."""
    waiting, seen = [(value, set()) for value in values], set()
    while waiting:
        value, names = waiting.pop()
        if isinstance(value, constexpr):
            value = value.value
        value = getattr(value, "__func__", value)  # of a static method, as a class has it
        if inspect.isroutine(value) and getattr(value, "__name__", None) in _WORDS:  # imported by another name
            return True
        if isinstance(value, (tuple, list)):
            waiting += [(each, names) for each in value]
        elif inspect.ismodule(value):
            reached = {name for name in names if name in vars(value) and (id(value), name) not in seen}
            seen.update((id(value), name) for name in reached)
            waiting += [(vars(value)[name], names) for name in reached]
        elif isinstance(value, JITFunction) and value not in seen:
            seen.add(value)
            around, names = _surroundings(value.fn)
            if not names.isdisjoint(_WORDS):
                return True
            waiting += [(each, names) for each in around]
        else:
            kind = value if inspect.isclass(value) else type(value)
            fields = getattr(kind, "__aggregate_fields__", ())
            if kind is not value:
                waiting += [(getattr(value, field), names) for field in fields]
            if hasattr(kind, "__triton_aggregate__") and kind not in seen:  # its methods are kernels
                seen.add(kind)
                waiting += [(each, names) for base in kind.__mro__ for each in vars(base).values()]
    return False


class _Checker:
    def __init__(self, session):
        self.session = session

    def run(self, launch, kernel, args, grid, kwargs):
        session, wrong, executors = self.session, {}, []

        def make(interpreted):
            executors.append(_Executor(interpreted, grid, wrong))
            return executors[0]

        reason = run_beside(kernel, make, args, kwargs)
        if reason is not None:
            session.note_incomplete(
                f"what `{kernel.__name__}` states of its values was not checked to its end: {reason}"
            )
        try:
            result = launch()
        except SimulationError:
            if reason is None:  # otherwise the interpreter, which believes none of them, has errors, too
                self._report(kernel, wrong, "the launch has errors")
            raise
        before = executors[0].contents if executors else None
        if wrong and before is not None:
            after = contents_of(kernel.arg_names, args, kwargs)
            pairs = zip(before, after, strict=True)
            name = next((one.name for one, other in pairs if one.wrong_element(other) is not None), None)
            if name is not None:
                self._report(kernel, wrong, f"`{name}` has other values without it")
        return result

    def _report(self, kernel, wrong, consequence):
        for place, (program, text) in wrong.items():
            name = text.partition("(")[0].split("`")[1]
            remedy = f"remove `{name}`, or state a number of elements of which it is true"
            self.session.current.findings.append(
                launch_finding(self.session, KIND, f"{text}; {consequence}", kernel.__name__, place, remedy, program)
            )


def install(session):
    """Lets launches of this process be checked."""
    launch_as_before, checker = JITFunction.run, _Checker(session)

    def run(kernel, *args, grid, warmup=False, **kwargs):
        launch = lambda: launch_as_before(kernel, *args, grid=grid, warmup=warmup, **kwargs)
        if warmup or session.is_probing or not states_facts((kernel, *args, *kwargs.values())):
            return launch()
        return checker.run(launch, kernel, args, grid, kwargs)

    JITFunction.run = run
