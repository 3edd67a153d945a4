"""Backends of other packages: the entry points of the group `triton.backends`, whose modules have the submodules
`compiler` and `driver`."""

import inspect
import os
import sys

from .registry import Backend

GROUP = "triton.backends"


def _mentions_the_group(directory, name):
    try:
        with open(os.path.join(directory, name, "entry_points.txt"), encoding="utf-8", errors="replace") as file:
            return GROUP in file.read()
    except OSError:
        return False


def _may_be_there():
    """Whether an installed distribution names the group. Asking `importlib.metadata` takes longer than a launch may."""
    for directory in sys.path:
        try:
            names = os.listdir(directory or ".")
        except OSError:
            continue
        if any(name.endswith((".dist-info", ".egg-info")) and _mentions_the_group(directory, name) for name in names):
            return True
    return False


def _entry_points():
    """The entry points of the group that are for this package. Other builds of Triton name their own backends, which
    are modules of their `triton`."""
    if os.environ.get("TRITON_BACKENDS_IN_TREE") == "1" or not _may_be_there():
        return []
    from importlib.metadata import entry_points

    found = {(point.name, point.value): point for point in entry_points(group=GROUP)}
    return [point for point in found.values() if not point.value.startswith(f"{GROUP}.")]


class _Finder:
    """Makes a Backend of an entry point. What it finds wrong is an error that names the distribution."""

    def __init__(self, point):
        self.point = point
        self.distribution = f"{point.dist.name} {point.dist.version}" if point.dist else "an unknown distribution"

    def error(self, problem):
        return RuntimeError(
            f"the backend `{self.point.name}` of {self.distribution} (entry point `{self.point.value}` of the group "
            f"`{GROUP}`) cannot be used: {problem}; correct or remove that distribution, or set "
            "TRITON_BACKENDS_IN_TREE=1 to leave out the backends of other packages"
        )

    def find(self):
        from .compiler import BaseBackend
        from .driver import DriverBase

        compiler = self.class_of("compiler", BaseBackend)
        if compiler.parse_options is BaseBackend.parse_options:
            raise self.error(f"its class `{compiler.__name__}` lacks `parse_options`")
        return Backend(compiler, self.class_of("driver", DriverBase), self.point.name, distribution=self.distribution)

    def class_of(self, submodule, base):
        import importlib

        name = f"{self.point.value}.{submodule}"
        try:
            module = importlib.import_module(name)
        except Exception as error:
            raise self.error(f"the import of `{name}` ended in {type(error).__name__}: {error}") from error
        # A class that it imports, perhaps to derive from it, is not the module's own.
        own = [
            value
            for value in vars(module).values()
            if isinstance(value, type) and issubclass(value, base) and value.__module__ == name
        ]
        found = [cls for cls in own if not inspect.isabstract(cls)]
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(sorted(cls.__name__ for cls in found))
            raise self.error(f"`{name}` has several subclasses of {base.__name__}: {names}")
        lacking = [f"; `{cls.__name__}` lacks {', '.join(sorted(cls.__abstractmethods__))}" for cls in own]
        raise self.error(f"`{name}` has no subclass of {base.__name__} that can be used{''.join(lacking)}")


def discover(known):
    """{name: Backend} of the other packages. ``known`` are the names that are taken."""
    backends = {}
    for point in _entry_points():
        finder = _Finder(point)
        if point.name in known:
            raise finder.error("this package has a backend of that name")
        if point.name in backends:
            raise finder.error(f"{backends[point.name].distribution} has a backend of that name")
        backends[point.name] = finder.find()
    return backends
