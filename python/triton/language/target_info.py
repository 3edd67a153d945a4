"""What kernels are compiled for. In kernels the answers are known at compile time; elsewhere they are about the active
device."""

from ._kernel_only import builtin


@builtin
def current_target():
    """The target: its ``backend``, ``arch`` and ``warp_size``. Outside of kernels None where no device is active."""
    from ..backends.active import driver

    try:
        return driver.active.get_current_target()
    except RuntimeError:
        return None


def _backend():
    target = current_target.__wrapped__()
    return None if target is None else target.backend.removeprefix("sim:")


@builtin
def is_cuda():
    """Whether the target is an NVIDIA GPU, also a simulated one."""
    return _backend() == "cuda"


@builtin
def cuda_capability_geq(major, minor=0):
    """Whether the target is an NVIDIA GPU of at least this compute capability."""
    return is_cuda.__wrapped__() and current_target.__wrapped__().arch >= 10 * major + minor


@builtin
def is_hip():
    """Whether the target is an AMD GPU."""
    return _backend() == "hip"


def _is_architecture(*names):
    return is_hip.__wrapped__() and str(current_target.__wrapped__().arch).startswith(names)


@builtin
def is_hip_cdna3():
    """Whether the target is a GPU of AMD's third CDNA generation."""
    return _is_architecture("gfx942")


@builtin
def is_hip_cdna4():
    """Whether the target is a GPU of AMD's fourth CDNA generation."""
    return _is_architecture("gfx950")


@builtin
def is_hip_gfx1250():
    """Whether the target is an AMD GPU of an architecture gfx1250."""
    return _is_architecture("gfx1250")
