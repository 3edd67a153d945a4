"""What is special to one kind of target."""

from . import libdevice  # noqa: F401
