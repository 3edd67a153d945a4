"""Scratch memory for kernels that ask for it on a device."""

import contextvars


class NullAllocator:
    """Stands for no allocator: being asked is an error."""

    def __call__(self, size, alignment, stream):
        raise RuntimeError("a kernel needs scratch memory, but no allocator is set; call triton.set_allocator first")


_NULL_ALLOCATOR = NullAllocator()
_allocator = contextvars.ContextVar("allocator", default=_NULL_ALLOCATOR)
_profile_allocator = _NULL_ALLOCATOR


def set_allocator(allocator):
    """Sets ``allocator(size, alignment, stream)``, whose result has ``data_ptr()``, for this context."""
    _allocator.set(_NULL_ALLOCATOR if allocator is None else allocator)


def set_profile_allocator(allocator):
    """Sets the allocator of memory for what profilers record, for all contexts; None removes it."""
    global _profile_allocator
    _profile_allocator = _NULL_ALLOCATOR if allocator is None else allocator


def has_profile_allocator():
    return _profile_allocator is not _NULL_ALLOCATOR


def allocate(size, alignment, stream=None):
    return _allocator.get()(size, alignment, stream)


def __getattr__(name):
    if name not in ("Allocator", "Buffer"):
        raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
    from . import _allocation_types  # needs `typing`

    return getattr(_allocation_types, name)
