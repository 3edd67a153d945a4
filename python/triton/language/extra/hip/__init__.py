"""What AMD's GPUs alone have."""

from . import libdevice, utils  # noqa: F401
from .utils import *  # noqa: F403
