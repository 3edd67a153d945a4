"""Descriptors of arrays for gfx1250."""

from collections import namedtuple

from ....language import dtypes
from ....language.constants import constexpr
from ....runtime.jit import mangle_type
from ....tools.tensor_descriptor import strides_of
from .._names import complete as _complete
from ..language.amd.cdna5.tdm import _wrong_block


def _dtype_of(array):
    """The dtype of the elements that an array has at launch."""
    name = mangle_type(array).lstrip("*k")
    word = {"i": "int", "u": "uint"}.get(name[0], "")
    return dtypes.dtype(word + name[1:] if word else name)


class TensorDescriptor(namedtuple("TensorDescriptor", "base shape strides block_shape layout dtype")):
    """An array, its shape and strides in elements, the block that one copy moves, and the layout of the buffer in
    shared memory that holds the block. Kernels get it as an argument, for the functions of `tdm`."""

    __slots__ = ()

    def __new__(cls, base, shape, strides, block_shape, layout, padding="zero"):
        wrong = _wrong_block(len(block_shape), len(shape), len(strides), block_shape, layout)
        assert not wrong, wrong
        assert strides[-1] == 1, f"the last stride must be 1, not {strides[-1]}"
        assert padding == "zero", f"what lies outside of the array is zero: padding must be 'zero', not {padding!r}"
        constants = (constexpr(value) for value in (tuple(block_shape), layout, _dtype_of(base)))
        return super().__new__(cls, base, tuple(shape), tuple(strides), *constants)

    @staticmethod
    def from_tensor(tensor, block_shape, layout):
        return TensorDescriptor(tensor, list(tensor.shape), strides_of(tensor), block_shape, layout)


__getattr__, __dir__ = _complete(__name__)
