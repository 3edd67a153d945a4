"""The names that Gluon shares with ``triton.language``. Its own can be named, and say that they are missing when they
are called."""

from .... import language as _language
from .._missing import missing as _missing

_OWN = """
allocate_shared_memory bank_conflicts barrier convert_layout distributed_type dot_fma fp4_to_fp full_like inline_asm
num_ctas num_warps set_auto_layout shared_memory_descriptor shared_memory_descriptor_type to_linear_layout
warp_specialize AutoLayout BlockedLayout CachePolicy CoalescedLayout DistributedLinearLayout DotOperandLayout
NVMMADistributedLayout NVMMASharedLayout PaddedSharedLayout SharedLinearLayout SliceLayout SwizzledSharedLayout
""".split()


def __getattr__(name):
    if name in _OWN:
        return globals().setdefault(name, _missing(name))
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_language, name)
