# ruff: noqa: F811
"""Kernels for compute capability 10.0 as Triton 3.9 printed them in its stage ttgir: how many compile here, and what
keeps the others from it. blackwell_dumps.tar.xz has their texts, with parentheses that were lost put back."""

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

#: {dump: words of the error} of those that do not compile.
REFUSED = {
    **dict.fromkeys(
        ("g_2cta_f16_m128_n128.ttgir", "g_2cta_f16_m256_n128.ttgir", "matmul_2cta_f16.ttgir"),
        "of which several blocks of a cluster have parts",
    ),
    "matmul_mixed_fp8xfp4_tma.ttgir": "padded 4-bit elements are not supported yet",
}


def test_all_dumps_are_here():
    assert len(DUMPS) == 32 and set(REFUSED) <= set(DUMPS)


@pytest.mark.parametrize("name", DUMPS)
def test_dump(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(DUMPS[name])
    if name in REFUSED:
        with pytest.raises(triton.CompilationError, match=REFUSED[name]):
            triton.compile(str(path), target=GPUTarget("cuda", 100, 32))
    else:
        assert triton.compile(str(path), target=GPUTarget("cuda", 100, 32)).asm["cubin"]


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
