"""Launching, caching and tuning of kernels."""

from .. import knobs
from ..compiler import compiler
from .driver import driver
from .errors import AutotunerError, InterpreterError, OutOfResources, PTXASError, SimulationError
from .jit import JITFunction, KernelInterface, MockTensor, TensorWrapper, reinterpret

_LAZY = {
    "Autotuner": "autotuner",
    "Config": "autotuner",
    "Heuristics": "autotuner",
    "RedisRemoteCacheBackend": "cache",
    "RemoteCacheBackend": "cache",
    "autotune": "autotuner",
    "heuristics": "autotuner",
    "set_allocator": "_allocation",
}


def __getattr__(name):
    import importlib

    if name in _LAZY:
        value = getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
        globals()[name] = value
        return value
    if name in ("_allocation", "autotuner", "build", "cache"):
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module `{__name__}` has no attribute `{name}`")


def _compile_for_plugin(*args):
    from ._plugins import compile_for_plugin  # Few programs have such backends.

    return compile_for_plugin(*args)


def _record_source(*args):
    from ._recording import record_source  # Few processes record.

    record_source(*args)


compiler.compile_for_plugin, compiler.record_source = _compile_for_plugin, _record_source

if knobs.runtime.record:
    from ._launch_files import install

    install(knobs.runtime.record)

__all__ = [
    "AutotunerError",
    "InterpreterError",
    "JITFunction",
    "KernelInterface",
    "MockTensor",
    "OutOfResources",
    "PTXASError",
    "SimulationError",
    "TensorWrapper",
    "driver",
    "reinterpret",
    *_LAZY,
]
