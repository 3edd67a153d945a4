"""GPUs of the third CDNA generation."""

from ..._names import complete as _complete
from .._core import amd_cdna3_buffer_atomic_add as buffer_atomic_add  # noqa: F401
from .._core import amd_cdna3_buffer_atomic_and as buffer_atomic_and  # noqa: F401
from .._core import amd_cdna3_buffer_atomic_max as buffer_atomic_max  # noqa: F401
from .._core import amd_cdna3_buffer_atomic_min as buffer_atomic_min  # noqa: F401
from .._core import amd_cdna3_buffer_atomic_or as buffer_atomic_or  # noqa: F401
from .._core import amd_cdna3_buffer_atomic_xchg as buffer_atomic_xchg  # noqa: F401
from .._core import amd_cdna3_buffer_atomic_xor as buffer_atomic_xor  # noqa: F401
from .._core import amd_cdna3_buffer_load as buffer_load  # noqa: F401
from .._core import amd_cdna3_buffer_store as buffer_store  # noqa: F401
from .._core import mfma  # noqa: F401
from .._small_floats import get_scaled_upcast_fp4_scale_layout, scaled_upcast  # noqa: F401

__getattr__, __dir__ = _complete(__name__)
