"""Loads, stores and atomic operations of Gluon, through pointers."""

from ....runtime.interpreter import accesses
from ....runtime.interpreter.operators import add_pointer
from ....runtime.interpreter.registry import GLUON, IMPLEMENTATIONS, implements_in_gluon
from ....runtime.interpreter.values import plain, to_tensor


@implements_in_gluon()
def load(pointer, mask=None, other=None, cache_modifier=None, eviction_policy=None, volatile=False, cache_policy=None):
    return accesses.load(pointer, mask, other)


@implements_in_gluon()
def store(pointer, value, mask=None, cache_modifier=None, eviction_policy=None, cache_policy=None):
    accesses.store(pointer, value, mask)


def _given(value):
    return None if plain(value) is None else value


@implements_in_gluon()
def amd_cdna3_buffer_load(ptr, offsets, mask=None, other=None, cache=None):
    return accesses.load(add_pointer(ptr, offsets, "+"), _given(mask), _given(other))


@implements_in_gluon()
def amd_cdna3_buffer_store(stored_value, ptr, offsets, mask=None, cache=None):
    accesses.store(add_pointer(ptr, offsets, "+"), stored_value, _given(mask))


def _register_atomic(operation):
    def atomic(ptr, offsets, value, mask=None, sem=None, scope=None):
        pointer = add_pointer(ptr, to_tensor(offsets), "+")
        return IMPLEMENTATIONS[f"atomic_{operation}"](pointer, value, _given(mask))

    GLUON[f"amd_cdna3_buffer_atomic_{operation}"] = atomic


for _operation in accesses.ATOMICS:
    _register_atomic(_operation)
