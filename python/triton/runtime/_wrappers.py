"""Kernels that wrap another kernel, and `triton.heuristics`, which computes constants at launch."""

import inspect

from ._kernel_interface import KernelInterface


def _function_of(kernel):
    while not inspect.isfunction(kernel) and hasattr(kernel, "fn"):
        kernel = kernel.fn
    return kernel


class Wrapper(KernelInterface):
    """A kernel that wraps another kernel."""

    def __init__(self, fn, arg_names):
        self.fn, self.arg_names = fn, arg_names
        self.base_fn = _function_of(fn)
        self.__name__ = getattr(self.base_fn, "__name__", "kernel")
        self.__doc__ = getattr(self.base_fn, "__doc__", None)
        self.__module__ = getattr(self.base_fn, "__module__", None)
        self.__qualname__ = getattr(self.base_fn, "__qualname__", self.__name__)

    def __getattr__(self, name):
        if name in ("fn", "__setstate__"):
            raise AttributeError(name)
        return getattr(self.fn, name)

    def __getstate__(self):
        """Without the function of Python, whose name in its module stands for this kernel."""
        return {name: value for name, value in self.__dict__.items() if name != "base_fn"}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.base_fn = _function_of(self.fn)

    def bound_arguments(self, args, kwargs):
        bound = dict(zip(self.arg_names, args, strict=False))
        bound.update(kwargs)
        return bound

    def _inspect(self, method, args, kwargs):
        """Calls `explain` or `explore` of the wrapped kernel for the launch that these arguments lead to."""
        about = {
            name: kwargs.pop(name) for name in ("grid", "target", "as_json", "open_browser", "output") & kwargs.keys()
        }
        return getattr(self.fn, method)(*args, **self._inspected(args, kwargs), **about)

    def explain(self, *args, **kwargs):
        """See `JITFunction.explain`."""
        return self._inspect("explain", args, kwargs)

    def explore(self, *args, **kwargs):
        """See `JITFunction.explore`."""
        return self._inspect("explore", args, kwargs)


class Heuristics(Wrapper):
    """A kernel with constants that are computed from the arguments of each launch."""

    def __init__(self, fn, arg_names, values):
        super().__init__(fn, arg_names)
        self.values = values

    def _computed(self, args, kwargs):
        bound = self.bound_arguments(args, kwargs)
        for name, function in self.values.items():
            kwargs[name] = bound[name] = function(bound)
        return kwargs

    _inspected = _computed

    def run(self, *args, **kwargs):
        return self.fn.run(*args, **self._computed(args, kwargs))

    def warmup(self, *args, **kwargs):
        return self.fn.warmup(*args, **self._computed(args, kwargs))

    def classes(self, *args, **declared):
        """See `JITFunction.classes`. What is computed from the arguments of a launch is declared as well."""
        for name in self.values:
            if name not in self.bound_arguments(args, declared):
                raise ValueError(
                    f"`{self.__name__}` computes `{name}` from the arguments of each launch (triton.heuristics); "
                    f"declare which values that gives, as in {name}=[64, 128]"
                )
        return self.fn.classes(*args, **declared)


def heuristics(values):
    """Computes constants at launch: ``values`` maps a parameter to a function of the dict of arguments."""

    def decorate(fn):
        return Heuristics(fn, fn.arg_names, values)

    return decorate
