"""The types that numbers get as arguments of a launch: by their values, and by annotations."""

import numpy as np
import pytest
import triton
import triton.language as tl

pytestmark = pytest.mark.usefixtures("host_device")


@triton.jit
def type_kernel(out, a, EXPECTED: tl.constexpr):
    tl.static_assert(a.dtype == EXPECTED)
    tl.store(out, a.to(tl.float64))


class Number(int):
    pass


@pytest.mark.parametrize(
    "value,expected",
    [
        (5, tl.int32),
        (-5, tl.int32),
        (2**31 - 1, tl.int32),
        (2**31, tl.int64),
        (-(2**31) - 1, tl.int64),
        (2**63 - 1, tl.int64),
        (2**63, tl.uint64),
        (2**64 - 1, tl.uint64),
        (0, tl.int32),
        (True, tl.int1),
        (1.5, tl.float32),
        (float("inf"), tl.float32),
        (np.float64(0.25), tl.float32),
        (Number(7), tl.int32),
    ],
    ids=str,
)
def test_types_of_numbers(value, expected):
    out = np.zeros(1)
    type_kernel[(1,)](out, value, EXPECTED=expected)
    assert out[0] == float(value)


@triton.jit
def one_kernel(out, a):
    tl.static_assert(a == 1)
    b: tl.constexpr = a + 1
    tl.store(out, tl.arange(0, b).sum())


def test_one_is_a_constant():
    out = np.zeros(1, np.int32)
    one_kernel[(1,)](out, 1)
    assert out[0] == 1


@triton.jit
def int64_kernel(out, a: tl.int64, E: tl.constexpr):
    tl.static_assert(a.dtype == E)
    tl.store(out, a.to(tl.float64))


@triton.jit
def u8_kernel(out, a: "u8", E: tl.constexpr):  # noqa: F821
    tl.static_assert(a.dtype == E)
    tl.store(out, a.to(tl.float64))


@triton.jit
def double_kernel(out, a: tl.float64, E: tl.constexpr):
    tl.static_assert(a.dtype == E)
    tl.store(out, a)


@triton.jit
def half_kernel(out, a: "fp16", E: tl.constexpr):  # noqa: F821
    tl.static_assert(a.dtype == E)
    tl.store(out, a.to(tl.float64))


@triton.jit
def brain_kernel(out, a: tl.bfloat16, E: tl.constexpr):
    tl.static_assert(a.dtype == E)
    tl.store(out, a.to(tl.float64))


@triton.jit
def float_kernel(out, a: float, E: tl.constexpr):
    tl.static_assert(a.dtype == E)
    tl.store(out, tl.sqrt(a) * tl.sqrt(a))


@pytest.mark.parametrize(
    "kernel,dtype,value",
    [
        (int64_kernel, tl.int64, 7),
        (int64_kernel, tl.int64, 1),
        (int64_kernel, tl.int64, -(2**40)),
        (u8_kernel, tl.uint8, 200),
        (double_kernel, tl.float64, 0.1),
        (double_kernel, tl.float64, 3),
        (half_kernel, tl.float16, 1.5),
        (half_kernel, tl.float16, -65504.0),
        (brain_kernel, tl.bfloat16, 2.5),
        (float_kernel, tl.float32, 4),
        (float_kernel, tl.float32, 1),
    ],
)
def test_typed_annotations(kernel, dtype, value):
    out = np.zeros(1)
    kernel[(1,)](out, value, E=dtype)
    assert out[0] == float(value)


def test_texts_of_annotations():
    """As Triton spells them, which tools read."""

    @triton.jit
    def kernel(a, b: tl.int32, c: "i64", d: tl.constexpr, e: "tl.constexpr", f: int, g: float, h: bool, i: list):  # noqa: F821
        pass

    spelled = ["", "i32", "i64", "constexpr", "constexpr", "i32", "fp32", "u1", "list"]
    assert [parameter.annotation for parameter in kernel.params] == spelled
    assert kernel.params[6].annotation_type == "fp32"


def test_an_annotated_integer_takes_nothing_else():
    out = np.zeros(1)
    with pytest.raises(TypeError, match="`a`.*integer"):
        int64_kernel[(1,)](out, 1.5, E=tl.int64)
    with pytest.raises(TypeError, match="`a`"):
        int64_kernel[(1,)](out, out, E=tl.int64)
