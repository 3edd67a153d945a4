"""What interpreted kernels ask about their target, and the functions of one vendor's GPUs. The target is the active
device: a kernel takes the paths that it takes there."""

import time

from ...language import dtypes as types
from ...language import target_info
from .accesses import choice
from .registry import IMPLEMENTATIONS, current, implements
from .values import cast, constant, describe, plain, to_tensor

for _function in (
    target_info.current_target,
    target_info.is_cuda,
    target_info.cuda_capability_geq,
    target_info.is_hip,
    target_info.is_hip_cdna3,
    target_info.is_hip_cdna4,
    target_info.is_hip_gfx1250,
):
    implements(_function.__wrapped__)


@implements
def globaltimer():
    return constant(time.perf_counter_ns(), types.int64)


@implements
def memrealtime():
    return constant(time.perf_counter_ns() // 10, types.int64)


@implements
def smid():
    return constant(0, types.int32)


@implements
def num_warps():
    return current().options.num_warps


@implements
def num_threads():
    return 32 * current().options.num_warps


@implements
def gdc_wait():
    """Launches run one after the other."""


@implements
def gdc_launch_dependents():
    """Launches run one after the other."""


def _convert_custom_float8(arg, dst_ty, fp_downcast_rounding=None, has_minx2=True):
    arg, dst_ty = to_tensor(arg), plain(dst_ty)
    wide = (types.float16, types.float32)
    is_custom = arg.dtype == types.float8e4b15 and dst_ty in wide or arg.dtype in wide and dst_ty == types.float8e4b15
    if not is_custom:
        raise ValueError(f"it converts between float8e4b15 and float16 or float32, not {describe(arg)} to {dst_ty}")
    rounding = choice(fp_downcast_rounding, ("", "rtne", "rtz"), "fp_downcast_rounding")
    return cast(arg, dst_ty, (rounding == "rtz") if rounding else None)


for _name in ("convert_custom_float8", "convert_custom_float8_sm70", "convert_custom_float8_sm80"):
    IMPLEMENTATIONS[_name] = _convert_custom_float8


@implements
def convert_float16_to_fp8e4b15(arg, has_minx2):
    return _convert_custom_float8(arg, types.float8e4b15)


@implements
def convert_fp8e4b15_to_float16(arg):
    return _convert_custom_float8(arg, types.float16)
