"""Options of the backend for NVIDIA GPUs."""

import functools
import importlib.util
import os
from dataclasses import dataclass

from ... import _C
from ..compiler import BaseBackend, BaseOptions


@dataclass(frozen=True)
class CUDAOptions(BaseOptions):
    """Options that a launch of a kernel on an NVIDIA GPU takes."""

    deciding = (
        "maxnreg",
        "allow_flush_denorm",
        "enable_reflect_ftz",
        "ptx_version",
        "ptx_options",
        "launch_cooperative_grid",
        "launch_pdl",
    )

    documented = (
        *BaseOptions.documented,
        "maxnreg",
        "allow_flush_denorm",
        "enable_reflect_ftz",
        "ptx_version",
        "ptx_options",
    )

    num_warps: int = 4
    num_stages: int = 3
    num_ctas: int = 1
    num_cpu_threads: int = 0  # without effect
    warp_size: int = 32
    maxnreg: "int | None" = None  # the largest number of registers of a thread
    debug: bool = False  # `tl.device_assert` and `assert` are compiled
    sanitize_overflow: bool = False
    enable_fp_fusion: bool = True
    allow_flush_denorm: bool = False  # float32 operations may treat subnormal numbers as zero
    enable_reflect_ftz: bool = False  # functions of libdevice may treat them as zero
    ptx_version: "int | None" = None  # 87 for 8.7; the newest that ptxas reads
    ptx_options: "str | None" = None  # more flags for ptxas
    launch_cooperative_grid: bool = False
    launch_pdl: bool = False
    instrumentation_mode: str = ""
    extern_libs: "dict | None" = None
    deprecated_fp8_dot_operand_dtypes: tuple = ()
    backend_name: str = "cuda"
    arch: str = ""


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
                _C.add_toolkit_directory(os.path.join(root, suffix).rstrip("/"))
    # Another Triton's package is hidden by this one's name.
    for root in __import__("sys").path:
        bundled = os.path.join(root, "triton", "backends", "nvidia")
        if os.path.exists(os.path.join(bundled, "bin", "ptxas")):
            _C.add_toolkit_directory(bundled)


class CUDABackend(BaseBackend):
    """Compiles for NVIDIA GPUs. For ``sim:cuda`` it stops at the LLVM IR that the simulator runs."""

    options_class = CUDAOptions

    def __init__(self, target):
        super().__init__(target)
        self.binary_ext = "llir" if target.backend.startswith("sim:") else "cubin"
        add_wheels()

    @staticmethod
    def supports_target(target):
        return target.backend in ("cuda", "sim:cuda")

    def hash(self):
        return f"cuda-{self.target.arch}"

    def parse_options(self, options, parameters=()):
        if options.get("arch") is None:
            options = options | {"arch": f"sm{self.target.arch}"}
        result = super().parse_options(options, parameters)
        if result.num_ctas != 1:
            raise ValueError(
                f"the option `num_ctas` is {result.num_ctas}; clusters of blocks are not supported yet, so it must be 1"
            )
        return result
