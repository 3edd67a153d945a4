"""Tensor descriptors that the host makes and passes to kernels."""

from collections import namedtuple

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor
from values import aligned


@triton.jit
def copy_block(source, target, row, column):
    target.store([row, column], source.load([row, column]))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.uint16, np.int32, np.int64])
@pytest.mark.parametrize("row, column", [(0, 0), (4, 16), (8, 48), (-2, -16), (3, 5)])
def test_blocks_at_the_edges(device, rng, dtype, row, column):
    values = rng.integers(0, 100, (11, 64)).astype(dtype)
    source, target = aligned(values), aligned(np.zeros_like(values))
    describe = lambda array: TensorDescriptor(array, [11, 61], [64, 1], [4, 16])
    copy_block[(1,)](describe(source), describe(target), row, column)
    expected = np.zeros_like(values)
    rows, columns = slice(max(row, 0), min(row + 4, 11)), slice(max(column, 0), min(column + 16, 61))
    expected[rows, columns] = values[rows, columns]
    np.testing.assert_array_equal(target, expected)


@triton.jit
def copy_padded(source, out, row, column, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    block = source.load([row, column])
    at = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    tl.store(out + at, block)


@pytest.mark.parametrize("padding", ["zero", "nan"])
def test_padding(device, rng, padding):
    values = aligned(rng.standard_normal((6, 20)).astype(np.float32))
    out = np.full((8, 16), 7, np.float32)
    copy_padded[(1,)](TensorDescriptor.from_tensor(values, [8, 16], padding=padding), out, -1, 8, ROWS=8, COLUMNS=16)
    expected = np.full((8, 16), 0 if padding == "zero" else np.nan, np.float32)
    expected[1:7, :12] = values[:, 8:20]
    np.testing.assert_array_equal(out, expected)


def to_tf32(values):
    """Ten mantissa bits, to the nearest, halves to even: exact in float64."""
    exact = values.astype(np.float64)
    mantissa, exponent = np.frexp(exact)
    exponent = np.maximum(exponent, -125)  # Subnormal numbers have the spacing of the smallest normal ones.
    return (np.rint(np.ldexp(exact, 11 - exponent)) * np.ldexp(1.0, exponent - 11)).astype(np.float32)


def test_rounding_to_tf32(device, rng):
    bits = rng.integers(0, 2**32, (32, 64), dtype=np.uint32)
    bits[0, :6] = [0x3F801000, 0x3F803000, 0x3F800FFF, 0x3F801001, 0x00001000, 0x80003000]
    values = aligned(bits.view(np.float32))
    values[~np.isfinite(values)] = 1
    values[1, :3] = [np.inf, -np.inf, np.nan]
    out = np.zeros((32, 64), np.float32)
    descriptor = TensorDescriptor.from_tensor(values, [32, 64], round_f32_to_tf32=True)
    copy_padded[(1,)](descriptor, out, 0, 0, ROWS=32, COLUMNS=64)
    finite = np.isfinite(values)
    with np.errstate(over="ignore"):
        expected = np.where(finite, to_tf32(np.where(finite, values, 0)), values)
    np.testing.assert_array_equal(out, expected)
    copy_padded[(1,)](TensorDescriptor.from_tensor(values, [32, 64]), out, 0, 0, ROWS=32, COLUMNS=64)
    np.testing.assert_array_equal(out.view(np.uint32), values.view(np.uint32))


@triton.jit
def read_attributes(source, out):
    tl.static_assert(source.block_shape[0] == 2 and source.block_shape[2] == 16)
    tl.static_assert(source.dtype == tl.float16)
    for axis in tl.static_range(3):
        tl.store(out + axis, source.shape[axis].to(tl.int64))
        tl.store(out + 3 + axis, source.strides[axis])


def test_attributes(device):
    values = aligned(np.zeros((5, 7, 24), np.float16))
    out = np.zeros(6, np.int64)
    read_attributes[(1,)](TensorDescriptor.from_tensor(values, [2, 4, 16]), out)
    assert out.tolist() == [5, 7, 24, 168, 24, 1]


@triton.jit
def sum_of_ranks(one, five, out):
    total = tl.sum(one.load([8]), 0)
    total += tl.sum(tl.reshape(five.load([0, 1, 0, 1, 0]), [64]), 0)
    tl.store(out, total)


def test_one_and_five_dimensions(device, rng):
    one = aligned(rng.integers(0, 100, 20).astype(np.int32))
    five = aligned(rng.integers(0, 100, (1, 3, 2, 3, 8)).astype(np.int32))
    out = np.zeros(1, np.int32)
    sum_of_ranks[(1,)](TensorDescriptor.from_tensor(one, [8]), TensorDescriptor.from_tensor(five, [1, 2, 2, 2, 8]), out)
    assert out[0] == one[8:16].sum() + five[:, 1:3, :, 1:3].sum()


Operands = namedtuple("Operands", ["left", "right"])


@triton.jit
def add_in_tuples(operands, rest):
    target, offset = rest
    value = operands.left.load([0, offset]) + operands.right.load([0, offset])
    target.store([0, offset], value)


def test_descriptors_in_tuples(device, rng):
    left, right = (aligned(rng.standard_normal((4, 32)).astype(np.float32)) for _ in range(2))
    out = aligned(np.zeros((4, 32), np.float32))
    describe = lambda array: TensorDescriptor.from_tensor(array, [4, 16])
    add_in_tuples[(1,)](Operands(describe(left), describe(right)), (describe(out), 16))
    np.testing.assert_array_equal(out[:, 16:], (left + right)[:, 16:])
    assert not out[:, :16].any()


@triton.jit
def _load_from(descriptor, at):
    return descriptor.load([at, 0])


@triton.jit
def choose_and_walk(first, second, out, which, steps):
    total = tl.zeros([4, 8], tl.float32)
    chosen = first
    for step in range(steps):
        if which == step % 2:
            chosen = second
        else:
            chosen = first
        total += _load_from(chosen, step * 4)
    at = tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :]
    tl.store(out + at, total)


