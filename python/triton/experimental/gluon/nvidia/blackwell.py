"""Descriptors of arrays, for copies of blocks."""

from .._names import complete as _complete
from . import hopper as _hopper

__getattr__, __dir__ = _complete(__name__, _hopper)
