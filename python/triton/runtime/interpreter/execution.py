"""The state of a launch that is interpreted, and how calls of the language reach it."""

import contextlib
import dataclasses
import functools
import sys

from ...language import _kernel_only
from ...language.constants import constexpr
from ...language.core import PropagateNan  # noqa: F401  (the language is complete before a kernel runs)
from .memory import Memory
from .registry import GLUON, IMPLEMENTATIONS

_GLUON = "triton.experimental.gluon.language"


@dataclasses.dataclass(frozen=True)
class InterpreterOptions:
    """The launch options that kernels of any backend take. Most have no effect here."""

    extern_libs: dict = None
    debug: bool = False
    sanitize_overflow: bool = True
    arch: str = None
    supported_fp8_dtypes: tuple = ("fp8e5", "fp8e5b16", "fp8e4nv", "fp8e4b8", "fp8e4b15")
    deprecated_fp8_dot_operand_dtypes: tuple = ()
    default_dot_input_precision: str = "tf32"
    allowed_dot_input_precisions: tuple = ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")
    max_num_imprecise_acc_default: int = 0
    backend_name: str = "interpreter"
    num_warps: int = 4
    num_stages: int = 3
    num_ctas: int = 1
    num_cpu_threads: int = 0
    maxnreg: int = None
    cluster_dims: tuple = (1, 1, 1)
    enable_fp_fusion: bool = True
    enable_reflect_ftz: bool = True
    allow_flush_denorm: bool = False
    launch_cooperative_grid: bool = False
    launch_pdl: bool = False
    ptx_version: int = None
    ptx_options: str = None
    ir_override: str = None
    instrumentation_mode: str = ""
    waves_per_eu: int = 0
    matrix_instr_nonkdim: int = 0
    kpack: int = 1

    def __post_init__(self):
        is_power = self.num_warps > 0 and self.num_warps & (self.num_warps - 1) == 0
        assert is_power, f"num_warps is {self.num_warps}; it must be a power of two"


class InterpreterBuilder:
    """Runs the functions of the language for one launch: its options, its memory and the program that runs now."""

    def __init__(self, options=None):
        self.options = InterpreterOptions() if options is None else options
        self.memory = Memory()
        self.grid_dim, self.grid_idx = (1, 1, 1), (0, 0, 0)
        self.gluon = None  # what a program of a kernel in Gluon has beside its memory

    def aside(self):
        """A context for expressions that the program does not have."""
        return contextlib.nullcontext() if self.gluon is None else self.gluon.aside()

    def set_grid_dim(self, x, y, z):
        self.grid_dim = (x, y, z)

    def set_grid_idx(self, x, y, z):
        self.grid_idx = (x, y, z)

    @property
    def debug(self):
        return self.options.debug

    @property
    def checks_overflow(self):
        return self.options.debug and self.options.sanitize_overflow

    def call(self, function, args, kwargs):
        """Runs a function of the language, given the one that users see."""
        implementation = implementation_of(function.__triton_builtin__)
        if implementation is None:
            raise NotImplementedError(
                f"`{_shown_name(function)}` cannot be interpreted: it needs a compiled kernel, on a GPU or with "
                "TRITON_SIMULATE, and without TRITON_INTERPRET"
            )
        args = [value.value if type(value) is constexpr else value for value in args]
        for name, value in kwargs.items():
            if type(value) is constexpr:
                kwargs[name] = value.value
        return self.operate(function.__name__, implementation, args, kwargs)

    def operate(self, name, function, args, kwargs):
        """Runs what implements a function of the language, an operator or a method of a descriptor."""
        result = function(*args, **kwargs)
        return result if self.gluon is None else self.gluon.finish(name, function, args, kwargs, result)

    def iterate(self, loop):
        """The indices of ``tl.range`` (scalars of the kernel) or ``tl.static_range`` (numbers)."""
        from .rewriting import runtime_range
        from .values import integer

        if hasattr(loop, "num_stages"):
            return runtime_range(loop.start, loop.end, loop.step)
        return iter(range(*(integer(bound, "a bound of static_range") for bound in (loop.start, loop.end, loop.step))))

    @contextlib.contextmanager
    def running(self):
        """A context in which this thread's calls of the language come here."""
        before = _kernel_only.interpreter()
        _kernel_only.set_interpreter(self)
        try:
            yield self
        finally:
            _kernel_only.set_interpreter(before)


def _shown_name(function):
    """The name by which kernels call a function."""
    if not function.__triton_builtin__.startswith(_GLUON):
        return f"tl.{function.__name__}"
    public = [name for name in sys.modules if name.startswith(_GLUON) and "._" not in name]
    found = [
        f"ttgl{name.removeprefix(_GLUON)}.{attribute}"
        for name in public
        for attribute, value in vars(sys.modules[name]).items()
        if value is function
    ]
    return min(found, default=function.__name__)


@functools.cache
def implementation_of(name):
    """The implementation of a function by its full name, or None."""
    module, _, function = name.rpartition(".")
    if module.endswith("libdevice"):
        from .device_library import library_function

        return library_function(function)
    from .prelude import prelude_function

    if module.startswith(_GLUON):
        return GLUON.get(function)
    return IMPLEMENTATIONS.get(function) or prelude_function(function)
