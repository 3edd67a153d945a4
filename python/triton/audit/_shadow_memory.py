"""The memory of a launch with shadows: what it would hold if every operation were computed in float64."""

import numpy as np

from ..runtime.interpreter import formats
from ..runtime.interpreter.memory import Memory

#: The first shadow is computed from the values that the launch reads. The others are computed from values that differ
#: from these by up to half a unit in the last place: what they show is a matter of the values, not of the kernel.
SHADOWS = 4


def half_unit(dtype):
    """Half a unit in the last place of 1."""
    return 2.0 ** -(dtype.fp_mantissa_width + 1)


def as_float64(data):
    with np.errstate(all="ignore"):
        return np.asarray(data).astype(np.float64)


def disturbed(values, dtype, number, keys):
    """The values for a shadow, moved by a quarter to half of a unit in the last place of ``dtype``. Equal keys move
    values alike."""
    if number == 0 or dtype.is_fp64():
        return values
    with np.errstate(all="ignore"):  # NumPy warns of scalars that wrap around
        bits = (np.asarray(keys).astype(np.uint64) + np.uint64(number << 40)) * np.uint64(0x9E3779B97F4A7C15)
        bits = (bits ^ (bits >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
        part = ((bits >> np.uint64(40)).astype(np.float64) / 2.0**24 + 1) / 2
        sign = np.where(bits & np.uint64(1 << 20), 1.0, -1.0)
        return values * (1 + sign * part * half_unit(dtype))


class _Table:
    """The shadows of one array's elements. They hold while the memory has the bits that were seen last."""

    def __init__(self, count, storage, number):
        self.values = np.empty((SHADOWS, count))
        self.seen, self.is_known = np.empty(count, storage), np.zeros(count, bool)
        self.number, self.unit = number, 0.0


class ShadowMemory(Memory):
    """While a shadow is computed, loads and stores take its values, as float64, for elements of type ``element``."""

    def __init__(self):
        super().__init__()
        self.shadow = self.element = None
        self.unit = 0.0  # of what is stored, or was loaded
        self.rounds = False  # whether a store narrows: that is the kernel's choice, and so is what follows from it
        self._tables = {}
        self.clear()

    def clear(self):
        """Forgets what was loaded and which elements were stored."""
        self.unit = 0.0
        self.stored = []  # (addresses, bits)
        self.shadows_stored = [[] for _ in range(SHADOWS)]

    def _tables_of(self, addresses, storage):
        for view, indices, chosen in self._places(addresses, np.dtype(storage), "reads"):
            key = id(view), self.element.name  # the region keeps the view
            if key not in self._tables:
                self._tables[key] = _Table(view.size, view.dtype, len(self._tables))
            yield self._tables[key], view, indices, chosen

    @staticmethod
    def _bits(values):
        """For comparisons, in which a NaN equals itself."""
        return np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")

    def _refresh(self, table, view, indices):
        """Gives elements that this launch has not written, or has written as another type, the shadows of inputs."""
        held = view[indices]
        stale = ~(table.is_known[indices] & (self._bits(table.seen[indices]) == self._bits(held)))
        if stale.any():
            places, values = indices[stale], as_float64(formats.decode(held[stale], self.element))
            for number in range(SHADOWS):
                keys = places.astype(np.uint64) + np.uint64(table.number << 32)
                table.values[number, places] = disturbed(values, self.element, number, keys)
            table.seen[places], table.is_known[places] = held[stale], True

    def load(self, addresses, dtype):
        if self.shadow is None or dtype != np.float64:
            return super().load(addresses, dtype)
        result = np.empty(addresses.shape)
        for table, view, indices, chosen in self._tables_of(addresses, formats.storage_type(self.element)):
            self._refresh(table, view, indices)
            result[chosen] = table.values[self.shadow, indices]
            self.unit = max(self.unit, table.unit)
        return result

    def store(self, addresses, values):
        """Shadows are stored before the values themselves."""
        if self.shadow is None:
            super().store(addresses, values)
            if self.element is not None:
                self.stored.append((addresses, values))
                for table, view, indices, _ in self._tables_of(addresses, values.dtype):
                    table.seen[indices] = view[indices]
            return
        self.shadows_stored[self.shadow].append(values)
        for table, view, indices, chosen in self._tables_of(addresses, formats.storage_type(self.element)):
            self._refresh(table, view, indices)
            table.unit = max(table.unit, self.unit)
            new = values[chosen]
            if self.rounds:
                keys = indices.astype(np.uint64) + np.uint64(1 << 36) + np.uint64(table.number << 32)
                new = disturbed(new, self.element, self.shadow, keys)
            table.values[self.shadow, indices] = new

    def forget(self, addresses):
        """Lets elements have the shadows of inputs."""
        for table, _, indices, _ in self._tables_of(addresses, formats.storage_type(self.element)):
            table.is_known[indices] = False

    def name_of(self, address, size):
        """The argument that an address lies in, and the number of its element there."""
        region = self._region_of(address, address + size)
        return region.name, (address - region.address) // size
