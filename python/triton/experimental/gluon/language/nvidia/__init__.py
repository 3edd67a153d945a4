"""What NVIDIA's GPUs alone have."""

from ..._names import complete as _complete
from . import ampere, blackwell, hopper, rubin  # noqa: F401

__getattr__, __dir__ = _complete(__name__)
