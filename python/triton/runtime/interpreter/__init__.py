"""Kernels as Python functions on NumPy arrays, program by program: ``TRITON_INTERPRET=1``.

While a launch runs, calls of ``triton.language`` on its thread go to implementations in NumPy (`registry`). The kernel
itself runs as the Python code that it is, apart from what Python and kernels mean differently (`rewriting`).
"""

from . import (  # noqa: F401  (they register)
    accesses,
    debugging,
    elementwise,
    products,
    profiling,
    reductions,
    shapes,
    targets,
)
from .accesses import TensorDescHandle
from .execution import InterpreterBuilder, InterpreterOptions
from .launching import GridExecutor, InterpretedFunction
from .values import TensorHandle

__all__ = [
    "GridExecutor",
    "InterpretedFunction",
    "InterpreterBuilder",
    "InterpreterOptions",
    "TensorDescHandle",
    "TensorHandle",
]
