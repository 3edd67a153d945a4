"""`triton.tools`: microscaling formats, ragged tensors, disassembly."""

import importlib.util
import itertools
import sys

import ml_dtypes
import numpy as np
import pytest
import triton
import triton.language as tl
from triton.tools import disasm, mxfp
from triton.tools.ragged_tma import (
    atomic_add_ragged,
    create_ragged_descriptor,
    load_ragged,
    store_ragged,
    to_ragged_indices,
)

# ---- Microscaling formats


def nearest_even(values, grid):
    """For each value the index of the nearest element of the grid, in a tie the even one; computed in float64."""
    distances = np.abs(np.asarray(values, np.float64)[..., None] - np.asarray(grid, np.float64))
    best = distances.min(-1, keepdims=True)
    candidates = np.where(distances == best, np.arange(len(grid)), 99)
    even = np.where(candidates % 2 == 0, candidates, 99).min(-1)
    return np.where(even < 99, even, candidates.min(-1))


def test_four_bit_values():
    grid = [0, 0.5, 1, 1.5, 2, 3, 4, 6]
    ties = [(a + b) / 2 for a, b in itertools.pairwise(grid)]
    rng = np.random.default_rng(0)
    near = np.concatenate([np.nextafter(np.float32(ties), np.float32(side)) for side in (0, 9)])
    values = np.concatenate([grid, ties, near, rng.uniform(0, 8, 1000), [1e-40, 1e30, np.inf]]).astype(np.float32)
    values = np.concatenate([values, -values])
    tensor = mxfp.MXFP4Tensor(data=values)
    expected = nearest_even(np.minimum(np.abs(values), 6), grid) + 8 * np.signbit(values)
    np.testing.assert_array_equal(tensor.data, expected)
    decoded = tensor.to(np.float32)
    np.testing.assert_array_equal(np.abs(decoded), np.float32(grid)[expected & 7])
    np.testing.assert_array_equal(np.signbit(decoded), np.signbit(values))
    reference = np.clip(values, -6, 6).astype(ml_dtypes.float4_e2m1fn)
    np.testing.assert_array_equal(decoded, reference.astype(np.float32))
    with pytest.raises(ValueError, match="NaN"):
        mxfp.MXFP4Tensor(data=np.float32([np.nan]))


@pytest.mark.parametrize("shape", [(8,), (7,), (4, 6), (3, 5), (2, 3, 4)])
def test_packing(shape):
    for dim in range(len(shape)):
        codes = mxfp.MXFP4Tensor(size=shape, device="cpu")
        codes.data = np.random.default_rng(1).integers(0, 16, shape, dtype=np.uint8)
        packed = codes.to_packed_tensor(dim)
        assert packed.shape[dim] == (shape[dim] + 1) // 2 and packed.dtype == np.uint8
        moved, flat = np.moveaxis(codes.data, dim, 0), np.moveaxis(packed, dim, 0)
        np.testing.assert_array_equal(flat & 15, moved[::2])
        np.testing.assert_array_equal((flat >> 4)[: moved[1::2].shape[0]], moved[1::2])
        np.testing.assert_array_equal(codes.unpack_packed_tensor(packed, dim, shape), codes.data)


def test_scales():
    rng = np.random.default_rng(2)
    powers = 2.0 ** np.arange(-127, 128)
    values = np.concatenate([powers, powers[1:] * 1.999, 2.0 ** rng.uniform(-126, 127, 500)]).astype(np.float32)
    scales = mxfp.MXScaleTensor(data=values)
    decoded = scales.to(np.float32).astype(np.float64)
    np.testing.assert_array_equal(decoded, 2.0 ** np.floor(np.log2(values.astype(np.float64))))
    invalid = np.float32([0, -1, np.nan, np.inf, -np.inf])
    assert (mxfp.MXScaleTensor(data=invalid).data == 255).all()
    every = np.arange(256, dtype=np.uint8)
    expected = np.append(2.0 ** (np.arange(255) - 127.0), np.nan).astype(np.float32)
    np.testing.assert_array_equal(mxfp.fp8e8m0_to_float32(every), expected)
    np.testing.assert_array_equal(expected, every.view(ml_dtypes.float8_e8m0fnu).astype(np.float32))


