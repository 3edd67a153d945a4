"""Copies from global to shared memory that run beside the program."""

from ...._names import complete as _complete
from ..._core import nvidia_ampere_async_copy_async_load as async_load  # noqa: F401
from ..._core import nvidia_ampere_async_copy_commit_group as commit_group  # noqa: F401
from ..._core import nvidia_ampere_async_copy_mbarrier_arrive as mbarrier_arrive  # noqa: F401
from ..._core import nvidia_ampere_async_copy_wait_group as wait_group  # noqa: F401

__getattr__, __dir__ = _complete(__name__)
