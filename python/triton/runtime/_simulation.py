"""What the simulator needs to know of a launch's arrays: the memory that kernels may access through them."""

import contextlib
import math
import weakref

from .. import _C

_accessible = []


def memory_of(array):
    """(address, bytes) of the memory that ``array`` views; (0, 0) if that is not known. Called by the launcher."""
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


def _owner_of(array):
    """The object that owns an array's memory, or None if its end cannot be observed."""
    while getattr(getattr(array, "base", None), "__array_interface__", None) is not None:
        array = array.base
    return array if hasattr(array, "__weakref__") or hasattr(type(array), "__array_interface__") else None


def _announce():
    _C.set_accessible_memory([tuple(entry) for entry in _accessible])


def _free(entry):
    entry[2] = False
    _announce()


@contextlib.contextmanager
def accessible_memory(*arrays):
    """A context in which simulated kernels may access ``arrays`` although these are not arguments of the launch.
    Examples are arrays that a table of pointers refers to, and arrays behind objects that have only an address. An
    array that is freed within the context counts as freed. Other devices ignore this."""
    before = list(_accessible)
    watches = []
    for array in arrays:
        entry = [*memory_of(array), True]  # address, bytes, whether it lives
        _accessible.append(entry)
        if (owner := _owner_of(array)) is not None:
            watches.append(weakref.finalize(owner, _free, entry))
        del array, owner
    del arrays
    _announce()
    try:
        yield
    finally:
        for watch in watches:
            watch.detach()
        _accessible[:] = before
        _announce()
