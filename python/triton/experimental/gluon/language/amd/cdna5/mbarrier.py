"""Barriers in shared memory."""

from ...._names import complete as _complete
from ..._layouts import MBarrierLayout  # noqa: F401

__getattr__, __dir__ = _complete(__name__)
