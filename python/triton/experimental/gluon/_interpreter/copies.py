"""Copies between global and shared memory. They have come when they have been started, so that there is nothing to
wait for."""

import numpy as np

from ....language.types import tensor_descriptor_type
from ....runtime.interpreter import accesses
from ....runtime.interpreter.accesses import ATOMICS, InterpretedDescriptor, InterpretedTensor
from ....runtime.interpreter.buffers import Shape
from ....runtime.interpreter.operators import add_pointer
from ....runtime.interpreter.registry import implements_in_gluon
from ....runtime.interpreter.values import broadcast_with_rank, describe, make, plain, to_tensor
from ..language._types import _parts
from .barriers import bring_bytes, is_true
from .buffers import Buffer


def _buffer(value):
    if not isinstance(value, Buffer):
        raise ValueError(f"a buffer in shared memory is needed here, not {describe(value)}")
    return value


def _copy(buffer, pointer, mask, other=None):
    buffer, pointer = _buffer(buffer), to_tensor(pointer)
    if not isinstance(pointer, InterpretedTensor) or not pointer.dtype.is_ptr():
        raise ValueError(f"a block of pointers is needed here, not {describe(pointer)}")
    if mask is not None:
        mask = broadcast_with_rank(to_tensor(mask), buffer.shape)
    if pointer.dtype.element_ty != buffer.dtype:
        raise ValueError(f"{describe(pointer)} cannot be copied to a buffer of {buffer.describe()}")
    other = 0 if mask is not None and plain(other) is None else plain(other)
    buffer.write(accesses.load(broadcast_with_rank(pointer, buffer.shape), mask, other))


@implements_in_gluon()
def nvidia_ampere_async_copy_async_load(smem, pointer, mask=None, cache_modifier=None, eviction_policy=None,
                                        volatile=False, cache_policy=None):  # fmt: skip
    _copy(smem, pointer, mask)


@implements_in_gluon()
def amd_cdna4_async_copy_global_load_to_shared(dest, ptr, mask=None, other=None, cache_modifier=""):
    _copy(dest, ptr, mask, other)


@implements_in_gluon()
def amd_cdna4_async_copy_buffer_load_to_shared(dest, ptr, offsets, mask=None, other=None, cache_modifier=""):
    _copy(dest, add_pointer(ptr, offsets, "+"), mask, other)


@implements_in_gluon()
def amd_cdna5_async_copy_global_to_shared(smem, pointer, mask=None, other=None, cache_modifier=""):
    _copy(smem, pointer, mask, other)


@implements_in_gluon(
    "nvidia_ampere_async_copy_commit_group",
    "amd_cdna4_async_copy_commit_group",
    "amd_cdna5_async_copy_commit_group",
)
def commit_group():
    pass


@implements_in_gluon(
    "nvidia_ampere_async_copy_wait_group",
    "amd_cdna4_async_copy_wait_group",
    "amd_cdna5_async_copy_wait_group",
)
def wait_group(num_outstanding=0):
    pass


@implements_in_gluon()
def amd_cdna4_async_copy_load_shared_relaxed(smem, layout):
    return _buffer(smem).load(layout)


# ---- Copies of blocks of arrays ----


class BlockDescriptor(InterpretedDescriptor):
    """An array whose blocks are copied to and from buffers with a layout."""

    def __init__(self, handle, layout):
        super().__init__(handle)
        self.layout, self.block_shape = layout, Shape(handle.block_shape)
        self.type = tensor_descriptor_type(self.block_type)
        self.block_type.shape = self.block_shape

    @property
    def nbytes_per_cta(self):
        return int(np.prod(self.block_shape)) * self.dtype.primitive_bitwidth // 8 // _parts(self.layout)


def _buffer_for(descriptor, buffer):
    """The buffer for a block of the array, which may lack the first dimensions where they have one element."""
    if not isinstance(descriptor, BlockDescriptor):
        raise ValueError(f"a descriptor for buffers is needed here, not {describe(descriptor)}")
    buffer, shape = _buffer(buffer), list(descriptor.block_shape)
    while len(shape) > buffer.rank and shape[0] == 1:
        del shape[0]
    if buffer.dtype != descriptor.dtype or buffer.shape != shape:
        raise ValueError(
            f"the descriptor is for blocks of {descriptor.dtype}{list(descriptor.block_shape)}, and this buffer is "
            f"{buffer.describe()}: allocate it with the shape, dtype and layout of the descriptor"
        )
    return buffer


def _contents(descriptor, buffer):
    """The elements of a buffer as a block of the array."""
    contents = _buffer_for(descriptor, buffer).contents()
    return make(contents.data.reshape(descriptor.block_shape), contents.dtype)


@implements_in_gluon()
def nvidia_hopper_tma_async_load(tensor_desc, coord, barrier, result, pred=True, multicast=False, cache_policy=None):
    if not is_true(pred):
        return
    result, block = _buffer_for(tensor_desc, result), tensor_desc.load(coord)
    result.write(make(block.data.reshape(result.shape), block.dtype))
    bring_bytes(barrier, tensor_desc.nbytes_per_cta)


@implements_in_gluon()
def nvidia_hopper_async_store(dst, value, mbarrier):
    _buffer(dst).store(value)
    bring_bytes(mbarrier, dst.nbytes_per_cta)


@implements_in_gluon()
def nvidia_hopper_tma_async_store(tensor_desc, coord, src, cache_policy=None):
    tensor_desc.store(coord, _contents(tensor_desc, src))


@implements_in_gluon()
def nvidia_hopper_tma_store_wait(pendings, read_only=True):
    pass


def _register_atomic(operation):
    def atomic(tensor_desc, coord, src):
        tensor_desc.atomic(coord, _contents(tensor_desc, src), ATOMICS[operation])

    implements_in_gluon(f"nvidia_hopper_tma_async_atomic_{operation}")(atomic)


for _operation in ATOMICS:
    _register_atomic(_operation)
