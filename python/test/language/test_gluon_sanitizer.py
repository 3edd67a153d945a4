# ruff: noqa: F811
"""Integers that stand for floats. The numbers are those that Triton 3.9 compiles into equal kernels."""

import numpy as np
import pytest
import triton
from gluon_devices import gpu  # noqa: F401
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language import fpsan

#: Of each dtype: bits of the significand, and what the mixed bits of positive and of negative floats are multiplied by.
FACTORS = {
    "float16": (10, 4535, 28233),
    "float32": (23, 199934151, 1947549497),
    "float64": (52, 5180577728837391687, 4042794308017384121),
}


@gluon.jit
def both_ways(x, embedded, back, N: ttgl.constexpr, layout: ttgl.constexpr):
    i = ttgl.arange(0, N, layout=layout)
    numbers = fpsan.embed(ttgl.load(x + i))
    ttgl.static_assert(numbers.type.layout == layout)
    ttgl.store(embedded + i, numbers)
    ttgl.store(back + i, fpsan.unembed(numbers, x.dtype.element_ty))


@pytest.mark.parametrize("dtype", FACTORS)
def test_floats_and_their_integers(gpu, dtype):
    values = np.concatenate([[1, -1, 0, -0.0, 2, -2, np.inf, np.nan], np.random.default_rng(0).normal(size=120)])
    values = values.astype(dtype)
    bits = 8 * values.itemsize
    shift, positive, negative = FACTORS[dtype]
    mask = 2 ** (bits - 1) - 1

    def embedded(number):
        mixed = number * 14940041 & mask
        mixed ^= mixed >> shift
        return mixed * (negative if number > mask else positive) & mask | number & ~mask

    expected = np.array([embedded(int(number)) for number in values.view(f"uint{bits}")], f"uint{bits}")
    x, numbers, back = (gpu.put(array) for array in (values, np.zeros(128, f"int{bits}"), np.zeros_like(values)))
    layout = ttgl.BlockedLayout([1], [triton.runtime.driver.active.get_current_target().warp_size], [4], [0])
    both_ways[(1,)](x, numbers, back, 128, layout)
    found = gpu.get(numbers)
    np.testing.assert_array_equal(found.view(f"uint{bits}"), expected)
    assert found[0] == 1 and found[1] == -1 and found[4] == -found[5]
    np.testing.assert_array_equal(gpu.get(back).view(f"uint{bits}"), values.view(f"uint{bits}"))


@gluon.jit
def embedded_integers(x):
    fpsan.embed(ttgl.load(x))


@gluon.jit
def unembedded_otherwise(x):
    fpsan.unembed(ttgl.load(x), ttgl.float16)


@pytest.mark.parametrize(
    "kernel, expected",
    [(embedded_integers, "takes floats; integers stand"), (unembedded_otherwise, "have as many bits as the floats")],
)
def test_wrong_dtypes_are_refused(gpu, kernel, expected):
    with pytest.raises(triton.CompilationError, match=expected):
        kernel.warmup(np.zeros(1, np.int32), grid=(1,))
