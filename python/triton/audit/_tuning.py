"""The configurations of tuned kernels: times in the simulator say nothing, so that none are measured."""

import contextlib
import functools
import math

from .._memory import memory_of, view_at
from ..runtime import autotuner
from ..runtime._tuning_key import array_of
from ..runtime.errors import SimulationError


def _leaves(values):
    """The arguments, also those in tuples and lists; the arrays of descriptors."""
    for value in values:
        if isinstance(value, (tuple, list)):
            yield from _leaves(value)
        else:
            yield array_of(value)


def _arrays(args, kwargs):
    found = _leaves((*args, *kwargs.values()))
    return [each for each in found if hasattr(each, "dtype") and (hasattr(each, "data_ptr") or _is_mutable(each))]


def _is_mutable(value):
    return hasattr(type(value), "__setitem__")


@contextlib.contextmanager
def _restored(arrays):
    """Puts the contents of arrays back, byte by byte: PyTorch would count it as a change of its tensors."""
    views = [view_at(*place) for place in {memory_of(array) for array in arrays} if place[1]]
    kept = [(view, bytes(view)) for view in views]
    try:
        yield
    finally:
        for view, contents in kept:
            if bytes(view) != contents:  # what did not change may be memory that is only read
                view[:] = contents


def _fits(tuner, config, args, kwargs):
    """Whether the device has what the configuration needs."""
    from ..runtime.driver import driver

    try:
        kernel = tuner.fn.warmup(*args, **tuner._with_config(kwargs, config))
    except autotuner._FAILURES:
        return False
    needed = getattr(getattr(kernel, "metadata", None), "shared", 0)
    return needed <= driver.active.utils.get_device_properties(0)["max_shared_mem"]


def first_that_fits(tuner, configs, args, kwargs):
    """The first configuration that compiles and fits on the device."""
    return next((config for config in configs if _fits(tuner, config, args, kwargs)), configs[0])


def each_in_turn(session, look=lambda tuner, config, args, kwargs: None):
    """A chooser that runs every configuration, on arrays whose contents are put back, and takes the first that runs. If
    there were findings, the first is raised when all have run. ``look`` sees what each leaves in the arrays."""

    def choose(tuner, configs, args, kwargs):
        chosen, wrong = None, None
        try:
            for config in configs:
                session.config = str(config)
                with _restored(_arrays(args, kwargs)):
                    try:
                        tuner._run_hooked(args, kwargs, config, functools.partial(look, tuner, config, args, kwargs))
                    except SimulationError as error:
                        wrong = wrong or error
                    except autotuner._FAILURES:  # it does not fit
                        pass
                    else:
                        chosen = chosen or config
        finally:
            session.config = ""
        if wrong is not None:
            raise wrong
        return chosen or configs[0]

    return choose


def replace_measurements(all_configs):
    """Lets tuners with a way of their own to choose, such as FlagGems', run each configuration once, or only the first
    that works: its time is finite."""
    prune = autotuner.Autotuner.prune_configs

    def prune_configs(tuner, kwargs):
        tuner._audited_config = None  # another choice begins
        return prune(tuner, kwargs)

    def bench(tuner, *args, config, **kwargs):
        chosen = getattr(tuner, "_audited_config", None)
        if chosen not in (None, config) and not all_configs:
            return [math.inf] * 3
        try:
            tuner._run_hooked(args, kwargs, config)
        except autotuner._FAILURES as error:
            tuner._failures[config] = error
            return [math.inf] * 3
        tuner._audited_config = chosen or config
        return [1.0] * 3

    autotuner.Autotuner.prune_configs, autotuner.Autotuner._bench = prune_configs, bench
