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

    def launch_device(self):
        """The names of the backend and the architecture of the device that launches go to."""
        target = self.get_current_target()
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


def __getattr__(name):
    if name != "Benchmarker":
        raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
    from .._hook_types import Benchmarker  # needs `typing`

    return Benchmarker
