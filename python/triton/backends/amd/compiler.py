"""Options of the backend for AMD GPUs."""

import dataclasses
from dataclasses import dataclass

from ... import knobs
from ..._differences import tell_of_settings
from ..._memory import device_memory_of, memory_of
from ..compiler import BaseBackend, BaseOptions, GPUTarget  # noqa: F401
from ..stages import make_stage
from .driver import warp_size


@dataclass(frozen=True)
class HIPOptions(BaseOptions):
    """Options that a launch of a kernel on an AMD GPU takes."""

    deciding = (
        "waves_per_eu",
        "matrix_instr_nonkdim",
        "allow_flush_denorm",
        "llvm_fn_attrs",
        "wgp_cu_mode",
        "schedule_hint",
        "launch_cooperative_grid",
    )

    documented = (*BaseOptions.documented, *deciding, "ir_override")

    num_warps: int = 4
    waves_per_eu: int = 0  # waves that a scheduler shall hold at a time, which bounds registers; 0: no wish
    num_stages: int = 2
    num_ctas: int = 1
    extern_libs: "tuple | None" = None
    debug: bool = False  # `tl.device_assert` and `assert` are compiled
    sanitize_overflow: bool = True  # with `debug`
    arch: "str | None" = None
    # What the target makes of the language, which the compiler knows; without effect when given.
    supported_fp8_dtypes: tuple = ("fp8e4nv", "fp8e5", "fp8e5b16", "fp8e4b8")
    deprecated_fp8_dot_operand_dtypes: tuple = ()
    default_dot_input_precision: str = "ieee"
    allowed_dot_input_precisions: tuple = ("ieee", "bf16x3", "bf16x6")
    enable_fp_fusion: bool = False  # by default what `knobs.language` says
    launch_cooperative_grid: bool = False
    matrix_instr_nonkdim: int = 0  # rows and columns of a matrix instruction, 16 or 32; 0: the compiler chooses
    kpack: int = 1  # without effect
    allow_flush_denorm: bool = False  # float32 operations may treat subnormal numbers as zero
    max_num_imprecise_acc_default: int = 0
    backend_name: str = "hip"
    instrumentation_mode: str = ""
    fpsan_homomorphic_casts: bool = False
    schedule_hint: str = ""  # `local-prefetch` or `attention`: how LLVM orders loops with matrix instructions
    llvm_fn_attrs: str = ""  # attributes of LLVM for every function: `name=value,name`
    wgp_cu_mode: str = "wgp"  # or `cu`: a program stays on one compute unit, on RDNA
    ir_override: "str | None" = None  # a file of IR, compiled in place of the kernel's text
    num_cpu_threads: int = 0  # without effect

    @property
    def base_arch(self):
        """The architecture without a suffix such as `-strict`."""
        return (self.arch or "").partition("-")[0]

    @property
    def warp_size(self):
        """The number of lanes of a wave."""
        return warp_size(self.base_arch)


def get_min_dot_size(target):
    """The smallest (M, N, K) of a product, as a function of the types of its operands."""
    return lambda lhs_type, rhs_type: (1, 1, 1)


class HIPBackend(BaseBackend):
    """Compiles for AMD GPUs. For ``sim:hip`` it stops at the LLVM IR that the simulator runs."""

    options_class, kind = HIPOptions, "hip"

    def __init__(self, target):
        super().__init__(target)
        self.stage_names = ("ttir", "ttgir", "llir")
        if not target.backend.startswith("sim:"):
            self.stage_names += ("amdgcn", "hsaco")
        self.binary_ext = self.stage_names[-1]

    @staticmethod
    def parse_attr(desc):
        ranges = {"S": ["tt.pointer_range", 32], "N": ["tt.nonnegative", 1]}
        return BaseBackend.parse_attr(desc) + [fact for letter, fact in ranges.items() if letter in desc]

    @staticmethod
    def get_int_specialization(arg, **kwargs):
        is_known = arg >= 0 and knobs.amd.use_buffer_ops
        return BaseBackend.get_int_specialization(arg, **kwargs) + ("N" if is_known else "")

    @staticmethod
    def get_tensor_specialization(arg, **kwargs):
        begin, size = device_memory_of(arg) if hasattr(arg, "data_ptr") else memory_of(arg)
        is_small = begin != 0 and size < 1 << 31 and knobs.amd.use_buffer_ops
        return BaseBackend.get_tensor_specialization(arg, **kwargs) + ("S" if is_small else "")

    def pack_metadata(self, metadata):
        """What launchers in Triton take of a kernel's metadata."""
        return metadata.num_warps, metadata.num_ctas, metadata.shared

    @staticmethod
    def supports_target(target):
        return target.backend in ("hip", "sim:hip")

    def hash(self):
        return f"hip-{self.target.arch}"

    def usual_options(self):
        usual = super().usual_options() | {"arch": self.target.arch}
        if self.target.arch == "gfx950":
            usual["deprecated_fp8_dot_operand_dtypes"] = ("fp8e5b16", "fp8e4b8")
        return usual

    def parse_options(self, opts, parameters=None):
        tell_of_settings("hip")
        result = super().parse_options(opts, parameters)
        if self.target.arch == "gfx950":
            result = dataclasses.replace(result, kpack=1)
        if result.num_ctas != 1:
            raise ValueError(
                f"the option `num_ctas` is {result.num_ctas}; clusters of programs are not supported on AMD GPUs, so "
                "it must be 1"
            )
        if result.wgp_cu_mode not in ("wgp", "cu"):
            raise ValueError(f"the option `wgp_cu_mode` is {result.wgp_cu_mode!r}; it must be `wgp` or `cu`")
        return result

    # The stages one by one, for programs that launch kernels themselves; artifacts are texts.

    def make_ttir(self, mod, metadata, options):
        return make_stage(self.target, options, "ttir", "source", mod, metadata)

    def make_ttgir(self, mod, metadata, options):
        return make_stage(self.target, options, "ttgir", "ttir", mod, metadata)

    def make_llir(self, src, metadata, options):
        return make_stage(self.target, options, "llir", "ttgir", src, metadata)

    def make_amdgcn(self, src, metadata, options):
        return make_stage(self.target, options, "amdgcn", "llir", src, metadata)

    def make_hsaco(self, src, metadata, options):
        return make_stage(self.target, options, "hsaco", "amdgcn", src, metadata)
