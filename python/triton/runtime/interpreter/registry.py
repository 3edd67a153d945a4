"""What each function of the language does in interpreted kernels, and the launch in which it does it."""

import functools

from ...language import _kernel_only

IMPLEMENTATIONS = {}


def current():
    """The launch that runs on this thread."""
    return _kernel_only.interpreter()


def implements(function):
    """Registers ``function`` for the function of the language that has its name, less a trailing underscore."""
    IMPLEMENTATIONS[function.__name__.rstrip("_")] = function
    return function


def by_launch(name):
    """Lets the launch that runs on this thread run a method of tensors or descriptors, as it runs functions."""

    def decorate(function):
        @functools.wraps(function)
        def method(*args):
            launch = current()
            return function(*args) if launch is None else launch.operate(name, function, args, {})

        return method

    return decorate
