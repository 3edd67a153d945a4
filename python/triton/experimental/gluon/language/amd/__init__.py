"""What AMD's GPUs alone have."""

from ..._names import complete as _complete
from .._layouts import AMDMFMALayout, AMDWMMALayout  # noqa: F401
from . import cdna3, cdna4, cdna5, gfx1250, hint, rdna3, rdna4  # noqa: F401
from .slice import slice  # noqa: F401
from .warp_pipeline import warp_pipeline_stage  # noqa: F401

__getattr__, __dir__ = _complete(__name__)
