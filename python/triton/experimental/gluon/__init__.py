"""Gluon, Triton's language of layouts and shared memory, is not implemented.

Libraries that have kernels in both languages can be imported, and use those of ``triton.language``. The launch of a
kernel in Gluon says what is missing.
"""

import functools

from ...errors import TritonError
from ...language._aggregate import aggregate
from ...runtime.jit import constexpr_function
from ._missing import missing

__all__ = ["GluonASTSource", "GluonJITFunction", "aggregate", "constexpr_function", "jit", "must_use_result"]

GluonASTSource = missing("GluonASTSource")


def must_use_result(function):
    return function


class GluonJITFunction:
    """A kernel or a function in Gluon: a name with its documentation, which cannot be launched."""

    def __init__(self, function):
        self.fn = function
        functools.update_wrapper(self, function)

    def __getitem__(self, grid):
        return self

    def __call__(self, *args, **arguments):
        raise TritonError(
            f"`{self.__name__}` is written in Gluon, which this package does not implement: "
            "use the kernel's version in triton.language"
        )

    run = warmup = __call__


def jit(function=None, **options):
    """Accepts the function, whose launch is an error."""
    return GluonJITFunction(function) if function is not None else GluonJITFunction
