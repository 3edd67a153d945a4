"""Tile kernels written in Python syntax, compiled to native code."""

try:
    from . import _C
except ImportError as error:
    from ._wrong_python import explain

    raise explain(error) from None
from . import knobs
from ._utils import must_use_result
from ._version import __commit__, __version__  # noqa: F401
from .compiler.compiler import compile
from .compiler.errors import CompilationError
from .errors import TritonError
from .runtime.errors import InterpreterError, OutOfResources
from .runtime.jit import (
    JITFunction,
    KernelInterface,
    MockTensor,
    TensorWrapper,
    constexpr_function,
    jit,
    native_specialize_impl,
    reinterpret,
)


@constexpr_function
def cdiv(x: int, y: int):
    """The quotient of two integers, rounded up."""
    return (x + y - 1) // y


@constexpr_function
def next_power_of_2(n: int):
    """The smallest power of two that is at least ``n``."""
    return 1 << max(n - 1, 0).bit_length() if n > 0 else 0


# What only few programs need is imported when it is first used.
_LAZY_NAMES = {
    "aggregate": "language._aggregate",
    "autotune": "runtime.autotuner",
    "heuristics": "runtime.autotuner",
    "Config": "runtime.autotuner",
    "AsyncCompileMode": "runtime._async_compile",
    "FutureKernel": "runtime._async_compile",
    "set_allocator": "runtime._allocation",
    "freeze": "runtime._freezing",
    "unfreeze": "runtime._freezing",
    "load_bundle": "runtime._bundles",
    "load_classes": "runtime._recording",
    "tune": "runtime._tuning",
    "FrozenError": "runtime.errors",
}
_LAZY_MODULES = {
    *("language", "runtime", "testing", "tools", "backends", "compiler", "errors", "monitor", "profiler"),
    "_instrumentation",
}


def __getattr__(name):
    import importlib

    if name in _LAZY_NAMES:
        value = getattr(importlib.import_module(f".{_LAZY_NAMES[name]}", __name__), name)
        globals()[name] = value  # The launchers of PyTorch's compiler ask for `set_allocator` at every launch.
        return value
    if name in _LAZY_MODULES:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module `triton` has no attribute `{name}`")


def _vendor_library(name):
    """What ``libtriton`` has beside functions of the extension module."""
    from .testing import vendor_library

    return vendor_library(name)


_C.libtriton.__getattr__ = _vendor_library
_C.libtriton.native_specialize_impl = native_specialize_impl


__all__ = [
    "AsyncCompileMode",
    "CompilationError",
    "Config",
    "FrozenError",
    "FutureKernel",
    "InterpreterError",
    "JITFunction",
    "KernelInterface",
    "MockTensor",
    "OutOfResources",
    "TensorWrapper",
    "TritonError",
    "aggregate",
    "autotune",
    "cdiv",
    "compile",
    "constexpr_function",
    "freeze",
    "heuristics",
    "jit",
    "knobs",
    "load_bundle",
    "load_classes",
    "must_use_result",
    "next_power_of_2",
    "reinterpret",
    "set_allocator",
    "tune",
    "unfreeze",
]
