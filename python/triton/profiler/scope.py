"""Scopes: named parts of the program, which contain each other."""

import functools
import time

from .. import _C
from . import flags, metric


def enter_scope(name, *, metrics=None):
    """Opens a scope on this thread and returns its number, or -1 while nothing is profiled."""
    if not flags.profiling_on:
        return -1
    known, later = metric.split(metrics)
    number = _C.profiler.enter_scope(_checked(name), known)
    metric.remember(later)
    return number


def exit_scope(name=None, *, metrics=None):
    """Closes the innermost scope. Raises ValueError if it has another name."""
    if not flags.profiling_on:
        return -1
    known, later = metric.split(metrics)
    metric.remember(later)
    return _C.profiler.exit_scope("" if name is None else _checked(name), known)


def _checked(name):
    if not isinstance(name, str) or not name:
        raise ValueError(f"the name of a scope is a text that is not empty, not {name!r}")
    return name


class scope:
    """``with scope("name", {"metric": 1}):``, or ``@scope("name")`` before a function. What is launched inside belongs
    to the scope, and the metrics are its own."""

    def __init__(self, name, metrics=None):
        self.name, self.metrics = name, metrics
        self.id = None

    def _enter(self):
        self.id = enter_scope(self.name, metrics=self.metrics)

    def _exit(self):
        if self.id is not None and self.id >= 0:
            exit_scope(self.name)

    def __enter__(self):
        self._enter()
        return self

    def __exit__(self, *exception):
        self._exit()

    def __call__(self, function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            with type(self)(self.name, self.metrics):
                return function(*args, **kwargs)

        return wrapper


class cpu_timed_scope(scope):
    """A scope that also notes how long the program was in it: the metric `cpu_time (ns)`."""

    def __init__(self, name, metrics=None):
        if metrics and any(key.split("(")[0].rstrip() == "cpu_time" for key in metrics):
            raise ValueError("the metric `cpu_time` belongs to cpu_timed_scope itself; choose another name")
        super().__init__(name, metrics)

    def _enter(self):
        super()._enter()
        self._start = time.perf_counter_ns()

    def _exit(self):
        if self.id is not None and self.id >= 0:
            exit_scope(self.name, metrics={"cpu_time (ns)(exc)": time.perf_counter_ns() - self._start})
