"""What launches of this process have waited for: compilations, tuning, caches and loads, with the reasons.

A launch of a variant that is in memory is not counted, so that it costs nothing. What other processes compile for this
one counts there. Each miss in memory is a line at the level INFO of the logger ``triton.monitor``, too.
"""

import dataclasses
import json
import os

from . import _C, _counts, knobs
from ._counts import Event

__all__ = ["Event", "Snapshot", "explain", "opentelemetry", "prometheus", "reset", "snapshot"]


@dataclasses.dataclass(frozen=True)
class Snapshot:
    """The numbers since the process began, or since `reset`; the difference of two is what happened in between.

    Durations are in milliseconds. Dictionaries map names of kernels, or pairs of kernel and reason, to numbers.
    """

    compilations: int  #: kernels that this process has compiled
    compile_ms: float  #: what they took
    memory_misses: int  #: launches and warm-ups whose variant was not in memory
    bundle_hits: int  #: kernels that a bundle had (`triton.load_bundle`)
    disk_hits: int  #: kernels that the disk cache had
    remote_hits: int  #: kernels that the cache behind that on disk had, such as one in Redis
    remote_misses: int  #: how often that cache was asked in vain
    tuning_runs: int  #: how often `triton.autotune` measured configurations
    tuning_ms: float  #: what that took, with the compilations of the configurations
    tuning_hits: int  #: how often timings on disk spared that
    interpolations: int  #: keys of tuned kernels whose choice follows from keys around them
    module_loads: int  #: how often a kernel was loaded on a GPU
    load_ms: float  #: what that took
    waits: int  #: launches that waited for their variant
    wait_ms: float  #: what they waited
    fallbacks: int  #: launches of a new class that the generic variant ran instead (TRITON_FALLBACK)
    frozen_launches: int  #: launches that `triton.freeze` refused or reported
    compilations_of: dict  #: {kernel: number}
    misses_of: dict  #: {(kernel, reason): number}
    events: tuple  #: the last 256 misses in memory, as `Event`

    def __sub__(self, before):
        """What happened since ``before``. ``events`` are those of this snapshot alone."""
        return Snapshot(
            **{
                field.name: _difference(getattr(self, field.name), getattr(before, field.name))
                for field in dataclasses.fields(self)
            }
        )


def _difference(now, before):
    if isinstance(now, dict):
        differences = {name: number - before.get(name, 0) for name, number in now.items()}
        return {name: number for name, number in differences.items() if number}
    if isinstance(now, tuple):
        seen = {id(event) for event in before}
        return tuple(event for event in now if id(event) not in seen)
    return now - before


_load_base = (0, 0)  # the numbers of loads at the last `reset`


def snapshot():
    """The `Snapshot` of this moment."""
    numbers, compilations, misses, events = _counts.read()
    loads, nanoseconds = _C.load_count()

    def milliseconds(name):
        return numbers.get(name, 0) * 1e3

    counts = ("disk_hits", "remote_hits", "remote_misses", "tuning_runs", "tuning_hits", "waits", "fallbacks")
    counts += ("frozen_launches", "bundle_hits", "interpolations")
    return Snapshot(
        compilations=sum(compilations.values()),
        compile_ms=milliseconds("compile_seconds"),
        memory_misses=sum(misses.values()),
        tuning_ms=milliseconds("tuning_seconds"),
        module_loads=loads - _load_base[0],
        load_ms=(nanoseconds - _load_base[1]) / 1e6,
        wait_ms=milliseconds("wait_seconds"),
        compilations_of=compilations,
        misses_of=misses,
        events=events,
        **{name: numbers.get(name, 0) for name in counts},
    )


def reset():
    """Begins to count from zero."""
    global _load_base
    _load_base = _C.load_count()
    _counts.reset()


# ---- For collectors ----


