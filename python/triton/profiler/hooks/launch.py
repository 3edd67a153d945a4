"""Metrics that kernels report of their launches."""

import numbers
import re

from ... import _C
from .. import metric
from ..state import metadata_state
from .hook import Hook

#: Entries of a launch's metadata that are not metrics.
_FACTS = ("name", "function", "stream")


def _is_metric(key, value):
    if key in _FACTS or isinstance(value, bool):
        return False
    return isinstance(value, numbers.Number) or hasattr(value, "tolist")


class LaunchHook(Hook):
    """The hook `"triton"`: calls the ``launch_metadata`` of kernels. Its result may have another name for the launch,
    the metrics ``flops``, ``flops8`` … and ``bytes``, and any other numbers. There is one such hook."""

    priority = 100
    _instance = None

    def __new__(cls):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
            cls._instance._include = cls._instance._exclude = None
        return cls._instance

    def configure(self, *, include=None, exclude=None):
        """Only kernels whose names match ``include`` and not ``exclude``, which are regular expressions."""
        self._include = re.compile(include) if include else None
        self._exclude = re.compile(exclude) if exclude else None
        return self

    def _applies(self, name):
        if self._include is not None and not self._include.search(name):
            return False
        return self._exclude is None or not self._exclude.search(name)

    def enter(self, metadata):
        name = metadata.data.get("name", "")
        if not self._applies(name):
            return
        with metadata_state(name):
            facts = metadata.get()
        known, later = metric.split({key: value for key, value in facts.items() if _is_metric(key, value)})
        _C.profiler.enter_operation(str(facts.get("name") or name), known)
        metric.remember(later)

    def exit(self, metadata):
        _C.profiler.exit_operation()
