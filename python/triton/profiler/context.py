"""Where the program is."""

from .. import _C


def depth(session=0):
    """How many scopes are open on this thread; in a session with the context `python`, how many calls. None without a
    session."""
    return None if session is None else _C.profiler.context_depth(session)
