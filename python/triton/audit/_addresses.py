"""Memory that a launch reaches through addresses in its arguments, such as a table of the tensors of a grouped product.

A program learns addresses from `Tensor.data_ptr`. A launch whose integers are among them may access these tensors;
those that live no more are memory that was freed.
"""

import bisect

import numpy
import torch
from torch.multiprocessing.reductions import StorageWeakRef

from .._memory import base_of
from ..runtime._simulation import accessible_ranges
from ..runtime.jit import JITFunction
from ._unwritten import bytes_of

#: In larger tensors of integers, nobody looks for addresses.
_MOST_ENTRIES = 1 << 20
_INTEGERS = (torch.int64, torch.uint64)
#: So many addresses are kept before those of freed memory are dropped.
_FEW = 4096


class _Known:
    """The tensors whose addresses a program has asked for."""

    def __init__(self, whole_storages):
        self.whole_storages = whole_storages
        self.ends = {}  # by address: (storage, the end)
        self._limit = _FEW

    def add(self, tensor, address):
        if address == 0 or tensor.layout != torch.strided:
            return
        storage = tensor.untyped_storage()
        if self.whole_storages:
            end = storage.data_ptr() + storage.nbytes()
        else:
            strides = zip(tensor.shape, tensor.stride(), strict=True)
            last = sum((extent - 1) * stride for extent, stride in strides)
            end = address + (last + 1) * tensor.element_size()
        before = self.ends.get(address)
        if before is None or before[0].expired() or before[1] < end:
            self.ends[address] = StorageWeakRef(storage), end
        if len(self.ends) > self._limit:
            self.ends = {begin: entry for begin, entry in self.ends.items() if not entry[0].expired()}
            self._limit = max(_FEW, 2 * len(self.ends))

    def holding(self, values):
        """{(address, bytes, whether it lives)} of the tensors in which the values lie."""
        if not self.ends or values.size == 0:
            return set()
        limit = max(end for _, end in self.ends.values())
        inside = numpy.unique(values[(values >= min(self.ends)) & (values < limit)]).tolist()
        if not inside:
            return set()
        ranges = [(not storage.expired(), begin, end) for begin, (storage, end) in self.ends.items()]
        found, is_left = set(), [True] * len(inside)
        # The nearest begin counts. Freed memory comes last, because another tensor may lie in its place now.
        for lives, begin, end in sorted(ranges, reverse=True):
            part = slice(bisect.bisect_left(inside, begin), bisect.bisect_left(inside, end))
            if any(is_left[part]):
                found.add((begin, end - begin, lives))
                is_left[part] = [False] * (part.stop - part.start)
        return found


def _words_of(tensor):
    """The elements of a tensor, by NumPy: programs may replace PyTorch's operators by kernels of their own."""
    contents = bytes_of(tensor.untyped_storage())
    place = 8 * tensor.storage_offset(), [8 * stride for stride in tensor.stride()]
    return numpy.ndarray(tuple(tensor.shape), numpy.uint64, contents, *place).reshape(-1)


def _integers(values):
    """The integers among a launch's arguments that may be addresses."""
    for value in values:
        if isinstance(value, (tuple, list)):
            yield from _integers(value)
            continue
        tensor = base_of(value)
        if type(value) is int and value > 0:
            yield numpy.array([value & (1 << 64) - 1], numpy.uint64)
        elif isinstance(tensor, torch.Tensor) and tensor.dtype in _INTEGERS and not tensor.is_meta:
            if 0 < tensor.numel() <= _MOST_ENTRIES:
                yield _words_of(tensor)


def install(session):
    """Lets the launches of this process reach such memory."""
    known, ask, launch = _Known(session.whole_storages), torch.Tensor.data_ptr, JITFunction.run

    def data_ptr(tensor):
        with torch._C.DisableTorchFunction():
            address = ask(tensor)
            known.add(tensor, address)
        return address

    def run(kernel, *args, **kwargs):
        ranges = set()
        if known.ends:
            with torch._C.DisableTorchFunction():
                for values in _integers((*args, *kwargs.values())):
                    ranges |= known.holding(values)
        if not ranges:
            return launch(kernel, *args, **kwargs)
        with accessible_ranges(ranges):
            return launch(kernel, *args, **kwargs)

    torch.Tensor.data_ptr, JITFunction.run = data_ptr, run
