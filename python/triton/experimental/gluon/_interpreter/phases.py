"""The state of a barrier, which lies in its eight bytes: a debugger sees who changed it last, and can go back."""

import dataclasses

import numpy as np

from ....language import dtypes as types
from ....runtime.interpreter.accesses import read

_BITS, _BYTES_BITS = 20, 22
MOST, _NO_BYTES = (1 << _BITS) - 1, 1 << (_BYTES_BITS - 1)
#: What memory has where there is not a barrier.
INVALID = np.uint64(2**64 - 1)


@dataclasses.dataclass
class State:
    """``missing`` of ``count`` arrivals, and so many bytes of copies, are missing in the phase."""

    phase: int
    count: int
    missing: int
    bytes: int = 0

    def packed(self):
        fields = self.phase << 2 * _BITS + _BYTES_BITS | self.bytes + _NO_BYTES << 2 * _BITS
        return np.uint64(fields | self.count << _BITS | self.missing)

    @classmethod
    def unpacked(cls, word):
        word, most = int(word), (1 << _BYTES_BITS) - 1
        fields = word >> 2 * _BITS
        return cls(fields >> _BYTES_BITS, word >> _BITS & MOST, word & MOST, (fields & most) - _NO_BYTES)

    def __str__(self):
        bytes_ = f" and {self.bytes} bytes" if self.bytes else ""
        return f"waits for {self.missing} of {self.count} arrivals{bytes_} in a phase of parity {self.phase}"


def state_at(address):
    """The state of the barrier at an address, or None if there is none."""
    (word,) = read(np.array([address], np.uint64), types.uint64)
    return None if word >> np.uint64(63) else State.unpacked(word)
