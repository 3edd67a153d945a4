"""The processor as a device."""

import os

from ..compiler import GPUTarget
from ..driver import DriverBase


class CPUUtils:
    """The properties of a device, as programs ask for them."""

    def get_device_properties(self, device=0):
        return {"max_shared_mem": 0, "multiprocessor_count": os.cpu_count() or 1}

    def load_binary(self, name, data, shared, device):
        raise RuntimeError("the cpu backend links kernels itself; use triton.compile")


class CPUDriver(DriverBase):
    """The processor that this process runs on."""

    def __init__(self):
        self.utils = CPUUtils()
        self._target = GPUTarget("cpu", os.uname().machine, 0)  # a launch asks more than once

    @staticmethod
    def is_active():
        return True

    def get_current_target(self):
        return self._target

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        if device != 0:
            raise ValueError(f"there is no cpu device {device}; the only one is 0")

    def get_current_stream(self, device=0):
        return 0

    def get_active_torch_device(self):
        import torch

        return torch.device("cpu")

    def get_device_interface(self):
        """An object with the methods of torch.cuda that generic code calls."""
        return CPUDeviceInterface()

    def get_empty_cache_for_benchmark(self):
        import numpy

        return numpy.empty(32 << 20, dtype=numpy.int8)

    def clear_cache(self, cache):
        cache.fill(0)

    def map_python_to_cpp_type(self, ty):
        if ty.startswith("*"):
            return "void*"
        names = {
            "u1": "int8_t",
            "i1": "int8_t",
            "fp16": "uint16_t",
            "bf16": "uint16_t",
            "fp32": "float",
            "fp64": "double",
        }
        if ty in names:
            return names[ty]
        return f"{'u' if ty[0] == 'u' else ''}int{ty[1:]}_t"


class CPUDeviceInterface:
    """Streams and synchronization, which this device does not need: a launch returns when the kernel is done."""

    @staticmethod
    def synchronize(device=None):
        pass

    @staticmethod
    def current_device():
        return 0

    class Event:
        def __init__(self, enable_timing=False):
            self.time = 0.0

        def record(self):
            import time

            self.time = time.perf_counter()

        def elapsed_time(self, end):
            return (end.time - self.time) * 1e3
