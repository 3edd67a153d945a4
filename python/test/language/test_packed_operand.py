"""Weights that the host packs once: every type and shape gives what the matrix itself gives, on every target, and
processors read the packed blocks where they lie."""

import re

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.tools.packed_operand import load_block, pack
from values import argument, read, store_as


@triton.jit
def packed_product(
    a, b, out, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PANEL: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    n_block = tl.program_id(1)
    columns = n_block * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), out.dtype.element_ty)
    blocks = tl.cdiv(K, BK)
    for block in range(blocks):
        k = block * BK + tl.arange(0, BK)
        left = tl.load(a + rows[:, None] * K + k[None, :], mask=(rows[:, None] < M) & (k[None, :] < K), other=0)
        right = load_block(b, block, n_block, blocks, BK, BN, PANEL, GROUP)
        total = tl.dot(left, right, total, input_precision="ieee")
    tl.store(out + rows[:, None] * N + columns[None, :], total, mask=(rows[:, None] < M) & (columns[None, :] < N))


def as_numpy(array, dtype):
    """NumPy has no bfloat16, which `pack` takes as one of ml_dtypes."""
    if dtype != "bfloat16":
        return array
    import ml_dtypes

    return array.view(ml_dtypes.bfloat16)


def random_matrix(rng, shape, dtype):
    if dtype == "int8":
        return rng.integers(-128, 128, shape, np.int8)
    return store_as(rng.standard_normal(shape), dtype)


@pytest.mark.parametrize("block", [(16, 32, 32), (1, 64, 32), (4, 16, 16), (32, 16, 64)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16", "int8"])
def test_products(device, rng, dtype, block):
    bm, bn, bk = block
    m, n, k = 5 + bm, 70, 100
    a, b = random_matrix(rng, (m, k), dtype), random_matrix(rng, (k, n), dtype)
    packed = pack(as_numpy(b, dtype), bk, bn, bm)
    assert len(packed.data) == -(-n // bn) * bn * -(-k // bk) * bk
    data = packed.data.view(b.dtype)
    out = np.zeros((m, n), {"int8": np.int32, "float64": np.float64}.get(dtype, np.float32))
    grid = (-(-m // bm), -(-n // bn))
    arguments = [argument(x, dtype) for x in (a, data)]
    packed_product[grid](*arguments, out, m, n, k, *block, packed.panel, packed.group)
    left, right = (x.astype(np.int64) if dtype == "int8" else read(x, dtype).astype(np.float64) for x in (a, b))
    if dtype == "int8":
        np.testing.assert_array_equal(out, left @ right)
    else:
        tolerance = 1e-14 if dtype == "float64" else 1e-6
        assert np.max(np.abs(out - left @ right) / (np.abs(left) @ np.abs(right))) < tolerance


@pytest.mark.parametrize(
    "arch, dtype, block, packing",
    [
        ("znver5", "bf16", (16, 32, 32), (32, 2)),
        ("znver5", "i8", (16, 32, 32), (32, 4)),
        ("znver5", "fp32", (16, 32, 32), (32, 1)),
        ("sapphirerapids", "bf16", (16, 32, 32), (16, 2)),
        ("neoverse-v2", "bf16", (16, 32, 32), (32, 4)),
        ("neoverse-v2", "bf16", (1, 32, 32), (32, 2)),
        ("neoverse-v2", "i8", (16, 32, 32), (32, 8)),
    ],
)
def test_blocks_are_read_in_place(arch, dtype, block, packing):
    """No code brings them into another order."""
    from triton import _C

    assert _C.operand_packing(arch, dtype, *block) == packing
    result = "*i32" if dtype == "i8" else "*fp32"
    signature = dict.fromkeys(packed_product.arg_names, "constexpr")
    signature |= {"a": f"*{dtype}", "b": f"*{dtype}", "out": result, "M": "i32", "N": "i32", "K": "i32"}

    def scratch_stores(panel, group):
        constants = dict(zip(("BM", "BN", "BK", "PANEL", "GROUP"), (*block, panel, group), strict=True))
        source = ASTSource(packed_product, signature=signature, constexprs=constants)
        text = triton.compile(source, target=GPUTarget("cpu", "", 0), options={"arch": arch}).asm["ttcir"]
        return len(re.findall(r"llvm\.store|maskedstore", text))

    # The same kernel with another packing, which is not the target's.
    panel, group = packing
    other = (panel, 2 * group if group < 8 else 1)
    assert scratch_stores(*packing) < scratch_stores(*other)


def test_memory_that_is_written_in_between(device, rng):
    """Then the block is read before, as the kernel says."""

    @triton.jit
    def overwrite(a, b, out, BLOCK: tl.constexpr, PANEL: tl.constexpr, GROUP: tl.constexpr):
        i, j = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :]
        right = load_block(b, 0, 0, 1, BLOCK, BLOCK, PANEL, GROUP)
        tl.debug_barrier()  # other threads than those that read these elements overwrite them
        tl.store(b + i * BLOCK + j, tl.zeros((BLOCK, BLOCK), b.dtype.element_ty))
        product = tl.dot(tl.load(a + i * BLOCK + j), right, input_precision="ieee")
        tl.store(out + i * BLOCK + j, product)

    a, b = (rng.standard_normal((16, 16)).astype(np.float32) for _ in range(2))
    packed = pack(b, 16, 16, 16)
    out = np.zeros((16, 16), np.float32)
    overwrite[(1,)](a, packed.data, out, 16, packed.panel, packed.group)
    np.testing.assert_allclose(out, a.astype(np.float64) @ b, rtol=1e-4, atol=1e-5)
    assert not packed.data.any()


def test_what_cannot_be_packed():
    matrix = np.zeros((8, 8), np.float32)
    with pytest.raises(ValueError, match="powers of two, not 12"):
        pack(matrix, 12, 16, 16)
    with pytest.raises(ValueError, match="two dimensions, not 1"):
        pack(matrix[0], 16, 16, 16)
    with pytest.raises(TypeError, match="not complex64"):
        pack(matrix.astype(np.complex64), 16, 16, 16)
    with pytest.raises(RuntimeError, match="`z80` is not a processor"):
        pack(matrix, 16, 16, 16, arch="z80")
