"""The device that kernels run on: ``driver.active``."""

from ..backends.active import DriverConfig, driver

__all__ = ["DriverConfig", "driver"]
