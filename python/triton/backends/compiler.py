"""The Python side of a backend: the targets that it compiles for and the options that it takes."""

import abc
import dataclasses
import enum
import functools
import os
from dataclasses import dataclass

from .. import _C, knobs
from .._differences import OPTIONS, tell_of_options, tell_of_unknown_option
from .._utils import digest


@dataclass(frozen=True)
class GPUTarget:
    """The target of a compilation: ``("cpu", "x86_64", 0)``, ``("cuda", 90, 32)``,
    ``("hip", "gfx942", 64)``."""

    backend: str
    arch: "int | str"
    warp_size: int


class Language(enum.Enum):
    """The languages that kernels are written in."""

    TRITON = 0
    GLUON = 1


#: Options that are always passed to the compiler.
_COMMON = ("num_warps", "num_stages", "num_ctas", "debug", "sanitize_overflow", "enable_fp_fusion", "arch")
#: Those of them that are on or off.
_FLAGS = ("debug", "sanitize_overflow", "enable_fp_fusion")


@dataclass(frozen=True)
class BaseOptions:
    """The base of the options of all backends. Each backend has a subclass that is a frozen dataclass."""

    #: Options of only this backend that decide the code. The compiler has the same defaults for them.
    deciding = ()
    #: Options that docs/options.md describes; others are taken for the sake of programs that give them.
    documented = (
        "num_warps",
        "num_stages",
        "num_ctas",
        "num_cpu_threads",
        "debug",
        "sanitize_overflow",
        "enable_fp_fusion",
        "arch",
    )

    #: Values where other programs may launch the machine code.
    elsewhere = {}

    def hash(self):
        text = "_".join(f"{field.name}-{getattr(self, field.name)}" for field in dataclasses.fields(self))
        return digest(text)

    def for_compiler(self):
        """The options that decide the code, without those that have the compiler's own default."""
        changed = [name for name in self.deciding if getattr(self, name) != getattr(type(self), name)]
        return {name: getattr(self, name) for name in (*_COMMON, *changed)}


@functools.cache
def _defaults_of(options_class):
    return {field.name: field.default for field in dataclasses.fields(options_class)}


def as_flag(name, value):
    """The value of an option that is on or off; programs also write 1 and 0."""
    if not isinstance(value, int) or value not in (0, 1):
        raise ValueError(f"the option `{name}` is {value!r}; it must be True or False")
    return bool(value)


def describe_unknown(name, parameters, options):
    """What is said about a keyword of a launch that is neither. Names that are like it come first."""
    import difflib

    def closest_first(names):
        close = difflib.get_close_matches(name, names, n=3)
        return close + [other for other in names if other not in close]

    text = f"`{name}` is neither a parameter of the kernel nor an option"
    if close := difflib.get_close_matches(name, parameters + options, n=1):
        text += f"; did you mean `{close[0]}`?"
    if parameters:
        text += f"; the parameters are {', '.join(closest_first(parameters))}"
    return f"{text}; the options are {', '.join(closest_first(options))}".replace("?;", "?")


