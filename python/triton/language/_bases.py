"""The classes that all types and all values of the language derive from."""

import abc


class base_type:
    """A type of the language."""

    def mangle(self):
        """The type's part of the name of a function that is compiled for it."""
        raise NotImplementedError(f"a `{type(self).__name__}` has no name of its own")


class base_value(abc.ABC):  # noqa: B024  tensors, which exist in kernels only, register
    """A value of the language."""
