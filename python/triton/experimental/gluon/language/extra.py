"""Functions of the target's device library."""

from ....language.extra import libdevice  # noqa: F401
from .._names import complete as _complete

__getattr__, __dir__ = _complete(__name__)
