"""Launches that also run in the interpreter, from the same contents, which are put back: for what compiled code does
not show any more, such as lines, masks and the values between operations."""

import contextlib
from collections import Counter

from ..runtime.interpreter import GridExecutor, InterpretedFunction, InterpreterBuilder
from ..runtime.jit import JITFunction
from . import _tuning

#: So often one place of a program reads memory. A loop may wait for a program that runs only later.
_MOST_READS = 20_000


class Executor(GridExecutor):
    """Runs a launch beside the one of the program. ``make_builder`` makes the state of the launch from its options."""

    def __init__(self, kernel, grid, make_builder):
        super().__init__(kernel.rewritten, kernel.arg_names, grid, (), kernel.params, kernel.options)
        self.builder_class = make_builder

    def _hooks(self, builder, bound):
        return contextlib.nullcontext()


class BesideBuilder(InterpreterBuilder):
    """Stops in a place of a program that reads memory too often."""

    def __init__(self, options):
        super().__init__(options)
        self.reads = Counter()

    def set_grid_idx(self, x, y, z):
        super().set_grid_idx(x, y, z)
        self.reads.clear()

    def count_read(self, name, place):
        if name == "load" or name.startswith("atomic_"):
            self.reads[place] += 1
            if self.reads[place] > _MOST_READS:
                raise RuntimeError(
                    f"one place read memory more than {_MOST_READS:,} times, the limit beside a launch: the loop may "
                    "wait for a program that runs only later"
                )


def _options(kernel, kwargs):
    return {name: value for name, value in kwargs.items() if name in kernel.arg_names or name in ("num_warps", "debug")}


def run_beside(kernel, make_executor, args, kwargs):
    """Runs a launch by what ``make_executor`` makes of the interpreted kernel. The first line of what went wrong, or
    None: what is wrong with the launch itself is seen when it runs."""
    with _tuning._restored(_tuning._arrays(args, kwargs)):
        try:
            interpreted = InterpretedFunction.of(kernel)
            make_executor(interpreted)(*args, **_options(interpreted, kwargs))
        except Exception as error:
            return f"{error}".partition("\n")[0]
    return None


def install(session, look):
    """Lets ``look(session, kernel, args, grid, kwargs)`` see each launch of this process before it runs."""
    launch = JITFunction.run

    def run(kernel, *args, grid, warmup=False, **kwargs):
        if not warmup and not session.is_probing:
            look(session, kernel, args, grid, kwargs)
        return launch(kernel, *args, grid=grid, warmup=warmup, **kwargs)

    JITFunction.run = run
