"""GPUs of the fourth CDNA generation."""

from ...._names import complete as _complete
from ..._core import amd_cdna4_mfma_scaled as mfma_scaled  # noqa: F401
from ..._small_floats import load_shared_fp4_repacked, scaled_downcast  # noqa: F401
from .. import cdna3 as _cdna3
from .._scales import get_mfma_scale_layout  # noqa: F401
from . import async_copy  # noqa: F401
from ._paddings import compute_efficient_padded_shared_layout  # noqa: F401

__getattr__, __dir__ = _complete(__name__, _cdna3)
