"""Tensor descriptors that are created on the host."""

from dataclasses import dataclass
from typing import Any

from .. import _C


def _strides_of(tensor):
    strides = (
        tensor.stride()
        if callable(getattr(tensor, "stride", None))
        else [stride // tensor.itemsize for stride in tensor.strides]
    )
    return list(strides)


@dataclass
class TensorDescriptor:
    """A tensor, its shape and strides in elements, and the block that one load or store moves."""

    base: Any
    shape: list
    strides: list
    block_shape: list
    padding: str = "zero"
    round_f32_to_tf32: bool = False

    def __post_init__(self):
        rank = len(self.shape)
        assert 1 <= rank <= 5, f"a descriptor has one to five dimensions, not {rank}"
        assert len(self.strides) == rank, f"{len(self.strides)} strides for {rank} dimensions"
        assert len(self.block_shape) == rank, f"{len(self.block_shape)} block dimensions for {rank} dimensions"
        assert all(size > 0 for size in self.shape), f"the shape {self.shape} must be positive"
        for size in self.block_shape:
            if size <= 0 or size & (size - 1):
                raise ValueError(f"the block dimension {size} is not a power of two")
        address, _ = _C.inspect_array(self.base)
        assert address % 16 == 0, "the tensor must be aligned to 16 bytes"
        size = getattr(self.base, "itemsize", None) or self.base.element_size()
        for stride in self.strides[:-1]:
            assert stride * size % 16 == 0, f"the stride {stride} must be a multiple of 16 bytes"
        assert self.strides[-1] == 1, "the last dimension must be contiguous"
        dtype = str(self.base.dtype)
        assert self.padding in ("zero", "nan"), f"the padding `{self.padding}` is neither zero nor nan"
        assert self.padding != "nan" or "float" in dtype, "the padding nan needs floating-point elements"
        assert not self.round_f32_to_tf32 or dtype.endswith("float32"), "rounding to tf32 needs float32 elements"

    @staticmethod
    def from_tensor(tensor, block_shape, padding="zero", round_f32_to_tf32=False):
        return TensorDescriptor(
            tensor, list(tensor.shape), _strides_of(tensor), list(block_shape), padding, round_f32_to_tf32
        )
