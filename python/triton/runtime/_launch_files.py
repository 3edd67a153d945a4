"""Files of launches: the arguments of one launch of a kernel, with the contents of their memory, so that it can be
repeated elsewhere.

`TRITON_RECORD` names a folder. Each process writes a file there for the first launch of every variant of a kernel. A
file has the format of safetensors: each tensor is the memory behind arguments, as bytes, and the member
`triton.launch` of the metadata says which views of it they are, and all else that the launch needs.
"""

import dataclasses
import json
import os
import struct
import threading
import warnings
from pathlib import Path

from .. import _function_classes
from .._memory import base_of, view_at
from .._version import __version__
from ..language.constants import constexpr
from ..language.dtypes import dtype
from ..tools.kernel_names import function_of, module_of_file

_FORMAT = 1
_SUFFIX = ".launch.safetensors"


class LaunchFileError(Exception):
    """A launch that cannot be written to a file, or a file from which none can be made."""


# ---- Files ----


def write_file(path, tensors, launch):
    """Writes a file with the bytes ``{name: bytes}`` and the description of a launch."""
    header, end = {"__metadata__": {"triton.launch": json.dumps(launch)}}, 0
    for name, data in tensors.items():
        header[name] = {"dtype": "U8", "shape": [len(data)], "data_offsets": [end, end + len(data)]}
        end += len(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    part = f"{path}.{os.getpid()}"
    with open(part, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for data in tensors.values():
            file.write(data)
    os.replace(part, path)


def read_file(path):
    """({name: bytes}, the description of the launch) of a file."""
    data = Path(path).read_bytes()
    try:
        (size,) = struct.unpack_from("<Q", data)
        header = json.loads(data[8 : 8 + size])
        launch = json.loads(header.pop("__metadata__")["triton.launch"])
        tensors = {}
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            if 8 + size + end > len(data):
                raise ValueError(f"`{name}` ends behind the end of the file")
            tensors[name] = data[8 + size + begin : 8 + size + end]
    except (ValueError, KeyError, TypeError, struct.error) as error:
        raise LaunchFileError(f"`{path}` is not a file of a launch, as TRITON_RECORD writes them: {error}") from None
    if launch.get("format") != _FORMAT:
        raise LaunchFileError(
            f"`{path}` has the format {launch.get('format')} of launches, and this version reads {_FORMAT}; record the "
            "launch again"
        )
    return tensors, launch


# ---- Writing ----


def _contents(array):
    """(identity, bytes) of the memory behind an array, (index of its first element, extents, strides) of the array."""
    if hasattr(array, "untyped_storage"):
        storage = array.untyped_storage()
        view = array.storage_offset(), list(array.shape), list(array.stride())
        host = storage.cpu()
        return storage.data_ptr(), lambda: bytes(view_at(host.data_ptr(), host.nbytes())), view
    size = array.dtype.itemsize
    owner = array
    while getattr(owner, "base", None) is not None and hasattr(owner.base, "__array_interface__"):
        owner = owner.base
    begin, end = _range_of(owner)
    offset = array.__array_interface__["data"][0] - begin
    view = offset // size, list(array.shape), [stride // size for stride in array.strides]
    return (begin, end), lambda: bytes(view_at(begin, end - begin)), view


def _range_of(array):
    """(begin, end) of the addresses of an array's elements, which may have any strides."""
    first = array.__array_interface__["data"][0]
    if array.size == 0:
        return first, first
    spans = [(extent - 1) * stride for extent, stride in zip(array.shape, array.strides, strict=True)]
    below, above = sum(min(span, 0) for span in spans), sum(max(span, 0) for span in spans)
    return first + below, first + above + array.dtype.itemsize


def _is_number(value):
    """Whether a value is a number of NumPy, which has an array's interface as well."""
    if not hasattr(value, "__array_interface__"):
        return False
    import numpy

    return isinstance(value, numpy.generic)


def _facts_of_descriptor(descriptor):
    """What a descriptor of a tensor has besides the tensor, its shape and strides."""
    return {
        "block_shape": list(descriptor.block_shape),
        "padding": descriptor.padding,
        "round_f32_to_tf32": descriptor.round_f32_to_tf32,
    }


class _Writer:
    """The arguments of a launch, as they are described in a file."""

    def __init__(self):
        self.tensors, self._known = {}, {}

    def describe(self, name, value):
        value = value.value if isinstance(value, constexpr) else value
        if value is None or isinstance(value, (bool, int, str)):
            return value
        if _is_number(value):
            return {"number": value.tobytes().hex(), "type": str(value.dtype)}
        if isinstance(value, float):
            return {"float": value.hex()}
        if isinstance(value, dtype):
            return {"dtype": value.name}
        if isinstance(value, (tuple, list)):
            return {"tuple": [self.describe(name, item) for item in value]}
        if isinstance(value, _function_classes.JITFunction):
            return {"function": value.__name__, "file": os.path.abspath(value.file_name)}
        if type(value).__name__ == "TensorDescriptor":
            if hasattr(value, "layout"):
                raise LaunchFileError(f"the argument `{name}` is a descriptor with a layout, which a file cannot have")
            parts = {part: list(getattr(value, part)) for part in ("shape", "strides")}
            return {"descriptor": self.describe(name, value.base), **parts, **_facts_of_descriptor(value)}
        if type(value).__name__ == "TensorWrapper":
            return {"reinterpreted": self.describe(name, base_of(value)), "as": value.dtype.name}
        if hasattr(value, "untyped_storage") or hasattr(value, "__array_interface__"):
            return self._describe_array(value)
        raise LaunchFileError(
            f"the argument `{name}` is of the type `{type(value).__name__}`, which a file cannot have"
        )

    def _describe_array(self, array):
        identity, read, (offset, shape, strides) = _contents(array)
        if identity not in self._known:
            self._known[identity] = f"memory{len(self._known)}"
            self.tensors[self._known[identity]] = read()
        kind = "torch" if hasattr(array, "untyped_storage") else "numpy"
        return {
            "memory": self._known[identity],
            "kind": kind,
            "type": str(array.dtype).removeprefix("torch."),
            "offset": offset,
            "shape": shape,
            "strides": strides,
        }


def describe_launch(kernel, args, kwargs, grid):
    """({name: bytes}, description) of a launch, with the arguments' contents as they are now."""
    from .driver import driver

    writer = _Writer()
    source = Path(kernel.file_name).read_text() if os.path.isfile(kernel.file_name) else kernel.src
    arguments = [writer.describe(name, value) for name, value in zip(kernel.arg_names, args, strict=False)]
    keywords = {name: writer.describe(name, value) for name, value in kwargs.items()}
    return writer.tensors, {
        "format": _FORMAT,
        "version": __version__,
        "kernel": kernel.__name__,
        "file": os.path.abspath(kernel.file_name),
        "source": source,
        "target": dataclasses.asdict(driver.active.get_current_target()),
        "grid": list(grid),
        "arguments": arguments,
        "keywords": keywords,
    }


def grid_of(kernel, grid, args, kwargs):
    """The extents of a grid, which may be a function of the arguments."""
    if callable(grid):
        grid = grid({**dict(zip(kernel.arg_names, args, strict=False)), **kwargs})
    grid = (grid,) if isinstance(grid, int) else tuple(grid)
    return tuple(int(extent) for extent in grid) + (1,) * (3 - len(grid))


def _kind_of(value):
    """What two launches of the same variant have in common of an argument."""
    value = value.value if isinstance(value, constexpr) else value
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return str(value.dtype), len(value.shape)
    if isinstance(value, (tuple, list)):
        return tuple(_kind_of(item) for item in value)
    if type(value).__name__ == "TensorDescriptor":
        return _kind_of(value.base), str(_facts_of_descriptor(value))
    return type(value).__name__ if isinstance(value, (int, float)) and not isinstance(value, bool) else repr(value)


def _variant_of(kernel, args, kwargs):
    """What distinguishes the launches of which one each is kept: the types of arguments, and the values of keywords,
    which most constants are."""
    keywords = {name: repr(value) if isinstance(value, int) else _kind_of(value) for name, value in kwargs.items()}
    keywords.pop("grid", None)
    return kernel.file_name, kernel.__name__, str([_kind_of(value) for value in args]), str(keywords)


def install(folder):
    """Lets this process write files of its launches to the folder."""
    from .jit import JITFunction

    before, known, lock = JITFunction.run, {}, threading.Lock()
    os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)

    def run(kernel, *args, **kwargs):
        if not kwargs.get("warmup"):
            variant = _variant_of(kernel, args, kwargs)
            with lock:
                is_new = variant not in known
                number = known.setdefault(variant, len(known) + 1)
            if is_new:
                _try_to_write(kernel, args, kwargs, folder, number)
        return before(kernel, *args, **kwargs)

    JITFunction.run = run


def _try_to_write(kernel, args, kwargs, folder, number):
    options = {name: value for name, value in kwargs.items() if name not in ("grid", "warmup", "stream")}
    path = Path(folder) / f"{kernel.__name__}-{os.getpid()}-{number}{_SUFFIX}"
    try:
        os.makedirs(folder, exist_ok=True)
        grid = grid_of(kernel, kwargs["grid"], args, options)
        write_file(path, *describe_launch(kernel, args, options, grid))
    except Exception as error:  # the launch goes on whatever happens here
        warnings.warn(f"a launch of `{kernel.__name__}` is not recorded (TRITON_RECORD): {error}", stacklevel=3)


# ---- Reading ----


def _module_of(launch, folder):
    """The module that has the kernel: its file if that is still the same, otherwise the source in the file of the
    launch."""
    path = launch["file"]
    if not os.path.isfile(path) or Path(path).read_text() != launch["source"]:
        path = os.path.join(folder, os.path.basename(path))
        Path(path).write_text(launch["source"])
    return module_of_file(path)


def _make_descriptor(base, fact):
    from ..tools.tensor_descriptor import TensorDescriptor

    parts = [base, fact["shape"], fact["strides"], fact["block_shape"]]
    return TensorDescriptor(*parts, padding=fact["padding"], round_f32_to_tf32=fact.get("round_f32_to_tf32", False))


class Replay:
    """A launch from a file, which can run as often as one likes, each time from the same contents."""

    def __init__(self, path, folder):
        self._contents, self.launch = read_file(path)
        module = _module_of(self.launch, folder)
        self.kernel = function_of(getattr(module, self.launch["kernel"], None))
        if self.kernel is None:
            raise LaunchFileError(
                f"`{module.__file__}` has no kernel `{self.launch['kernel']}` in its global scope; put the kernel "
                "there and record the launch again"
            )
        self._module = module

    @property
    def grid(self):
        return tuple(self.launch["grid"])

    def arguments(self, device="cpu"):
        """(positional, keyword) arguments of one run, of which none has run yet."""
        memory = {}
        make = lambda fact: self._make(fact, memory, device)
        keywords = {name: make(fact) for name, fact in self.launch["keywords"].items()}
        return [make(fact) for fact in self.launch["arguments"]], keywords

    def run(self, grid=None, device="cpu"):
        """Runs the launch; the arguments afterwards."""
        args, keywords = self.arguments(device)
        self.kernel[grid or self.grid](*args, **keywords)
        return args, keywords

    def _make(self, fact, memory, device):
        if not isinstance(fact, dict):
            return fact
        if "float" in fact:
            return float.fromhex(fact["float"])
        if "number" in fact:
            import numpy

            return numpy.frombuffer(bytes.fromhex(fact["number"]), fact["type"])[0]
        if "dtype" in fact:
            return dtype(fact["dtype"])
        if "tuple" in fact:
            return tuple(self._make(item, memory, device) for item in fact["tuple"])
        if "function" in fact:
            return getattr(module_of_file(fact["file"]), fact["function"])
        if "descriptor" in fact:
            return _make_descriptor(self._make(fact["descriptor"], memory, device), fact)
        if "reinterpreted" in fact:
            from .jit import reinterpret

            return reinterpret(self._make(fact["reinterpreted"], memory, device), dtype(fact["as"]))
        return self._array(fact, memory, device)

    def _array(self, fact, memory, device):
        data = self._contents[fact["memory"]]
        if fact["kind"] == "torch":
            import torch

            if fact["memory"] not in memory:
                memory[fact["memory"]] = torch.frombuffer(bytearray(data or b"\0"), dtype=torch.uint8).to(device)
            flat = memory[fact["memory"]]
            size = getattr(torch, fact["type"]).itemsize
            typed = flat[: flat.numel() // size * size].view(getattr(torch, fact["type"]))
            return typed.as_strided(fact["shape"], fact["strides"], fact["offset"])
        import numpy

        type_ = numpy.dtype(fact["type"])
        flat = memory.setdefault(fact["memory"], numpy.frombuffer(bytearray(data), numpy.uint8))
        strides = [stride * type_.itemsize for stride in fact["strides"]]
        return numpy.ndarray(fact["shape"], type_, flat.data, fact["offset"] * type_.itemsize, strides)
