"""Values of kernels as the Python functions see them that run at compile time: their types alone."""

import math

from ._bases import base_value
from .constants import constexpr
from .dtypes import block_type, dtype
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


class ExternCall(base_value):
    """A call of a library's function, which a Python function that runs at compile time returns: the compiler makes the
    call in its place."""

    def __init__(self, symbol, operands, operand_types, result_type, is_pure):
        self.symbol, self.operands, self.operand_types = symbol, operands, operand_types
        self.result_type, self.is_pure = result_type, is_pure


def _type_of_operand(value):
    if isinstance(value, RuntimeTensor):
        return value.dtype
    number = value.value if isinstance(value, constexpr) else value
    if isinstance(number, bool):
        return dtype("int1")
    if isinstance(number, int):
        return dtype("int32" if -(2**31) <= number < 2**31 else "int64")
    if isinstance(number, float):
        return dtype("fp32")
    raise ValueError(f"`extern_elementwise` takes tensors and numbers, not {value!r}")


def describe_extern_call(lib_name, lib_path, args, arg_type_symbol_dict, is_pure, _semantic=None):
    """What `extern_elementwise` returns at compile time. The option `extern_libs` of a launch names the libraries."""
    plain = lambda value: value.value if isinstance(value, constexpr) else value
    overloads, operands = plain(arg_type_symbol_dict), list(plain(args))
    types = tuple(map(_type_of_operand, operands))
    names = tuple(map(str, types))
    for expected, (symbol, result_type) in overloads.items():
        if tuple(map(str, expected)) == names:
            return ExternCall(symbol, operands, types, result_type, bool(plain(is_pure)))
    known = ", ".join(f"({', '.join(map(str, expected))})" for expected in overloads)
    raise ValueError(f"`extern_elementwise` got ({', '.join(names)}), and the function takes {known}")
