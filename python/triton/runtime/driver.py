"""The device that kernels run on."""

import os

from ..backends import backends


class DriverConfig:
    """Chooses the driver: the one set by ``set_active``, or the default of this machine."""

    def __init__(self):
        self._default = None
        self._active = None

    @property
    def default(self):
        if self._default is None:
            name = os.environ.get("TRITON_DEFAULT_BACKEND", "cpu")
            if name not in backends or not backends[name].driver.is_active():
                raise RuntimeError(f"TRITON_DEFAULT_BACKEND names `{name}`, which is not available here; the backends "
                                   f"are {', '.join(backends)}")
            self._default = backends[name].driver()
        return self._default

    @property
    def active(self):
        if self._active is None:
            self._active = self.default
        return self._active

    def set_active(self, driver):
        self._active = driver

    def reset_active(self):
        self._active = self.default

    def set_active_to_cpu(self):
        self._active = backends["cpu"].driver()

    def set_active_to_gpu(self):
        raise RuntimeError("no GPU backend is available; this version compiles for the CPU")

    def get_active_gpus(self):
        return []


driver = DriverConfig()
