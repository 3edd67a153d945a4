"""What each function of the language does in interpreted kernels, and the launch in which it does it."""

import functools

from ...language import _kernel_only

IMPLEMENTATIONS = {}
#: The same for functions of Gluon, by their names in its table.
GLUON = {}


def current():
    """The launch that runs on this thread."""
    return _kernel_only.interpreter()


def implements(function):
    """Registers ``function`` for the function of the language that has its name, less a trailing underscore."""
    IMPLEMENTATIONS[function.__name__.rstrip("_")] = function
    return function


def implements_in_gluon(*names):
    """Registers a function for those of Gluon that have these names in its table, or the function's own name."""

    def register(function):
        for name in names or [function.__name__]:
            GLUON[name] = function
        return function

    return register


def by_launch(name):
    """Lets the launch that runs on this thread run a method of tensors or descriptors, as it runs functions."""

    def decorate(function):
        @functools.wraps(function)
        def method(*args, **kwargs):
            launch = current()
            return function(*args, **kwargs) if launch is None else launch.operate(name, function, args, kwargs)

        return method

    return decorate
