"""Another name of cdna5."""

from .._names import complete as _complete
from . import cdna5 as _cdna5

__getattr__, __dir__ = _complete(__name__, _cdna5)
