"""What the simulator needs to know of a launch's arrays: the memory that kernels may access through them."""

import contextlib
import math

from .. import _C

_accessible = []


def memory_of(array):
    """(address, bytes) of the memory that ``array`` is a view of; (0, 0) when it does not tell. Called by the launcher.
    """
    base = getattr(array, "base", None)
    if type(array).__name__ == "TensorWrapper":
        return memory_of(base)
    if hasattr(array, "untyped_storage"):
        storage = array.untyped_storage()
        return storage.data_ptr(), storage.nbytes()
    interface = getattr(array, "__array_interface__", None)
    if interface is not None:
        while getattr(base, "__array_interface__", None) is not None:
            interface, base = base.__array_interface__, getattr(base, "base", None)
        return _range_of(interface)
    import numpy
    if hasattr(array, "__dlpack__"):
        return memory_of(numpy.from_dlpack(array))
    try:
        return memory_of(numpy.frombuffer(array, dtype=numpy.uint8))
    except (TypeError, ValueError, BufferError):
        return 0, 0


def _range_of(interface):
    """The lowest address and the number of bytes from there to the highest, of an array interface."""
    size = int(interface["typestr"][2:])
    shape, strides = interface["shape"], interface.get("strides")
    address = interface["data"][0]
    if math.prod(shape) == 0:
        return address, 0
    if strides is None:
        return address, size * math.prod(shape)
    spans = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
    low = sum(span for span in spans if span < 0)
    high = sum(span for span in spans if span > 0) + size
    return address + low, high - low


@contextlib.contextmanager
def accessible_memory(*arrays):
    """Lets simulated kernels access arrays that are no arguments: those that a table of pointers names, and those
    behind objects that have only an address. Without effect on other devices."""
    before = list(_accessible)
    _accessible.extend(map(memory_of, arrays))
    _C.set_accessible_memory(_accessible)
    try:
        yield
    finally:
        _accessible[:] = before
        _C.set_accessible_memory(_accessible)
