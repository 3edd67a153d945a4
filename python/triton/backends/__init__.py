"""The backends of this installation, by name."""

from .amd.compiler import HIPBackend
from .amd.driver import HIPDriver, SimulatedHIPDriver
from .compiler import BaseBackend
from .cpu.compiler import CPUBackend
from .cpu.driver import CPUDriver
from .driver import DriverBase
from .nvidia.compiler import CUDABackend
from .nvidia.driver import CudaDriver, SimulatedDriver
from .registry import Backend, backends

backends["cpu"] = Backend(CPUBackend, CPUDriver, "cpu", None)
backends["nvidia"] = Backend(CUDABackend, CudaDriver, "nvidia", SimulatedDriver)
backends["amd"] = Backend(HIPBackend, HIPDriver, "amd", SimulatedHIPDriver)

__all__ = ["Backend", "BaseBackend", "DriverBase", "backends"]
