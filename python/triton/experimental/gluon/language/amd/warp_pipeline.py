"""Stages of loops whose warps take turns."""

from __future__ import annotations  # noqa: F401

from ..._names import complete as _complete

__getattr__, __dir__ = _complete(__name__)
