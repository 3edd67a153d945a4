"""Tensor descriptors that kernels make: accesses, reductions, gathers and scatters."""

import ml_dtypes
import numpy as np
import pytest
import triton
import triton.language as tl
from shared_kernels import COMBINATIONS, combine_block
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from values import aligned


@triton.jit
def combine(target_ptr, values_ptr, rows, columns, row, column, KIND: tl.constexpr):
    target = tl.make_tensor_descriptor(target_ptr, [rows, columns], [columns, 1], [4, 16])
    values = tl.make_tensor_descriptor(values_ptr, [4, 16], [16, 1], [4, 16])
    combine_block(target, row, column, values.load([0, 0]), KIND)


WHOLE = ["uint32", "int32", "uint64", "int64"]
REDUCTIONS = [("add", dtype) for dtype in ("uint32", "int32", "uint64", "float32", "float16")]
REDUCTIONS += [(kind, dtype) for kind in ("min", "max", "and", "or", "xor") for dtype in WHOLE]


@pytest.mark.parametrize("kind, dtype", REDUCTIONS)
def test_reductions(device, rng, kind, dtype):
    """Four programs reduce into the same block, which lies across the array's end."""
    low, high = (-8, 8) if np.dtype(dtype).kind == "f" else (-(2**31), 2**31)
    draw = lambda shape: rng.integers(low, high, shape).astype(dtype)
    target, values = aligned(draw((6, 24))), aligned(draw((4, 16)))
    expected, block = target.copy(), (slice(3, 6), slice(16, 24))
    for _ in range(4):
        expected[block] = COMBINATIONS[kind](expected[block], values[:3, :8])
    combine[(4,)](target, values, 6, 24, 3, 16, KIND=kind)
    np.testing.assert_array_equal(target, expected)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("kind", ["min", "max"])
def test_extrema_of_narrow_floats(device, rng, kind, dtype):
    dtype = np.float16 if dtype == "float16" else ml_dtypes.bfloat16
    draw = lambda shape: (rng.standard_normal(shape) * 100).astype(dtype)
    target, values = aligned(draw((6, 24))), aligned(draw((4, 16)))
    target[4, 18], target[3, 17], values[1, 1] = np.inf, np.nan, np.nan  # of a number and a NaN the number
    expected, block = target.astype(np.float32), (slice(3, 6), slice(16, 24))
    combined = np.fmin if kind == "min" else np.fmax
    expected[block] = combined(expected[block], values[:3, :8].astype(np.float32))
    combine[(4,)](target, values, 6, 24, 3, 16, KIND=kind)
    np.testing.assert_array_equal(target.astype(np.float32), expected)


@pytest.mark.parametrize("kind", ["min", "max"])
@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
@pytest.mark.parametrize("target", [("cuda", 80, 32), ("cuda", 90, 32), ("hip", "gfx942", 64), ("hip", "gfx1100", 32)])
def test_extrema_of_narrow_floats_compile(target, dtype, kind):
    """GPUs have no such instruction: compare-and-swap repeats."""
    integers = dict.fromkeys(("rows", "columns", "row", "column"), "i32")
    signature = {"target_ptr": f"*{dtype}", "values_ptr": f"*{dtype}", **integers, "KIND": "constexpr"}
    kernel = triton.compile(ASTSource(combine, signature, {"KIND": kind}), target=GPUTarget(*target))
    code = kernel.asm["ptx" if target[0] == "cuda" else "amdgcn"]
    assert kind in code and ("cmpswap" in code or ".cas." in code)


@triton.jit
def move_rows(source_ptr, target_ptr, index_ptr, rows, columns, column, COUNT: tl.constexpr, WIDTH: tl.constexpr):
    source = tl.make_tensor_descriptor(source_ptr, [rows, columns], [columns, 1], [1, WIDTH])
    target = tl.make_tensor_descriptor(target_ptr, [COUNT, columns], [columns, 1], [1, WIDTH])
    taken = source.gather(tl.load(index_ptr + tl.arange(0, COUNT)), column)
    target.scatter(taken, COUNT - 1 - tl.arange(0, COUNT), column)


@pytest.mark.parametrize("index_type", [np.int16, np.int32])
@pytest.mark.parametrize("dtype, width", [(np.float32, 8), (np.float16, 32), (np.int8, 64)])
def test_gather_and_scatter(device, rng, dtype, width, index_type):
    """Rows outside of the array are zeros, and columns there are not written."""
    values = aligned(rng.integers(1, 100, (20, 96)).astype(dtype))
    index = rng.integers(-2, 23, 16).astype(index_type)
    target = aligned(np.zeros((16, 96), dtype))
    column = 96 - width // 2
    move_rows[(1,)](values, target, index, 20, 96, column, COUNT=16, WIDTH=width)
    expected = np.zeros((16, 96), dtype)
    inside = (index >= 0) & (index < 20)
    expected[:, column:] = np.where(inside[:, None], values[np.clip(index, 0, 19)][:, column:], 0)[::-1]
    np.testing.assert_array_equal(target, expected)


@triton.jit
def add_in_blocks(x_ptr, out_ptr, n, BLOCK: tl.constexpr, PADDING: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [n], [1], [BLOCK], padding_option=PADDING)
    out = tl.make_tensor_descriptor(out_ptr, [n + BLOCK], [1], [BLOCK])
    at = tl.program_id(0) * BLOCK
    tl.static_assert(x.block_shape[0] == BLOCK and x.dtype == tl.float32)
    tl.store_tensor_descriptor(out, [at], tl.load_tensor_descriptor(x, [at]) + 1)


@pytest.mark.parametrize("padding", ["zero", "nan"])
def test_padding(device, rng, padding):
    values = aligned(rng.standard_normal(100).astype(np.float32))
    out = aligned(np.zeros(164, np.float32))
    add_in_blocks[(2,)](values, out, 100, BLOCK=64, PADDING=padding)
    np.testing.assert_array_equal(out[:100], values + np.float32(1))
    np.testing.assert_array_equal(out[100:128], np.full(28, 1 if padding == "zero" else np.nan, np.float32))


def test_the_class_shows_what_kernels_may_call():
    methods = ["load", "store", "atomic_add", "atomic_and", "atomic_max", "atomic_min", "atomic_or", "atomic_xor"]
    for name in [*methods, "gather", "scatter"]:
        assert getattr(tl.tensor_descriptor, name).__doc__
    for name in ("dtype", "block_type", "block_shape"):
        assert isinstance(getattr(tl.tensor_descriptor, name), property)
    with pytest.raises(ValueError, match="inside a @triton.jit kernel"):
        tl.tensor_descriptor()


def test_types_of_signatures():
    described = tl.str_to_ty("tensordesc<fp16[16, 64]>", None)
    assert isinstance(described, tl.tensor_descriptor_type)
    assert described.block_type.element_ty == tl.float16 and list(described.block_type.shape) == [16, 64]
