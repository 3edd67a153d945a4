"""NVIDIA GPUs as devices, and their simulator."""

import sys

from ... import _C, knobs
from ..compiler import GPUTarget
from ..cpu.driver import CPUDeviceInterface, CPUDriver
from ..driver import DriverBase


class CudaUtils:
    """The properties of a device, as programs ask for them."""

    def get_device_properties(self, device=0):
        return _C.cuda_properties(device)

    def load_binary(self, name, data, shared, device):
        raise RuntimeError("kernels are loaded at their first launch; use triton.compile")


def _framework_stream():
    """The function that returns the current stream of a device in the framework that is in use, or None."""
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch._C, "_cuda_getCurrentRawStream"):
        return torch._C._cuda_getCurrentRawStream
    cupy = sys.modules.get("cupy")
    if cupy is not None:
        return lambda device: cupy.cuda.get_current_stream().ptr
    return None


def _override_arch():
    text = knobs.runtime.override_arch
    return int(text.removeprefix("sm").removeprefix("_").rstrip("af")) if text else None


class CudaDriver(DriverBase):
    """The NVIDIA GPUs of this machine."""

    def __init__(self):
        self.utils = CudaUtils()

    @staticmethod
    def is_active():
        return _C.cuda_is_available()

    def get_current_target(self):
        arch = _override_arch() or _C.cuda_capability(_C.cuda_current_device())
        return GPUTarget("cuda", arch, 32)

    def launch_device(self):
        # A process that was forked from one that uses the driver can compile for a given target, but not launch.
        return super().launch_device() if _C.cuda_can_launch() else ("cuda", 0)

    def get_current_device(self):
        return _C.cuda_current_device()

    def set_current_device(self, device):
        _C.cuda_set_current_device(device)

    def get_current_stream(self, device=None):
        """The handle of the framework's current stream. Once a framework is in use, launches ask it directly."""
        source = _framework_stream()
        if source is None:
            return 0
        _C.set_stream_source(source)
        return source(_C.cuda_current_device() if device is None else device)

    def get_device_capability(self, device=0):
        return divmod(_C.cuda_capability(device), 10)

    def get_active_torch_device(self):
        import torch

        return torch.device("cuda", self.get_current_device())

    def get_device_interface(self):
        """torch.cuda, or an object with the methods of torch.cuda that generic code calls."""
        torch = sys.modules.get("torch")
        return torch.cuda if torch is not None and torch.cuda.is_available() else CudaDeviceInterface()

    def get_empty_cache_for_benchmark(self):
        import torch

        return torch.empty(64 << 20, dtype=torch.int32, device="cuda")

    def clear_cache(self, cache):
        cache.zero_()

    def map_python_to_cpp_type(self, ty):
        return "CUdeviceptr" if ty.startswith("*") else CPUDriver.map_python_to_cpp_type(self, ty)


class CudaDeviceInterface(CPUDeviceInterface):
    """Synchronization without a framework: an event waits for the whole device."""

    @staticmethod
    def synchronize(device=None):
        _C.cuda_synchronize()

    @staticmethod
    def current_device():
        return _C.cuda_current_device()

    class Event(CPUDeviceInterface.Event):
        def record(self):
            _C.cuda_synchronize()
            super().record()


class SimulatedDriver(CPUDriver):
    """A simulated NVIDIA GPU of the given compute capability, which works on arrays of the host."""

    def __init__(self, arch=90):
        super().__init__()
        self.arch = arch

    def get_current_target(self):
        return GPUTarget("sim:cuda", self.arch, 32)

    def get_device_capability(self, device=0):
        return divmod(self.arch, 10)
