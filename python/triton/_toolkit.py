"""Where the tools and drivers of vendors may be."""

import functools
import importlib.util
import os

from . import _C


@functools.cache
def add_wheels():
    """Lets the compiler look for ptxas and libdevice in the wheels that this Python has installed."""
    for package, suffixes in (("nvidia", ("cuda_nvcc", "cu13", "cu12")), ("triton.backends.nvidia", ("",))):
        try:
            spec = importlib.util.find_spec(package)
        except ImportError:
            continue
        for root in (spec and spec.submodule_search_locations) or ():
            for suffix in suffixes:
                _C.add_toolkit_directory("cuda", os.path.join(root, suffix).rstrip("/"))
    # Another Triton's package is hidden by this one's name.
    for root in __import__("sys").path:
        bundled = os.path.join(root, "triton", "backends", "nvidia")
        if os.path.exists(os.path.join(bundled, "bin", "ptxas")):
            _C.add_toolkit_directory("cuda", bundled)


@functools.cache
def add_cupti():
    """Lets the profiler look for CUPTI in the wheels that this Python has installed."""
    try:
        spec = importlib.util.find_spec("nvidia")
    except ImportError:
        return
    for root in (spec and spec.submodule_search_locations) or ():
        for part in ("cu13", "cuda_cupti", "cu12"):
            _C.profiler.add_cupti_folder(os.path.join(root, part, "lib"))


@functools.cache
def add_rocm():
    """Lets the compiler look for AMD's driver where PyTorch brings it, so that both use the same one."""
    try:
        spec = importlib.util.find_spec("torch")
    except (ImportError, ValueError):
        return
    for root in (spec and spec.submodule_search_locations) or ():
        folder = os.path.join(root, "lib")
        if os.path.exists(os.path.join(folder, "libamdhip64.so")):
            _C.add_toolkit_directory("hip", folder)


def amd_gpu_exists():
    add_rocm()
    return _C.gpu_exists("hip")
