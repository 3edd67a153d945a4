"""What stands in the place of torch.cuda: one device, whose work is done when a call returns."""

import contextlib
import importlib.abc
import importlib.util
import sys
import time
import types

import torch

from ._generators import default_generator
from ._placement import DEVICE
from ._unsupported import EXTENSION, LEAVE_OUT, UnsupportedCall, refuse


class Stream:
    """A stream. Launches are done when they return, so that there is nothing to wait for."""

    cuda_stream = native_handle = stream_id = priority = device_index = 0
    device = DEVICE

    def __init__(self, device=None, priority=0, **_):
        self._before = []

    def query(self):
        return True

    def is_capturing(self):
        return False

    def record_event(self, event=None):
        event = event or Event(enable_timing=True)
        event.record(self)
        return event

    def synchronize(self):
        pass

    def wait_event(self, event):
        pass

    def wait_stream(self, stream):
        pass

    def __enter__(self):
        self._before.append(_streams[-1])
        _streams.append(self)
        return self

    def __exit__(self, *error):
        _streams.pop()
        self._before.pop()


class Event:
    """An event, at the time of the call that records it."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False, external=False):
        self.time = None

    def record(self, stream=None):
        self.time = time.perf_counter()

    def query(self):
        return True

    def wait(self, stream=None):
        pass

    def synchronize(self):
        pass

    def elapsed_time(self, end):
        return max((end.time - self.time) * 1e3, 1e-3)


_streams = [Stream()]
_default = default_generator()


class _Device:
    """`with torch.cuda.device(0):`"""

    def __init__(self, device=None):
        self.idx = 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


def _stream(stream):
    return stream if stream is not None else contextlib.nullcontext()


def _set_stream(stream):
    _streams[-1] = stream


def _set_device(device):
    index = device.index if isinstance(device, torch.device) else device
    if isinstance(index, int) and index > 0:
        raise RuntimeError(f"there is no device {index} in an audit; the only one is cuda:0")


def _properties(machine):
    """What torch.cuda.get_device_properties returns."""
    major, minor = machine.capability
    return types.SimpleNamespace(
        name=machine.name,
        major=major,
        minor=minor,
        total_memory=machine.memory,
        multi_processor_count=machine.processors,
        warp_size=machine.lanes,
        shared_memory_per_block=48 << 10,
        shared_memory_per_block_optin=machine.shared,
        shared_memory_per_multiprocessor=machine.shared + (1 << 10) * (not machine.is_amd),
        max_threads_per_block=1024,
        max_threads_per_multi_processor=2048,
        regs_per_multiprocessor=65536,
        L2_cache_size=50 << 20,
        is_integrated=0,
        is_multi_gpu_board=0,
        **({"gcnArchName": machine.arch} if machine.is_amd else {}),
    )


_MEMORY_NUMBERS = (
    "max_memory_allocated max_memory_cached max_memory_reserved memory_allocated memory_cached memory_reserved "
    "memory_usage device_memory_used utilization"
).split()
_WITHOUT_EFFECT = (
    "empty_cache init ipc_collect reset_accumulated_memory_stats reset_max_memory_allocated reset_max_memory_cached "
    "reset_peak_memory_stats set_per_process_memory_fraction set_sync_debug_mode synchronize "
    "_lazy_init _lazy_call _sleep"
).split()
#: Functions that work without a GPU.
_KEPT = ("is_bf16_supported", "is_tf32_supported", "caching_allocator_disabled")


def _seed(seed):
    _default.manual_seed(int(seed))


def _set_states(states):
    _default.set_state(states[0])


def _functions(machine):
    """The names of torch.cuda with what they are here."""
    nothing, number = lambda *args, **kwargs: None, lambda *args, **kwargs: 0
    properties = _properties(machine)
    return {
        **dict.fromkeys(_MEMORY_NUMBERS, number),
        **dict.fromkeys(_WITHOUT_EFFECT, nothing),
        **dict.fromkeys(("manual_seed", "manual_seed_all"), _seed),
        **dict.fromkeys(("is_available", "is_initialized", "_is_compiled"), lambda: True),
        "is_bf16_supported": lambda including_emulation=True: True,
        "is_tf32_supported": lambda: not machine.is_amd,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "set_device": _set_device,
        "device": _Device,
        "device_of": lambda tensor: _Device(),
        "get_device_properties": lambda device=None: properties,
        "get_device_capability": lambda device=None: machine.capability,
        "get_device_name": lambda device=None: machine.name,
        "get_arch_list": lambda: [str(machine.arch) if machine.is_amd else f"sm_{machine.arch}"],
        "Stream": Stream,
        "Event": Event,
        "stream": _stream,
        "StreamContext": _stream,
        "set_stream": _set_stream,
        "current_stream": lambda device=None: _streams[-1],
        "default_stream": lambda device=None: _streams[0],
        "is_current_stream_capturing": lambda: False,
        "memory_stats": lambda device=None: {},
        "mem_get_info": lambda device=None: (machine.memory, machine.memory),
        "initial_seed": torch.initial_seed,
        **dict.fromkeys(("seed", "seed_all"), _default.seed),
        "get_rng_state": lambda device=None: _default.get_state(),
        "set_rng_state": lambda state, device=None: _set_states([state]),
        "get_rng_state_all": lambda: [_default.get_state()],
        "set_rng_state_all": _set_states,
        "default_generators": (_default,),
    }


def _refused_class(name):
    def refused(self, *args, **kwargs):
        raise UnsupportedCall(name, LEAVE_OUT)

    return type(name.rpartition(".")[2], (), {"__init__": refused})


class _ExtensionFinder(importlib.abc.MetaPathFinder):
    """Refuses extensions in C++ and CUDA once a program imports the module that builds them."""

    NAME = "torch.utils.cpp_extension"

    def find_spec(self, name, path=None, target=None):
        if name != self.NAME:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            self.refuse_in(module)

        spec.loader.exec_module = exec_module
        return spec

    def refuse_in(self, module):
        for function in ("load", "load_inline", "CUDAExtension"):
            setattr(module, function, refuse(f"{self.NAME}.{function}", EXTENSION))

    def install(self):
        if self.NAME in sys.modules:
            self.refuse_in(sys.modules[self.NAME])
        else:
            sys.meta_path.insert(0, self)


def install(machine):
    """Replaces torch.cuda's functions for this process."""
    cuda, functions = torch.cuda, _functions(machine)
    for module in (cuda, cuda.memory, cuda.random, cuda.streams):
        for name, value in functions.items():
            if module is cuda or name in vars(module):
                setattr(module, name, value)
    for name, value in list(vars(cuda).items()):
        where = getattr(value, "__module__", None) or ""
        if name.startswith("_") or name in functions or name in _KEPT or not where.startswith("torch.cuda"):
            continue
        if isinstance(value, types.FunctionType):
            setattr(cuda, name, refuse(f"torch.cuda.{name}", LEAVE_OUT))
    for name in ("CUDAGraph", "graph", "MemPool", "ExternalStream"):
        setattr(cuda, name, _refused_class(f"torch.cuda.{name}"))
    for name in ("mark", "range_end", "range_pop", "range_push", "range_start"):
        setattr(cuda.nvtx, name, lambda *args, **kwargs: 0)
    cuda.nvtx.range = lambda *args, **kwargs: contextlib.nullcontext()
    accelerator = {
        "current_accelerator": lambda check_available=False: torch.device("cuda"),
        "device_index": _Device,
        **dict.fromkeys(("current_device_idx", "current_device_index"), lambda: 0),
        **dict.fromkeys(("set_device_idx", "set_device_index"), _set_device),
    }
    for name in vars(torch.accelerator).keys() & functions.keys():
        accelerator[name] = functions[name]
    for name, value in accelerator.items():
        setattr(torch.accelerator, name, value)
    by_device = torch.get_device_module
    torch.get_device_module = lambda device=None: by_device("cuda" if device is None else device)
    torch._C._cuda_getCurrentRawStream = lambda device=0: 0
    # `torch._dynamo.reset` imports them where there is a GPU.
    torch._C._cuda_CUDAAllocator_AllocatorState = _refused_class("torch.cuda.memory.AllocatorState")
    torch._C._set_cached_tensors_enabled = lambda enabled: None
    torch.backends.cuda.is_built = lambda: True
    if machine.is_amd:
        torch.version.hip, torch.version.cuda = "6.4.0", None
    else:
        torch.version.cuda = "12.8"
    _ExtensionFinder().install()
