"""Where a tensor says it is. All tensors lie in the memory of this machine; programs see those on `cuda` that they put
there, and those that come of them.

Tensors keep their type, storage and address, so that autograd, views and launches work as on any machine. Only what
Python reads of a tensor's place is changed, and the functions that take a place. A tensor that nobody has placed says
`cuda`; one that a program has made on the processor has a mark, which results of marked tensors alone get too.
"""

import functools

import torch
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack
from torch.utils._device import DeviceContext, _device_constructors

from . import _unwritten

HOST, DEVICE = torch.device("cpu"), torch.device("cuda", 0)
_MARK = "_triton_audit_on_host"


def _plain(method):
    """The method of tensors as PyTorch has it. While modes are active, PyTorch would look for it by its name and find
    what has replaced it."""

    @functools.wraps(method)
    def call(*args, **kwargs):
        with torch._C.DisableTorchFunction():
            return method(*args, **kwargs)

    return call


def is_on_host(tensor):
    return tensor.__dict__.get(_MARK, False)


def place(tensor, device):
    """Lets a tensor say that it is on the device."""
    if is_on_host(tensor) != (device == HOST):
        setattr(tensor, _MARK, device == HOST)
    return tensor


def seen(device):
    """The device that a program names, as tensors on it say it; None for what is neither GPU nor processor, such
    as `meta`, and where none is named."""
    if device is None or isinstance(device, bool):
        return None
    if isinstance(device, int):
        return DEVICE
    kind = device.type if isinstance(device, torch.device) else str(device).partition(":")[0]
    return {"cuda": DEVICE, "cpu": HOST}.get(kind)


def _of_host(device):
    """What PyTorch is given in place of the device."""
    return HOST if seen(device) is not None else device


def default_device():
    """The device of the innermost `with torch.device(...)`, or of `set_default_device`."""
    modes = [mode for mode in _get_current_function_mode_stack() if isinstance(mode, DeviceContext)]
    return modes[-1].seen if modes else HOST


