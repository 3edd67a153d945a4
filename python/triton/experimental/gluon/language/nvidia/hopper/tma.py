"""The engine that copies blocks of arrays."""

from ......language import tensor_descriptor  # noqa: F401
from ...._names import complete as _complete
from ..._core import nvidia_hopper_tma_async_atomic_add as async_atomic_add  # noqa: F401
from ..._core import nvidia_hopper_tma_async_atomic_and as async_atomic_and  # noqa: F401
from ..._core import nvidia_hopper_tma_async_atomic_max as async_atomic_max  # noqa: F401
from ..._core import nvidia_hopper_tma_async_atomic_min as async_atomic_min  # noqa: F401
from ..._core import nvidia_hopper_tma_async_atomic_or as async_atomic_or  # noqa: F401
from ..._core import nvidia_hopper_tma_async_atomic_xor as async_atomic_xor  # noqa: F401
from ..._core import nvidia_hopper_tma_async_load as async_load  # noqa: F401
from ..._core import nvidia_hopper_tma_async_store as async_store  # noqa: F401
from ..._core import nvidia_hopper_tma_make_tensor_descriptor as make_tensor_descriptor  # noqa: F401
from ..._core import nvidia_hopper_tma_store_wait as store_wait  # noqa: F401
from ..._types import tensor_descriptor_type  # noqa: F401

__getattr__, __dir__ = _complete(__name__)
