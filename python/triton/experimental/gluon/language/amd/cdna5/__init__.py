"""GPUs of the fifth CDNA generation, gfx1250."""

from ...._names import complete as _complete
from . import async_copy, cluster, mbarrier, tdm  # noqa: F401

__getattr__, __dir__ = _complete(__name__)
