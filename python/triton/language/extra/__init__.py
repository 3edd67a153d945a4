"""Functions of the target's device library and of one vendor's hardware."""

from . import libdevice

__all__ = ["cuda", "hip", "libdevice"]


def __dir__():
    return [*globals(), "cuda", "hip"]


def __getattr__(name):
    """The vendors' modules are there from the start, and are imported when a program asks for one."""
    if name in ("cuda", "hip"):
        import importlib

        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
