"""Options of the CPU backend."""

from dataclasses import dataclass

from ..._differences import tell_of_settings
from ..compiler import BaseBackend, BaseOptions


@dataclass(frozen=True)
class CPUOptions(BaseOptions):
    """Options that a launch of a CPU kernel takes. Options for GPUs are accepted and have no effect."""

    deciding = ("enable_fast_math", "vec_lib", "assume_in_bounds")

    num_warps: int = 4
    num_stages: int = 3
    num_ctas: int = 1
    maxnreg: "int | None" = None
    num_cpu_threads: int = 0  # number of threads that run the grid; 0: all cores
    cluster_dims: tuple = (1, 1, 1)
    debug: bool = False  # `tl.device_assert` and `assert` are compiled
    sanitize_overflow: bool = False
    enable_fp_fusion: bool = True
    enable_fast_math: bool = True
    launch_cooperative_grid: bool = False
    instrumentation_mode: str = ""
    extern_libs: "dict | None" = None
    vec_lib: "str | None" = None
    ukernels: "str | None" = None
    assume_in_bounds: bool = False
    deprecated_fp8_dtypes: tuple = ()
    backend_name: str = "cpu"
    arch: str = ""  # a level or model such as x86-64-v3 or neoverse-v2; empty: the features of the host
    launch_pdl: bool = False
    ir_override: "str | None" = None  # a file of IR, compiled in place of the kernel's text
    max_num_imprecise_acc_default: int = 0
    # What the target makes of the language, which the compiler knows; without effect when given.
    supported_fp8_dtypes: tuple = ()
    allowed_dot_input_precisions: tuple = ()
    default_dot_input_precision: str = ""


class CPUBackend(BaseBackend):
    """Compiles for the processor that this process runs on."""

    binary_ext = "o"
    stage_names = ("ttir", "ttcir", "llir", "o")
    options_class, kind = CPUOptions, "cpu"

    @staticmethod
    def supports_target(target):
        return target.backend == "cpu"

    def parse_options(self, options, parameters=None):
        tell_of_settings("cpu")
        return super().parse_options(options, parameters)

    def hash(self):
        return f"cpu-{self.target.arch}"
