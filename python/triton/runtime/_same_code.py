"""Which configurations of a kernel make the same code: on the CPU, warps and stages often change nothing."""

import collections

from .. import knobs
from ._progress import say
from .driver import driver


def _constants(config):
    """What decides the grid and the threads."""
    return repr(sorted(config.kwargs.items())), config.num_cpu_threads


def find_twins(fn, args, kwargs, configs):
    """Each configuration that has the code of one before it, with that one. Those of the CPU are asked for; they are
    compiled here where they were not yet."""
    if knobs.runtime.interpret or driver.active.get_current_target().backend != "cpu":
        return {}
    number = collections.Counter(map(_constants, configs))
    first, twins = {}, {}
    for config in configs:
        if number[_constants(config)] == 1 or config.pre_hook:  # none is like it, or the hook decides what is launched
            continue
        try:
            code = fn.warmup(*args, **{**kwargs, **config.all_kwargs()}).asm["o"]
        except Exception:  # which its measurement reports
            continue
        twin = first.setdefault((_constants(config), code), config)
        if twin != config:  # equal ones are the same key
            twins[config] = twin
            if knobs.autotuning.print:
                say(f"Autotuning kernel {fn.__name__}: config {config} makes the code of config {twin}")
    return twins
