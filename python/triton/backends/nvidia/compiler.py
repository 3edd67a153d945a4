"""Options of the backend for NVIDIA GPUs."""

import functools
import importlib.util
import os
from dataclasses import dataclass, fields

from ... import _C, knobs
from ..compiler import BaseBackend


@dataclass(frozen=True)
class CUDAOptions:
    """Options that a launch of a kernel on an NVIDIA GPU takes."""

    num_warps: int = 4
    num_stages: int = 3
    num_ctas: int = 1
    num_cpu_threads: int = 0  # without effect
    warp_size: int = 32
    maxnreg: "int | None" = None  # the most registers of a thread
    debug: bool = False  # `tl.device_assert` and `assert` are compiled
    sanitize_overflow: bool = False
    enable_fp_fusion: bool = True
    allow_flush_denorm: bool = False  # float32 operations may take subnormal numbers for zero
    enable_reflect_ftz: bool = False  # functions of libdevice may
    ptx_version: "int | None" = None  # 87 for 8.7; the newest that ptxas reads
    ptx_options: "str | None" = None  # more flags for ptxas
    launch_cooperative_grid: bool = False
    launch_pdl: bool = False
    instrumentation_mode: str = ""
    extern_libs: "dict | None" = None
    supported_fp8_dtypes: tuple = ("fp8e5", "fp8e4b15", "fp8e4nv")
    deprecated_fp8_dot_operand_dtypes: tuple = ()
    default_dot_input_precision: str = "tf32"
    allowed_dot_input_precisions: tuple = ("tf32", "tf32x3", "ieee")
    backend_name: str = "cuda"
    arch: str = ""

    def hash(self):
        import hashlib

        text = "_".join(f"{field.name}-{getattr(self, field.name)}" for field in fields(self))
        return hashlib.sha256(text.encode()).hexdigest()

    def for_compiler(self):
        """The options that decide the code, without those left at a default that the compiler has itself."""
        compiled = ("num_warps", "num_stages", "num_ctas", "debug", "sanitize_overflow", "enable_fp_fusion", "arch")
        result = {name: getattr(self, name) for name in compiled}
        for name in (
            "maxnreg",
            "allow_flush_denorm",
            "enable_reflect_ftz",
            "ptx_version",
            "ptx_options",
            "launch_cooperative_grid",
            "launch_pdl",
        ):
            if getattr(self, name) != getattr(CUDAOptions, name):
                result[name] = getattr(self, name)
        return result


@functools.cache
def add_wheels():
    """Lets the compiler look for ptxas and libdevice in the wheels of this Python."""
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
    """Compiles for NVIDIA GPUs; for ``sim:cuda`` up to the LLVM IR that the simulator runs."""

    def __init__(self, target):
        super().__init__(target)
        self.binary_ext = "llir" if target.backend.startswith("sim:") else "cubin"
        add_wheels()

    @staticmethod
    def supports_target(target):
        return target.backend in ("cuda", "sim:cuda")

    def hash(self):
        return f"cuda-{self.target.arch}"

    def parse_options(self, options):
        known = {field.name for field in fields(CUDAOptions)}
        for name in options:
            if name not in known:
                raise KeyError(
                    f"`{name}` is neither a parameter of the kernel nor an option; the options are "
                    f"{', '.join(sorted(known))}"
                )
        given = {name: value for name, value in options.items() if value is not None}
        given.setdefault("enable_fp_fusion", knobs.language.default_fp_fusion)
        given.setdefault("arch", f"sm{self.target.arch}")
        result = CUDAOptions(**given)
        for name in ("num_warps", "num_stages", "num_ctas"):
            value = getattr(result, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                raise ValueError(f"the option `{name}` is {value!r}; it must be a non-negative integer")
        if result.num_warps & (result.num_warps - 1) or result.num_warps == 0:
            raise AssertionError(f"the option `num_warps` is {result.num_warps}; it must be a power of two")
        if result.num_ctas != 1:
            raise ValueError(
                f"the option `num_ctas` is {result.num_ctas}; clusters of blocks are not supported yet, so it must be 1"
            )
        return result
