"""The engine that copies blocks of arrays."""

from ...._names import complete as _complete
from ..hopper import tma as _tma

__getattr__, __dir__ = _complete(__name__, _tma)
