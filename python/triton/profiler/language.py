"""Scopes inside of kernels. They are no code unless the backend `instrumentation` runs."""

from .. import jit
from ..language import constexpr


@jit
def enter_scope(name: constexpr):
    pass


@jit
def exit_scope(name: constexpr):
    pass
