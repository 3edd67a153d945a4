"""What the functions of Gluon do in interpreted kernels: blocks know their layouts, buffers lie in memory of the
program's own, and groups of warps run by turns. Copies and products are there when the call that starts them returns.
"""

from . import (  # noqa: F401  (they register)
    barriers,
    copies,
    creation,
    groups,
    pointers,
    products,
    tensor_memory,
)
from .program import ProgramInGluon

__all__ = ["ProgramInGluon"]
