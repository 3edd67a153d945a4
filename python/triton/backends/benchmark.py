"""Measuring on the active device."""

import functools
import math
import time

from .active import driver


def _quantile(sorted_times, q):
    """Linear interpolation between the neighbours."""
    position = q * (len(sorted_times) - 1)
    low = math.floor(position)
    high = min(low + 1, len(sorted_times) - 1)
    return sorted_times[low] + (sorted_times[high] - sorted_times[low]) * (position - low)


def _summary(times, quantiles, return_mode):
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


def _times_on_device(fn, warmup, rep, grad_to_none, driver):
    """The device's milliseconds of each run. The cache is cleared before each."""
    interface = driver.get_device_interface()
    cache = driver.get_empty_cache_for_benchmark()
    new_event = functools.partial(interface.Event, enable_timing=True)

    def clear_and_run(start, end):
        for tensor in grad_to_none or ():
            tensor.grad = None
        driver.clear_cache(cache)
        start.record()
        fn()
        end.record()

    fn()
    interface.synchronize()
    start, end = new_event(), new_event()
    start.record()
    for _ in range(5):
        driver.clear_cache(cache)
        fn()
    end.record()
    interface.synchronize()
    estimate = max(start.elapsed_time(end) / 5, 1e-4)
    for _ in range(max(1, int(warmup / estimate))):
        fn()
    events = [(new_event(), new_event()) for _ in range(max(1, int(rep / estimate)))]
    for start, end in events:
        clear_and_run(start, end)
    interface.synchronize()
    return [start.elapsed_time(end) for start, end in events]


def do_bench(
    fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean", measure_time_with_hooks=False
):
    """The milliseconds that ``fn`` takes, measured for about ``rep`` ms after ``warmup`` ms.

    ``quantiles`` asks for quantiles instead of ``return_mode`` (min, max, mean, median, all).
    """
    assert return_mode in ("min", "max", "mean", "median", "all"), f"`{return_mode}` is not a return mode"
    if driver.active.get_current_target().backend == "cuda":
        return _summary(_times_on_device(fn, warmup, rep, grad_to_none, driver.active), quantiles, return_mode)
    fn()
    estimate = max(min(_once(fn) for _ in range(3)), 1e-4)
    for _ in range(max(1, int(warmup / estimate))):
        fn()
    times = []
    for _ in range(max(1, int(rep / estimate))):
        for tensor in grad_to_none or ():
            tensor.grad = None
        times.append(_once(fn))
    return _summary(times, quantiles, return_mode)
