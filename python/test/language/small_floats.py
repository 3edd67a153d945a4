"""Operands of products in microscaling formats, with their exact numbers."""

import numpy as np
import triton


def decode_float(codes, mantissa, exponent, bias, is_finite):
    """float64 numbers of small floating-point codes."""
    codes = codes.astype(np.int64)
    fraction = codes & ((1 << mantissa) - 1)
    power = (codes >> mantissa) & ((1 << exponent) - 1)
    sign = np.where(codes >> (mantissa + exponent) & 1, -1.0, 1.0)
    normal = np.ldexp(1 + fraction / (1 << mantissa), (power - bias).astype(int))
    subnormal = np.ldexp(fraction / (1 << mantissa), 1 - bias)
    value = np.where(power == 0, subnormal, normal)
    if not is_finite:
        value = np.where(power == (1 << exponent) - 1, np.where(fraction == 0, np.inf, np.nan), value)
    return sign * value


DECODED = {
    "e2m1": lambda codes: decode_float(codes, 1, 2, 1, True),
    "e4m3": lambda codes: decode_float(codes, 3, 4, 7, True),
    "e5m2": lambda codes: decode_float(codes, 2, 5, 15, False),
    "bf16": lambda codes: decode_float(codes, 7, 8, 127, False),
    "fp16": lambda codes: decode_float(codes, 10, 5, 15, False),
}


def random_codes(rng, format, shape):
    """Codes whose numbers are finite and not far from one, so that a sum in float32 is close to the exact one."""
    if format == "e2m1":
        return rng.integers(0, 16, shape).astype(np.uint8)
    if format == "e4m3":
        return (rng.integers(0, 2, shape) << 7 | rng.integers(0x00, 0x60, shape)).astype(np.uint8)
    if format == "e5m2":
        return (rng.integers(0, 2, shape) << 7 | rng.integers(0x20, 0x50, shape)).astype(np.uint8)
    values = rng.standard_normal(shape).astype(np.float32)
    return (values.view(np.uint32) >> 16).astype(np.uint16) if format == "bf16" else values.astype("f2").view(np.uint16)


def pack(codes, axis):
    """Two codes a byte along `axis`, the first in the low bits."""
    low, high = (np.take(codes, range(start, codes.shape[axis], 2), axis) for start in (0, 1))
    return np.ascontiguousarray(low | high << 4)


class Side:
    """An operand with and without scales, and its exact numbers with the dimension of the sum last."""

    def __init__(self, rng, format, extent, K, group, is_scaled, packs_sum, is_left):
        codes = random_codes(rng, format, (extent, K))
        numbers = DECODED[format](codes)
        self.scale = rng.integers(120, 134, (extent, K // group)).astype(np.uint8) if is_scaled else None
        if is_scaled:
            numbers = numbers * np.repeat(np.ldexp(1.0, self.scale.astype(int) - 127), group, axis=1)
        self.numbers = numbers
        if format == "e2m1":
            codes = pack(codes, 1 if packs_sum else 0)
        self.stored = codes if is_left else np.ascontiguousarray(codes.T)


def assert_product(out, left, right, initial=0):
    """The operands are exact, so that only sums of float32 round; matrix units cut off a little more."""
    bound = 2e-6 * (np.abs(left) @ np.abs(right) + np.abs(initial))
    if triton.runtime.driver.active.get_current_target().arch == "gfx90a":  # takes subnormal numbers of f16 for zero
        lost = [np.where(np.abs(side) < 2.0**-14, np.abs(side), 0) for side in (left, right)]
        bound += lost[0] @ np.abs(right) + np.abs(left) @ lost[1]
    assert np.all(np.abs(out - (left @ right + initial)) <= bound)
