"""`triton.tune`: measures tuned kernels before a program serves, and keeps what it has chosen."""

import math
import os
import time
from collections import namedtuple

from .. import knobs
from ..backends.active import driver, target_text
from ._choices import forget_estimates
from .autotuner import Autotuner, _as_list

Tuned = namedtuple("Tuned", ["key", "configuration", "milliseconds", "seconds"])
Tuned.__doc__ = """The choice for a key. ``milliseconds`` maps the text of each configuration that was measured to its
time, and is empty where the choice was known; ``seconds`` is what tuning took."""


class Tuning(tuple):
    """A `Tuned` for each key; its text is a table."""

    __slots__ = ()

    def __str__(self):
        rows = [("key", "configuration", "ms", "the next one", "the slowest"), *map(_row_of, self)]
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        measured = [each for each in self if each.milliseconds]
        seconds = sum(each.seconds for each in self)
        known = f", {len(self) - len(measured)} were known" if len(measured) < len(self) else ""
        head = (
            f"{len(measured)} keys measured in {seconds:.1f} s on {target_text(driver.active.launch_target())}{known}"
        )
        return "\n".join([head, *lines])


def _row_of(tuned):
    times = sorted(time for time in tuned.milliseconds.values() if math.isfinite(time))
    ratios = [f"{time / times[0]:.2f} x" for time in times[1:]]
    fastest = f"{times[0]:.4g}" if times else "known"
    return (str(tuned.key), tuned.configuration, fastest, *(ratios[:1] or ["-"]), *(ratios[-1:] or ["-"]))


def tune(kernel, cases, grid, *, record=None, progress=None):
    """Launches the tuned kernel once for each of the ``cases``, which are the arguments by name, over ``grid``, so that
    it measures its configurations for their keys. Returns `Tuning`, whose text is a table.

    With ``record``, the path of a file, the choices and the classes are added to it, as by TRITON_RECORD_CLASSES, for
    `tritonc build`: the choices of all cases, but no classes that are in memory already, so that a complete file takes
    a process that has not launched the kernel before. ``progress(done, of, tuned)`` is called after each case, with the
    choice for it. TypeError for a kernel that is not tuned.
    """
    tuner = kernel
    while not isinstance(tuner, Autotuner):
        tuner = getattr(tuner, "fn", None)
        if tuner is None:
            raise TypeError(f"`triton.tune` takes a kernel with `triton.autotune`, not {kernel!r}")
    cases, found = list(cases), {}
    forget_estimates(tuner)
    with knobs.runtime.scope(), knobs.autotuning.scope():
        knobs.autotuning.interpolate = False
        if record is not None:
            knobs.runtime.record_classes = os.fspath(record)
        for number, case in enumerate(cases, start=1):
            before, start = dict(tuner.cache), time.perf_counter()
            tuner.configs_timings, tuner._last_key = {}, None
            kernel[grid](**case)
            of_case = tuner._last_key
            for key, config in tuner.cache.items():
                if before.get(key) is not config:
                    times = {str(each): _as_list(times)[0] for each, times in tuner.configs_timings.items()}
                    found[key] = Tuned(key, str(config), times, time.perf_counter() - start)
            if of_case is not None:
                found.setdefault(of_case, Tuned(of_case, str(tuner.cache[of_case]), {}, 0.0))
            if record is not None and of_case in before:
                tuner._record(of_case)
            if progress is not None:
                progress(number, len(cases), found.get(of_case))
    for key, config in tuner.cache.items():
        found.setdefault(key, Tuned(key, str(config), {}, 0.0))
    return Tuning(found.values())
