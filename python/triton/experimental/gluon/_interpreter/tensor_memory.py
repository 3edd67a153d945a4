"""Buffers in tensor memory, and the products of its units. A lane has the elements of a row one after the other."""

import numpy as np

from ....language import dtypes as types
from ....runtime.interpreter import formats, products
from ....runtime.interpreter.buffers import Elements
from ....runtime.interpreter.registry import by_launch, current, implements_in_gluon
from ....runtime.interpreter.values import axis_of, constant, integers, plain, to_tensor
from ..language._core import tensor_memory_descriptor
from ..language._layouts import AutoLayout
from ..language._types import tensor_memory_descriptor_type
from ..language._unit_layouts import TensorMemoryLayout
from ..language.nvidia.blackwell._arrivals import _arriving_blocks
from .barriers import arrive_at, is_true
from .layouts import checked_layout, laid_out, require_equal
from .products import factor, product

_LANES, _PITCH = 128, 512 * 4  # the bytes of a lane


def _places(layout, shape, dtype):
    """(the byte at which each element of a matrix, or of several, lies; how many bytes of a lane they take)."""
    size = formats.storage_type(dtype).itemsize
    rows, columns = np.indices(shape[-2:])
    if isinstance(layout, TensorMemoryLayout):
        block, step = layout.block, layout.col_stride * size
    else:
        block, step = (_LANES, shape[-1]), size
    blocks = -(-shape[-1] // block[1]) * (rows // block[0]) + columns // block[1]
    along = (blocks * block[1] + columns % block[1]) * step
    width = int(along.max()) + step
    places = rows % block[0] * _PITCH + along
    if len(shape) == 3:
        places = np.arange(shape[0]).reshape(-1, 1, 1) * width + places
    return places, width * (shape[0] if len(shape) == 3 else 1)


class TensorMemory(Elements, tensor_memory_descriptor):
    """A buffer in tensor memory, or a view of one."""

    _memory, _type = "tensor memory", tensor_memory_descriptor_type

    def counts_buffers(self):
        return self.rank == 3

    @by_launch("load from tensor memory")
    def load(self, layout=None):
        return laid_out(self.contents(), checked_layout(layout, self.shape))

    def store(self, value, pred=True):
        self._store(value, pred)

    @by_launch("store to tensor memory")
    def _store(self, value, pred):
        if is_true(pred):
            self.write(require_equal("store", to_tensor(value), self.shape, self.dtype))

    def index(self, index):
        return TensorMemory(self._one_of(index), self.dtype, self.layout)

    def slice(self, start, length, dim=1):
        return TensorMemory(self._part(start, length, axis_of(dim, self.rank, "slice")), self.dtype, self.layout)

    def reinterpret(self, dtype=None, shape=None, layout=None):
        dtype, layout = plain(dtype) or self.dtype, plain(layout) or self.layout
        shape = self.shape if shape is None else tuple(integers(shape, "a shape"))
        places, _ = _places(layout, shape, dtype)
        return TensorMemory(self.addresses.min() + places.astype(np.uint64), dtype, layout)

    def get_reg_layout(self, num_warps=None, instr_variant="32x32b"):
        """One that follows: which threads may hold the elements is the compiler's to say."""
        return AutoLayout()


@implements_in_gluon()
def nvidia_blackwell_allocate_tensor_memory(element_ty, shape, layout, value=None):
    dtype, layout, shape = plain(element_ty), plain(layout), tuple(integers(shape, "a shape"))
    places, width = _places(layout, shape, dtype)
    if width > _PITCH:
        raise ValueError(f"{dtype}{list(shape)} takes {width} bytes of a lane of tensor memory, which has {_PITCH}")
    start = current().gluon.allocate(_LANES * _PITCH)
    buffer = TensorMemory(np.uint64(start) + places.astype(np.uint64), dtype, layout)
    if plain(value) is not None:
        buffer.write(require_equal("allocate_tensor_memory", to_tensor(value), shape, dtype))
    return buffer


def _arrive(mbarriers, preds, factors=(), acc=None, multicast=False):
    """With `multicast` each block with a part of a factor of its own arrives."""
    layouts, of_pairs = [factor.layout for factor in factors], acc is not None and acc.layout.two_ctas
    count = _arriving_blocks.fn(layouts, plain(multicast), of_pairs)
    mbarriers, preds = plain(mbarriers) or (), plain(preds)
    for place, barrier in enumerate(mbarriers):
        if preds is None or is_true(preds[place]):
            arrive_at(barrier, count)


@implements_in_gluon()
def nvidia_blackwell_tcgen05_mma(a, b, acc, use_acc=True, pred=True, multicast=False, mbarriers=None,
                                 mbarrier_preds=None):  # fmt: skip
    if is_true(pred):
        before = acc.contents() if is_true(use_acc) else constant(0, acc.dtype)
        acc.write(product(factor(a), factor(b), before))
    _arrive(mbarriers, mbarrier_preds, (a, b), acc, multicast)


@implements_in_gluon()
def nvidia_blackwell_tcgen05_mma_scaled(a, b, acc, a_scale, b_scale, a_type, b_type, use_acc=True, pred=True,
                                        multicast=False, mbarriers=None, mbarrier_preds=None):  # fmt: skip
    if is_true(pred):
        left = products.scaled_operand(factor(a), a_scale.contents(), a_type, True, True)
        right = products.scaled_operand(factor(b), b_scale.contents(), b_type, True, False)
        start = acc.contents().data if is_true(use_acc) else 0
        acc.write(products.product(left, right, start, types.float32))
    _arrive(mbarriers, mbarrier_preds, (a, b), acc, multicast)


@implements_in_gluon()
def nvidia_blackwell_tcgen05_commit(barrier, pred=True, descs=()):
    if is_true(pred):
        arrive_at(barrier)
