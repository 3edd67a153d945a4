"""The root of the package's exceptions."""


class TritonError(Exception):
    """Base of every exception that this package defines."""
