"""What NVIDIA's GPUs alone have."""

from . import ampere  # noqa: F401
