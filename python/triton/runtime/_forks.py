"""Forks beside threads that compile. A child has one thread: no lock may be held by another when it begins."""

import _imp
import os
import sys
import threading

from .. import _C


def register():
    """Makes each fork wait for what other threads do under locks that the child needs."""
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=lambda: _C.release_compilations(False),
        after_in_child=_in_child,
    )


def _before_fork():
    _C.hold_compilations()
    waiting_for_this_thread = set()
    while locks := set(_import_locks_of_other_threads().values()) - waiting_for_this_thread:
        for lock in locks:
            try:
                lock.acquire()
                lock.release()
            except RuntimeError:  # Python has found a deadlock: this thread forks while a module is imported
                waiting_for_this_thread.add(lock)


def _in_child():
    """Lets the child do again what other threads have begun to import while the fork began: nobody would end it."""
    for name in _import_locks_of_other_threads():
        del _module_locks()[name]
        if getattr(getattr(sys.modules.get(name), "__spec__", None), "_initializing", False):
            del sys.modules[name]
    _C.release_compilations(True)


def _module_locks():
    """{name: weak reference to a lock} of the modules that are being imported."""
    return getattr(sys.modules["_frozen_importlib"], "_module_locks", {})


def _import_locks_of_other_threads():
    """{name: lock} of the modules of this package, of NumPy and of Python that other threads are importing. The import
    of another package may wait for the thread that forks. `sys.modules` does not show: a module is there only after its
    file has been found. Nobody takes such a lock without the one of `_imp`, for which a fork would wait, and let others
    go on: it is free when this returns."""
    packages = {"triton", "numpy", *sys.stdlib_module_names}
    _imp.acquire_lock()
    try:
        found = {name: lock() for name, lock in _module_locks().items() if name.partition(".")[0] in packages}
        return {
            name: lock
            for name, lock in found.items()
            if lock is not None and lock.owner != threading.get_ident() and not _is_free(lock)
        }
    finally:
        _imp.release_lock()


def _is_free(lock):
    """Whether nobody has the lock, or is about to take or to release it under the lock of its own members."""
    if not lock.lock.acquire(False):
        return False
    lock.lock.release()
    return lock.owner is None
