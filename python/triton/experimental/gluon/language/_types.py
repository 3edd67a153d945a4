"""Types of blocks, buffers, descriptors and other values of kernels. Types are values themselves."""

import math
from dataclasses import dataclass, field

from ....language.constants import _plain
from ._caches import _Constant
from ._layouts import AutoLayout, CoalescedLayout, DistributedLayout, SharedLayout
from ._unit_layouts import TensorMemoryLayout, TensorMemoryScalesLayout


def _set_plainly(described, **values):
    """Sets fields of a value that cannot change: constants as what they are, shapes as tuples."""
    for name, value in values.items():
        value = _plain(value)
        object.__setattr__(described, name, tuple(map(_plain, value)) if name.endswith("shape") else value)


@dataclass(frozen=True)
class distributed_type(_Constant):
    """Blocks of elements of a dtype, with a shape and a layout."""

    element_ty: object
    shape: list
    layout: object

    def __post_init__(self):
        _set_plainly(self, element_ty=self.element_ty, shape=self.shape, layout=self.layout)
        if not isinstance(self.layout, DistributedLayout):
            raise ValueError(f"a block needs a layout over threads, not {self.layout!r}")
        if isinstance(self.layout, (AutoLayout, CoalescedLayout)):
            return
        if len(self.shape) != self.layout.rank:
            shape, rank = list(self.shape), self.layout.rank
            raise ValueError(f"the shape {shape} has {len(shape)} dimensions, and {self.layout} is for {rank}")

    def with_element_ty(self, scalar_ty):
        """The same with other elements."""
        return distributed_type(scalar_ty, self.shape, self.layout)


class _BufferType(_Constant):
    def _take(self, layouts, memory):
        """Sets the fields plainly; ValueError for a layout of another memory."""
        _set_plainly(
            self, element_ty=self.element_ty, shape=self.shape, layout=self.layout, alloc_shape=self.alloc_shape
        )
        if not isinstance(self.layout, layouts):
            raise ValueError(f"a buffer needs a layout of {memory} memory, not {self.layout!r}")


def _parts(layout):
    """In how many parts the blocks of a cluster divide a buffer."""
    bases = getattr(layout, "cga_layout", None) or getattr(layout, "block_bases", ())
    return 1 << sum(any(basis) for basis in bases)


@dataclass(frozen=True)
class shared_memory_descriptor_type(_BufferType):
    """Buffers in shared memory with a shape and a layout, parts of such with `alloc_shape`. Types are equal whatever
    the elements are."""

    element_ty: object = field(compare=False)
    shape: list
    layout: object
    alloc_shape: list

    def __post_init__(self):
        self._take(SharedLayout, "shared")

    @property
    def nbytes_per_cta(self):
        """The bytes of the elements in the shared memory of one block."""
        return math.prod(self.shape) * self.element_ty.primitive_bitwidth // 8 // _parts(self.layout)


@dataclass(frozen=True)
class tensor_memory_descriptor_type(_BufferType):
    """Buffers in tensor memory with a shape and a layout, parts of such with `alloc_shape`."""

    element_ty: object
    shape: list
    layout: object
    alloc_shape: list

    def __post_init__(self):
        self._take((TensorMemoryLayout, TensorMemoryScalesLayout), "tensor")


class _DescriptorType(_Constant):
    def __post_init__(self):
        if not isinstance(self.layout, SharedLayout):
            raise ValueError(f"a descriptor needs the layout of a buffer in shared memory, not {self.layout!r}")

    @property
    def nbytes_per_cta(self):
        """The bytes of the part that one block of a cluster copies."""
        bits = math.prod(self.block_type.shape) * self.block_type.scalar.primitive_bitwidth
        return bits // 8 // _parts(self.layout)


@dataclass(frozen=True)
class tensor_descriptor_type(_DescriptorType):
    """Descriptors whose blocks NVIDIA's GPUs copy, with the types of the array's extents and strides, and the layout
    of a block's buffer."""

    block_type: object
    shape_type: object
    strides_type: object
    layout: object
    _type_name: str = "tensor_descriptor"
    _mangle_prefix: str = "TD"

    def mangle(self):
        return self._mangle_prefix + super().mangle()


@dataclass(frozen=True)
class tdm_descriptor_type(_DescriptorType):
    """The same for gfx1250."""

    block_type: object
    shape_type: object
    strides_type: object
    layout: object


@dataclass(frozen=True)
class warpgroup_mma_accumulator_type(_Constant):
    """Results of products of groups of warps that go on; they are blocks."""

    tensor_type: object

    def __post_init__(self):
        if not isinstance(self.tensor_type, distributed_type):
            raise ValueError(f"an accumulator needs the type of a block, not {self.tensor_type!r}")


@dataclass(frozen=True)
class clc_result_type(_Constant):
    """Answers to `clc.try_cancel`."""
