"""Microscaling formats on the host: 4-bit floats (E2M1) and scales of eight exponent bits (E8M0).

The data are tensors of PyTorch or arrays of NumPy, whichever is given. What is made from a size alone is a tensor where
the program uses PyTorch or names a device other than the processor, else an array; `to` converts between the two.
"""

import math
import sys

#: The positive values of E2M1, by code; the fourth bit is the sign.
_E2M1 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
_BIAS = 127
_NAN = 255


def _is_tensor(data):
    return type(data).__module__.startswith("torch")


class _NumPy:
    """What the formats need of NumPy."""

    def __init__(self, device=None):
        if device not in (None, "cpu"):
            raise ValueError(f"arrays of NumPy are on the processor, not on `{device}`")
        import numpy

        self.module = numpy
        self.uint8, self.int32, self.float32 = numpy.uint8, numpy.int32, numpy.float32

    def table(self, values):
        return self.module.array(values, self.float32)

    def cast(self, data, dtype):
        return data.astype(dtype)

    def view(self, data, dtype):
        return data.view(dtype)

    def random(self, low, high, size):
        return self.module.random.randint(low, high, size, dtype="uint8")

    def exponent(self, values):
        return self.module.frexp(values)[1] - 1

    def zeros(self, shape, dtype):
        return self.module.zeros(shape, dtype)


class _Torch:
    """The same of PyTorch."""

    def __init__(self, device=None):
        import torch

        self.module, self.device = torch, device
        self.uint8, self.int32, self.float32 = torch.uint8, torch.int32, torch.float32

    def table(self, values):
        return self.module.tensor(values, dtype=self.float32, device=self.device)

    def cast(self, data, dtype):
        return data.to(dtype)

    def view(self, data, dtype):
        return data.contiguous().view(dtype)

    def random(self, low, high, size):
        return self.module.randint(low, high, size=size, dtype=self.uint8, device=self.device)

    def exponent(self, values):
        return self.module.frexp(values)[1] - 1

    def zeros(self, shape, dtype):
        return self.module.zeros(tuple(shape), dtype=dtype, device=self.device)


def _library(data, device):
    if data is None:
        uses_torch = "torch" in sys.modules or device not in (None, "cpu")
        return _Torch(device) if uses_torch else _NumPy(device)
    return _Torch(data.device) if _is_tensor(data) else _NumPy(device)


class _Format:
    """Base of the formats: ``data`` holds a byte for each element."""

    def __init__(self, data=None, size=None, device=None):
        self._library = _library(data, device)
        self.device = getattr(data, "device", device)
        if data is None and size is None:
            raise ValueError("give the values as `data`, or the shape as `size`")
        if data is not None:
            if not any(kind in str(data.dtype) for kind in ("float", "half")):
                raise ValueError(f"the values are floating-point numbers, not {data.dtype}")
            self.data = self._encode(self._library.cast(data, self._library.float32))
            self.size = tuple(data.shape)
        else:
            self.size = tuple(size) if isinstance(size, (tuple, list)) else (size,)

    def to(self, dtype):
        """The values in a floating-point type of PyTorch or of NumPy."""
        values = self._decode()
        is_of_torch = type(dtype).__module__.startswith("torch")
        if is_of_torch and not _is_tensor(values):
            values = _Torch().module.from_numpy(values)
        elif not is_of_torch and _is_tensor(values):
            values = values.cpu().numpy()
        return _library(values, None).cast(values, dtype)


class MXFP4Tensor(_Format):
    """4-bit floats. Values are rounded to the nearest, in a tie to the even code, and to at most 6."""

    def _encode(self, values):
        magnitude = abs(values)
        if (values != values).any():
            raise ValueError("E2M1 has no NaN")
        as_byte = lambda condition: self._library.cast(condition, self._library.uint8)
        code = self._signs(values)
        for index, (low, high) in enumerate(zip(_E2M1, _E2M1[1:], strict=False)):
            middle = (low + high) / 2
            code = code + as_byte(magnitude > middle if index % 2 == 0 else magnitude >= middle)
        return code

    def _signs(self, values):
        """8 where the sign bit is set."""
        bits = self._library.view(values, self._library.int32)
        return self._library.cast((bits >> 31) & 8, self._library.uint8)

    def _decode(self):
        library = _library(self.data, None)
        table = library.table([*_E2M1, *(-value for value in _E2M1)])
        return table[library.cast(self.data, library.int32)]

    def random(self):
        """Fills the tensor with random codes."""
        self.data = self._library.random(0, 16, self.size)
        return self

    def to_packed_tensor(self, dim):
        """Two neighbours along ``dim`` in a byte, the first in the low half; an odd size is filled up with a zero."""
        first, second = (self._halves(self.data, dim, start) for start in (0, 1))
        packed = first | 0
        where = self._slices(packed, dim, slice(0, second.shape[dim]))
        packed[where] = packed[where] | (second << 4)
        return packed

    def unpack_packed_tensor(self, packed_tensor, dim, original_shape):
        """The codes, a byte each, that `to_packed_tensor` packed."""
        library = _library(packed_tensor, None)
        codes = library.zeros(original_shape, library.uint8)
        for start in (0, 1):
            where = self._slices(codes, dim, slice(start, None, 2))
            half = (packed_tensor >> (4 * start)) & 0xF
            count = codes[where].shape[dim]
            codes[where] = half[self._slices(half, dim, slice(0, count))]
        return codes

    @staticmethod
    def _slices(data, dim, part):
        where = [slice(None)] * len(data.shape)
        where[dim] = part
        return tuple(where)

    def _halves(self, data, dim, start):
        return data[self._slices(data, dim, slice(start, None, 2))]


class MXScaleTensor(_Format):
    """Powers of two from 2**-127 to 2**127. A value becomes the largest power of two that is not above it; NaN, what is
    not positive, and infinity become NaN."""

    def _encode(self, values):
        library = self._library
        is_valid = (values > 0) & (values < math.inf)
        exponent = library.exponent(library.module.where(is_valid, values, library.table([1.0])[0]))
        code = library.module.clip(exponent + _BIAS, 0, _NAN - 1)
        nothing = library.cast(library.table([float(_NAN)]), library.int32)[0]
        return library.cast(library.module.where(is_valid, library.cast(code, library.int32), nothing), library.uint8)

    def _decode(self):
        return fp8e8m0_to_float32(self.data)

    def random(self, low=None, high=None):
        """Fills the tensor with random scales, from ``low`` to ``high``; never NaN."""
        first = 0 if low is None else max(0, int(math.floor(math.log2(low))) + _BIAS)
        last = _NAN - 1 if high is None else min(_NAN - 1, max(0, int(math.floor(math.log2(high))) + _BIAS))
        self.data = self._library.random(first, last + 1, self.size)
        return self


def fp8e8m0_to_float32(scale):
    """Scales, a byte each, as float32: 2**(code - 127), and NaN for 255."""
    library = _library(scale, None)
    code = library.cast(library.view(scale, library.uint8), library.int32)
    bits = code << 23
    # 2**-127 is a subnormal number of float32, whose exponent field is 0 as well.
    bits = library.module.where(code == 0, bits + (1 << 22), bits)
    bits = library.module.where(code == _NAN, bits + (1 << 22), bits)
    return library.view(library.cast(bits, library.int32), library.float32)
