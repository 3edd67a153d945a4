"""The choice of the device that kernels run on."""

import os

from .. import _C, knobs
from .._utils import WORDS_FOR_OFF
from ..errors import TritonError
from .registry import GPU_BACKENDS, backends

_EMPTY_KERNEL = "module { tt.func public @empty() { tt.return } }"


def simulated_driver(text):
    """The driver that TRITON_SIMULATE asks for: 1, 90, cuda:90, sim:cuda:90, gfx942, hip:gfx942 or sim:hip:gfx942."""
    if text == "1":
        return backends["nvidia"].simulator(90)
    backend, _, arch = text.removeprefix("sim:").rpartition(":")
    if arch.isdigit() and backend in ("", "cuda"):
        return backends["nvidia"].simulator(_known(text, "cuda", int(arch)))
    if arch.startswith("gfx") and backend in ("", "hip"):
        return backends["amd"].simulator(_known(text, "hip", arch))
    raise RuntimeError(f"TRITON_SIMULATE is `{text}`; write 1, or what to simulate, such as cuda:90 or hip:gfx942")


def _known(text, backend, arch):
    """``arch``, if an empty kernel compiles for it; the compiler's error says which ones there are."""
    try:
        _C.compile_text(_EMPTY_KERNEL, "ttir", "empty.ttir", (backend, arch, 0), {}, 0, "ttir")
    except TritonError as error:
        raise RuntimeError(f"TRITON_SIMULATE is `{text}`: {str(error).removeprefix('error: ')}") from None
    return arch


def target_text(target):
    """Such as ``"cpu"`` or ``"cuda:90"``."""
    return f"{target.backend}:{target.arch}" if target.warp_size else target.backend


def _asked_to_simulate():
    text = knobs.runtime.simulate or ""
    return text if text and text.lower() not in WORDS_FOR_OFF else None


def running_target(target):
    """The target of kernels that shall run on ``target``: where TRITON_SIMULATE is set, the simulated GPU in place of
    the processor. Compilers such as PyTorch's name the processor when they compile, and do not say which one."""
    if getattr(target, "backend", None) != "cpu":
        return target
    driver.follow_simulation()
    if text := _asked_to_simulate():
        return simulated_driver(text).launch_target()
    return target if target.arch else backends["cpu"].driver().launch_target()


def _default_driver():
    name = os.environ.get("TRITON_DEFAULT_BACKEND")
    if text := _asked_to_simulate():
        return simulated_driver(text)
    if name:
        name = next((known.name for known in backends.known() if name in (known.targets or ())), name)
        if name not in backends or not backends[name].is_active():
            raise RuntimeError(
                f"TRITON_DEFAULT_BACKEND names `{name}`, which is not available here; the backends "
                f"are {', '.join(backends)}"
            )
        return backends[name].driver()
    if os.environ.get("TRITON_CPU_BACKEND") != "1":
        for gpu in _gpu_backends():
            return gpu.driver()
    return backends["cpu"].driver()


def _is_active(backend):
    try:
        return backend.is_active()
    except Exception as error:
        if backend.distribution is None:
            raise
        raise RuntimeError(
            f"the driver of the backend `{backend.name}` of {backend.distribution} does not say whether it is active: "
            f"{type(error).__name__}: {error}"
        ) from error


def _gpu_backends():
    """The backends of the GPUs that this machine has, first the one that PyTorch was built for; or the one of another
    package whose device it has."""
    found = [backend for name, backend in backends.items() if name != "cpu" and _is_active(backend)]
    if not any(backend.distribution for backend in found):
        return sorted(found, key=lambda backend: not backend.driver.is_framework_device())
    if len(found) > 1:
        names = [f"`{found.name}`" + (f" of {found.distribution}" if found.distribution else "") for found in found]
        raise RuntimeError(
            f"{len(found)} drivers are active: {', '.join(names)}; choose one by TRITON_DEFAULT_BACKEND, or by "
            "`triton.runtime.driver.set_active`"
        )
    return found


class DriverConfig:
    """Chooses the driver: the one that ``set_active`` set, or the default of this machine, a GPU if any."""

    def __init__(self):
        self._default = None
        self._active = None
        self._given = None  # what `set_active` got; None if the active driver is the default
        self._asked = None  # what TRITON_SIMULATE said then

    @property
    def default(self):
        if self._default is None:
            self._default = _default_driver()
        return self._default

    @property
    def active(self):
        if self._active is None:
            self.reset_active()
        return self._active

    def set_active(self, driver):
        """Makes later launches go to this driver's device."""
        self._given, self._asked = driver, _asked_to_simulate()
        text = self._asked
        if text and driver.launch_target().backend == "cpu":
            driver = simulated_driver(text)
        backend, arch = driver.launch_device()
        _C.set_launch_device(backend, arch)
        _C.set_stream_source(driver.get_current_stream if backend in GPU_BACKENDS else None)
        self._active = driver

    def reset_active(self):
        self.set_active(self.default)
        self._given = None

    def follow_simulation(self):
        """Makes later launches go where TRITON_SIMULATE says, if that has changed since the driver was chosen."""
        if self._active is None or self._asked == _asked_to_simulate():
            return
        if self._given is not None:
            self.set_active(self._given)
        else:
            self._default = None
            self.reset_active()

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
knobs.runtime.follow_changes(driver.follow_simulation)
