"""The program of a kernel in Gluon that runs: its groups of warps, and its buffers."""

import contextlib
import sys

import numpy as np

from ....runtime.interpreter.accesses import InterpretedDescriptor
from ....runtime.interpreter.places import is_kernel, place_of
from .copies import BlockDescriptor
from .groups import Groups
from .layouts import with_layouts

_ALIGNMENT = 1024
#: All bits of memory that nobody has written, which is NaN in floats.
_UNWRITTEN = 0xFF


class ProgramInGluon:
    def __init__(self, builder):
        self.builder = builder
        self._allocations, self._count = {}, 0  # {(its number in the program, bytes): array}
        self.begin()

    def begin(self):
        """Another program begins, or one again. Its buffers have the places of the last one's."""
        self.groups, self._count = Groups(self.builder, self.builder.options.num_warps), 0

    @contextlib.contextmanager
    def aside(self):
        """For expressions that the program does not have: no other group runs, and buffers that they make are gone."""
        count, self.groups.is_aside = self._count, True
        try:
            yield
        finally:
            self._count, self.groups.is_aside = count, False

    @property
    def warps(self):
        """Those of the group that runs."""
        return self.groups.running.warps

    def allocate(self, size):
        """The address of so many bytes of shared memory."""
        key = self._count, size
        memory = self._allocations.setdefault(key, np.empty(size + _ALIGNMENT, np.uint8))
        self._count += 1
        memory[:] = _UNWRITTEN
        address = -(-memory.ctypes.data // _ALIGNMENT) * _ALIGNMENT
        place = place_of(sys._getframe(1), is_kernel)
        self.builder.memory.add_of_program(address, size, f"buffer of line {place[1]}" if place else "buffer")
        return address

    @staticmethod
    def descriptor(handle, value):
        """The value of a descriptor that the launch passes."""
        return BlockDescriptor(handle, value.layout) if hasattr(value, "layout") else InterpretedDescriptor(handle)

    def finish(self, name, function, args, kwargs, result):
        """The results of a function with their layouts."""
        return with_layouts(name, function, args, kwargs, result)
