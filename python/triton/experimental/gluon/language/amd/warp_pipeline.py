"""Stages of loops whose warps take turns."""

from __future__ import annotations  # noqa: F401

from ..._names import complete as _complete
from .._core import amd_warp_pipeline_stage as warp_pipeline_stage  # noqa: F401

__getattr__, __dir__ = _complete(__name__)
