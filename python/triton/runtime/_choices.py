"""Choices of tuned kernels without a measurement: those that were recorded, and those between them.

A tuned kernel has what it has measured in ``_measured``, {key: Measured}, what files of classes have given it in
``_loaded``, {device: {key: Measured}}, the choices that it took from files and bundles in ``_taken``, {key: (Measured,
device)}, and in ``_estimated`` the keys whose choices lie between others.
"""

import math
import sys

from .. import _C, _counts, knobs
from ..tools.kernel_names import function_of
from ._interpolation import Candidate, Measured, interpolate, is_count
from ._progress import say
from ._recording import device_name, processors
from ._variants import place_of_launch
from ._wrappers import Heuristics


def remember(tuner, key, kwargs, timings):
    """What the kernel has measured for a key, for choices of keys beside it: {configuration: times}."""
    times, programs = {}, {}
    for config, each in timings.items():
        median = each[0] if isinstance(each, (list, tuple)) else each
        if 0 < median < math.inf and str(config) not in times:
            times[str(config)] = float(f"{median:.6g}")
            if number := _programs_of(tuner, kwargs, config):
                programs[str(config)] = number
    tuner._taken.pop(key, None)
    tuner._estimated.discard(key)
    tuner._measured[key] = Measured(str(tuner.cache[key]), times, programs, processors())


def _programs_of(tuner, kwargs, config):
    """How many programs the launch has with a configuration; None if its grid does not say."""
    given = {**(tuner.nargs or {}), **kwargs, **config.all_kwargs()}
    grid, kernel = given.pop("grid", None), tuner.fn
    try:
        while isinstance(kernel, Heuristics):
            given, kernel = kernel._computed((), given), kernel.fn
        if callable(grid):
            defaults = {each.name: each.default for each in function_of(kernel).params if each.has_default}
            grid = grid({**defaults, **given})
        number = math.prod(map(int, grid if isinstance(grid, (list, tuple)) else [grid]))
        return number if is_count(number) else None
    except Exception:  # the launch itself reports it
        return None


def take(tuner, key, kwargs, is_frozen):
    """Whether the tuned kernel has a choice for the key without a measurement, which it takes: what a bundle has for
    it, or else what is fast for keys around it that a bundle or a file of classes has. If nothing may be measured any
    more, those that this process has measured count, too."""
    bundled = []
    if _C.has_bundles():
        from ._bundles import choices_for

        bundled = choices_for(tuner)
    own = device_name()
    for devices in bundled:
        for device, keys in _own_first(devices, own):
            if key in keys and tuner._take_choice(key, keys[key], device):
                tuner._record(key)
                return True
    if not knobs.autotuning.interpolate:
        return False
    measured_here = [{own: tuner._measured}] if is_frozen and tuner._measured else []
    known = _of_each_device([*measured_here, tuner._loaded, *reversed(bundled)], own)
    return bool(known) and _take_estimate(tuner, key, kwargs, known)


def _own_first(devices, own):
    """The items of {device: keys}, that of a GPU like the current one first."""
    return sorted(devices.items(), key=lambda item: item[0] != own)


def _of_each_device(sources, own):
    """What the sources have, {key: Measured}, apart for each GPU, since times of two are not compared."""
    joined = {}
    for source in sources:
        for device, keys in list(source.items()):
            joined.setdefault(device, {}).update(keys)
    return [keys for _, keys in _own_first(joined, own)]


def _take_estimate(tuner, key, kwargs, known):
    configs = {str(config): config for config in reversed(tuner.prune_configs(kwargs))}
    candidates = candidates_of(tuner, kwargs, configs)
    estimates = (interpolate(measured, key, candidates) for measured in known)
    estimate = next(filter(None, estimates), None)
    if estimate is None:
        return False
    tuner.cache[key] = configs[estimate.configuration]
    tuner._estimated.add(key)
    _tell(tuner.__name__, key, estimate)
    return True


def candidates_of(tuner, kwargs, configs):
    """{text: Candidate} of {text: configuration}, for a launch."""
    return {text: Candidate(_divisors(config), _programs_of(tuner, kwargs, config)) for text, config in configs.items()}


def _divisors(config):
    """The constants by which sizes may be divided."""
    return sorted({value for value in config.kwargs.values() if is_count(value) and value > 1})


def _tell(name, key, estimate):
    _counts.add(interpolations=1)
    number = f"{estimate.keys} keys that were" if estimate.keys > 1 else "the nearest key that was"
    text = f"`{name}` is not tuned for the key {key}; by {number}, it takes {estimate.configuration}"
    if knobs.autotuning.print:
        say(text)
    if "logging" in sys.modules:  # nobody listens otherwise
        file, line = place_of_launch()
        sys.modules["logging"].getLogger("triton.monitor").info("%s:%s: %s", file, line, text)


def forget_estimates(tuner):
    """So that the next launches with these keys measure."""
    with tuner._tuning_lock:
        for key in tuner._estimated:
            tuner.cache.pop(key, None)
        tuner._estimated.clear()
