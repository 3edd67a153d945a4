"""Launches that start before the one that they depend on has ended."""

from .utils import gdc_launch_dependents, gdc_wait

__all__ = ["gdc_launch_dependents", "gdc_wait"]
