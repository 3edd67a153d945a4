"""Kernels and functions in Gluon, where programs such as jax-triton look for them."""

from ...runtime.jit import T  # noqa: F401
from ._jit import GluonASTSource, GluonJITFunction, jit

__all__ = ["GluonASTSource", "GluonJITFunction", "jit"]
