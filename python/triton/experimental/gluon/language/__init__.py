"""The names that Gluon shares with ``triton.language``, its layouts, and its own functions. Missing ones can be
named, and say so when they are called."""

from .... import language as _language
from .._missing import missing as _missing
from . import amd, nvidia  # noqa: F401
from ._core import (  # noqa: F401
    allocate_shared_memory,
    arange,
    barrier,
    convert_layout,
    dot_fma,
    full,
    full_like,
    num_warps,
    shared_memory_descriptor,
    zeros,
    zeros_like,
)
from ._layouts import (  # noqa: F401
    BlockedLayout,
    DistributedLayout,
    DistributedLinearLayout,
    DotOperandLayout,
    NVMMADistributedLayout,
    NVMMASharedLayout,
    SharedLayout,
    SliceLayout,
    SwizzledSharedLayout,
)

_MISSING = """
bank_conflicts distributed_type fp4_to_fp inline_asm num_ctas set_auto_layout shared_memory_descriptor_type
to_linear_layout warp_specialize AutoLayout CachePolicy CoalescedLayout PaddedSharedLayout SharedLinearLayout
""".split()


def __getattr__(name):
    if name in _MISSING:
        return globals().setdefault(name, _missing(name))
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_language, name)
