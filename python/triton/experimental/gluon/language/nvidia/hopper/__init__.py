"""From compute capability 9.0 on."""

from ......language import tensor as warpgroup_mma_accumulator  # noqa: F401, results in flight are blocks
from ...._names import complete as _complete
from ..._core import nvidia_hopper_async_store as async_store  # noqa: F401
from ..._core import nvidia_hopper_fence_async_shared as fence_async_shared  # noqa: F401
from ..._core import nvidia_hopper_warpgroup_mma as warpgroup_mma  # noqa: F401
from ..._core import nvidia_hopper_warpgroup_mma_init as warpgroup_mma_init  # noqa: F401
from ..._core import nvidia_hopper_warpgroup_mma_wait as warpgroup_mma_wait  # noqa: F401
from ..._types import warpgroup_mma_accumulator_type  # noqa: F401
from .. import ampere as _ampere
from ..ampere import CachePolicy, FractionalEvictionPolicy, async_copy  # noqa: F401
from . import cluster, mbarrier, tma  # noqa: F401

__getattr__, __dir__ = _complete(__name__, _ampere)
