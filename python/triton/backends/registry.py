"""The table of backends, which the package fills. Code that chooses among backends does not import them."""

import importlib

from .._utils import cached_property


def _class_of(given):
    """The class that `module:Class` names, with a module of this package; a class is itself, as is None."""
    if not isinstance(given, str):
        return given
    module, _, name = given.partition(":")
    return getattr(importlib.import_module(f".{module}", __package__), name)


class Backend:
    """The classes of a backend. One may be given as `module:Class`, which is imported when it is first read;
    ``targets``, the names of all targets of the compiler, then say whether it is needed, and ``device_exists``, a
    function without arguments, whether its driver is. ``distribution`` names the other package that it is from."""

    def __init__(self, compiler, driver, name="", simulator=None, targets=None, distribution=None, device_exists=None):
        self.name, self.targets, self.distribution = name, targets, distribution
        self._device_exists = device_exists
        self._given = {"compiler": compiler, "driver": driver, "simulator": simulator}

    @cached_property
    def compiler(self):
        return _class_of(self._given["compiler"])

    @cached_property
    def driver(self):
        return _class_of(self._given["driver"])

    @cached_property
    def simulator(self):
        """The class of drivers that simulate the backend's devices, or None."""
        return _class_of(self._given["simulator"])

    def is_active(self):
        """Whether this machine has a device of the backend."""
        return self._device_exists() if self._device_exists else self.driver.is_active()

    def compiles_for(self, target):
        return (self.targets is None or target.backend in self.targets) and self.compiler.supports_target(target)

    def __repr__(self):
        return f"Backend({self.name})"


class _Backends(dict):
    """The backends by name. Those of other packages are looked for when somebody asks for more than what is known."""

    _is_complete = False

    def search(self, known):
        """{name: Backend} of other packages; ``known`` are the names that are taken. The package sets this."""
        return {}

    def known(self):
        """The backends that need no search."""
        return dict.values(self)

    def _complete(self):
        if not self._is_complete:
            self.update(self.search(dict.keys(self)))
            self._is_complete = True
        return super()

    def __missing__(self, name):
        if self._is_complete:
            raise KeyError(name)
        self._complete()
        return self[name]

    def __contains__(self, name):
        return super().__contains__(name) or self._complete().__contains__(name)

    def __iter__(self):
        return self._complete().__iter__()

    def __len__(self):
        return self._complete().__len__()

    def __repr__(self):
        return self._complete().__repr__()

    def get(self, name, default=None):
        return self[name] if name in self else default

    def keys(self):
        return self._complete().keys()

    def values(self):
        return self._complete().values()

    def items(self):
        return self._complete().items()


backends = _Backends()

#: The names, in targets, of the backends whose kernels run on a GPU of this machine.
GPU_BACKENDS = ("cuda", "hip")
