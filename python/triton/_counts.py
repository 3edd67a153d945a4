"""What happened in this process that `triton.monitor` reports. Only what is slow anyway counts here; launches of
variants that are in memory do not come by. A forked process goes on with the numbers of its parent."""

import collections
import os
import threading

Event = collections.namedtuple(
    "Event", ["kernel", "place", "is_warmup", "origin", "milliseconds", "reason", "differences", "hash"]
)
Event.__doc__ = """A launch, or a warm-up, that did not find its variant in memory.

``place`` is "file:line" of the call. ``origin`` says where the variant came from: "compiled", "bundle", "disk",
"remote" (a cache behind that on disk), "preloaded", "elsewhere" (another process, or a backend of another package) or
"generic" (the variant without facts about values runs it, while its own is made); "failed" where there is none.
``reason`` is one word for what the nearest variant in memory lacks: "first" (there is none), "type", "divisibility",
"value", "option", "memory" (arrays that overlap), "settings" (nothing that a variant knows), or none where it was in
memory after all.
``differences`` maps names of parameters and options to what they are here and in the nearest variant. ``hash`` names
the entry in the caches.
"""

_EVENTS = 256

numbers = collections.Counter()
compilations = collections.Counter()  # by the kernel's name
misses = collections.Counter()  # in memory, by kernel and reason
events = collections.deque(maxlen=_EVENTS)
_unfinished = collections.deque()  # what makes further events
_from_remote = set()  # hashes of what a cache behind that on disk has just given
_lock = threading.Lock()


def _renew_lock():
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)  # a thread of the parent may have held it


def add(**amounts):
    with _lock:
        numbers.update(amounts)


def read():
    """Copies of all of it: (numbers, compilations, misses, events)."""
    finish()
    with _lock:
        return dict(numbers), dict(compilations), dict(misses), tuple(events)


def asked_remote(key, is_found):
    """A cache behind that on disk was asked for a kernel."""
    with _lock:
        numbers["remote_hits" if is_found else "remote_misses"] += 1
        if is_found:
            _from_remote.add(key)


def got_kernel(name, key, is_from_cache, is_from_bundle, seconds):
    """The compiler has given a kernel. Returns its origin, as events have it."""
    with _lock:
        if is_from_bundle:
            numbers["bundle_hits"] += 1
            return "bundle"
        is_remote = key in _from_remote
        _from_remote.discard(key)
        if is_from_cache:
            numbers["disk_hits"] += not is_remote
            return "remote" if is_remote else "disk"
        compilations[name] += 1
        numbers["compile_seconds"] += seconds
        return "compiled"


def finish():
    """Makes the events that `note_later` has left out."""
    while (make := _next_unfinished(0)) is not None:
        _note(make())


def _next_unfinished(most):
    with _lock:
        return _unfinished.popleft() if len(_unfinished) > most else None


def note_later(make):
    """Lets ``make()`` return the event when somebody reads it, or some others were noted: for launches that shall not
    take longer."""
    _unfinished.append(make)
    if len(_unfinished) > _EVENTS and (oldest := _next_unfinished(_EVENTS)) is not None:
        _note(oldest())


def note(event):
    finish()
    _note(event)


def _note(event):
    with _lock:
        events.append(event)
        if event.origin != "preloaded":
            misses[event.kernel, event.reason] += 1
        if event.origin == "generic":
            numbers["fallbacks"] += 1
        elif not event.is_warmup:
            numbers["waits"] += 1
            numbers["wait_seconds"] += event.milliseconds / 1e3


def reset():
    with _lock:
        for each in (numbers, compilations, misses, events, _unfinished, _from_remote):
            each.clear()
