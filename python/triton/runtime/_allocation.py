"""Scratch memory for kernels that ask for it on a device."""

import contextvars

_allocator = contextvars.ContextVar("allocator", default=None)


def set_allocator(allocator):
    """Sets ``allocator(size, alignment, stream)``, whose result has ``data_ptr()``, for this context."""
    _allocator.set(allocator)


def allocate(size, alignment, stream=None):
    allocator = _allocator.get()
    if allocator is None:
        raise RuntimeError("a kernel needs scratch memory, but no allocator is set; call triton.set_allocator first")
    return allocator(size, alignment, stream)
