"""Arithmetic on pairs of elements, in Gluon for compute capability 10.0."""

import numpy as np
import pytest
import triton
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.driver import SimulatedDriver
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language.nvidia import rubin
from triton.experimental.gluon.language.nvidia.blackwell import add2, fma2, max2, min2, mul2, sub2
from triton.runtime import driver

PAIRED = ttgl.BlockedLayout([2], [32], [4], [0])
SINGLE = ttgl.BlockedLayout([1], [32], [4], [0])


@pytest.fixture
def blackwell():
    driver.set_active(SimulatedDriver(100))
    yield
    driver.set_active_to_cpu()


@gluon.jit
def computed(x, y, out, halves):
    i = ttgl.arange(0, 256, layout=PAIRED)
    a, b = ttgl.load(x + i), ttgl.load(y + i)
    ttgl.store(out + i, sub2(fma2(a, b, 2.0), mul2(add2(a, b), rubin.add2(0.5, b))))
    h = max2(min2(a.to(ttgl.float16), b.to(ttgl.float16)), 0.0, dtype=ttgl.float16)
    ttgl.store(halves + i, h)


def test_arithmetic(blackwell):
    generator = np.random.default_rng(0)
    x, y = (generator.integers(-8, 8, 256).astype(np.float32) for _ in range(2))
    out, halves = np.zeros_like(x), np.zeros(256, np.float16)
    computed[(1,)](x, y, out, halves)
    np.testing.assert_array_equal(out, x * y + 2 - (x + y) * (0.5 + y))
    np.testing.assert_array_equal(halves, np.maximum(np.minimum(x, y), 0))


@gluon.jit
def wrong(x, CASE: ttgl.constexpr):
    i = ttgl.arange(0, 128, layout=SINGLE)
    a = ttgl.load(x + ttgl.arange(0, 256, layout=PAIRED))
    if CASE == "scalars":
        add2(1.0, 2.0)
    elif CASE == "integers":
        mul2(i, i)
    elif CASE == "single":
        sub2(ttgl.load(x + i), 1.0)
    elif CASE == "wide":
        max2(a, a)
    elif CASE == "older":
        fma2(a, a, a)


@pytest.mark.parametrize(
    "case, expected",
    [
        ("scalars", "one operand at least must be a block"),
        ("integers", "must be floats of 16 or 32 bits, not int32"),
        ("single", "a thread must have two elements of the block"),
        ("wide", "must be floats of 16 bits, not fp32"),
        ("older", "needs compute capability 10.0"),
    ],
)
def test_wrong_uses(case, expected):
    source = gluon.GluonASTSource(wrong, {"x": "*fp32", "CASE": "constexpr"}, {"CASE": case})
    with pytest.raises(triton.CompilationError, match=expected):
        triton.compile(source, target=GPUTarget("cuda", 90 if case == "older" else 100, 32))
