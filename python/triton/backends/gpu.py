"""What the drivers of all GPUs have in common, and their simulators."""

import sys

from .. import _C
from .compiler import GPUTarget
from .cpu.driver import CPUDeviceInterface, CPUDriver
from .driver import DriverBase


class GPUUtils:
    """The properties of a device, as programs ask for them."""

    #: The name of the backend in targets.
    backend = None

    def get_device_properties(self, device=0):
        return _C.gpu_properties(self.backend, device)

    def load_binary(self, name, data, shared, device):
        raise RuntimeError("kernels are loaded at their first launch; use triton.compile")


def _framework_stream():
    """The function that returns the current stream of a device in the framework that is in use, or None; and the
    framework's type of tensors, or None."""
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch._C, "_cuda_getCurrentRawStream"):
        return torch._C._cuda_getCurrentRawStream, torch.Tensor
    cupy = sys.modules.get("cupy")
    if cupy is not None:
        return lambda device: cupy.cuda.get_current_stream().ptr, None
    return None, None


class GPUDriver(DriverBase):
    """The GPUs of one backend on this machine. PyTorch and CuPy call those of all vendors `cuda`."""

    #: The name of the backend in targets, and the class of `utils`.
    backend, utils_class = None, GPUUtils

    def __init__(self):
        self.utils = self.utils_class()

    @staticmethod
    def is_framework_device():
        """Whether a framework is in use that was built for these GPUs and no others."""
        return False

    def launch_device(self):
        # A process that was forked from one that uses the driver can compile for a given target, but not launch.
        return super().launch_device() if _C.gpu_is_available(self.backend) else (self.backend, "")

    def get_current_device(self):
        return _C.gpu_current_device(self.backend)

    def set_current_device(self, device):
        _C.gpu_set_current_device(self.backend, device)

    def get_current_stream(self, device=None):
        """The handle of the framework's current stream. Once a framework is in use, launches ask it directly."""
        source, tensors = _framework_stream()
        if source is None:
            return 0
        _C.set_stream_source(source, tensors)
        return source(self.get_current_device() if device is None else device)

    def get_active_torch_device(self):
        import torch

        return torch.device("cuda", self.get_current_device())

    def get_device_interface(self):
        """torch.cuda, or an object with the methods of torch.cuda that generic code calls."""
        torch = sys.modules.get("torch")
        return torch.cuda if torch is not None and torch.cuda.is_available() else GPUDeviceInterface(self.backend)

    def get_empty_cache_for_benchmark(self):
        import torch

        return torch.empty(64 << 20, dtype=torch.int32, device="cuda")

    def clear_cache(self, cache):
        cache.zero_()


class GPUDeviceInterface(CPUDeviceInterface):
    """Synchronization without a framework: an event waits for the whole device."""

    def __init__(self, backend):
        class Event(CPUDeviceInterface.Event):
            def record(self):
                _C.gpu_synchronize(backend)
                super().record()

        self.backend, self.Event = backend, Event

    def synchronize(self, device=None):
        _C.gpu_synchronize(self.backend)

    def current_device(self):
        return _C.gpu_current_device(self.backend)


class SimulatedGPUDriver(CPUDriver):
    """A simulated GPU, which works on arrays of the host."""

    #: The name of the backend in targets, and the architecture where none is asked for.
    backend, usual_arch = None, None

    def __init__(self, arch=None):
        super().__init__()
        self.arch = self.usual_arch if arch is None else arch

    def get_current_target(self):
        return GPUTarget(self.backend, self.arch, 32)