def test_random_values():
    codes = mxfp.MXFP4Tensor(data=np.zeros((64, 32), np.float32)).random()
    assert codes.data.shape == (64, 32) and set(np.unique(codes.data)) == set(range(16))
    scales = mxfp.MXScaleTensor(data=np.zeros(4000, np.float32)).random(low=0.25, high=8)
    assert set(np.unique(scales.to(np.float64))) == {0.25, 0.5, 1, 2, 4, 8}
    assert (scales.random().data < 255).all()
    with pytest.raises(ValueError, match="`data`.*`size`"):
        mxfp.MXFP4Tensor()


class StandInForTorch:
    """What the formats ask of PyTorch, by NumPy; its arrays say that they are tensors."""

    class Tensor(np.ndarray):
        __module__ = "torch"

    uint8, int32, float32 = np.uint8, np.int32, np.float32

    @classmethod
    def randint(cls, low, high, size, dtype, device):
        return np.random.randint(low, high, size, dtype).view(cls.Tensor)


def test_values_from_a_size_take_types_of_both_libraries(monkeypatch):
    """What is installed beside the program does not matter."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: pytest.fail("asks what is installed"))
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    codes = mxfp.MXFP4Tensor(size=(4, 6)).random()
    assert type(codes.data) is np.ndarray and codes.to(np.float64).dtype == np.float64
    assert mxfp.MXScaleTensor(size=5).random(low=1, high=1).to(np.float32).tolist() == [1] * 5
    monkeypatch.setitem(sys.modules, "torch", StandInForTorch)
    codes = mxfp.MXFP4Tensor(size=(4, 6)).random()
    assert type(codes.data) is StandInForTorch.Tensor
    packed = np.full((2, 6), 0x21, np.uint8)
    assert codes.unpack_packed_tensor(packed, 0, (4, 6))[:, 0].tolist() == [1, 2, 1, 2]


# ---- Ragged tensors


@triton.jit
def copy_slice(source, target, source_row, target_row, size, BLOCK: tl.constexpr, DIM: tl.constexpr, ADD: tl.constexpr):
    i = tl.program_id(0) * BLOCK
    if DIM == 0:
        coordinates = (i, 0)
    else:
        coordinates = (1, i, 0)
    data = load_ragged(source, source_row, size, coordinates, DIM)
    if ADD:
        atomic_add_ragged(target, target_row, size, coordinates, data, DIM)
    else:
        store_ragged(target, target_row, size, coordinates, data, DIM)


@pytest.mark.parametrize("size", [0, 1, 8, 11, 16])
@pytest.mark.parametrize("adds", [False, True])
def test_slices_of_rows(size, adds, host_device):
    source = np.arange(64 * 16, dtype=np.float32).reshape(64, 16)
    target = np.full_like(source, -1)
    expected = target.copy()
    expected[20 : 20 + size] = source[5 : 5 + size] - adds
    descriptors = [create_ragged_descriptor(array, [8, 16]) for array in (source, target)]
    copy_slice[(2,)](*descriptors, 5, 20, size, BLOCK=8, DIM=0, ADD=adds)
    np.testing.assert_array_equal(target, expected)


@pytest.mark.parametrize("dtype", ["float16", "int32"])
def test_slices_of_the_middle_dimension(dtype, host_device):
    source = np.arange(3 * 40 * 8).reshape(3, 40, 8).astype(dtype)
    target = np.zeros_like(source)
    descriptors = [create_ragged_descriptor(array, [1, 8, 8], ragged_dim=-2) for array in (source, target)]
    copy_slice[(2,)](*descriptors, 30, 2, 9, BLOCK=8, DIM=1, ADD=False)
    expected = np.zeros_like(source)
    expected[1, 2:11] = source[1, 30:39]
    np.testing.assert_array_equal(target, expected)


def test_columns_outside_of_the_tensor(host_device):
    """The other dimensions are checked as ever."""
    source, target = np.ones((16, 24), np.float32), np.zeros((16, 24), np.float32)
    descriptors = [create_ragged_descriptor(array, [8, 32]) for array in (source, target)]
    copy_slice[(1,)](*descriptors, 0, 8, 5, BLOCK=8, DIM=0, ADD=False)
    np.testing.assert_array_equal(target.sum(1), [0] * 8 + [24] * 5 + [0] * 3)


@triton.jit
def indices(out, offset, size, row):
    c0, c1, c2 = to_ragged_indices(offset, size, row)
    tl.store(out, c0)
    tl.store(out + 1, c1)
    tl.store(out + 2, c2)


def test_indices(host_device):
    out = np.zeros(3, np.int32)
    indices[(1,)](out, 5, 11, 3)
    assert list(out) == [1 << 30, 16, (1 << 30) - 8]


def test_ragged_mistakes():
    array = np.zeros((4, 8), np.float32)
    for arguments in (([4, 8], 1), ([4], 0), ([4, 8], 2)):
        with pytest.raises(AssertionError):
            create_ragged_descriptor(array, *arguments)
    with pytest.raises(AssertionError, match="two or three"):
        create_ragged_descriptor(np.zeros(8, np.float32), [8])


# ---- Disassembly

LISTING = """
	code for sm_90a

		Function : loop
	.headerflags	@"EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;                    /* 0x00000a00ff017b82 */
                                                                             /* 0x000ff00000000800 */
        /*0010*/                   S2R R0, SR_TID.X ;                        /* 0x0000000000007919 */
                                                                             /* 0x000e620000002100 */
        /*0020*/                   ISETP.GE.AND P0, PT, R4, 0x1, PT ;        /* 0x000000010400780c */
                                                                             /* 0x001fda0003f06270 */
        /*0030*/              @!P0 BRA 0x10 ;                                /* 0x0000000000f08947 */
                                                                             /* 0x002fea0003800000 */
        /*0040*/                   BRA 0x40;                                 /* 0xfffffffc00fc7947 */
                                                                             /* 0x000fc0000383ffff */
		..........
