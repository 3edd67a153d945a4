"""Compute capability 10.7."""

from ...._names import complete as _complete
from .. import blackwell as _blackwell
from ..blackwell import CachePolicy, FractionalEvictionPolicy, async_copy, clc, cluster, tma  # noqa: F401
from . import mbarrier  # noqa: F401
from ._scales import TensorMemoryScalesLayout  # noqa: F401

__getattr__, __dir__ = _complete(__name__, _blackwell)
