"""Copies from global to shared memory that run beside the program."""

from ...._names import complete as _complete

__getattr__, __dir__ = _complete(__name__)
