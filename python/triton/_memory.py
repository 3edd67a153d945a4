"""The memory of arrays: what the simulator lets kernels access, and what kernels for AMD GPUs are compiled for."""

import ctypes
import functools
import math
import sys


def view_at(address, size):
    """A view of ``size`` bytes of memory, of any number: ``ctypes.string_at`` takes its size as a C int."""
    return memoryview((ctypes.c_uint8 * size).from_address(address)).cast("B")


def memory_of(array):
    """(address, bytes) of the memory that ``array`` views; (0, 0) if that is not known. Called by the launcher."""
    array, known = _named_memory_of(array)
    if known:
        return known
    import numpy

    if hasattr(array, "__dlpack__"):
        return memory_of(numpy.from_dlpack(array))
    if hasattr(array, "data_ptr"):
        return _memory_behind(array)
    try:
        return memory_of(numpy.frombuffer(array, dtype=numpy.uint8))
    except (TypeError, ValueError, BufferError):
        return 0, 0


def elements_of(array):
    """(address, bytes of an element, [(extent, stride in bytes) of each dimension], whether nothing else refers to the
    rest of its memory) of the elements of ``array``; None if they are all of its memory, or lie in an order that is not
    described. Called by the launcher of an audit."""
    array = base_of(array)
    if hasattr(array, "untyped_storage"):
        address, size, shape = array.data_ptr(), array.element_size(), tuple(array.shape)
        strides = [stride * size for stride in array.stride()]
    elif (interface := getattr(array, "__array_interface__", None)) is not None:
        address, size, shape = interface["data"][0], int(interface["typestr"][2:]), interface["shape"]
        strides = interface.get("strides") or [size * math.prod(shape[i + 1 :]) for i in range(len(shape))]
    else:
        return None
    count = math.prod(shape)
    if count == 0 or min(strides, default=0) < 0:
        return None
    if (address, size * count) == memory_of(array):
        return None
    return address, size, list(zip(shape, strides, strict=True)), _is_rest_own(array)


def _is_rest_own(tensor):
    """Whether a tensor is a view of one that a program has given up, which nothing else is a view of: the rest is a
    padding."""
    if getattr(tensor, "_base", None) is None or not hasattr(tensor, "untyped_storage"):
        return False
    return _references(tensor) == _references_of_padded()


def _references(view):
    """Of the storage: the two tensors and the name here. Of the base as an object of Python: the view, if the program
    holds it or PyTorch gave it up, and what Python counts here."""
    import torch

    base, storage = view._base, view.untyped_storage()
    return torch._C._storage_Use_Count(storage._cdata), sys.getrefcount(base)


@functools.cache
def _references_of_padded():
    """Those of a view of a tensor that was given up; None where a base that is held has as many. Versions of Python and
    PyTorch count differently."""
    import torch

    with torch.inference_mode(False):
        held = torch.zeros(2, device="cpu")
        padded = _references(torch.zeros(2, device="cpu")[:1])
        return padded if padded != _references(held[:1]) else None


def device_memory_of(array):
    """The same for an array of a GPU. Called by the launcher where the size decides what is compiled."""
    array, known = _storage_of(array)
    if known:
        return known
    interface = _interface_of(array, "__cuda_array_interface__")
    return (0, 0) if interface is None else _range_of(interface)


def base_of(argument):
    """The array behind an argument: of a tensor descriptor, or of ``triton.reinterpret``."""
    while type(argument).__name__ in ("TensorWrapper", "TensorDescriptor"):
        argument = argument.base
    return argument


def _storage_of(array):
    """The array behind ``triton.reinterpret``, and the memory of its storage if it is a tensor of PyTorch."""
    array = base_of(array)
    if not hasattr(array, "untyped_storage"):
        return array, None
    storage = array.untyped_storage()
    return array, (storage.data_ptr(), storage.nbytes())


def _named_memory_of(array):
    """The array behind ``triton.reinterpret``, and the memory that it names itself."""
    array, known = _storage_of(array)
    interface = None if known else _interface_of(array, "__array_interface__")
    return array, known or (interface and _range_of(interface))


def _memory_behind(array):
    """The memory of an object that knows an address alone: that of the array, among its attributes, which the address
    is in."""
    address = array.data_ptr()
    for value in list(getattr(array, "__dict__", {}).values()):
        begin, size = _memory_of_attribute(value)
        if begin <= address < begin + size:
            return begin, size
    return 0, 0


def _memory_of_attribute(value):
    """The memory of an attribute, which may be anything; (0, 0) if it is not an array."""
    if isinstance(value, type):  # it has the methods of its instances, and no memory
        return 0, 0
    try:
        return _named_memory_of(value)[1] or (0, 0)
    except Exception:  # whatever the methods and properties of a foreign object raise
        return 0, 0


def _interface_of(array, name):
    """The array interface of the outermost array that ``array`` is a view of."""
    while getattr(getattr(array, "base", None), name, None) is not None:
        array = array.base
    interface = getattr(array, name, None)
    return interface if isinstance(interface, dict) else None


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
