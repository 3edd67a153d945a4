"""The Python side of a device: which one it is, and how to measure on it."""

import abc

from .benchmark import do_bench


class DriverBase(abc.ABC):
    """The device of one backend."""

    @staticmethod
    @abc.abstractmethod
    def is_active():
        """Whether the device can be used in this process."""

    @abc.abstractmethod
    def get_current_target(self):
        """The GPUTarget that kernels are compiled for by default."""

    def get_benchmarker(self):
        """The function that times another."""
        return do_bench
