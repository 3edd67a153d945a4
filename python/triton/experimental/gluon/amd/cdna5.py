"""Descriptors of arrays for gfx1250."""

from .._names import complete as _complete

__getattr__, __dir__ = _complete(__name__)
