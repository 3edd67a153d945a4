"""Gluon, Triton's language of layouts and shared memory, in part (docs/gluon.md).

All names of Triton 3.9 can be imported. What is missing says so when it is called.
"""

from ..._utils import must_use_result
from ...language._aggregate import aggregate
from ...runtime.jit import constexpr_function
from . import amd, nvidia  # noqa: F401
from ._jit import GluonASTSource, GluonJITFunction, jit
from ._names import complete as _complete
from .language._layouts import BlockedLayout as _BlockedLayout

__all__ = ["GluonASTSource", "GluonJITFunction", "aggregate", "constexpr_function", "jit", "must_use_result"]


def _make_program(builder):
    from ._interpreter import ProgramInGluon  # which imports NumPy

    return ProgramInGluon(builder)


GluonJITFunction.layout_class, GluonJITFunction.make_program = _BlockedLayout, staticmethod(_make_program)

__getattr__, __dir__ = _complete(__name__)
