"""What NVIDIA's GPUs alone have."""

from . import gdc, libdevice, utils  # noqa: F401
from .gdc import *  # noqa: F403
from .utils import *  # noqa: F403
