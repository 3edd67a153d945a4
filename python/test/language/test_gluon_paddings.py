# ruff: noqa: F811
"""Buffers of gfx950 with the paddings that Gluon finds for operands of matrix units."""

import itertools

import numpy as np
import pytest
import triton
from gluon_devices import simulated  # noqa: F401
from triton.backends.compiler import GPUTarget
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language.amd import AMDMFMALayout, cdna3, cdna4

ROWS_16 = AMDMFMALayout(4, [16, 16, 32], True, [2, 2])
ROWS_32 = AMDMFMALayout(4, [32, 32, 16], True, [2, 2])
#: Lanes that a read of 16 bytes serves at once.
SERVED = [[0, 1, 2, 3, 12, 13, 14, 15, *range(20, 28)], [*range(4, 12), 16, 17, 18, 19, *range(28, 32)]]


def padded(layout, index, shape, dtype=ttgl.float16, k_width=8, **options):
    operand = ttgl.DotOperandLayout(index, layout, k_width)
    return cdna4.compute_efficient_padded_shared_layout(operand, shape, dtype, **options)


def in_order(layout):
    """The layout of threads, each with 16 bytes of float16, in which four warps write pieces of the buffer in order."""
    bases = list(layout.offset_bases)
    return ttgl.DistributedLinearLayout(bases[:3] + bases[11:], bases[3:9], bases[9:11], [], layout.shape)


def address(layout, row, column):
    place = 0
    for bit, basis in enumerate(layout.offset_bases):
        place |= bool(row & basis[0] or column & basis[1]) << bit
    return 2 * (place + sum(place // interval * padding for interval, padding in layout.interval_padding_pairs))


@pytest.mark.parametrize("layout", [ROWS_16, ROWS_32], ids=["16 rows", "32 rows"])
@pytest.mark.parametrize("shape", [[64, 64], [256, 64], [128, 128], [128, 32], [32, 1024]])
def test_reads_of_16_bytes_meet_different_banks(layout, shape):
    found, rows = padded(layout, 0, shape), layout.instr_shape[0]
    for half, lanes in itertools.product((0, 32), SERVED):
        places = [address(found, (half + lane) % rows, (half + lane) // rows * 8) // 16 for lane in lanes]
        assert len({place % 16 for place in places}) == 16, places


def test_none_where_reads_are_of_another_kind():
    assert padded(ROWS_16, 0, [64, 64], k_width=2) is None
    assert padded(ROWS_16, 0, [64, 64], ttgl.float32) is None
    assert padded(ROWS_16, 0, [8, 64]) is None
    assert padded(ROWS_16, 0, [16, 32]) is None, "no interval ends in it"
    with pytest.raises(ValueError, match="shape must be of powers of two, not 96"):
        padded(ROWS_16, 0, [96, 64])
    with pytest.raises(ValueError, match="must be of version 4"):
        padded(AMDMFMALayout(3, [16, 16, 16], True, [2, 2]), 0, [64, 64])
    with pytest.raises(TypeError, match="must be a DotOperandLayout over an AMDMFMALayout"):
        cdna4.compute_efficient_padded_shared_layout(ROWS_16, [64, 64], ttgl.float16)


@gluon.jit
def places(shape: ttgl.constexpr, layout: ttgl.constexpr):
    rows = ttgl.arange(0, shape[0], layout=ttgl.SliceLayout(1, layout))
    return rows[:, None] * shape[1] + ttgl.arange(0, shape[1], layout=ttgl.SliceLayout(0, layout))[None, :]


@gluon.jit
def product(
    a, b, c, M: ttgl.constexpr, N: ttgl.constexpr, K: ttgl.constexpr, UNIT: ttgl.constexpr, A: ttgl.constexpr,
    B: ttgl.constexpr, COPY_A: ttgl.constexpr, COPY_B: ttgl.constexpr,
):  # fmt: skip
    left: ttgl.constexpr = ttgl.DotOperandLayout(0, UNIT, 8)
    right: ttgl.constexpr = ttgl.DotOperandLayout(1, UNIT, 8)
    a_buffer = ttgl.allocate_shared_memory(ttgl.float16, [M, K], A)
    b_buffer = ttgl.allocate_shared_memory(ttgl.float16, [K, N], B)
    cdna4.async_copy.buffer_load_to_shared(a_buffer, a, places([M, K], COPY_A))
    cdna4.async_copy.buffer_load_to_shared(b_buffer, b, places([K, N], COPY_B))
    cdna4.async_copy.commit_group()
    cdna4.async_copy.wait_group(0)
    acc = ttgl.zeros([M, N], ttgl.float32, UNIT)
    acc = cdna4.mfma(a_buffer.load(left), b_buffer.load(right), acc)
    cdna3.buffer_store(acc, c, places([M, N], UNIT))


def constants_of(unit, shape):
    m, n, k = shape
    a, b = padded(unit, 0, [m, k]), padded(unit, 1, [k, n], is_k_contig=False)
    names = {"M": m, "N": n, "K": k, "UNIT": unit, "A": a, "B": b}
    return names | {"COPY_A": in_order(a), "COPY_B": in_order(b)}


@pytest.mark.parametrize("unit", [ROWS_16, ROWS_32], ids=["16 rows", "32 rows"])
def test_products(simulated, unit):
    simulated("gfx950")
    generator = np.random.default_rng(3)
    a, b = (generator.integers(-4, 5, shape).astype(np.float16) for shape in ((64, 64), (64, 128)))
    c = np.zeros((64, 128), np.float32)
    product[(1,)](a, b, c, **constants_of(unit, [64, 128, 64]))
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


def test_warps_copy_pieces_beside_the_program():
    constants = constants_of(ROWS_16, [64, 128, 64])
    types = {"a": "*fp16", "b": "*fp16", "c": "*fp32"} | dict.fromkeys(constants, "constexpr")
    attributes = {(place,): [["tt.divisibility", 16]] for place in range(3)}
    source = gluon.GluonASTSource(product, types, constants, attributes)
    code = triton.compile(source, target=GPUTarget("hip", "gfx950", 64)).asm["amdgcn"]
    assert code.count("buffer_load_dwordx4") == 6 and code.count(" lds\n") == 6
    assert "ds_write" not in code
