"""The names that Gluon shares with ``triton.language``, its layouts, and its own functions."""

from .... import language as _language
from .._names import complete as _complete
from . import amd, extra, fpsan, nvidia  # noqa: F401
from ._assembly import inline_asm  # noqa: F401
from ._caches import CachePolicy  # noqa: F401
from ._conflicts import bank_conflicts  # noqa: F401
from ._core import (  # noqa: F401
    allocate_shared_memory,
    arange,
    barrier,
    convert_layout,
    dot_fma,
    full,
    full_like,
    histogram,
    load,
    num_ctas,
    num_warps,
    set_auto_layout,
    shared_memory_descriptor,
    store,
    to_linear_layout,
    warp_specialize,
    zeros,
    zeros_like,
)
from ._layouts import (  # noqa: F401
    AutoLayout,
    BlockedLayout,
    CoalescedLayout,
    DistributedLayout,
    DistributedLinearLayout,
    DotOperandLayout,
    NVMMADistributedLayout,
    NVMMASharedLayout,
    PaddedSharedLayout,
    SharedLayout,
    SharedLinearLayout,
    SliceLayout,
    SwizzledSharedLayout,
)
from ._small_floats import fp4_to_fp  # noqa: F401
from ._types import distributed_type, shared_memory_descriptor_type  # noqa: F401

_find, __dir__ = _complete(__name__, _language)


def __getattr__(name):
    """Also what `triton.language` alone has."""
    return getattr(_language, name) if not name.startswith("_") and hasattr(_language, name) else _find(name)
