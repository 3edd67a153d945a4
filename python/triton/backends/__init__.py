"""The backends of this installation, by name. What belongs to one of them is imported when it is first used."""

from .. import _C
from .registry import Backend, backends


def _amd_gpu_exists():
    from .._toolkit import amd_gpu_exists

    return amd_gpu_exists()


def _search_other_packages(known):
    from .plugins import discover

    return discover(known)


backends.search = _search_other_packages
backends["cpu"] = Backend("cpu.compiler:CPUBackend", "cpu.driver:CPUDriver", "cpu", targets=("cpu",))
backends["nvidia"] = Backend(
    "nvidia.compiler:CUDABackend",
    "nvidia.driver:CudaDriver",
    "nvidia",
    "nvidia.driver:SimulatedDriver",
    targets=("cuda", "sim:cuda"),
    device_exists=lambda: _C.gpu_exists("cuda"),
)
backends["amd"] = Backend(
    "amd.compiler:HIPBackend",
    "amd.driver:HIPDriver",
    "amd",
    "amd.driver:SimulatedHIPDriver",
    targets=("hip", "sim:hip"),
    device_exists=_amd_gpu_exists,
)

_LAZY_NAMES = {"BaseBackend": "compiler", "DriverBase": "driver"}
_LAZY_MODULES = {"amd", "benchmark", "compiler", "cpu", "driver", "gpu", "nvidia"}


def __getattr__(name):
    import importlib

    if name in _LAZY_NAMES:
        return getattr(importlib.import_module(f".{_LAZY_NAMES[name]}", __name__), name)
    if name in _LAZY_MODULES:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module `{__name__}` has no attribute `{name}`")


__all__ = ["Backend", "BaseBackend", "DriverBase", "backends"]