def _series():
    """(name of the metric, what it is, [(labels, number)]) of each counter; durations are in seconds."""
    now = snapshot()
    caches = [("bundle", now.bundle_hits), ("disk", now.disk_hits), ("remote", now.remote_hits)]
    missed = [("disk", now.compilations + now.remote_hits), ("remote", now.remote_misses)]
    return [
        (
            "triton_compilations_total",
            "Kernels that were compiled.",
            [({"kernel": kernel}, number) for kernel, number in sorted(now.compilations_of.items())] or [({}, 0)],
        ),
        ("triton_compilation_seconds_total", "What compilations took.", [({}, now.compile_ms / 1e3)]),
        (
            "triton_memory_misses_total",
            "Launches and warm-ups whose variant was not in memory, by what the nearest variant lacks.",
            [({"kernel": kernel, "reason": why}, number) for (kernel, why), number in sorted(now.misses_of.items())]
            or [({}, 0)],
        ),
        ("triton_cache_hits_total", "Kernels that a cache had.", [({"cache": name}, n) for name, n in caches]),
        ("triton_cache_misses_total", "Kernels that a cache lacked.", [({"cache": name}, n) for name, n in missed]),
        ("triton_tuning_runs_total", "Tuning runs.", [({}, now.tuning_runs)]),
        ("triton_tuning_hits_total", "Tuning runs that the cache spared.", [({}, now.tuning_hits)]),
        ("triton_interpolations_total", "Choices for keys between those tuned.", [({}, now.interpolations)]),
        ("triton_tuning_seconds_total", "What tuning runs took.", [({}, now.tuning_ms / 1e3)]),
        ("triton_module_loads_total", "Loads of kernels on GPUs.", [({}, now.module_loads)]),
        ("triton_module_load_seconds_total", "What these loads took.", [({}, now.load_ms / 1e3)]),
        ("triton_launch_waits_total", "Launches that waited for their variant.", [({}, now.waits)]),
        ("triton_launch_wait_seconds_total", "What launches waited for variants.", [({}, now.wait_ms / 1e3)]),
        ("triton_fallbacks_total", "Launches of a new class that the generic variant ran.", [({}, now.fallbacks)]),
        ("triton_frozen_launches_total", "Launches that triton.freeze refused.", [({}, now.frozen_launches)]),
    ]


def _escaped(text):
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def prometheus():
    """All counters in the text format of Prometheus, version 0.0.4, as an endpoint ``/metrics`` returns it."""
    lines = []
    for name, what, rows in _series():
        lines += [f"# HELP {name} {what}", f"# TYPE {name} counter"]
        for labels, number in rows:
            text = ",".join(f'{label}="{_escaped(value)}"' for label, value in labels.items())
            lines.append(f"{name}{{{text}}} {number}" if text else f"{name} {number}")
    return "\n".join(lines) + "\n"


def opentelemetry(meter=None):
    """Makes the counters instruments of a meter of OpenTelemetry, which reads them when it exports. By default the
    meter is ``opentelemetry.metrics.get_meter("triton")``. ImportError where the package `opentelemetry-api`, which is
    not a requirement of this one, is not installed."""
    try:
        from opentelemetry import metrics
    except ImportError as error:
        raise ImportError(
            "`triton.monitor.opentelemetry` needs the package `opentelemetry-api`: pip install opentelemetry-api"
        ) from error
    meter = metrics.get_meter("triton") if meter is None else meter

    def observe(index):
        return lambda options: [metrics.Observation(number, labels) for labels, number in _series()[index][2]]

    for index, (name, what, _) in enumerate(_series()):
        unit = "s" if "_seconds_" in name else "1"
        own_name = name.removesuffix("_total").replace("triton_", "triton.", 1)
        meter.create_observable_counter(own_name, callbacks=[observe(index)], unit=unit, description=what)


# ---- Why the disk cache lacked a kernel ----


def explain(event):
    """Why the caches lacked the kernel of an `Event` whose origin is "compiled": {fact: (what it is here, what it is in
    the nearest entry)} of the entries for the kernel's name in the disk cache now. Empty if all facts that entries have
    are the same: then the text of the kernel or of what it calls, a constant, or the build of the compiler is another.
    None if there is no entry to compare with. ValueError for an event without an entry of its own."""
    entries = {} if event.hash is None else _entries(event)
    own = entries.pop(event.hash, None)
    if own is None:
        raise ValueError(f"the disk cache `{knobs.cache.dir}` has no entry for this event of `{event.kernel}`")
    differences = [
        {name: (own.get(name), other.get(name)) for name in {**own, **other} if own.get(name) != other.get(name)}
        for other in entries.values()
    ]
    return min(differences, key=len) if differences else None


def _entries(event):
    """{hash: facts} of the kernel's entries in the disk cache."""
    own_folder = os.path.join(knobs.cache.dir, _C.cache_folder_name(event.hash))
    names = [name for name in os.listdir(own_folder) if name.endswith(".json")] if os.path.isdir(own_folder) else []
    entries = {}
    for folder in os.scandir(knobs.cache.dir) if names else ():
        data = _C.read_private_file(folder.path, names[0]) if folder.is_dir() else None
        try:
            facts = json.loads(data) if data else {}
        except ValueError:
            continue
        if (key := facts.pop("hash", None)) is not None:
            entries[key] = _compared(facts)
    return entries


#: What follows from the code is not part of the key.
_RESULTS = ("shared", "scratch_bytes", "launch_warps", "blocks", "tensor_maps", "disjoint_pairs", "messages", "n_regs")
_RESULTS += ("n_spills", "resources", "llir_path")


def _compared(facts):
    """The facts of an entry by names that say what they are."""
    compared = {name: value for name, value in facts.items() if name not in _RESULTS and name != "signature"}
    for argument in facts.get("signature", ()):
        divisible = f", divisible by {argument['divisibility']}" if argument.get("divisibility", 1) != 1 else ""
        compared[f"argument {argument.get('name')}"] = f"{argument.get('type')}{divisible}"
    return compared
