"""How long kernels run, without what the host does meanwhile."""

import functools
import math
import os
import tempfile
import time

from .. import knobs
from .active import driver
from .registry import GPU_BACKENDS


class _EventClock:
    """Adds up how long the kernels of this package run while it is in the `with` block: on a GPU between events of the
    current stream, elsewhere on the clock of the host, which waits for them."""

    def __init__(self):
        self._new_event = None
        if driver.active.get_current_target().backend in GPU_BACKENDS:
            self._interface = driver.active.get_device_interface()
            self._new_event = functools.partial(self._interface.Event, enable_timing=True)
        self._spans = []

    def _now(self):
        if self._new_event is None:
            return time.perf_counter()
        event = self._new_event()
        event.record()
        return event

    def _enter(self, metadata):
        self._start = self._now()

    def _exit(self, metadata):
        self._spans.append((self._start, self._now()))

    def __enter__(self):
        knobs.runtime.launch_enter_hook.add(self._enter)
        knobs.runtime.launch_exit_hook.add(self._exit)
        return self

    def __exit__(self, *exception):
        knobs.runtime.launch_enter_hook.remove(self._enter)
        knobs.runtime.launch_exit_hook.remove(self._exit)

    def milliseconds(self):
        if self._new_event is None:
            return math.fsum((end - start) * 1e3 for start, end in self._spans)
        self._interface.synchronize()
        return math.fsum(start.elapsed_time(end) for start, end in self._spans)

    @property
    def launches(self):
        return len(self._spans)


def _total(node):
    """Milliseconds of all kernels below a node of a profile."""
    metrics = node["metrics"]
    own = metrics.get("time (ns)", 0) + metrics.get("simulation_time (ns)", 0)
    return own * 1e-6 + math.fsum(map(_total, node["children"]))


def _scopes(node, prefix):
    """{number: node} of the scopes with this name and a number."""
    found = {}
    for child in node["children"]:
        name = child["frame"]["name"]
        if name.startswith(prefix):
            found[int(name.removeprefix(prefix))] = child
        else:
            found.update(_scopes(child, prefix))
    return found


def _by_events(fn, runs, prepare):
    clocks = []
    for _ in range(runs):
        prepare()
        with _EventClock() as clock:
            fn()
        clocks.append(clock)
    if not any(clock.launches for clock in clocks):
        raise RuntimeError("the function launches no kernel of this package, so that there is nothing to measure")
    return [clock.milliseconds() for clock in clocks]


def kernel_times(fn, runs, prepare):
    """The milliseconds in which kernels run during each of ``runs`` calls of ``fn``. What ``prepare`` launches, which
    is called before each, does not count."""
    from .. import profiler

    if driver.active.get_current_target().backend == "hip":
        return _by_events(fn, runs, prepare)
    prefix = "do_bench_proton "
    with tempfile.TemporaryDirectory() as folder:
        session = profiler.start(os.path.join(folder, "times"))
        if session is None:
            raise RuntimeError(
                "measuring kernels needs a session of the profiler, which the command `proton` and "
                "TRITON_PROTON_DISABLE do not allow"
            )
        try:
            for run in range(runs):
                prepare()
                with profiler.scope(f"{prefix}{run}"):
                    fn()
            profiler.deactivate(session, flushing=True)
            scopes = _scopes(profiler.data.get(session)[0], prefix)
        finally:
            profiler.finalize(session)
    times = [_total(scopes[run]) for run in range(runs)]
    if not any(times):
        raise RuntimeError("the function launches no kernel, so that there is nothing to measure")
    return times
