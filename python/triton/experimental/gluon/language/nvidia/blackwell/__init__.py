"""From compute capability 10.0 on."""

from ...._names import complete as _complete
from ..._core import nvidia_blackwell_allocate_tensor_memory as allocate_tensor_memory  # noqa: F401
from ..._core import nvidia_blackwell_tcgen05_commit as tcgen05_commit  # noqa: F401
from ..._core import nvidia_blackwell_tcgen05_copy as tcgen05_copy  # noqa: F401
from ..._core import nvidia_blackwell_tcgen05_mma as tcgen05_mma  # noqa: F401
from ..._core import nvidia_blackwell_tcgen05_mma_scaled as tcgen05_mma_scaled  # noqa: F401
from ..._core import tensor_memory_descriptor  # noqa: F401
from ..._types import tensor_memory_descriptor_type  # noqa: F401
from ..._unit_layouts import TensorMemoryLayout, TensorMemoryScalesLayout, _TensorMemoryLinearLayout  # noqa: F401
from .. import hopper as _hopper
from ..hopper import CachePolicy, FractionalEvictionPolicy, async_copy, cluster, mbarrier  # noqa: F401
from . import clc, tma  # noqa: F401
from ._arrivals import tcgen05_mma_barrier_count  # noqa: F401
from ._pairs import add2, fma2, max2, min2, mul2, sub2  # noqa: F401

__getattr__, __dir__ = _complete(__name__, _hopper)
