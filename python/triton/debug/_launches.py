"""Launches of this process under the debugger: they are interpreted, whatever device the program has."""

import dataclasses
import functools
import inspect
import tempfile

import numpy as np

from .._programs import run_program
from ..backends.active import driver
from ..compiler.compiler import backend_of_launches
from ..runtime import autotuner
from ..runtime._launch_files import Replay
from ..runtime.interpreter import GridExecutor, InterpretedFunction, InterpreterBuilder, InterpreterOptions
from ..runtime.jit import JITFunction
from ._layouts import LaunchLayouts
from ._memory import JournalMemory
from ._values import MASK

_OPTIONS = {field.name for field in dataclasses.fields(InterpreterOptions)}


class _Builder(InterpreterBuilder):
    def __init__(self, options):
        super().__init__(options)
        self.memory, self.layouts = JournalMemory(), None

    def set_grid_idx(self, x, y, z):
        super().set_grid_idx(x, y, z)
        self.memory.begin_program((x, y, z))

    def call(self, function, args, kwargs):
        result = super().call(function, args, kwargs)
        if function.__name__ == "load":
            mask = inspect.signature(function).bind(*args, **kwargs).arguments.get("mask")
            if hasattr(mask, "data") and hasattr(result, "handle"):
                result.handle.attr[MASK] = np.broadcast_to(mask.data != 0, result.shape)
        return result


class _Executor(GridExecutor):
    debugger = layouts = None

    @property
    def builder_class(self):
        return _Builder if self.debugger.is_about_kernel(self.fn.__name__) else InterpreterBuilder

    def _run_program(self, builder, bound):
        builder.layouts = self.layouts
        self.debugger.run_program(self.fn.__name__, builder, functools.partial(super()._run_program, builder, bound))


def _kernel_of(wrapper):
    while not isinstance(wrapper, (JITFunction, InterpretedFunction)):
        wrapper = wrapper.fn
    return wrapper


def install(debugger):
    """Lets launches of this process be stepped through. Of a tuned kernel that is, the first configuration runs, and
    nothing is measured."""
    executor = type("_Executor", (_Executor,), {"debugger": debugger})
    InterpretedFunction.executor_class = executor
    launch, chooser = JITFunction.run, autotuner.chooser

    def is_stepped(kernel):
        return debugger.is_about_kernel(kernel.__name__)

    def choose(tuner, configs, args, kwargs):
        if is_stepped(_kernel_of(tuner)):
            return configs[0]
        return None if chooser is None else chooser(tuner, configs, args, kwargs)

    def run(kernel, *args, grid, warmup=False, **kwargs):
        if warmup or not is_stepped(kernel):
            return launch(kernel, *args, grid=grid, warmup=warmup, **kwargs)
        interpreted = InterpretedFunction.of(kernel)
        names, hooks = interpreted.arg_names, kernel.pre_run_hooks
        backend = backend_of_launches(driver.active.launch_target())
        without_effect = {name for name in kwargs if name not in (*names, *_OPTIONS) and backend.knows(name)}
        known = {name: value for name, value in kwargs.items() if name not in without_effect}
        programs = executor(interpreted.rewritten, names, grid, hooks, interpreted.params, interpreted.options)
        programs.layouts = LaunchLayouts(kernel, args, kwargs, debugger.machine)
        programs(*args, **known)
        return None

    JITFunction.run, autotuner.chooser = run, choose


def run_target(target, arguments):
    """Runs a program, `pytest`, or a launch from a file of TRITON_RECORD; the exit status."""
    if not target.endswith(".safetensors"):
        return run_program(target, arguments)
    with tempfile.TemporaryDirectory() as folder:
        Replay(target, folder).run()
    return 0
