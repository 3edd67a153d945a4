"""What stands for an array where a kernel is launched or only compiled."""

import sys

from .. import _C


def _plain_dtype(dtype):
    return str(dtype).rsplit(".", 1)[-1]


class MockTensor:
    """Stands for a tensor of a dtype where a kernel is only compiled, as in ``kernel.warmup``."""

    @staticmethod
    def wrap_dtype(arg):
        if type(arg).__name__ == "dtype" and type(arg).__module__ == "torch":
            return MockTensor(arg)
        numpy = sys.modules.get("numpy")
        if numpy is None:
            return arg
        is_class = isinstance(arg, type) and issubclass(arg, numpy.generic)
        return MockTensor(numpy.dtype(arg)) if is_class or isinstance(arg, numpy.dtype) else arg

    def __init__(self, dtype, shape=None):
        self.dtype = dtype
        self.shape = [1] if shape is None else shape

    def stride(self):
        strides = [1]
        for size in reversed(self.shape[1:]):
            strides.append(strides[-1] * size)
        return tuple(reversed(strides))

    @staticmethod
    def data_ptr():
        return 0

    @staticmethod
    def ptr_range():
        return 0


class MockArray(MockTensor):
    """Stands for an array in memory of less than 2 GiB, at a multiple of 16 bytes or not."""

    def __init__(self, dtype, is_aligned=True):
        super().__init__(dtype)
        self._address = 1 << 20 if is_aligned else (1 << 20) + 8

    def data_ptr(self):
        return self._address

    def untyped_storage(self):
        return self

    @staticmethod
    def nbytes():
        return 1 << 10


class TensorWrapper:
    """The storage of a tensor, viewed with another element type."""

    _reinterprets = True  # for the launcher, which reads the base

    def __init__(self, base, dtype):
        self.base, self.dtype = base, dtype
        self.data = getattr(base, "data", base)
        self.device = getattr(base, "device", "cpu")
        self.shape = base.shape

    def data_ptr(self):
        if hasattr(self.base, "data_ptr"):
            return self.base.data_ptr()
        return _C.inspect_array(self.base)[0]

    def stride(self, *args):
        if hasattr(self.base, "stride"):
            return self.base.stride(*args)
        strides = tuple(size // self.base.itemsize for size in self.base.strides)
        return strides[args[0]] if args else strides

    def element_size(self):
        return self.base.element_size() if hasattr(self.base, "element_size") else self.base.itemsize

    def cpu(self):
        return TensorWrapper(self.base.cpu(), self.dtype)

    def clone(self):
        return TensorWrapper(self.base.clone() if hasattr(self.base, "clone") else self.base.copy(), self.dtype)

    def copy_(self, other):
        self.base.copy_(other.base)

    def to(self, device):
        return TensorWrapper(self.base.to(device), self.dtype)

    def new_empty(self, sizes):
        return TensorWrapper(self.base.new_empty(sizes), self.dtype)

    def __str__(self):
        return f"TensorWrapper[{self.dtype}]({self.base})"


def reinterpret(tensor, dtype):
    """The array ``tensor`` viewed with elements of ``dtype``, such as bfloat16 values that are stored as uint16."""
    if isinstance(tensor, TensorWrapper):
        is_original = _plain_dtype(dtype) == _plain_dtype(tensor.base.dtype)
        return tensor.base if is_original else TensorWrapper(tensor.base, dtype)
    if hasattr(tensor, "data_ptr") or hasattr(tensor, "__array_interface__"):
        return TensorWrapper(tensor, dtype)
    raise TypeError(f"cannot reinterpret a `{type(tensor).__name__}`: it is not an array")
