"""What AMD's GPUs alone have."""

from .._layouts import AMDMFMALayout  # noqa: F401
from . import cdna3  # noqa: F401
