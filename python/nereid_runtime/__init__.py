"""Launches kernels of bundles, without the compiler: on the processor, NVIDIA's and AMD's GPUs.

    import nereid_runtime

    bundle = nereid_runtime.open("kernels.bundle")
    add = bundle.load("add", "cuda:0")
    add[(5,)](x, y, out, n, stream=torch.cuda.current_stream().cuda_stream)

It needs the C library, and the driver of the GPU where there is one; no NumPy, no PyTorch.
"""

import ctypes
import math
import operator
import os
import struct
import sys
import threading

__all__ = ["Bundle", "Error", "Kernel", "open"]

_LIBRARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libnereid_runtime.so")
_FLOATS = {"fp16": "<e", "fp32": "<f", "fp64": "<d"}
_MOST_EXTENTS, _LARGEST_EXTENT = 3, (1 << 31) - 1


class Error(RuntimeError):
    """What is wrong with a bundle, a device or a launch, in a sentence; ``code`` is that of triton/bundle.h or
    triton/launch.h."""

    def __init__(self, text, code):
        super().__init__(text)
        self.code = code


class _Failure(ctypes.Structure):
    _fields_ = (("code", ctypes.c_int), ("text", ctypes.c_char * 480))


class _Parameter(ctypes.Structure):
    _fields_ = (("name", ctypes.c_char_p), ("type", ctypes.c_char_p))


