"""The memory of a launch under the debugger: it knows who wrote what, and can go back."""

import dataclasses
import sys

import numpy as np

from ..runtime.interpreter import formats
from ..runtime.interpreter.memory import Memory
from ..runtime.interpreter.places import is_kernel, place_of

#: How many bytes of addresses and values are kept of writes by programs that have ended.
_MOST_BYTES = 2**28


@dataclasses.dataclass(eq=False, slots=True)
class Write:
    """What one statement has stored, and what was there before."""

    addresses: np.ndarray
    values: np.ndarray
    size: int  # of an element, in bytes
    file: str
    line: int
    program: tuple
    step: int  # of the program, from 1; 0 where steps are not counted
    before: list  # [(memory, indices, elements)]

    def bytes(self):
        return self.addresses.nbytes + self.values.nbytes

    def reaches(self, address, size):
        """Which elements lie in these bytes."""
        return (self.addresses < np.uint64(address + size)) & (self.addresses + np.uint64(self.size) > address)


class JournalMemory(Memory):
    def __init__(self):
        super().__init__()
        self.writes, self.program, self.step = [], (0, 0, 0), 0
        self.watched = {}  # {(address, size): identity}: the bytes whose change stops the program
        self._changed, self._oldest = None, 0
        self._is_open, self._bytes = True, 0  # of writes before the oldest
        self.has_forgotten = False

    def begin_program(self, program):
        """What earlier programs have written stays, within bounds."""
        for write in self.writes[self._oldest :]:
            write.before = []
            self._bytes += write.bytes()
        self._forget()
        self.program, self.step, self._oldest = program, 0, len(self.writes)

    def _forget(self):
        """Drops the first writes where there are too many."""
        count = 0
        while self._bytes > _MOST_BYTES:
            self._bytes -= self.writes[count].bytes()
            count += 1
        if count:
            del self.writes[:count]
            self.has_forgotten = True

    def close(self):
        """Nobody will ask any more."""
        self.writes, self.watched, self._oldest, self._bytes, self._is_open = [], {}, 0, 0, False

    def store(self, addresses, values):
        if not self._is_open:
            super().store(addresses, values)
            return
        before = [
            (view, indices, view[indices]) for view, indices, _ in self._places(addresses, values.dtype, "writes")
        ]
        super().store(addresses, values)
        file, line, *_ = place_of(sys._getframe(1), is_kernel) or ("", 0)
        write = Write(addresses, values, values.dtype.itemsize, file, line, self.program, self.step, before)
        self.writes.append(write)
        for place, identity in self.watched.items():
            if write.reaches(*place).any():
                self._changed = identity

    def take_changed(self):
        """The watched bytes that were written since the last call, or None."""
        changed, self._changed = self._changed, None
        return changed

    def mark(self):
        return len(self.writes)

    def undo_to(self, mark):
        """Makes the memory what it was when ``mark()`` gave this mark."""
        for write in reversed(self.writes[mark:]):
            for view, indices, elements in write.before:
                view[indices] = elements
        del self.writes[mark:]
        self._changed = None

    def last_write(self, address, size):
        """(the last write that reaches these bytes, the number of its element there), or None. Memory of a program's
        own has not been written by those before."""
        region = self._region_of(address, address + size)
        for write in reversed(self.writes):
            if region is not None and region.is_of_program and write.program != self.program:
                return None
            reached = np.flatnonzero(write.reaches(address, size))
            if reached.size:
                return write, int(reached[-1])
        return None

    def name_of(self, address, size):
        """An address as users write it: the argument and the element, or how far it is outside of one."""
        region = self._region_of(address, address + size)
        if region is not None:
            element, rest = divmod(address - region.address, size)
            return f"{region.name}[{element}]" if rest == 0 else f"{region.name} + {address - region.address} bytes"
        region = self._nearest(address)
        if region is None:
            return f"{address:#x}, outside of all arrays"
        return f"{region.name} + {address - region.address} bytes, outside of its {region.size} bytes"

    def ranges_of(self, addresses, size):
        """Where an array of addresses lies, by argument: a text."""
        texts, known = [], 0
        for region in self._regions:
            inside = (addresses >= np.uint64(region.address)) & (
                addresses + np.uint64(size) <= np.uint64(region.address + region.size)
            )
            if not inside.any():
                continue
            known += int(inside.sum())
            first, last = (self.name_of(int(end(addresses[inside])), size) for end in (np.min, np.max))
            texts.append(first if first == last else f"{first} to {last}")
        if known < addresses.size:
            texts.append(f"{addresses.size - known} outside of all arrays")
        return ", ".join(texts)

    def peek(self, address, element):
        """The element at an address as an array without dimensions, or None outside of all arrays."""
        storage = formats.storage_type(element)
        if self._region_of(address, address + storage.itemsize) is None:
            return None
        return formats.decode(self.load(np.array([address], np.uint64), storage), element).reshape(())
