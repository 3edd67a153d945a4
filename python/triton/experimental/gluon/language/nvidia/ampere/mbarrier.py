"""Barriers in shared memory."""

from ...._names import complete as _complete
from ..._core import nvidia_ampere_mbarrier_allocate_mbarrier as allocate_mbarrier  # noqa: F401
from ..._core import nvidia_ampere_mbarrier_arrive as arrive  # noqa: F401
from ..._core import nvidia_ampere_mbarrier_init as init  # noqa: F401
from ..._core import nvidia_ampere_mbarrier_invalidate as invalidate  # noqa: F401
from ..._core import nvidia_ampere_mbarrier_wait as wait  # noqa: F401
from ..._layouts import MBarrierLayout  # noqa: F401

__getattr__, __dir__ = _complete(__name__)