class _Description(ctypes.Structure):
    """The beginning of triton_bundle_kernel, and room for the rest of it."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("variant", ctypes.c_char_p),
        ("constants", ctypes.c_char_p),
        ("target", ctypes.c_char_p),
        ("parameter_count", ctypes.c_size_t),
        ("parameters", ctypes.POINTER(_Parameter)),
        ("code_count", ctypes.c_size_t),
        ("codes", ctypes.c_void_p),
    )


def _load_library():
    library = ctypes.CDLL(_LIBRARY)
    pointer = ctypes.c_void_p
    library.triton_bundle_open_file.argtypes = [ctypes.c_char_p, pointer, pointer]
    library.triton_bundle_close.argtypes = [pointer]
    library.triton_bundle_list.argtypes = [pointer, ctypes.c_size_t, pointer]
    library.triton_launch_load.argtypes = [pointer, *[ctypes.c_char_p] * 3, pointer, pointer]
    library.triton_launch_describe.argtypes = [pointer]
    library.triton_launch_describe.restype = ctypes.POINTER(_Description)
    library.triton_launch.argtypes = [pointer] * 5
    library.triton_launch_unload.argtypes = [pointer]
    return library


_library = _load_library()
#: The library opens, loads, unloads and closes on one thread at a time. Objects may end while their thread has it.
_lock = threading.RLock()


def _call(function, *arguments):
    failure = _Failure()
    if function(*arguments, ctypes.byref(failure)) != 0:
        raise Error(failure.text.decode(errors="replace"), failure.code)


def open(path):
    """The bundle, which `tritonc bundle` or `tritonc build` wrote. `Error` for a file that is none."""
    return Bundle(path)


class Bundle:
    """A file of kernels that is open. Its kernels keep it open."""

    def __init__(self, path):
        self._handle = ctypes.c_void_p()
        name = os.fsdecode(path)
        try:
            with _lock:
                _call(_library.triton_bundle_open_file, os.fsencode(path), ctypes.byref(self._handle))
        except Error as error:
            if f"`{name}`" in str(error):
                raise
            raise Error(f"`{name}`: {error}", error.code) from None

    def kernels(self):
        """(kernel, variant, target) of all that is in it."""
        found, each = [], _Description()
        while _library.triton_bundle_list(self._handle, len(found), ctypes.byref(each)):
            found.append((each.name.decode(), each.variant.decode(), each.target.decode()))
        return found

    def load(self, name, device="cpu", variant=None):
        """The kernel for the device: "cpu", "cuda:0" or "hip:0". Without a variant, the first one."""
        return Kernel(self, name, device, variant)

    def __del__(self):
        if self._handle:
            with _lock:
                _library.triton_bundle_close(self._handle)


class Kernel:
    """A kernel that is loaded. ``kernel[grid](*arguments, stream=None)`` launches it; without a stream, on the default
    one. Arguments are numbers, None, addresses, and arrays with `data_ptr()`, `__cuda_array_interface__` or
    `__array_interface__`."""

    def __init__(self, bundle, name, device, variant):
        self._bundle, self._handle = bundle, ctypes.c_void_p()
        chosen = None if variant is None else variant.encode()
        with _lock:
            given = bundle._handle, name.encode(), chosen, device.encode(), ctypes.byref(self._handle)
            _call(_library.triton_launch_load, *given)
        known = _library.triton_launch_describe(self._handle).contents
        self.name, self.variant = known.name.decode(), known.variant.decode()
        self.constants, self.target = known.constants.decode(), known.target.decode()
        each = [known.parameters[index] for index in range(known.parameter_count)]
        self.parameters = [(parameter.name.decode(), parameter.type.decode()) for parameter in each]
        self._words = ctypes.c_uint64 * max(len(self.parameters), 1)

    def _extents(self, grid):
        """The grid as the library takes it."""
        found = f"kernel `{self.name}`: the grid is {grid!r}"
        try:
            extents = [operator.index(extent) for extent in (grid if hasattr(grid, "__iter__") else (grid,))]
        except TypeError as error:
            raise TypeError(f"{found}; it must have integers") from error
        if not 0 < len(extents) <= _MOST_EXTENTS:
            raise ValueError(f"{found}; it must have one to three numbers")
        if not 0 <= min(extents) <= max(extents) <= _LARGEST_EXTENT:
            raise OverflowError(f"{found}; its numbers must be from 0 to {_LARGEST_EXTENT}")
        return (ctypes.c_int32 * _MOST_EXTENTS)(*extents, *[1] * (_MOST_EXTENTS - len(extents)))

    def __getitem__(self, grid):
        extents = self._extents(grid)

        def launch(*arguments, stream=None):
            if len(arguments) != len(self.parameters):
                names = ", ".join(name for name, _ in self.parameters)
                raise TypeError(f"kernel `{self.name}` got {len(arguments)} arguments; it takes {names}")
            pairs = zip(self.parameters, arguments, strict=True)
            words = self._words(*[_word(name, type_, value) for (name, type_), value in pairs])
            _call(_library.triton_launch, self._handle, stream, extents, words)

        return launch

    def __del__(self):
        if self._handle:
            with _lock:
                _library.triton_launch_unload(self._handle)


def _word(name, type_, value):
    """The argument as the library takes it: 64 bits."""
    if type_.startswith("*"):
        return _address(name, value)
    try:
        if type_ in _FLOATS:
            return int.from_bytes(struct.pack(_FLOATS[type_], float(value)), "little")
        if type_ == "bf16":
            return _bfloat16(float(value))
        number, bits = value.__index__(), int(type_[1:])
    except (AttributeError, TypeError, ValueError) as error:
        raise TypeError(f"argument `{name}` is {value!r}; it must be a number of type {type_}") from error
    except OverflowError as error:
        raise _outside(name, value, type_) from error
    signed = type_.startswith("i") and bits > 1
    if not -(1 << bits - 1) * signed <= number < 1 << bits - signed:
        raise _outside(name, number, type_)
    return number & (1 << 64) - 1


def _outside(name, value, kind):
    return OverflowError(f"argument `{name}` is {value!r}, which is not in the range of {kind}")


def _bfloat16(value):
    """The nearest one's bits; of two that are as near, the even one."""
    if value != value:
        return 0x7FC0
    if math.isfinite(value):
        last = max(math.frexp(value)[1] - 8, -133)  # the exponent of the last bit that is kept
        value = math.copysign(math.ldexp(round(math.ldexp(value, -last)), last), value)
    return int.from_bytes(struct.pack("<f", value), "little") >> 16


def _address(name, value):
    if value is None:
        return 0
    if hasattr(value, "data_ptr"):
        return value.data_ptr()
    for interface in () if _is_number(value) else ("__cuda_array_interface__", "__array_interface__"):
        if hasattr(value, interface):
            return getattr(value, interface)["data"][0]
    if not hasattr(value, "__index__") or isinstance(value, bool):
        raise TypeError(f"argument `{name}` is a `{type(value).__name__}`; it must be an array, an address or None")
    number = value.__index__()
    if not 0 <= number < 1 << 64:
        raise _outside(name, number, "addresses")
    return number


def _is_number(value):
    """Whether it is one of NumPy's: these describe themselves as arrays, at a place that does not last."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.generic)
