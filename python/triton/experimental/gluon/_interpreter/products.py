"""Products of matrix units. Factors are blocks or buffers; asynchronous products have ended when they are started."""

import numpy as np

from ....language import dtypes as types
from ....runtime.interpreter import products
from ....runtime.interpreter.registry import implements_in_gluon
from ....runtime.interpreter.values import constant, describe, make, plain, to_tensor
from .barriers import is_true
from .layouts import laid_out, layout_of


def factor(value):
    """The elements of a block or a buffer."""
    return value.contents() if hasattr(value, "contents") else to_tensor(value)


def product(left, right, acc, precision="tf32"):
    """``left @ right + acc``, which may be None, as a tensor of float32 or of the type of ``acc``."""
    if left.shape[-1:] != right.shape[-2:-1] or len(left.shape) != len(right.shape):
        raise ValueError(f"the shapes of {describe(left)} and {describe(right)} do not make a product")
    dtype = types.float32 if acc is None else acc.dtype
    start = 0 if acc is None else acc.data
    if left.dtype.is_fp32() and precision != "ieee":
        return products.product_of_parts(left.data, right.data, start, "tf32")
    return products.product(left.data.astype(np.float64), right.data.astype(np.float64), start, dtype)


def _added(a, b, acc, precision="tf32", use_acc=True):
    acc = to_tensor(acc)
    return laid_out(
        product(factor(a), factor(b), acc if use_acc else constant(0, acc.dtype), precision), layout_of(acc)
    )


@implements_in_gluon()
def dot_fma(a, b, acc):
    return _added(a, b, acc, "ieee")


@implements_in_gluon()
def mma_v2(a, b, acc, input_precision=None):
    return _added(a, b, acc, plain(input_precision) or "tf32")


@implements_in_gluon("mfma", "amd_rdna3_wmma", "amd_rdna4_wmma", "amd_cdna5_wmma")
def multiply_on_amd(a, b, acc, cd_regclass=None):
    return _added(a, b, acc, "ieee")


@implements_in_gluon("amd_cdna4_mfma_scaled", "amd_cdna5_wmma_scaled")
def multiply_scaled(a, a_scale, a_format, b, b_scale, b_format, acc, cd_regclass=None):
    left = products.scaled_operand(a, _scales(a_scale), a_format, True, True)
    right = products.scaled_operand(b, _scales(b_scale), b_format, True, False)
    return laid_out(products.product(left, right, acc.data, types.float32), layout_of(acc))


def _scales(scales):
    """One number stands for all."""
    scales = plain(scales)
    if scales is None:
        return None
    scales = to_tensor(scales)
    return scales if scales.shape else make(scales.data.reshape(1, 1), scales.dtype)


@implements_in_gluon()
def nvidia_hopper_warpgroup_mma(a, b, acc, use_acc=True, precision=None, max_num_imprecise_acc=None, is_async=False):
    return _added(a, b, acc, plain(precision) or "tf32", is_true(use_acc))


@implements_in_gluon()
def nvidia_hopper_warpgroup_mma_init(value):
    return value


@implements_in_gluon()
def nvidia_hopper_warpgroup_mma_wait(num_outstanding=0, deps=None):
    deps = plain(deps)
    if not isinstance(deps, (tuple, list)) or not deps:
        raise ValueError("`warpgroup_mma_wait` needs the results of the products for which it waits, as `deps`")
    return deps[0] if len(deps) == 1 else tuple(deps)
