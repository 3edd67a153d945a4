"""What the simulator needs to know of a launch's arrays: the memory that kernels may access through them."""

import contextlib
import weakref

from .. import _C
from .._memory import memory_of

_accessible = []


def _owner_of(array):
    """The object that owns an array's memory, or None if its end cannot be observed."""
    while getattr(getattr(array, "base", None), "__array_interface__", None) is not None:
        array = array.base
    return array if hasattr(array, "__weakref__") or hasattr(type(array), "__array_interface__") else None


def _announce():
    _C.set_accessible_memory([tuple(entry) for entry in _accessible])


def _free(entry):
    entry[2] = False
    _announce()


@contextlib.contextmanager
def accessible_ranges(ranges):
    """A context in which simulated kernels may access memory, given as (address, bytes, whether it lives)."""
    before = list(_accessible)
    _accessible.extend(map(list, ranges))
    _announce()
    try:
        yield
    finally:
        _accessible[:] = before
        _announce()


@contextlib.contextmanager
def accessible_memory(*arrays):
    """A context in which simulated kernels may access ``arrays`` although these are not arguments of the launch.
    Examples are arrays that a table of pointers refers to, and arrays behind objects that have only an address. An
    array that is freed within the context counts as freed. Other devices ignore this."""
    before = list(_accessible)
    watches = []
    for array in arrays:
        entry = [*memory_of(array), True]  # address, bytes, whether it lives
        _accessible.append(entry)
        if (owner := _owner_of(array)) is not None:
            watches.append(weakref.finalize(owner, _free, entry))
        del array, owner
    del arrays
    _announce()
    try:
        yield
    finally:
        for watch in watches:
            watch.detach()
        _accessible[:] = before
        _announce()
