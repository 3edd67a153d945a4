"""NVIDIA GPUs as devices, and their simulator."""

from ... import _C, knobs
from ..compiler import GPUTarget
from ..cpu.driver import CPUDriver
from ..gpu import GPUDriver, GPUUtils, SimulatedGPUDriver

#: The driver's numbers of element types in tensor maps, by the numbers that instructions have for them: for programs
#: that make such maps themselves.
TMA_DTYPE_DEVICE_TO_HOST = {number: number for number in range(16)} | {8: 10, 9: 8, 10: 9}
TMA_TF32 = 11


def _override_arch():
    text = knobs.runtime.override_arch
    return int(text.removeprefix("sm").removeprefix("_").rstrip("af")) if text else None


def _capability(device):
    return int(_C.gpu_arch("cuda", device))


class CudaUtils(GPUUtils):
    """The properties of a device, with its compute capability as a number."""

    backend = "cuda"

    def get_device_properties(self, device=0):
        properties = super().get_device_properties(device)
        return {**properties, "capability": int(properties["arch"])}


def module_of(function):
    """The driver's handle of the module that has a function, for libraries that set up what is in it."""
    import ctypes

    module = ctypes.c_void_p()
    if code := ctypes.CDLL("libcuda.so.1").cuFuncGetModule(ctypes.byref(module), ctypes.c_void_p(function)):
        raise RuntimeError(f"the driver refuses to name the module of a kernel: error {code}")
    return module.value


class CudaDriver(GPUDriver):
    """The NVIDIA GPUs of this machine."""

    backend, utils_class = "cuda", CudaUtils

    @staticmethod
    def is_active():
        return _C.gpu_exists("cuda")

    def get_current_target(self):
        return GPUTarget("cuda", _override_arch() or _capability(self.get_current_device()), 32)

    def get_device_capability(self, device=0):
        return divmod(_capability(device), 10)

    def map_python_to_cpp_type(self, ty):
        return "CUdeviceptr" if ty.startswith("*") else CPUDriver.map_python_to_cpp_type(self, ty)


class SimulatedDriver(SimulatedGPUDriver):
    """A simulated NVIDIA GPU of the given compute capability."""

    backend, usual_arch = "sim:cuda", 90

    def get_device_capability(self, device=0):
        return divmod(self.arch, 10)
