"""Arrays that end, or begin, exactly at memory which must not be touched."""

import ctypes
import mmap

import numpy as np

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


class GuardedArray:
    """An array between two pages that fault on any access, flush with the second one (or with the first)."""

    def __init__(self, values, at_start=False):
        values = np.ascontiguousarray(values)
        page = mmap.PAGESIZE
        pages = max(1, -(-values.nbytes // page))
        self._map = mmap.mmap(-1, (pages + 2) * page)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        for guard in (start, start + (pages + 1) * page):
            if _libc.mprotect(guard, page, 0) != 0:
                raise OSError(ctypes.get_errno(), "mprotect failed")
        offset = page if at_start else (pages + 1) * page - values.nbytes
        self.array = np.frombuffer(self._map, values.dtype, values.size, offset).reshape(values.shape)
        self.array[...] = values


def guarded(values, at_start=False):
    """The values in guarded memory; the mapping lives as long as the array."""
    return GuardedArray(values, at_start).array
