"""From compute capability 10.0 on."""

from ...._names import complete as _complete
from ..._unit_layouts import TensorMemoryLayout, TensorMemoryScalesLayout, _TensorMemoryLinearLayout  # noqa: F401
from .. import hopper as _hopper
from ..hopper import CachePolicy, FractionalEvictionPolicy, async_copy, cluster, mbarrier  # noqa: F401
from . import clc, tma  # noqa: F401
from ._arrivals import tcgen05_mma_barrier_count  # noqa: F401
from ._pairs import add2, fma2, max2, min2, mul2, sub2  # noqa: F401

__getattr__, __dir__ = _complete(__name__, _hopper)
