"""The table of backends, which the package fills. Code that chooses among backends does not import them."""

import functools
import importlib


def _class_of(given):
    """The class that `module:Class` names, with a module of this package; a class is itself, as is None."""
    if not isinstance(given, str):
        return given
    module, _, name = given.partition(":")
    return getattr(importlib.import_module(f".{module}", __package__), name)


class Backend:
    """The classes of a backend. One may be given as `module:Class`, which is imported when it is first read;
    ``targets``, the names of all targets of the compiler, then tell whether it is needed."""

    def __init__(self, compiler, driver, name="", simulator=None, targets=None):
        self.name, self._targets = name, targets
        self._given = {"compiler": compiler, "driver": driver, "simulator": simulator}

    @functools.cached_property
    def compiler(self):
        return _class_of(self._given["compiler"])

    @functools.cached_property
    def driver(self):
        return _class_of(self._given["driver"])

    @functools.cached_property
    def simulator(self):
        """The class of drivers that simulate the backend's devices, or None."""
        return _class_of(self._given["simulator"])

    def compiles_for(self, target):
        return (self._targets is None or target.backend in self._targets) and self.compiler.supports_target(target)

    def __repr__(self):
        return f"Backend({self.name})"


backends = {}

#: The names, in targets, of the backends whose kernels run on a GPU of this machine.
GPU_BACKENDS = ("cuda", "hip")
