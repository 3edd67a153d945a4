"""Tensor descriptors that are created on the host."""

from dataclasses import dataclass
from typing import Any

from .. import _C


def strides_of(tensor):
    """The strides of an array in elements."""
    strides = (
        tensor.stride()
        if callable(getattr(tensor, "stride", None))
        else [stride // tensor.itemsize for stride in tensor.strides]
    )
    return list(strides)


@dataclass
class TensorDescriptor:
    """A tensor, its shape and strides in elements, and the block that one load or store moves.

    A launch reads the members again, so that hooks may change them."""

    base: Any
    shape: list
    strides: list
    block_shape: list
    padding: str = "zero"
    round_f32_to_tf32: bool = False

    def __post_init__(self):
        _C.descriptor_type(self)  # raises an error if something is wrong

    @staticmethod
    def from_tensor(tensor, block_shape, padding="zero", round_f32_to_tf32=False):
        return TensorDescriptor(
            tensor, list(tensor.shape), strides_of(tensor), list(block_shape), padding, round_f32_to_tf32
        )
