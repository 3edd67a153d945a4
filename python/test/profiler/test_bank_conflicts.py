"""Conflicts of banks that the simulator counts, beside those counted by hand.

A lane reads every STRIDE-th word. Of 32 banks, gcd(STRIDE, 32) words for 32 lanes lie in each that is used, and take as
many turns. GPUs with waves of 64 lanes serve 32 of them at once. gfx1250 has 64 banks, and gfx950 for 8 and 16 bytes a
lane: a turn then moves 256 bytes.
"""

import numpy as np
import pytest
from triton import profiler as proton
from triton.backends.amd.driver import SimulatedHIPDriver
from triton.backends.nvidia.driver import SimulatedDriver
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.runtime import driver

FLAT = ttgl.SwizzledSharedLayout(1, 1, 1, [0])
ROWS = ttgl.SwizzledSharedLayout(1, 1, 1, [1, 0])


@pytest.fixture
def counted(tmp_path, monkeypatch):
    """Launches a kernel of one warp on a simulated GPU, and gives its conflicts."""
    monkeypatch.chdir(tmp_path)

    def count(arch, kernel, *arguments):
        driver.set_active(SimulatedDriver(int(arch)) if arch.isdigit() else SimulatedHIPDriver(arch))
        session = proton.start("conflicts")
        kernel[(1,)](*arguments, num_warps=1)
        (launch,) = proton.data.get(session)[0]["children"]
        proton.finalize(session)
        return launch["metrics"]["bank_conflicts"]

    yield count
    driver.set_active_to_cpu()


@gluon.jit
def strided_words(x, STRIDE: ttgl.constexpr, LANES: ttgl.constexpr):
    layout: ttgl.constexpr = ttgl.BlockedLayout([1], [LANES], [1], [0])
    i = ttgl.arange(0, LANES, layout=layout)
    all_words = ttgl.load(x + ttgl.arange(0, LANES * STRIDE, layout=layout))
    buffer = ttgl.allocate_shared_memory(ttgl.float32, [LANES * STRIDE], FLAT, all_words)
    ttgl.store(x + i, buffer.gather(i * STRIDE, 0))


@pytest.mark.parametrize(
    "arch, stride, turns, needed",
    [
        ("90", 1, 1, 1),
        ("90", 2, 2, 1),
        ("90", 32, 32, 1),
        ("gfx942", 2, 2 * 2, 2),
        ("gfx942", 32, 2 * 32, 2),
        ("gfx950", 2, 2 * 2, 2),
        ("gfx1250", 2, 1, 1),
        ("gfx1250", 4, 2, 1),
        ("gfx1250", 32, 16, 1),
        ("gfx1250", 64, 32, 1),
    ],
)
def test_strided_words(counted, arch, stride, turns, needed):
    lanes = 64 if arch.startswith("gfx9") else 32
    assert counted(arch, strided_words, np.zeros(lanes * stride, np.float32), stride, lanes) == turns - needed


@gluon.jit
def rows_of_16_bytes(x, LANES: ttgl.constexpr):
    wide: ttgl.constexpr = ttgl.BlockedLayout([1, 4], [LANES // 16, 16], [1, 1], [1, 0])
    tall: ttgl.constexpr = ttgl.BlockedLayout([1, 4], [LANES, 1], [1, 1], [1, 0])
    rows = ttgl.arange(0, LANES, layout=ttgl.SliceLayout(1, wide))[:, None]
    block = ttgl.load(x + rows * 64 + ttgl.arange(0, 64, layout=ttgl.SliceLayout(0, wide))[None, :])
    buffer = ttgl.allocate_shared_memory(ttgl.float32, [LANES, 64], ROWS, block)
    i = ttgl.arange(0, LANES, layout=ttgl.SliceLayout(1, tall))[:, None]
    j = ttgl.arange(0, 4, layout=ttgl.SliceLayout(0, tall))[None, :]
    ttgl.store(x + i * 4 + j, buffer.slice(0, 4, dim=1).load(tall))


@pytest.mark.parametrize(
    "arch, turns, needed",
    [
        ("90", 4 * 8, 4),  # 8 lanes at once, whose words lie in the same 4 banks
        ("gfx942", 8 * 8, 8),
        ("gfx950", 4 * 16, 4),  # 16 lanes at once
        ("gfx1250", 2 * 16, 2),
    ],
)
def test_rows_of_16_bytes(counted, arch, turns, needed):
    lanes = 64 if arch.startswith("gfx9") else 32
    assert counted(arch, rows_of_16_bytes, np.zeros((lanes, 64), np.float32), lanes) == turns - needed
