"""Sessions."""

import functools

from .. import _C, knobs
from .._differences import tell_of_settings
from .._toolkit import add_cupti
from . import flags, metric
from .hooks import Hook, HookManager, LaunchHook
from .mode import BaseMode

DEFAULT_PROFILE_NAME = "proton"

#: The backend for kernels of a target's backend.
_BACKENDS = {"cuda": "cupti", "hip": "roctracer", "cpu": "cpu"}


def _select_backend():
    from ..backends.active import driver

    target = driver.active.get_current_target().backend
    if target.startswith("sim:"):
        return "simulator"
    if target not in _BACKENDS:
        raise ValueError(f"there is no backend of the profiler for the target `{target}`; give one by `backend`")
    return _BACKENDS[target]


def _tell_launches():
    """Notes what the sessions want of scopes and of kernels."""
    flags.profiling_on = _C.profiler.has_sessions()
    flags.instrumentation_on = bool(_C.profiler.instrumentation())
    knobs.runtime._changed()


def _find_hook(hook):
    if hook is None or isinstance(hook, Hook):
        return hook
    if hook == "triton":
        return LaunchHook()
    raise ValueError(f'`{hook}` is not a hook; give "triton" or an object of a class that derives from Hook')


def start(name=None, *, context="shadow", data="tree", backend=None, mode=None, hook=None):
    """Starts a session, which writes the profile ``name``, and returns its number; or None under the command `proton`
    and where TRITON_PROTON_DISABLE is set.

    ``context``: launches belong to scopes (`shadow`) or to the calls of Python (`python`).
    ``data``: sums in a tree of calls (`tree`), or events with their times (`trace`).
    ``backend``: `cupti`, `roctracer` or `rocprofiler`, which are one, `cpu`, `simulator`, `instrumentation`; by default
    that of the active device.
    ``mode``: a text such as "periodic_flushing:format=hatchet_msgpack", or an object of `triton.profiler.mode`.
    ``hook``: "triton" takes metrics from the ``launch_metadata`` of kernels; or a `Hook`.
    """
    if flags.command_line or knobs.proton.disable:
        return None
    return start_session(name, context, data, backend, mode, hook)


def start_session(name, context, data, backend, mode, hook):
    """As `start`, also under the command `proton`."""
    tell_of_settings("profiler")
    name = DEFAULT_PROFILE_NAME if name is None else str(name)
    found = _find_hook(hook)
    backend = _select_backend() if backend is None else str(backend).lower()
    if backend == "cupti":
        add_cupti()
    if isinstance(mode, BaseMode):
        mode = str(mode)
    if not isinstance(mode, (str, type(None))):
        raise TypeError(f"the mode is a `{type(mode).__name__}`; give a text or an object of triton.profiler.mode")
    session = _C.profiler.start(name, str(context), str(data), backend, mode or "")
    _tell_launches()
    if found is not None:
        HookManager.register(found, session)
    return session


def activate(session=None):
    """Continues a session, or all sessions."""
    if flags.command_line and session is None:
        return
    _C.profiler.activate(session)
    HookManager.activate(session)
    _tell_launches()


def deactivate(session=None, flushing=False):
    """Interrupts a session, or all sessions. ``flushing``: waits for what devices still do, so that it is recorded."""
    if flags.command_line and session is None:
        return
    HookManager.deactivate(session)
    if flushing:
        metric.resolve()
    _C.profiler.deactivate(session, flushing)
    _tell_launches()


def finalize(session=None, output_format=""):
    """Ends a session, or all sessions, and writes the profile: `<name>.hatchet` for a tree, `<name>.chrome_trace` for a
    trace, or in the format `hatchet_msgpack`."""
    if flags.command_line and session is None:
        return
    finalize_session(session, output_format)


def finalize_session(session=None, output_format=""):
    """As `finalize`, also under the command `proton`."""
    metric.resolve()
    try:
        _C.profiler.finalize(session, output_format)
    finally:  # a session whose file cannot be written is gone, one that was asked for a wrong format is not
        _tell_launches()
        HookManager.unregister(*(each for each in list(HookManager.session_hooks) if not _C.profiler.has_session(each)))


def profile(func=None, *, name=None, context="shadow", data="tree", backend=None, mode=None, hook=None):
    """A decorator: each call of the function is a session of its own."""
    if func is None:
        return functools.partial(profile, name=name, context=context, data=data, backend=backend, mode=mode, hook=hook)

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        session = start(name, context=context, data=data, backend=backend, mode=mode, hook=hook)
        try:
            return func(*args, **kwargs)
        finally:
            if session is not None:
                finalize(session)

    return wrapper