"""
EXPECTED = """Function:loop
--:-:-:-:8	LDC R1, c[0x0][0x28];
LBB0:
--:-:1:-:1	S2R R0, SR_TID.X;
01:-:-:Y:d	ISETP.GE.AND P0, PT, R4, 0x1, PT;
02:-:-:-:5	@!P0 BRA LBB0;
LBB1:
--:-:-:Y:0	BRA LBB1;

"""


def test_disassembly(tmp_path, monkeypatch):
    """A program in place of cuobjdump prints what that printed of a kernel."""
    program = tmp_path / "cuobjdump"
    program.write_text(
        "#!/bin/sh\n"
        'case "$*" in *--version*) echo "release 13.1, V13.1"; exit;; *nothing*) exit;; '
        f"*broken*) echo bad >&2; exit 1;; esac\ncat <<'END'{LISTING}END\n"
    )
    program.chmod(0o755)
    with triton.knobs.nvidia.scope():
        triton.knobs.nvidia.cuobjdump = str(program)
        assert disasm.path_to_cuobjdump() == str(program)
        assert disasm.get_sass(b"machine code") == EXPECTED and triton.tools.disasm is disasm
        assert disasm.get_sass(b"machine code", "nothing") is None
        with pytest.raises(RuntimeError, match="(?s)-sass.*broken.*bad"):
            disasm.extract("broken", None)
    labels = {}
    lines = LISTING.splitlines()
    assert disasm.processSassLines(lines[11], lines[12], labels) == ("02:-:-:-:5", "@!P0 BRA 0x10;")
    assert labels == {16: 0} and disasm.parseCtrl("/* 0x000ea80000000800 */") == "--:-:2:-:4"


def test_disassembly_without_the_program(monkeypatch):
    monkeypatch.setenv("TRITON_CUOBJDUMP_PATH", "/nowhere/cuobjdump")
    with pytest.raises(RuntimeError, match="/nowhere/cuobjdump"):
        disasm.get_sass(b"")
