"""Memory that the allocator keeps after it was freed. Launches run on threads of their own, and allocators of the C
library have a heap for each; of arrays that come and go, these keep more with each launch."""

import ctypes
import os

#: So much more than after the last time is looked at.
_STEP = 1 << 27


def _resident():
    with open("/proc/self/statm") as numbers:
        return int(numbers.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class FreedMemory:
    """Gives freed memory back to the system when the process has grown."""

    def __init__(self):
        self._give_back = (
            getattr(ctypes.CDLL(None), "malloc_trim", None) if os.path.exists("/proc/self/statm") else None
        )
        self._limit = 0

    def look(self):
        if self._give_back is not None and _resident() > self._limit:
            self._give_back(0)
            self._limit = _resident() + _STEP
