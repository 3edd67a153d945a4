"""The Python side of a device: which one it is, and how to measure on it."""

import abc

from .benchmark import do_bench


class DriverBase(abc.ABC):
    """The device of one backend."""

    @staticmethod
    @abc.abstractmethod
    def is_active():
        """Whether the machine has such a device."""

    @abc.abstractmethod
    def get_current_target(self):
        """The GPUTarget that kernels are compiled for by default."""

    def launch_target(self):
        """The GPUTarget that launches compile for: another one where a driver says to programs that it is a GPU which
        it simulates."""
        return self.get_current_target()

    def launch_device(self):
        """The names of the backend and the architecture of the device that launches go to."""
        target = self.launch_target()
        return target.backend, str(target.arch)

    @abc.abstractmethod
    def get_active_torch_device(self):
        """The device as PyTorch names it."""

    @abc.abstractmethod
    def map_python_to_cpp_type(self, ty):
        """The type in C of an argument, by its name in signatures."""

    def get_benchmarker(self):
        """The function that times another."""
        return do_bench

    def allocate_default_profile_scratch(self, size, alignment, stream):
        """Memory of the device for what profilers record, where nobody has set an allocator."""
        import torch

        return torch.empty(size, dtype=torch.uint8, device=self.get_active_torch_device())


class GPUDriver(DriverBase):
    """The base of drivers that other packages add for devices that PyTorch calls `cuda`."""

    def __init__(self):
        import torch

        self.get_device_capability = torch.cuda.get_device_capability
        self.get_current_stream = torch._C._cuda_getCurrentRawStream
        self.get_current_device = torch.cuda.current_device
        self.set_current_device = torch.cuda.set_device

    def assemble_tensormap_to_arg(self, tensormaps_info, args):
        """The arguments of a launch with those behind them that describe tensors: none, since launches make them."""
        return args


def __getattr__(name):
    if name != "Benchmarker":
        raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
    from .._hook_types import Benchmarker  # needs `typing`

    return Benchmarker