class MarkResults(TorchFunctionMode):
    """Marks what is computed of marked tensors alone."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        if isinstance(result, (torch.Tensor, tuple, list)) and _all_on_host(args, kwargs):
            for tensor in [result] if isinstance(result, torch.Tensor) else result:
                if isinstance(tensor, torch.Tensor):
                    place(tensor, HOST)
        return result


def _tensors(values):
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from (each for each in value if isinstance(each, torch.Tensor))


def _all_on_host(args, kwargs):
    found = False
    for tensor in _tensors((*args, *kwargs.values()) if kwargs else args):
        if not is_on_host(tensor):
            return False
        found = True
    return found


# ---- Functions that make tensors ----

_MAKERS = (
    "arange asarray as_tensor bartlett_window blackman_window empty empty_permuted empty_strided eye frombuffer "
    "from_numpy full hamming_window hann_window kaiser_window linspace logspace normal ones rand randint randn "
    "randperm range scalar_tensor sparse_coo_tensor sparse_csr_tensor tensor tril_indices triu_indices zeros "
    "empty_like full_like ones_like rand_like randint_like randn_like zeros_like"
).split()
_METHODS = "new_empty new_empty_strided new_full new_ones new_tensor new_zeros".split()


def _placing(function):
    """The function with a `device` that may be the GPU."""
    unwritten = "empty" in function.__name__

    @functools.wraps(function)
    def make(*args, **kwargs):
        asked = kwargs.get("device")
        given = seen(asked)
        if asked is not None:
            kwargs["device"] = _of_host(asked)
        kwargs.pop("pin_memory", None)
        result = function(*args, **kwargs)
        if unwritten:
            _unwritten.fill(result)
        if given is not None:
            # What has another place than its source is a copy.
            if any(is_on_host(tensor) != (given == HOST) for tensor in _tensors(args) if tensor is result):
                result = result.clone()
            return place(result, given)
        if asked is None and not result.is_meta:
            source = next(_tensors(args), None)
            place(result, default_device() if source is None else source.device)
        return result

    return make


def _moved(tensor, device, function, args, kwargs):
    """A tensor as `function` returns it, on the device: itself where nothing changes, or else a copy."""
    result = function(tensor, *args, **kwargs)
    if device is None:
        return result if result is tensor or result.is_meta else place(result, tensor.device)
    if is_on_host(tensor) != (device == HOST) and result.data_ptr() == tensor.data_ptr():
        result = result.clone()
    return place(result, device)


def _moving(function):
    """`Tensor.to`."""

    @functools.wraps(function)
    def to(tensor, *args, **kwargs):
        device = None
        if args and isinstance(args[0], torch.Tensor):
            device, args = args[0].device, (args[0].dtype, *args[1:])
        elif args and not isinstance(args[0], torch.dtype):
            device, args = seen(args[0]), (_of_host(args[0]), *args[1:])
        if isinstance(kwargs.get("other"), torch.Tensor):
            other = kwargs.pop("other")
            device, args = other.device, (other.dtype, *args)
        if kwargs.get("device") is not None:
            device, kwargs["device"] = seen(kwargs["device"]), _of_host(kwargs["device"])
        return _moved(tensor, device, function, args, kwargs)

    return to


def _cuda(tensor, device=None, non_blocking=False, memory_format=torch.preserve_format):
    return tensor.to(DEVICE, memory_format=memory_format)


def _cpu(tensor, memory_format=torch.preserve_format):
    return tensor.to(HOST, memory_format=memory_format)


def _device(tensor):
    real = _real_device(tensor)
    return real if real.type != "cpu" else HOST if is_on_host(tensor) else DEVICE


_named_type, _real_device = _plain(torch.Tensor.type), _plain(torch.Tensor.device.__get__)


def _type(tensor, dtype=None, non_blocking=False, **kwargs):
    if dtype is not None:
        return _named_type(tensor, dtype.replace(".cuda.", ".") if isinstance(dtype, str) else dtype, **kwargs)
    name = _named_type(tensor)
    return name.replace("torch.", "torch.cuda.", 1) if tensor.is_cuda and ".cuda." not in name else name


def _pin_memory(tensor, device=None):
    return place(tensor.clone(), HOST)


def _replace_default_device():
    """`with torch.device("cuda")` and `torch.set_default_device`, which PyTorch implements by one class."""
    _device_constructors()  # remembers the functions as they are before they are replaced
    init = DeviceContext.__init__

    def __init__(self, device):
        init(self, _of_host(device))
        self.seen = seen(device) or self.device

    DeviceContext.__init__ = __init__
    torch.get_default_device = default_device


def _replace_load():
    load = torch.load

    @functools.wraps(load)
    def load_here(*args, map_location=None, **kwargs):
        if isinstance(map_location, (str, torch.device)):
            map_location = _of_host(map_location)
        return load(*args, map_location=map_location, **kwargs)

    torch.load = load_here


def install():
    """Replaces what Python reads and calls, for this process."""
    _replace_default_device()
    _replace_load()
    for name in _MAKERS:
        setattr(torch, name, _placing(getattr(torch, name)))
    for name in _METHODS:
        setattr(torch.Tensor, name, _placing(_plain(getattr(torch.Tensor, name))))
    methods = {
        "to": _moving(_plain(torch.Tensor.to)),
        "cuda": _cuda,
        "cpu": _cpu,
        "type": _type,
        "pin_memory": _pin_memory,
        "is_pinned": lambda tensor, device=None: False,
        "record_stream": lambda tensor, stream: None,
        "get_device": lambda tensor: 0 if tensor.is_cuda else -1,
        "device": property(_device),
        "is_cuda": property(lambda tensor: _device(tensor).type == "cuda"),
        "is_cpu": property(lambda tensor: _device(tensor).type == "cpu"),
    }
    for name, value in methods.items():
        setattr(torch.Tensor, name, value)
    MarkResults().__enter__()
