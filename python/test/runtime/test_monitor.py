"""`triton.monitor`: what launches waited for, counted, with the reasons."""

import os
import re
import subprocess
import sys
import types

import numpy as np
import pytest
import shared_kernels
import triton
import triton.language as tl
from triton import _C, _cache, _counts, knobs, monitor


@triton.jit
def fill(x, n, BLOCK: tl.constexpr, debug_name: tl.constexpr = "a"):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, n, mask=i < n)


@pytest.fixture
def since(tmp_path):
    """A function that tells what has happened since it was last called. The caches are empty."""
    fill.device_caches.clear()
    states = [monitor.snapshot()]

    def changes():
        states.append(monitor.snapshot())
        return states[-1] - states[-2]

    with knobs.cache.scope():
        knobs.cache.dir = str(tmp_path / "cache")
        yield changes
    fill.device_caches.clear()


def test_compilations_and_hits(since):
    x = np.zeros(64, np.float32)
    fill[(1,)](x, 16, BLOCK=16)
    first = since()
    assert (first.compilations, first.memory_misses, first.disk_hits, first.waits) == (1, 1, 0, 1)
    assert first.compilations_of == {"fill": 1} and first.misses_of == {("fill", "first"): 1}
    assert first.wait_ms >= first.compile_ms > 0
    (event,) = first.events
    assert (event.kernel, event.origin, event.reason, event.is_warmup) == ("fill", "compiled", "first", False)
    assert event.place == f"{__file__}:{sys._getframe().f_lineno - 7}"
    for _ in range(3):
        fill[(1,)](x, 32, BLOCK=16)
    nothing = since()
    assert not nothing.memory_misses and not nothing.waits and not nothing.events and nothing.wait_ms == 0
    fill.device_caches.clear()
    fill[(1,)](x, 16, BLOCK=16)
    again = since()
    assert (again.compilations, again.disk_hits, again.memory_misses) == (0, 1, 1)
    assert again.events[0].origin == "disk"
    fill.warmup(x, 16, BLOCK=32, grid=(1,))
    warm = since()
    assert (warm.compilations, warm.memory_misses, warm.waits) == (1, 1, 0) and warm.events[0].is_warmup


def test_reasons(since):
    x = np.zeros(64, np.float32)
    fill[(1,)](x, 16, BLOCK=16)

    def reason(*arguments, **options):
        since()
        fill[(1,)](*arguments, **options)
        (event,) = since().events
        return event.reason, event.differences

    assert reason(x, 7, BLOCK=16) == ("divisibility", {"n": ("i32", "i32, divisible by 16")})
    assert reason(x, 1, BLOCK=16)[0] == "value"
    assert reason(x, 16, BLOCK=32) == ("value", {"BLOCK": ("32", "16")})
    assert reason(x, 16, BLOCK=16, debug_name="b")[0] == "value"
    assert reason(x, 1 << 40, BLOCK=16)[0] == "type"
    assert reason(x.view(np.int32), 16, BLOCK=16)[0] == "type"
    assert reason(x, 16, BLOCK=16, num_warps=2) == ("option", {"num_warps": ("2", "not given")})
    with knobs.runtime.scope():
        knobs.runtime.debug = True
        assert reason(x, 16, BLOCK=16) == ("settings", {})


def test_failures_are_told(since):
    x = np.zeros(64, np.float32)
    with pytest.raises(triton.CompilationError):
        fill[(1,)](x, 16, BLOCK=17)
    assert [event.origin for event in since().events] == ["failed"]
    fill[(1,)](x, 16, BLOCK=16)
    with triton.freeze(), pytest.raises(triton.FrozenError):
        fill[(1,)](x, 7, BLOCK=16)
    after = since()
    assert after.frozen_launches == 1 and [event.origin for event in after.events] == ["compiled", "failed"]


def test_lines_of_a_log(since, caplog):
    caplog.set_level("INFO", "triton.monitor")
    x = np.zeros(64, np.float32)
    fill[(1,)](x, 16, BLOCK=16)
    fill[(1,)](x, 7, BLOCK=16)
    first, second = (record.message for record in caplog.records)
    assert re.search(
        r"test_monitor.py:\d+: launch of `fill`: compiled in .* ms; it is the kernel's first variant", first
    )
    assert second.endswith("the nearest variant has other facts: `n` = 7 is i32, there i32, divisible by 16")


class FolderBackend(_cache.RemoteCacheBackend):
    """Files in a dict that stands for another machine."""

    files = {}

    def get(self, filenames):
        return {name: self.files[self.key, name] for name in filenames if (self.key, name) in self.files}

    def put(self, filename, data):
        self.files[self.key, filename] = data


