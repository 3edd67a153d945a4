"""Values of kernels as the Python functions see them that run at compile time: their types alone."""

import math

from ._bases import base_value
from .constants import constexpr
from .dtypes import block_type
from .methods import tensor, tensor_descriptor


class RuntimeValue(base_value):
    """Stands for a value that exists at run time. The function may return it."""

    def __init__(self, number):
        self.number = number  # its place among the values of the call

    def __repr__(self):
        return f"<{getattr(self, 'type', 'a value')} that exists at run time>"


class RuntimeTensor(RuntimeValue, tensor):
    """A scalar or a block, of which the type is known."""

    def __init__(self, number, element_ty, shape):
        super().__init__(number)
        self.type = block_type(element_ty, shape) if shape else element_ty
        self.dtype = element_ty
        self.shape = tuple(map(constexpr, shape))
        self.numel = constexpr(math.prod(shape))


class RuntimeDescriptor(RuntimeValue, tensor_descriptor):
    """A tensor descriptor, of which the type is known."""

    def __init__(self, number, element_ty, shape):
        from .types import tensor_descriptor_type

        super().__init__(number)
        self.type = tensor_descriptor_type(block_type(element_ty, shape))

    @property
    def block_type(self):
        return self.type.block_type

    @property
    def block_shape(self):
        return self.block_type.shape

    @property
    def dtype(self):
        return self.block_type.element_ty