def test_descriptors_through_control_flow(device, rng):
    first, second = (aligned(rng.standard_normal((12, 8)).astype(np.float32)) for _ in range(2))
    out = np.zeros((4, 8), np.float32)
    describe = lambda array, padding: TensorDescriptor.from_tensor(array, [4, 8], padding=padding)
    choose_and_walk[(1,)](describe(first, "zero"), describe(second, "nan"), out, 1, 3)
    np.testing.assert_allclose(out, first[:4] + second[4:8] + first[8:], rtol=1e-6)


@triton.jit
def matmul(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(a.load([row, k]), b.load([column, k]).T, total)
    c.store([row, column], total.to(c.dtype))


def _describe_operands(arrays, BM, BN, BK):
    a, b, c = arrays
    return (
        TensorDescriptor.from_tensor(a, [BM, BK]),
        TensorDescriptor.from_tensor(b, [BN, BK]),
        TensorDescriptor.from_tensor(c, [BM, BN]),
    )


def _operands(rng, M, N, K):
    arrays = [aligned(rng.standard_normal(shape).astype(np.float16)) for shape in ((M, K), (N, K))]
    return [*arrays, aligned(np.full((M, N), np.nan, np.float16))]


def _check_product(arrays):
    a, b, c = arrays
    expected = a.astype(np.float64) @ b.astype(np.float64).T
    np.testing.assert_allclose(c.astype(np.float64), expected, rtol=2e-3, atol=2e-2)


@pytest.mark.parametrize("M, N, K", [(64, 64, 64), (72, 40, 56)])
def test_matmul(device, rng, M, N, K):
    arrays = _operands(rng, M, N, K)
    grid = (triton.cdiv(M, 32), triton.cdiv(N, 32))
    matmul[grid](*_describe_operands(arrays, 32, 32, 16), K, BM=32, BN=32, BK=16)
    _check_product(arrays)


def _set_blocks(nargs):
    nargs["a"].block_shape = [nargs["BM"], nargs["BK"]]
    nargs["b"].block_shape = [nargs["BN"], nargs["BK"]]
    nargs["c"].block_shape = [nargs["BM"], nargs["BN"]]


def test_autotuned_kernels_set_the_block_shapes(device, rng):
    configs = [triton.Config({"BM": size, "BN": 32, "BK": 16}, num_warps=4, pre_hook=_set_blocks) for size in (16, 32)]
    tuned = triton.autotune(configs, key=["K"], do_bench=lambda call, quantiles: [call() or 1.0] * 3)(matmul)
    arrays = _operands(rng, 64, 64, 32)
    tuned[lambda meta: (64 // meta["BM"], 64 // meta["BN"])](*_describe_operands(arrays, 1, 1, 1), 32)
    _check_product(arrays)


@triton.jit
def accumulate(target, BLOCK: tl.constexpr):
    target.store([0], target.load([0]) + 1)


def test_autotuner_resets_and_restores_described_arrays(device):
    configs = [triton.Config({"BLOCK": 16}, num_warps=warps) for warps in (1, 2)]
    measured = lambda call, quantiles: [call() or 1.0] * 3
    for keywords, expected in (({"reset_to_zero": ["target"]}, 1), ({"restore_value": ["target"]}, 6)):
        tuned = triton.autotune(configs, key=[], do_bench=measured, **keywords)(accumulate)
        target = aligned(np.full(16, 5, np.float32))
        tuned[(1,)](TensorDescriptor.from_tensor(target, [16]))
        assert target.tolist() == [expected] * 16


def test_signatures_name_descriptors(device):
    values = aligned(np.zeros((8, 32), np.float16))
    plain = TensorDescriptor.from_tensor(values, [4, 16])
    kernel = copy_block.warmup(plain, plain, 0, 0, grid=(1,))
    assert kernel.src.signature["source"] == "tensordesc<fp16[4, 16]>"
    single = aligned(np.zeros((8, 32), np.float32))
    special = TensorDescriptor.from_tensor(single, [4, 16], padding="nan", round_f32_to_tf32=True)
    kernel = copy_block.warmup(special, special, 0, 0, grid=(1,))
    assert kernel.src.signature["source"] == "tensordesc<fp32[4, 16], nan, tf32>"


def test_kernels_that_are_compiled_from_a_signature(host_device, rng):
    values = aligned(rng.standard_normal((8, 32)).astype(np.float16))
    out = aligned(np.zeros_like(values))
    signature = {"source": "tensordesc<fp16[4, 16]>", "target": "tensordesc<fp16[4,16]>", "row": "i32", "column": "i32"}
    kernel = triton.compile(triton.compiler.ASTSource(copy_block, signature))
    source, target = (TensorDescriptor.from_tensor(array, [4, 16]) for array in (values, out))
    kernel[(1, 1, 1)](source, target, 4, 16)
    np.testing.assert_array_equal(out[4:, 16:], values[4:, 16:])
    with pytest.raises(TypeError, match="`target` must be a `tensordesc<fp16"):
        kernel[(1, 1, 1)](source, TensorDescriptor.from_tensor(out, [4, 32]), 4, 16)
    text = "tensordesc<fp16[4, 16]>, tensordesc<fp16[4, 16]>, i32, i32"
    assert triton.compiler.ASTSource(copy_block, text).signature == kernel.src.signature | {
        "target": signature["source"]
    }


def test_compiled_kernels_take_descriptors_without_the_constants(host_device, rng):
    values = aligned(rng.standard_normal((8, 32)).astype(np.float32))
    out = np.zeros((4, 16), np.float32)
    descriptor = TensorDescriptor.from_tensor(values, [4, 16])
    kernel = copy_padded.warmup(descriptor, out, 4, 2, ROWS=4, COLUMNS=16, grid=(1,))
    kernel[(1, 1, 1)](descriptor, out, 4, 2)
    np.testing.assert_array_equal(out, values[4:, 2:18])
    with pytest.raises(TypeError, match="takes 6 arguments, or the 4 that are not compile-time constants; got 3"):
        kernel[(1, 1, 1)](descriptor, out, 4)


@triton.jit
def tile_of(number, rows, columns, GROUP: tl.constexpr):
    height = tl.minimum(rows - number // (GROUP * columns) * GROUP, GROUP)
    tl.assume(height > 0)
    return number // (GROUP * columns) * GROUP + number % height, number % (GROUP * columns) // height


@triton.jit
def multiply_expert(a, b, c, expert, rows, columns, K, PROGRAMS: tl.constexpr):
    """The persistent loop and the shapes of libraries for mixtures of experts."""
    for tile in tl.range(tl.program_id(0), rows * columns, PROGRAMS, flatten=True):
        m, n = tile_of(tile, rows, columns, 2)
        total = tl.zeros((64, 32), tl.float32)
        for k in range(0, K, 32):
            left = a.load([expert, m * 64, k]).reshape(64, 32)
            total = tl.dot(left, tl.reshape(b.load([expert, n * 32, k]), b.block_shape[1:]).T, total)
        c.store([expert, m * 64, n * 32], total.to(tl.float16)[None])


@pytest.mark.parametrize("expert", [-1, 1, 2])
def test_matrices_of_a_batch(device, rng, expert):
    a, b = (aligned(rng.standard_normal((2, rows, 96)).astype(np.float16)) for rows in (128, 64))
    c = aligned(np.full((2, 128, 64), 7, np.float16))
    describe = lambda array, rows: TensorDescriptor.from_tensor(array, [1, rows, 32])
    multiply_expert[(3,)](describe(a, 64), describe(b, 32), describe(c, 64), expert, 2, 2, 96, PROGRAMS=3)
    expected = np.full_like(c, 7)
    if expert == 1:
        expected[1] = a[1].astype(np.float32) @ b[1].astype(np.float32).T
    np.testing.assert_allclose(c, expected, rtol=2e-3, atol=2e-2)


def test_facts_of_a_descriptor_are_checked(device):
    values = aligned(np.zeros((8, 32), np.float32))
    good = dict(base=values, shape=[8, 32], strides=[32, 1], block_shape=[4, 16])
    for changes, kind, message in (
        ({"base": values.reshape(-1)[1:]}, AssertionError, "aligned to 16 bytes, but its address is 4 bytes"),
        ({"strides": [30, 1]}, AssertionError, "stride 30 of dimension 0 must be a multiple of 16 bytes"),
        ({"strides": [32, 2]}, AssertionError, "last dimension must be contiguous, but its stride is 2"),
        ({"strides": [1]}, AssertionError, "the number of strides is 1 for 2 dimensions"),
        ({"shape": [0, 32]}, AssertionError, "the extent 0 must be positive"),
        ({"shape": [], "strides": [], "block_shape": []}, AssertionError, "one to five dimensions, not 0"),
        ({"block_shape": [4, 12]}, ValueError, "block dimension 12 is not a power of two"),
        ({"block_shape": [4]}, AssertionError, "the number of block dimensions is 1 for 2"),
        ({"padding": "one"}, AssertionError, "the padding 'one' is neither"),
        ({"base": values.view(np.int32), "padding": "nan"}, AssertionError, "needs floating-point elements, not i32"),
        ({"base": values.view(np.int32), "round_f32_to_tf32": True}, AssertionError, "needs fp32 elements, not i32"),
        ({"base": "text"}, TypeError, "its base is a `str`"),
    ):
        with pytest.raises(kind, match=message):
            TensorDescriptor(**{**good, **changes})


def test_launches_name_the_argument(host_device):
    values = aligned(np.zeros((8, 32), np.float32))
    good, changed = (TensorDescriptor.from_tensor(values, [4, 16]) for _ in range(2))
    changed.strides = [30, 1]
    with pytest.raises(AssertionError, match=r"argument `target` \(a `TensorDescriptor`\): the stride 30"):
        copy_block[(1,)](good, changed, 0, 0)
    with pytest.raises(AssertionError, match=r"argument `rest\[0\]`"):
        add_in_tuples[(1,)](Operands(good, good), (changed, 0))


def test_read_only_arrays(host_device):
    values = aligned(np.zeros((8, 32), np.float32))
    frozen = values.view()
    frozen.flags.writeable = False
    good, locked = (TensorDescriptor.from_tensor(array, [4, 16]) for array in (aligned(values), frozen))
    copy_block[(1,)](locked, good, 0, 0)
    with pytest.raises(ValueError, match="argument `target.base`: the array is read-only"):
        copy_block[(1,)](good, locked, 0, 0)
