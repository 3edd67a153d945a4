"""Copies from global to shared memory that run beside the program."""

from ...._names import complete as _complete
from ..._core import amd_cdna4_async_copy_buffer_load_to_shared as buffer_load_to_shared  # noqa: F401
from ..._core import amd_cdna4_async_copy_commit_group as commit_group  # noqa: F401
from ..._core import amd_cdna4_async_copy_global_load_to_shared as global_load_to_shared  # noqa: F401
from ..._core import amd_cdna4_async_copy_load_shared_relaxed as load_shared_relaxed  # noqa: F401
from ..._core import amd_cdna4_async_copy_wait_group as wait_group  # noqa: F401

__getattr__, __dir__ = _complete(__name__)
