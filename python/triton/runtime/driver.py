"""The device that kernels run on: ``driver.active``."""

from ..backends.active import DriverConfig, driver
from ..backends.registry import backends

__all__ = ["DriverConfig", "backends", "driver"]