class BaseBackend(abc.ABC):
    """A backend: its options and its artifacts."""

    supports_native_tensor_specialization = True
    #: The subclass of BaseOptions.
    options_class = None
    options_elsewhere = {}  # defaults for kernels whose machine code other programs may launch
    #: Options that are counts.
    counts = ("num_warps", "num_stages", "num_ctas", "num_cpu_threads")
    #: What follows the source. The last stage makes what runs.
    stage_names = ()
    #: What the hook of the stages gets to know of the target.
    capability = None
    #: The target's part of the table of options without effect.
    kind = None

    def __init__(self, target):
        if not self.supports_target(target):
            raise RuntimeError(f"the backend `{type(self).__name__}` does not compile for {target}")
        self.target = target

    @staticmethod
    @abc.abstractmethod
    def supports_target(target):
        """Whether this backend compiles for the target."""

    @abc.abstractmethod
    def hash(self):
        """What decides the code besides source and options."""

    def usual_options(self):
        """The values of options that follow from the target, where they are not given."""
        target = self.target
        return _C.language_options((target.backend, target.arch, target.warp_size))

    def knows(self, option):
        """Whether launches may have this option, with an effect or without."""
        if self.options_class is None:
            return True
        return option in _defaults_of(self.options_class) or option in OPTIONS.get(self.kind, ())

    def parse_options(self, options, parameters=None):
        """The options object for a dict of options.

        For a launch of a kernel with the given parameters, an option that this backend does not know is a KeyError: it
        may be a misspelled parameter. Otherwise it has no effect, and a warning says so.
        """
        known = _defaults_of(self.options_class)
        without_effect = OPTIONS.get(self.kind, ())
        for name in options:
            if not self.knows(name):
                if parameters is not None:
                    raise KeyError(describe_unknown(str(name), list(parameters), list(self.options_class.documented)))
                tell_of_unknown_option(name)
        given = {name: _C.plain_number(value) for name, value in options.items() if name in known and value is not None}
        usual = self.usual_options()
        if without_effect:
            tell_of_options(self.kind, options, {**known, **usual})
        given["enable_fp_fusion"] = knobs.language.fp_fusion_enabled(given.get("enable_fp_fusion"))
        given.setdefault("instrumentation_mode", knobs.compilation.instrumentation_mode)
        for name in _FLAGS:
            if name in given:
                given[name] = as_flag(name, given[name])
        result = self.options_class(**{**usual, **given})
        if result.instrumentation_mode:
            raise ValueError(
                f"the instrumentation `{result.instrumentation_mode}` is not available; the simulator "
                "(TRITON_SIMULATE=1) checks every access of a kernel, and reports races"
            )
        for name in self.counts:
            value = getattr(result, name)
            if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**31:
                raise ValueError(f"the option `{name}` is {value!r}; it must be a non-negative integer below 2**31")
        if result.num_warps & (result.num_warps - 1) or result.num_warps == 0:
            raise AssertionError(f"the option `num_warps` is {result.num_warps}; it must be a power of two")
        if not isinstance(result.arch, str | None):
            raise ValueError(f"the option `arch` is {result.arch!r}; it must be the name of an architecture, a text")
        if not isinstance(result.ir_override, str | os.PathLike | None):
            raise ValueError(f"the option `ir_override` is {result.ir_override!r}; it must be the path of a file of IR")
        return result

    def has_own_stages(self):
        """Whether a program looks into the stages or replaces them."""
        hook = knobs.runtime.add_stages_inspection_hook
        return hook is not None or type(self).add_stages is not BaseBackend.add_stages

    def add_stages(self, stages, options, language=Language.TRITON):
        """Adds a function of the artifact before and the dict of metadata for each stage, which returns the artifact:
        text, or bytes from the last stage. What is put in their place must take and return the same."""
        from .stages import Lowering, optimize_ttir  # few programs need them

        if language != Language.TRITON:
            raise NotImplementedError(f"kernels in the language {language} are not compiled")
        if not _C.has_backend(self.target.backend):
            stages["ttir"] = functools.partial(optimize_ttir, options)
            return
        self.lowering = Lowering(self.target, options, self.stage_names)
        for name in self.stage_names:
            stages[name] = functools.partial(self.lowering.lower, name)
        if knobs.runtime.add_stages_inspection_hook is not None:
            knobs.runtime.add_stages_inspection_hook(self, stages, options, language, self.capability)

    def load_dialects(self, context):  # noqa: B027  a backend may have some
        """Does nothing: the compiler loads its dialects itself."""

    def get_codegen_implementation(self, options=None):
        """Functions that lower the language: none, since the compiler does that itself."""
        return {}

    def get_module_map(self):
        """Modules that replace others in kernels: none."""
        return {}

    def pack_metadata(self, metadata):
        """What launches get of the metadata."""
        return metadata

    @staticmethod
    def parse_attr(desc):
        """The attributes that a specialization key stands for."""
        return [["tt.divisibility", 16]] if "D" in desc else []

    @staticmethod
    def get_int_specialization(arg, **kwargs):
        return "D" if arg % 16 == 0 and kwargs.get("align", False) else ""

    @staticmethod
    def get_tensor_specialization(arg, **kwargs):
        address = arg.data_ptr() if hasattr(arg, "data_ptr") else _C.inspect_array(arg)[0]
        return "D" if address % 16 == 0 and kwargs.get("align", False) else ""
