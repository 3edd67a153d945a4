"""The memory of a launch: the caller's arrays. Every access is checked against their bounds."""

import bisect
import ctypes

import numpy as np


class Region:
    """An array's memory."""

    is_of_program = False  # as shared memory is

    def __init__(self, address, size, name, is_writable):
        self.address, self.size, self.name, self.is_writable = address, size, name, is_writable
        self._bytes = np.frombuffer((ctypes.c_uint8 * size).from_address(address), np.uint8) if size else None
        self._views = {}

    def view(self, dtype, offset):
        """The whole memory from ``offset`` bytes on as elements of ``dtype``."""
        key = dtype, offset
        if key not in self._views:
            count = (self.size - offset) // dtype.itemsize
            self._views[key] = np.frombuffer(self._bytes, dtype, count, offset)
        return self._views[key]


class Memory:
    """Memory regions by address. Loads and stores take arrays of addresses."""

    def __init__(self):
        self._regions = []
        self._starts = []

    def add(self, address, size, name, is_writable=True):
        """Makes memory accessible. Of two regions of which one contains the other, the larger one stays."""
        if size == 0 or any(r.address <= address and address + size <= r.address + r.size for r in self._regions):
            return
        inside = lambda region: address <= region.address and region.address + region.size <= address + size
        self._keep([region for region in self._regions if not inside(region)], Region(address, size, name, is_writable))

    def add_of_program(self, address, size, name):
        """Makes memory accessible that each program has for itself, in place of what the last one had there."""
        meets = lambda region: region.address < address + size and address < region.address + region.size
        added = Region(address, size, name, True)
        added.is_of_program = True
        self._keep([region for region in self._regions if not meets(region)], added)

    def _keep(self, regions, added):
        self._regions = [*regions, added]
        self._regions.sort(key=lambda region: region.address)
        self._starts = [region.address for region in self._regions]

    def load(self, addresses, dtype):
        """The elements of a NumPy ``dtype`` at ``addresses``, an array of rank 1."""
        result = np.empty(addresses.shape, dtype)
        for view, indices, chosen in self._places(addresses, dtype, "reads"):
            result[chosen] = view[indices]
        return result

    def store(self, addresses, values):
        """Writes ``values``; where two go to one place, the last one stays."""
        for view, indices, chosen in self._places(addresses, values.dtype, "writes"):
            view[indices] = values[chosen]

    @staticmethod
    def _check_writable(region, verb):
        if verb == "writes" and not region.is_writable:
            raise ValueError(f"the kernel stores through `{region.name}`, which is read-only")

    def _places(self, addresses, dtype, verb):
        """Where each element lies: (typed memory, indices into it, which elements these are)."""
        if addresses.size == 0:
            return
        region = self._region_of(int(addresses.min()), int(addresses.max()) + dtype.itemsize)
        if region is not None:
            self._check_writable(region, verb)
            yield from self._places_in(region, addresses, np.arange(addresses.size), dtype)
            return
        owners = np.searchsorted(np.array(self._starts, np.uint64), addresses, side="right") - 1
        for owner in np.unique(owners):
            chosen = np.flatnonzero(owners == owner)
            region = self._regions[owner] if owner >= 0 else None
            ends = addresses[chosen] + np.uint64(dtype.itemsize)
            outside = np.ones(chosen.size, bool) if region is None else ends > np.uint64(region.address + region.size)
            if outside.any():
                self._refuse(int(addresses[chosen[outside.argmax()]]), dtype.itemsize, verb)
            self._check_writable(region, verb)
            yield from self._places_in(region, addresses[chosen], chosen, dtype)

    def _region_of(self, start, end):
        """The region that holds all bytes from ``start`` up to ``end``, or None."""
        index = bisect.bisect_right(self._starts, start) - 1
        region = self._regions[index] if index >= 0 else None
        return region if region is not None and end <= region.address + region.size else None

    @staticmethod
    def _places_in(region, addresses, chosen, dtype):
        offsets = (addresses - np.uint64(region.address)).astype(np.int64)
        phases = offsets % dtype.itemsize
        for phase in np.unique(phases):
            here = slice(None) if (phases == phase).all() else phases == phase
            yield region.view(dtype, int(phase)), offsets[here] // dtype.itemsize, chosen[here]

    def _nearest(self, address):
        """The region that is nearest to an address outside of all, or None."""
        index = bisect.bisect_right(self._starts, address) - 1
        near = [self._regions[i] for i in (index, index + 1) if 0 <= i < len(self._regions)]
        distance = lambda region: max(region.address - address, address - region.address - region.size)
        return min(near, key=distance, default=None)

    def _refuse(self, address, size, verb):
        bytes_ = f"{size} byte{'s' if size > 1 else ''}"
        region = self._nearest(address)
        if region is None:
            raise IndexError(f"the kernel {verb} {bytes_} at address {address:#x}, but the launch has no arrays")
        raise IndexError(
            f"the kernel {verb} {bytes_} at byte {address - region.address} of `{region.name}`, which has "
            f"{region.size} bytes: mask the elements that lie outside"
        )
