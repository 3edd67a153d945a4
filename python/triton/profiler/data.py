"""What a session has recorded so far. A phase is what lies between two calls of `advance_phase`."""

import json

from .. import _C
from . import metric


def get(session=0, phase=0):
    """A phase as `finalize` would write it, as Python objects."""
    if session is None:
        return None
    metric.resolve()
    return json.loads(_C.profiler.phase_json(session, phase))


def get_msgpack(session=0, phase=0):
    """A phase in MessagePack."""
    if session is None:
        return None
    metric.resolve()
    return _C.profiler.phase_msgpack(session, phase)


def advance_phase(session):
    """Begins the next phase and returns its number."""
    return None if session is None else _C.profiler.advance_phase(session)


def is_phase_complete(session, phase):
    """Whether the phase has ended, and so has everything that was launched in it."""
    return False if session is None else _C.profiler.is_phase_complete(session, phase)


def clear(session=0, phase=0, clear_up_to_phase=False):
    """Forgets a phase; with `clear_up_to_phase` those before it, too."""
    if session is not None:
        _C.profiler.clear_phase(session, phase, clear_up_to_phase)
