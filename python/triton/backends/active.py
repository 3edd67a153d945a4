"""The choice of the device that kernels run on."""

import os

from .. import _C, knobs
from .registry import backends


def _simulated_target(text):
    """The target that TRITON_SIMULATE asks for: 1, 90, cuda:90 or sim:cuda:90."""
    backend, _, arch = text.removeprefix("sim:").rpartition(":")
    if not arch.isdigit() or backend not in ("", "cuda"):
        raise RuntimeError(f"TRITON_SIMULATE is `{text}`; write 1, or what to simulate, such as cuda:90")
    return 90 if arch == "1" else int(arch)


def _default_driver():
    name = os.environ.get("TRITON_DEFAULT_BACKEND")
    if knobs.runtime.simulate:
        return backends["nvidia"].simulator(_simulated_target(knobs.runtime.simulate))
    if name:
        name = {"cuda": "nvidia"}.get(name, name)
        if name not in backends or not backends[name].driver.is_active():
            raise RuntimeError(
                f"TRITON_DEFAULT_BACKEND names `{name}`, which is not available here; the backends "
                f"are {', '.join(backends)}"
            )
        return backends[name].driver()
    if os.environ.get("TRITON_CPU_BACKEND") != "1":
        for gpu in _gpu_backends():
            return gpu.driver()
    return backends["cpu"].driver()


def _gpu_backends():
    return [backend for name, backend in backends.items() if name != "cpu" and backend.driver.is_active()]


class DriverConfig:
    """Chooses the driver: the one that ``set_active`` set, or the default of this machine, a GPU if any."""

    def __init__(self):
        self._default = None
        self._active = None

    @property
    def default(self):
        if self._default is None:
            self._default = _default_driver()
        return self._default

    @property
    def active(self):
        if self._active is None:
            self.set_active(self.default)
        return self._active

    def set_active(self, driver):
        """Makes later launches go to this driver's device."""
        backend, number = driver.launch_device()
        _C.set_launch_device(backend, number)
        _C.set_stream_source(driver.get_current_stream if backend == "cuda" else None)
        self._active = driver

    def reset_active(self):
        self.set_active(self.default)

    def set_active_to_cpu(self):
        self.set_active(backends["cpu"].driver())

    def set_active_to_gpu(self):
        gpus = _gpu_backends()
        if not gpus:
            raise RuntimeError("there is no GPU that this version can use")
        self.set_active(gpus[0].driver())
        return gpus[0].name

    def get_active_gpus(self):
        return [backend.name for backend in _gpu_backends()]


driver = DriverConfig()
