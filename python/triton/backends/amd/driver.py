"""AMD GPUs as devices, and their simulator."""

import sys

from ... import _C, knobs
from ..._toolkit import amd_gpu_exists
from ..compiler import GPUTarget
from ..cpu.driver import CPUDriver
from ..gpu import GPUDriver, GPUUtils, SimulatedGPUDriver


def warp_size(arch):
    """The number of lanes of a wave: 64 on CDNA, 32 on RDNA."""
    return 64 if arch.startswith("gfx9") else 32


class HIPUtils(GPUUtils):
    """The properties of a device."""

    backend = "hip"


class HIPDriver(GPUDriver):
    """The AMD GPUs of this machine."""

    backend, utils_class = "hip", HIPUtils

    @staticmethod
    def is_active():
        return amd_gpu_exists()

    @staticmethod
    def is_framework_device():
        """Whether PyTorch is in use, built for AMD GPUs."""
        torch = sys.modules.get("torch")
        return torch is not None and getattr(torch.version, "hip", None) is not None

    def get_current_target(self):
        arch = knobs.runtime.override_arch or _C.gpu_arch("hip", self.get_current_device())
        return GPUTarget("hip", arch, warp_size(arch))

    def get_device_capability(self, device=0):
        """The major and minor version of the architecture, as PyTorch gives them: (9, 4) for gfx942."""
        digits = _C.gpu_arch("hip", device).removeprefix("gfx")
        return int(digits[:-2]), int(digits[-2])

    def map_python_to_cpp_type(self, ty):
        return "hipDeviceptr_t" if ty.startswith("*") else CPUDriver.map_python_to_cpp_type(self, ty)


class SimulatedHIPDriver(SimulatedGPUDriver):
    """A simulated AMD GPU of the given architecture."""

    backend, usual_arch = "sim:hip", "gfx942"

    def get_current_target(self):
        return GPUTarget(self.backend, self.arch, warp_size(self.arch))
