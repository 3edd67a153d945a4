"""Arithmetic on pairs of a thread's elements. The compiler finds the pairs, here as elsewhere."""

from ...... import language as tl
from ......language.target_info import cuda_capability_geq
from ......language.types import constexpr
from ......runtime.jit import constexpr_function
from ...._jit import jit
from ..._core import to_linear_layout
from ..._layouts import DistributedLinearLayout


@constexpr_function
def _problem(dtype, layout, takes_wide):
    """What keeps a block from being computed in pairs; "" if nothing does."""
    widths = (16, 32) if takes_wide else (16,)
    if not dtype.is_floating() or dtype.primitive_bitwidth not in widths:
        listed = " or ".join(map(str, widths))
        return f"pairs must be floats of {listed} bits, not {dtype}; others are not implemented"
    if isinstance(layout, DistributedLinearLayout) and not any(any(basis) for basis in layout.reg_bases):
        return f"a thread must have two elements of the block, and has one in the layout {layout}"
    return ""


@jit
def _checked(value, takes_wide: constexpr):
    """The block, which may consist of pairs."""
    tl.static_assert(cuda_capability_geq(10, 0), "arithmetic on pairs needs compute capability 10.0")
    tl.static_assert(isinstance(value, tl.tensor) and len(value.shape) > 0, "one operand at least must be a block")
    problem: constexpr = _problem(value.dtype, to_linear_layout(value.type.layout, value.shape), takes_wide)
    tl.static_assert(problem == "", problem)
    return value


@jit
def _converted(value, dtype: constexpr):
    if dtype is None:
        return value
    else:
        return tl.to_tensor(value).to(dtype)


@jit
def add2(lhs, rhs, dtype: constexpr = None):
    return _checked(_converted(lhs, dtype) + _converted(rhs, dtype), True)


@jit
def sub2(lhs, rhs, dtype: constexpr = None):
    return _checked(_converted(lhs, dtype) - _converted(rhs, dtype), True)


@jit
def mul2(lhs, rhs, dtype: constexpr = None):
    return _checked(_converted(lhs, dtype) * _converted(rhs, dtype), True)


@jit
def fma2(lhs, rhs, acc, dtype: constexpr = None):
    return _checked(tl.fma(_converted(lhs, dtype), _converted(rhs, dtype), _converted(acc, dtype)), True)


@jit
def min2(lhs, rhs, dtype: constexpr = None):
    return _checked(tl.minimum(_converted(lhs, dtype), _converted(rhs, dtype)), False)


@jit
def max2(lhs, rhs, dtype: constexpr = None):
    return _checked(tl.maximum(_converted(lhs, dtype), _converted(rhs, dtype)), False)
