"""Functions of the target's device library and of one vendor's hardware."""

from . import libdevice  # noqa: F401
