"""How long kernels run, without what the host does meanwhile."""

import functools
import math
import os
import tempfile
import time

from .. import knobs
from .active import driver
from .benchmark import (
    _RETURN_MODES,
    _SHORTEST,
    _capture,
    _drop_gradients,
    _number_of_runs,
    _summarize_statistics,
)
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


def do_bench_proton(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """As `do_bench`, but only the time counts in which kernels run, as the profiler measures it. On AMD GPUs,
    kernels of this package are measured between events."""
    assert return_mode in _RETURN_MODES, f"`{return_mode}` is not a return mode"
    device = driver.active
    is_gpu = device.get_current_target().backend in GPU_BACKENDS
    cache = device.get_empty_cache_for_benchmark() if is_gpu else None

    def prepare():
        _drop_gradients(grad_to_none)
        if is_gpu:
            device.clear_cache(cache)

    def times(runs):
        return kernel_times(fn, runs, prepare)

    estimate = max(min(times(3)), _SHORTEST)
    for _ in range(_number_of_runs(warmup, estimate)):
        fn()
    return _summarize_statistics(times(_number_of_runs(rep, estimate)), quantiles, return_mode)


def do_bench_cudagraph_proton(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """As `do_bench_cudagraph`, but only the time counts in which kernels run, as the profiler measures it."""
    assert return_mode in _RETURN_MODES, f"`{return_mode}` is not a return mode"
    if driver.active.get_current_target().backend != "cuda":
        raise RuntimeError(
            "do_bench_cudagraph_proton needs an NVIDIA GPU, since the profiler sees kernels inside of graphs only there"
        )
    import torch

    with torch.cuda.stream(torch.cuda.Stream()):
        graph, runs = _capture(fn, rep, grad_to_none)
        times = [time / runs for time in kernel_times(graph.replay, 10, lambda: None)]
    return _summarize_statistics(times, quantiles, return_mode)
