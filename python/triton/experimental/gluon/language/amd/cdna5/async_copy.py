"""Copies between global and shared memory that run beside the program."""

from ...... import language as tl
from ......language.types import constexpr
from ...._jit import jit
from ...._names import complete as _complete
from ..._core import amd_cdna5_async_copy_commit_group as commit_group  # noqa: F401
from ..._core import amd_cdna5_async_copy_global_to_shared as global_to_shared  # noqa: F401
from ..._core import amd_cdna5_async_copy_mbarrier_arrive as mbarrier_arrive  # noqa: F401
from ..._core import amd_cdna5_async_copy_wait_group as wait_group  # noqa: F401


@jit
def shared_to_global(pointer, smem, mask=None, cache_modifier: constexpr = ""):
    """Copies a buffer to the places in global memory, where the mask is true. Threads move the elements."""
    tl.store(pointer, smem.load(pointer.type.layout), mask=mask, cache_modifier=cache_modifier)


__getattr__, __dir__ = _complete(__name__)
