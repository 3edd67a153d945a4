"""A table of functions that instruments register for named points. Code that has such a point calls `instrument` there.

The stages of this compiler are native code and have no points of their own; programs may have.
"""

_callbacks = {}


def register_instrumentation(*, point, backend, callback):
    """Lets ``callback(*args)`` be called at the point of the backend."""
    if (point, backend) in _callbacks:
        raise RuntimeError(f"the point `{point}` of the backend `{backend}` has an instrumentation already")
    _callbacks[point, backend] = callback


def unregister_instrumentation(*, point, backend):
    _callbacks.pop((point, backend), None)


def instrument(*args, point, backend, context=None):
    """Calls what is registered for the point. Whether there was something."""
    callback = _callbacks.get((point, backend))
    if callback is None:
        return False
    callback(*args)
    return True


def is_enabled(options, name):
    """Whether the comma-separated ``instrumentation_mode`` of a launch's options holds the name."""
    return name in [mode.strip() for mode in options.instrumentation_mode.split(",")]
