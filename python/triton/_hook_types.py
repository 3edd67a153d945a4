"""The signatures of hooks, for type checkers."""

from typing import Protocol, TypedDict, TypeVar

__all__ = [
    "AutotuneListener",
    "BuildImpl",
    "CompilationListener",
    "InitHandleHook",
    "JITHook",
    "JITHookCompileInfo",
    "LaunchHook",
    "PipelineStagesHook",
    "knobs_type",
]


class Benchmarker(Protocol):
    """What `DriverBase.get_benchmarker` returns: measures ``kernel_call``; the quantiles of its times in ms."""

    def __call__(self, kernel_call, *, quantiles, **kwargs): ...


knobs_type = TypeVar("knobs_type")


class BuildImpl(Protocol):
    """``knobs.build.impl``: compiles ``src`` in ``srcdir`` and returns the path of the shared library."""

    def __call__(self, name, src, srcdir, library_dirs, include_dirs, libraries, /) -> str: ...


class JITHookCompileInfo(TypedDict):
    """The argument ``compile`` of a `JITHook`."""

    key: str
    signature: dict
    device: int
    constants: dict
    num_warps: int
    num_ctas: int
    num_stages: int
    enable_fp_fusion: bool
    launch_cooperative_grid: bool
    extern_libs: tuple
    configs: list
    specialization_data: str
    is_warmup: bool


class JITHook(Protocol):
    """``knobs.runtime.jit_cache_hook``, whose true result skips compiling and launching; ``jit_post_compile_hook``."""

    def __call__(self, *, key, repr, fn, compile: JITHookCompileInfo, is_manual_warmup, already_compiled): ...


class LaunchHook(Protocol):
    """``knobs.runtime.launch_enter_hook`` and ``launch_exit_hook``; ``metadata`` is a LazyDict."""

    def __call__(self, metadata): ...


class InitHandleHook(Protocol):
    """``knobs.runtime.kernel_load_start_hook``, ``kernel_load_end_hook``, ``kernel_unload_hook``."""

    def __call__(self, module, function, name, metadata_group, hash): ...


class PipelineStagesHook(Protocol):
    """Changes a backend's stages; not used by this compiler."""

    def __call__(self, stages, options, language, capability): ...


class CompilationListener(Protocol):
    """``knobs.compilation.listener``, called after each compilation."""

    def __call__(self, *, src, metadata, metadata_group, times, cache_hit): ...


class AutotuneListener(Protocol):
    """``knobs.autotuning.listener``, called after each tuning."""

    def __call__(self, *, fn, key, best_config, configs_timings, duration, cache_hit): ...
