"""GPUs of the fifth CDNA generation, gfx1250."""

from ...._names import complete as _complete
from ..._core import amd_cdna5_wmma as wmma  # noqa: F401
from ..._core import amd_cdna5_wmma_scaled as wmma_scaled  # noqa: F401
from ..._small_floats import (  # noqa: F401
    get_scaled_upcast_fp4_scale_layout,
    load_shared_fp4_repacked,
    scaled_downcast,
    scaled_upcast,
)
from ..._unit_layouts import PartitionedSharedLayout  # noqa: F401
from .._scales import get_wmma_scale_layout  # noqa: F401
from ..cdna3 import buffer_load, buffer_store  # noqa: F401
from . import async_copy, cluster, mbarrier, tdm  # noqa: F401
from ._partitions import make_partitioned_dot_layouts  # noqa: F401

__getattr__, __dir__ = _complete(__name__)
