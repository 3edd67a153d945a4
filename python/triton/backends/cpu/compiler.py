"""Options of the CPU backend."""

from dataclasses import dataclass, fields

from ... import knobs
from ..compiler import BaseBackend


@dataclass(frozen=True)
class CPUOptions:
    """Options that a launch of a CPU kernel takes; those of GPUs are accepted and without effect."""

    num_warps: int = 4
    num_stages: int = 3
    num_ctas: int = 1
    num_cpu_threads: int = 0  # how many threads run the grid; 0: all cores
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
    supported_fp8_dtypes: tuple = ("fp8e5", "fp8e5b16", "fp8e4nv")
    deprecated_fp8_dtypes: tuple = ()
    allowed_dot_input_precisions: tuple = ("ieee", "tf32", "tf32x3")
    backend_name: str = "cpu"
    arch: str = ""  # a baseline such as x86-64-v3; empty: what the host has
    launch_pdl: bool = False

    def hash(self):
        import hashlib

        text = "_".join(f"{field.name}-{getattr(self, field.name)}" for field in fields(self))
        return hashlib.sha256(text.encode()).hexdigest()

    def for_compiler(self):
        """The options that decide the code, without those left at a default that the compiler has itself."""
        compiled = ("num_warps", "num_stages", "num_ctas", "debug", "sanitize_overflow", "enable_fp_fusion", "arch")
        result = {name: getattr(self, name) for name in compiled}
        for name in ("enable_fast_math", "vec_lib", "assume_in_bounds"):
            if getattr(self, name) != getattr(CPUOptions, name):
                result[name] = getattr(self, name)
        return result


class CPUBackend(BaseBackend):
    """Compiles for the processor that this process runs on."""

    binary_ext = "o"

    @staticmethod
    def supports_target(target):
        return target.backend == "cpu"

    def hash(self):
        return f"cpu-{self.target.arch}"

    def parse_options(self, options):
        known = {field.name for field in fields(CPUOptions)}
        for name in options:
            if name not in known:
                raise KeyError(
                    f"`{name}` is neither a parameter of the kernel nor an option; the options are "
                    f"{', '.join(sorted(known))}"
                )
        given = {name: value for name, value in options.items() if value is not None}
        given.setdefault("enable_fp_fusion", knobs.language.default_fp_fusion)
        result = CPUOptions(**given)
        for name in ("num_warps", "num_stages", "num_ctas", "num_cpu_threads"):
            value = getattr(result, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                raise ValueError(f"the option `{name}` is {value!r}; it must be a non-negative integer")
        if result.num_warps & (result.num_warps - 1):
            raise AssertionError(f"the option `num_warps` is {result.num_warps}; it must be a power of two")
        return result
