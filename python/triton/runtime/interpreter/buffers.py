"""Memory that each program has for itself: buffers, and views of them."""

from .accesses import read, write
from .values import integer, make, to_tensor


class Shape(tuple):
    """The shape of a buffer or of a descriptor's block, which kernels add to lists and compare with them."""

    __hash__ = tuple.__hash__

    def __eq__(self, other):
        return super().__eq__(tuple(other) if isinstance(other, list) else other)

    def __ne__(self, other):
        return not self == other

    def __radd__(self, other):
        return [*other, *self]

    def __add__(self, other):
        return Shape((*self, *other))


class Elements:
    """A buffer in a memory of the program's own, or a view of one, by the addresses of its elements."""

    _memory = _type = None
    # The properties of the base classes are for kernels that are compiled.
    dtype = layout = None

    def __init__(self, addresses, dtype, layout, whole=None):
        self.addresses, self.dtype, self.layout = addresses, dtype, layout
        self.whole = Shape(addresses.shape if whole is None else whole)

    @property
    def shape(self):
        return Shape(self.addresses.shape)

    @property
    def rank(self):
        return self.addresses.ndim

    @property
    def numel(self):
        return self.addresses.size

    @property
    def type(self):
        return self._type(self.dtype, self.shape, self.layout, self.whole)

    def describe(self):
        return f"{self.dtype}{list(self.shape)} in {self._memory}"

    def counts_buffers(self):
        """Whether there are several, which the first dimension counts."""
        raise NotImplementedError

    def contents(self):
        """The elements, as a block that names no layout."""
        return make(read(self.addresses, self.dtype), self.dtype)

    def write(self, value, active=None):
        write(self.addresses, value.data, self.dtype, active)

    def _one_of(self, index):
        """The addresses of one of several buffers."""
        number = int(to_tensor(index))
        if not 0 <= number < self.shape[0]:
            raise IndexError(f"buffer number {number} of {self.describe()} does not exist: it has {self.shape[0]}")
        return self.addresses[number]

    def _part(self, start, length, axis):
        start, length = integer(start, "the start of a part"), integer(length, "the length of a part")
        if length < 1 or start < 0 or start % length or start + length > self.shape[axis]:
            raise ValueError(
                f"`.slice` takes {length} of {self.shape[axis]} elements from {start} on, but a part must lie inside "
                "and start at a multiple of its extent"
            )
        return self.addresses[(slice(None),) * axis + (slice(start, start + length),)]

    def state(self):
        """What the buffer is besides its elements, in words, or None."""
        return None
