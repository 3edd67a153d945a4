# ruff: noqa: F811
"""Kernels for compute capability 10.0 as Triton 3.9 printed them in its stage ttgir: all compile here.
blackwell_dumps.tar.xz has their texts, with parentheses that were lost put back."""

import pathlib
import tarfile

import numpy as np
import pytest
import triton
from gluon_devices import blackwell  # noqa: F401
from triton.backends.compiler import GPUTarget
from values import aligned

with tarfile.open(pathlib.Path(__file__).with_name("blackwell_dumps.tar.xz")) as archive:
    DUMPS = {entry.name: archive.extractfile(entry).read() for entry in archive.getmembers()}


def test_all_dumps_are_here():
    assert len(DUMPS) == 32


@pytest.mark.parametrize("name", DUMPS)
def test_dump(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(DUMPS[name])
    assert triton.compile(str(path), target=GPUTarget("cuda", 100, 32)).asm["cubin"]


#: {dump: descriptions of its instructions for products}, which are those of Triton's machine code.
INSTRUCTIONS = {
    "g_2cta_f16_m128_n128.ttgir": [0x08210010],
    "g_2cta_f16_m256_n128.ttgir": [0x10210010],
    "matmul_mixed_fp8xfp4_tma.ttgir": [0x08A01400],
}


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_instructions_are_described_as_triton_does(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(DUMPS[name])
    ptx = triton.compile(str(path), target=GPUTarget("cuda", 100, 32)).asm["ptx"]
    for number in INSTRUCTIONS[name]:
        assert str(number) in ptx
    if name.startswith("g_2cta"):
        assert "cta_group::2" in ptx and "cta_group::1" not in ptx
        assert "multicast::cluster.b64" in ptx  # Both blocks learn that the product is done.


def test_a_dump_runs(blackwell, tmp_path):
    """Addresses stand for descriptors."""
    path = tmp_path / "gather_scatter.ttgir"
    path.write_bytes(DUMPS["gather_scatter_f16_32x64.ttgir"])
    values = np.random.default_rng(0).integers(1, 100, (100, 128)).astype(np.float16)
    numbers = np.random.default_rng(1).permutation(100)[:64].astype(np.int32)
    source, target = aligned(values), aligned(np.zeros_like(values))
    sizes = (*values.shape, values.shape[1], 1)
    triton.compile(str(path))[(2, 2, 1)](source, *sizes, target, *sizes, numbers, values.shape[1])
    expected = np.zeros_like(values)
    expected[numbers] = values[numbers]
    np.testing.assert_array_equal(target, expected)
