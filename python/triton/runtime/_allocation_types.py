"""The interface of allocators, for type checkers."""

from typing import Protocol


class Buffer(Protocol):
    """Memory, which lives as long as this object."""

    def data_ptr(self) -> int: ...


class Allocator(Protocol):
    def __call__(self, size: int, alignment: int, stream: "int | None") -> Buffer: ...