def test_a_cache_behind_that_on_disk(since, tmp_path):
    x = np.zeros(64, np.float32)
    try:
        knobs.cache.remote_manager_class = FolderBackend
        fill[(1,)](x, 16, BLOCK=16)
        first = since()
        assert (first.compilations, first.remote_hits, first.remote_misses) == (1, 0, 1)
        fill.device_caches.clear()
        knobs.cache.dir = str(tmp_path / "another disk")
        fill[(1,)](x, 16, BLOCK=16)
        again = since()
        assert (again.compilations, again.remote_hits, again.remote_misses, again.disk_hits) == (0, 1, 0, 0)
        assert again.events[0].origin == "remote"
    finally:
        knobs.cache.remote_manager_class = knobs.env
        _cache.connect_compiler()


def test_tuning_runs(since):
    tuned = triton.autotune(
        [triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32})],
        key=["n"],
        do_bench=lambda call, quantiles: [call() or 1.0] * 3,
        cache_results=True,
    )(fill)
    x = np.zeros(64, np.float32)
    tuned[(1,)](x, 16)
    tuned[(1,)](x, 16)
    first = since()
    assert (first.tuning_runs, first.tuning_hits, first.compilations) == (1, 0, 2) and first.tuning_ms > 0
    tuned.cache.clear()
    tuned[(1,)](x, 16)
    again = since()
    assert (again.tuning_runs, again.tuning_hits, again.tuning_ms) == (0, 1, 0)


def test_why_the_disk_lacked_a_kernel(since):
    x = np.zeros(64, np.float32)
    fill[(1,)](x, 16, BLOCK=16)
    (event,) = since().events
    assert monitor.explain(event) is None, "there is nothing to compare with"
    fill[(1,)](x, 7, BLOCK=16)
    (event,) = since().events
    assert monitor.explain(event) == {"argument n": ("i32", "i32, divisible by 16")}
    fill[(1,)](x, 7, BLOCK=32)
    (event,) = since().events
    assert monitor.explain(event) == {}, "entries do not tell constants"
    fill[(1,)](x, 7, BLOCK=32, enable_fp_fusion=False)
    (event,) = since().events
    assert monitor.explain(event) == {"enable_fp_fusion": (False, True)}
    with pytest.raises(ValueError, match="has no entry for this event of `fill`"):
        monitor.explain(event._replace(hash=None))


def test_the_text_of_prometheus():
    monitor.reset()
    fill.device_caches.clear()
    fill[(1,)](np.zeros(64, np.float32), 16, BLOCK=16)
    with _counts._lock:
        _counts.compilations['odd"name\\'] += 2
    text = monitor.prometheus()
    line = re.compile(r'(# (HELP|TYPE) \w+ .*|\w+(\{(\w+="([^"\\\n]|\\.)*",?)+\})? \d+(\.\d+(e-\d+)?)?)')
    assert text.endswith("\n") and all(line.fullmatch(each) for each in text.splitlines())
    assert 'triton_memory_misses_total{kernel="fill",reason="first"} 1' in text
    assert 'triton_compilations_total{kernel="odd\\"name\\\\"} 2' in text
    names = [each.split()[2] for each in text.splitlines() if each.startswith("# TYPE")]
    assert len(names) == len(set(names)) == 15 and all(name.endswith("_total") for name in names)
    monitor.reset()
    now = monitor.snapshot()
    assert now.compilations == now.memory_misses == now.wait_ms == now.module_loads == 0 and not now.events


def test_opentelemetry_is_optional(monkeypatch):
    made = {}

    class Meter:
        def create_observable_counter(self, name, callbacks, unit, description):
            assert unit in ("s", "1") and description.endswith(".")
            made[name] = callbacks

    package = types.ModuleType("opentelemetry")
    package.metrics = types.SimpleNamespace(
        get_meter=lambda name: Meter(), Observation=lambda number, labels: (number, labels)
    )
    monkeypatch.setitem(sys.modules, "opentelemetry", package)
    monitor.opentelemetry()
    monitor.reset()
    _counts.got_kernel("fill", "00", False, False, 0.5)
    assert len(made) == 15
    assert made["triton.compilations"][0](None) == [(1, {"kernel": "fill"})]
    assert made["triton.compilation_seconds"][0](None) == [(0.5, {})]
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(ImportError, match="pip install opentelemetry-api"):
        monitor.opentelemetry()


def test_the_monitor_is_not_imported_by_launches():
    code = f"""
import sys, numpy
sys.path.insert(0, {os.path.dirname(shared_kernels.__file__)!r})
import triton
assert not [name for name in sys.modules if name.endswith(("_counts", "monitor", "_misses", "_recording"))]
from shared_kernels import one_kernel
one_kernel[(1,)](numpy.zeros(1, numpy.float32))
assert "triton.monitor" not in sys.modules and "triton.runtime._recording" not in sys.modules
assert triton.monitor.snapshot().memory_misses == 1
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_loads_on_gpus_have_a_count():
    loads, nanoseconds = _C.load_count()
    assert loads >= 0 and nanoseconds >= 0
