"""Options of the backend for NVIDIA GPUs."""

import contextlib
import functools
from dataclasses import dataclass

from ... import _C, knobs
from ..._toolkit import add_wheels
from ..compiler import BaseBackend, BaseOptions, GPUTarget
from ..stages import make_stage


@dataclass(frozen=True)
class CUDAOptions(BaseOptions):
    """Options that a launch of a kernel on an NVIDIA GPU takes."""

    elsewhere = {"pointer_copies": False}  # Others pass no tensor maps.
    deciding = (
        "maxnreg",
        "allow_flush_denorm",
        "enable_reflect_ftz",
        "ptx_version",
        "ptx_options",
        "pointer_copies",
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
        "extern_libs",
        "pointer_copies",
        "ir_override",
    )

    num_warps: int = 4
    num_ctas: int = 1
    num_stages: int = 3
    warp_size: int = 32
    maxnreg: "int | None" = None  # the largest number of registers of a thread
    ptx_version: "int | None" = None  # 87 for 8.7; the newest that ptxas reads
    ptx_options: "str | None" = None  # more flags for ptxas
    ir_override: "str | None" = None  # a file of IR, compiled in place of the kernel's text
    enable_fp_fusion: bool = False  # by default what `knobs.language` says
    sched4reg: bool = False
    enable_reflect_ftz: bool = True  # functions of libdevice may treat subnormal numbers as zero
    launch_cooperative_grid: bool = False
    launch_pdl: bool = False
    clc: bool = False
    # What the target makes of the language, which the compiler knows; without effect when given.
    supported_fp8_dtypes: tuple = ("fp8e5", "fp8e4b15")
    deprecated_fp8_dot_operand_dtypes: tuple = ()
    default_dot_input_precision: str = "tf32"
    allowed_dot_input_precisions: tuple = ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")
    max_num_imprecise_acc_default: "int | None" = None
    extern_libs: "tuple | None" = None  # ((name, path), ...): bitcode with functions that it calls
    debug: bool = False  # `tl.device_assert` and `assert` are compiled
    backend_name: str = "cuda"
    sanitize_overflow: bool = True  # with `debug`
    arch: "str | None" = None
    instrumentation_mode: str = ""
    fpsan_homomorphic_casts: bool = False
    min_shared_mem: "int | None" = None
    num_cpu_threads: int = 0  # without effect
    allow_flush_denorm: bool = False  # float32 operations may treat subnormal numbers as zero
    pointer_copies: bool = True  # operands behind pointers may come by bulk copies, for which a launch passes maps

    def for_compiler(self):
        found = super().for_compiler()
        usual = _libdevice_path(knobs.nvidia.libdevice_path)
        own = [path for _, path in self.extern_libs or () if path != usual]
        return found | ({"extern_libs": "\n".join(own)} if own else {})

    @property
    def enable_iisan(self):
        """Whether the inputs of instructions are checked."""
        return "iisan" in self.instrumentation_mode.split(",")


def min_dot_size(target):
    """The smallest (M, N, K) of a product, as a function of the types of its operands."""

    def smallest(lhs_type, rhs_type):
        bits = lhs_type.scalar.primitive_bitwidth
        assert bits == rhs_type.scalar.primitive_bitwidth, "the operands of a product have elements of one width"
        return 1, 1, 256 // bits

    return smallest


def get_ptxas(arch):
    """The assembler for a compute capability."""
    return knobs.nvidia.ptxas_blackwell if arch >= 100 else knobs.nvidia.ptxas


@functools.cache
def _libdevice_path(named):
    """Where the compiler finds libdevice; None where it is not installed."""
    add_wheels()
    try:
        return _C.find_tool("libdevice")
    except RuntimeError:
        return None


def as_libraries(value):
    """The option `extern_libs` as a dict from names to paths; pairs of them do as well."""
    with contextlib.suppress(TypeError, ValueError):
        libraries = dict(value)
        if all(isinstance(text, str) for pair in libraries.items() for text in pair):
            return libraries
    raise ValueError(
        f"the option `extern_libs` is {value!r}; it must be a dict from the names of libraries to the paths of their "
        "files, both texts"
    )


class CUDABackend(BaseBackend):
    """Compiles for NVIDIA GPUs. For ``sim:cuda`` it stops at the LLVM IR that the simulator runs."""

    options_class, kind = CUDAOptions, "cuda"
    options_elsewhere = CUDAOptions.elsewhere

    def __init__(self, target):
        super().__init__(target)
        self.stage_names = ("ttir", "ttgir", "llir")
        if not target.backend.startswith("sim:"):
            self.stage_names += ("ptx", "cubin")
        self.binary_ext = self.stage_names[-1]
        arch = str(target.arch)
        self.capability = int(arch) if arch.isdecimal() else 0  # no architecture: the compiler says which there are
        if self.capability == 90:
            self.get_int_specialization = self._int_specialization_with_sign
        add_wheels()

    @staticmethod
    def parse_attr(desc):
        return BaseBackend.parse_attr(desc) + ([["tt.nonnegative", 1]] if "N" in desc else [])

    @staticmethod
    def _int_specialization_with_sign(arg, **kwargs):
        return BaseBackend.get_int_specialization(arg, **kwargs) + ("N" if arg >= 0 else "")

    def pack_metadata(self, metadata):
        """What launchers in Triton take of a kernel's metadata."""
        return metadata.num_warps, metadata.num_ctas, metadata.shared

    @staticmethod
    def supports_target(target):
        return target.backend in ("cuda", "sim:cuda")

    def hash(self):
        return f"cuda-{self.target.arch}"

    def usual_options(self):
        path = _libdevice_path(knobs.nvidia.libdevice_path)
        return super().usual_options() | {
            "arch": f"sm{self.target.arch}",
            "max_num_imprecise_acc_default": 2**30 if self.capability == 90 else 0,
            "deprecated_fp8_dot_operand_dtypes": ("fp8e4b15",) if self.capability >= 90 else (),
            "extern_libs": (("libdevice", path),) if path else (),
        }

    def parse_options(self, opts, parameters=None):
        given = dict(opts)
        if given.get("extern_libs"):
            libraries = as_libraries(given["extern_libs"])
            for name, path in self.usual_options()["extern_libs"]:
                libraries.setdefault(name, path)
            given["extern_libs"] = tuple(libraries.items())
        result = super().parse_options(given, parameters)
        if result.num_ctas not in (1, 2, 4, 8):
            raise ValueError(f"the option `num_ctas` is {result.num_ctas}; it must be 1, 2, 4 or 8")
        if result.num_ctas != 1 and self.capability < 90:
            raise ValueError(
                f"the option `num_ctas` is {result.num_ctas}; cuda:{self.capability} has no clusters of blocks, so it "
                "must be 1"
            )
        return result

    # The stages one by one, for programs that launch kernels themselves; artifacts are texts.

    @staticmethod
    def make_ttir(mod, metadata, opt, capability):
        return make_stage(GPUTarget("cuda", capability, 32), opt, "ttir", "source", mod, metadata)

    @staticmethod
    def make_ttgir(mod, metadata, opt, capability):
        return make_stage(GPUTarget("cuda", capability, 32), opt, "ttgir", "ttir", mod, metadata)

    def make_llir(self, src, metadata, options, capability):
        return make_stage(self.target, options, "llir", "ttgir", src, metadata)

    def make_ptx(self, src, metadata, opt, capability):
        return make_stage(self.target, opt, "ptx", "llir", src, metadata)

    def make_cubin(self, src, metadata, opt, capability):
        return make_stage(self.target, opt, "cubin", "ptx", src, metadata)
