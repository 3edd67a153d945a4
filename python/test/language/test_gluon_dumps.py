"""Kernels for compute capability 10.0 as Triton 3.9 printed them in its stage ttgir: how many compile here, and what
keeps the others from it. blackwell_dumps.tar.xz has their texts, with parentheses that were lost put back."""

import pathlib
import tarfile

import pytest
import triton
from triton.backends.compiler import GPUTarget

with tarfile.open(pathlib.Path(__file__).with_name("blackwell_dumps.tar.xz")) as archive:
    DUMPS = {entry.name: archive.extractfile(entry).read() for entry in archive.getmembers()}

#: {dump: words of the error} of those that do not compile.
REFUSED = {
    **dict.fromkeys(
        ("g_2cta_f16_m128_n128.ttgir", "g_2cta_f16_m256_n128.ttgir", "matmul_2cta_f16.ttgir"),
        "of which several blocks of a cluster have parts",
    ),
    "matmul_mixed_fp8xfp4_tma.ttgir": "padded 4-bit elements are not supported yet",
    "matmul_mxfp4_tma_128x256x256.ttgir": "a block has 4 rows of 256 elements",
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
