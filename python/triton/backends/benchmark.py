"""Measuring on the active device."""

import contextlib
import functools
import math
import time

from .active import driver
from .registry import GPU_BACKENDS

#: Milliseconds; runs that take less are counted as if they took so long.
_SHORTEST = 1e-4
_RETURN_MODES = ("min", "max", "mean", "median", "all")


def _quantile(sorted_times, q):
    """Linear interpolation between the neighbours."""
    position = q * (len(sorted_times) - 1)
    low = math.floor(position)
    high = min(low + 1, len(sorted_times) - 1)
    return sorted_times[low] + (sorted_times[high] - sorted_times[low]) * (position - low)


def _summarize_statistics(times, quantiles, return_mode):
    if quantiles is not None:
        ordered = sorted(times)
        result = [_quantile(ordered, q) for q in quantiles]
        return result[0] if len(result) == 1 else result
    if return_mode == "all":
        return times
    if return_mode == "median":
        return _quantile(sorted(times), 0.5)
    return {"min": min, "max": max, "mean": lambda times: math.fsum(times) / len(times)}[return_mode](times)


def _once(fn):
    start = time.perf_counter()
    fn()
    return (time.perf_counter() - start) * 1e3


class _DeviceClock:
    """Times on a GPU, between events of its stream. The cache is cleared before each run."""

    def __init__(self, driver):
        self._driver, self._interface = driver, driver.get_device_interface()
        self._cache = driver.get_empty_cache_for_benchmark()

    def _events(self):
        return [self._interface.Event(enable_timing=True) for _ in range(2)]

    def estimate(self, fn):
        """About what a run takes, with the clearing of the cache."""
        start, end = self._events()
        start.record()
        for _ in range(5):
            self._driver.clear_cache(self._cache)
            fn()
        end.record()
        self._interface.synchronize()
        return start.elapsed_time(end) / 5

    def times(self, fn, runs, grad_to_none):
        events = [self._events() for _ in range(runs)]
        for start, end in events:
            _drop_gradients(grad_to_none)
            self._driver.clear_cache(self._cache)
            start.record()
            fn()
            end.record()
        self._interface.synchronize()
        return [start.elapsed_time(end) for start, end in events]

    def synchronize(self):
        self._interface.synchronize()


class _HostClock:
    """Times on the clock of the host, which waits for the end of each run."""

    def estimate(self, fn):
        return min(_once(fn) for _ in range(3))

    def times(self, fn, runs, grad_to_none):
        times = []
        for _ in range(runs):
            _drop_gradients(grad_to_none)
            times.append(_once(fn))
        return times

    def synchronize(self):
        pass


def _active_clock():
    active = driver.active
    return _DeviceClock(active) if active.get_current_target().backend in GPU_BACKENDS else _HostClock()


def _times(clock, fn, estimate, warmup, rep, grad_to_none=None):
    for _ in range(max(1, int(warmup / estimate))):
        fn()
    return clock.times(fn, max(1, int(rep / estimate)), grad_to_none)


def do_bench(
    fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean", measure_time_with_hooks=False
):
    """The milliseconds that ``fn`` takes, measured for about ``rep`` ms after ``warmup`` ms.

    ``quantiles`` asks for quantiles instead of ``return_mode`` (min, max, mean, median, all).
    """
    assert return_mode in _RETURN_MODES, f"`{return_mode}` is not a return mode"
    clock = _active_clock()
    fn()
    clock.synchronize()
    estimate = max(clock.estimate(fn), _SHORTEST)
    return _summarize_statistics(_times(clock, fn, estimate, warmup, rep, grad_to_none), quantiles, return_mode)


class Competition:
    """Measures functions of which the fastest is wanted, each like ``do_bench``. One that takes twice as long as the
    best so far, by two estimates, is not measured further: its estimate stands for all quantiles."""

    def __init__(self, warmup=25, rep=100):
        self._warmup, self._rep = warmup, rep
        self._best = math.inf
        self._clock = _active_clock()

    def __call__(self, fn, quantiles):
        clock = self._clock
        fn()
        clock.synchronize()
        estimate = max(clock.estimate(fn), _SHORTEST)
        if estimate > 2 * self._best:
            estimate = max(min(estimate, clock.estimate(fn)), _SHORTEST)
        if estimate > 2 * self._best:
            return [estimate] * len(quantiles)
        self._best = min(self._best, estimate)
        return _summarize_statistics(_times(clock, fn, estimate, self._warmup, self._rep), quantiles, None)


def _drop_gradients(tensors):
    for tensor in tensors or ():
        tensor.grad = None


def _number_of_runs(rep, estimate):
    return 1000 if estimate == 0 else max(1, int(rep / estimate))


@contextlib.contextmanager
def cuda_graph_without_gc(*args, **kwargs):
    """As ``torch.cuda.graph``, without garbage collection while it captures: a kernel that is collected then would
    unload its module, which spoils the graph."""
    import gc

    import torch

    was_enabled = gc.isenabled()
    gc.disable()
    try:
        with torch.cuda.graph(*args, **kwargs):
            yield
    finally:
        if was_enabled:
            gc.enable()


def _capture(fn, rep, grad_to_none):
    """(a CUDA graph of as many runs as take about ``rep`` ms, their number), on the current stream."""
    import torch

    fn()
    for tensor in grad_to_none or ():  # a graph cannot be captured across autograd's own work
        tensor.detach_()
        tensor.requires_grad_(True)
        tensor.grad = None
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(5):
        fn()
    end.record()
    torch.cuda.synchronize()
    runs = _number_of_runs(rep, start.elapsed_time(end) / 5)
    graph = torch.cuda.CUDAGraph()
    with cuda_graph_without_gc(graph):
        for _ in range(runs):
            _drop_gradients(grad_to_none)
            fn()
    torch.cuda.synchronize()
    return graph, runs


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """The milliseconds that ``fn`` takes on a GPU without the time of the host: a CUDA graph of as many runs as
    take about ``rep`` ms is replayed ten times. Needs PyTorch."""
    assert return_mode in _RETURN_MODES, f"`{return_mode}` is not a return mode"
    if driver.active.get_current_target().backend not in GPU_BACKENDS:
        raise RuntimeError("do_bench_cudagraph needs a GPU, since other devices have no CUDA graphs; use do_bench")
    import torch

    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())  # which may still fill what `fn` reads
    with torch.cuda.stream(stream):
        graph, runs = _capture(fn, rep, grad_to_none)
        new_event = functools.partial(torch.cuda.Event, enable_timing=True)
        times = []
        for _ in range(10):
            start, end = new_event(), new_event()
            start.record()
            graph.replay()
            end.record()
            torch.cuda.synchronize()
            times.append(start.elapsed_time(end) / runs)
    return _summarize_statistics(times, quantiles, return_mode)
