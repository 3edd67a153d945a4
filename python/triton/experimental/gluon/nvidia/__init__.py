"""What programs for NVIDIA's GPUs need outside of kernels."""

from .._names import complete as _complete
from . import blackwell, hopper  # noqa: F401

__getattr__, __dir__ = _complete(__name__)
