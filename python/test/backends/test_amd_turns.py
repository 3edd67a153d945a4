"""Waves of a scheduler that take turns at its matrix unit, and hints for the order of instructions."""

import re

import numpy as np
import pytest
import triton
import triton.language as tl
from amd_programs import build_matmul, inner_loop, instructions, matmul
from triton.backends.active import simulated_driver
from triton.runtime.driver import driver
from triton.runtime.errors import SimulationError

LARGE = (256, 256, 64)


def loop_text(kernel):
    return re.search(r"Loop Header.*?\n(.*?)s_cbranch_scc", kernel.asm["amdgcn"], re.S)[1]


def clusters(kernel):
    """The instructions between the barriers of the loop."""
    return [instructions(part + "\n\ts_endpgm")[:-1] for part in re.split(r"\ts_barrier\n", loop_text(kernel))[:-1]]


@pytest.mark.parametrize(
    "arch,tile,element,turns",
    [
        ("gfx90a", LARGE, "fp16", 4),
        ("gfx942", LARGE, "fp16", 4),
        ("gfx950", LARGE, "fp16", 4),
        ("gfx942", LARGE, "bf16", 4),
        ("gfx942", (256, 128, 64), "fp16", 2),
    ],
)
def test_memory_and_products_alternate(arch, tile, element, turns):
    kernel = build_matmul(arch, tile, element, num_warps=8)
    assert kernel.n_spills == 0 and kernel.metadata.resources["waves_per_simd"] == 2
    parts = clusters(kernel)
    assert len(parts) == 2 * turns
    products = [[name for name in part if name.startswith("v_mfma")] for part in parts]
    accesses = [[name for name in part if re.match("ds_|global_load|buffer_load", name)] for part in parts]
    total = len([name for name in inner_loop(kernel.asm["amdgcn"]) if name.startswith("v_mfma")])
    # LLVM may let the first product pass the barrier, but no access of memory stands among products.
    assert [bool(part) for part in accesses] == [True, False] * turns
    assert all(abs(len(part) - total // turns) <= 1 for part in products[1::2])
    assert all(name.startswith("ds_write") for name in accesses[-2] if name.startswith("ds_"))
    assert not any(name.startswith("ds_write") for part in accesses[:-2] for name in part)
    # What multiplies goes first.
    priorities = re.findall(r"s_setprio (\d)", loop_text(kernel))
    assert priorities == ["1", "0"] * turns


def test_what_is_read_has_arrived_at_the_barrier():
    """Elsewhere another wave could overwrite it: each cluster with accesses ends with a wait."""
    text = loop_text(build_matmul("gfx942", LARGE, num_warps=8))
    for part in re.split(r"\ts_barrier\n", text)[:-1:2]:
        assert re.search(r"s_waitcnt (vmcnt\(\d+\) )?lgkmcnt\(0\)\n(?!.*\tds_)", part, re.S)


@pytest.mark.parametrize(
    "tile,warps,changes",
    [((128, 128, 64), 4, {}), ((128, 64, 64), 8, {}), (LARGE, 8, {"use_block_pingpong": False})],
)
def test_waves_that_take_no_turns(tile, warps, changes):
    with triton.knobs.amd.scope():
        for name, value in changes.items():
            setattr(triton.knobs.amd, name, value)
        kernel = build_matmul("gfx942", tile, num_warps=warps)
    assert "s_setprio" not in kernel.asm["amdgcn"]
    assert loop_text(kernel).count("s_barrier") <= 2


@pytest.mark.parametrize(
    "arch,tile,warps,reason",
    [
        ("gfx942", LARGE, 4, "the program has 4 warps, and not two for each scheduler"),
        ("gfx942", (128, 64, 64), 8, "waves of two programs run on a scheduler"),
        ("gfx942", (64, 64, 32), 8, "its tiles have two buffers in turn"),
    ],
)
def test_it_is_said_why_waves_take_no_turns(monkeypatch, capfd, arch, tile, warps, reason):
    monkeypatch.setenv("MLIR_ENABLE_REMARK", "1")
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    build_matmul(arch, tile, num_warps=warps)
    assert f"take no turns at its matrix unit: {reason}" in capfd.readouterr().err


def test_turns_can_be_forced():
    with triton.knobs.amd.scope():
        triton.knobs.amd.use_block_pingpong = True
        kernel = build_matmul("gfx942", (128, 64, 64), num_warps=8)
    assert loop_text(kernel).count("s_setprio 1") > 1


@pytest.mark.parametrize("hint,strategy", [("local-prefetch", 1), ("attention", 2)])
def test_schedule_hints_reach_the_loop(hint, strategy):
    def build(**options):
        return build_matmul("gfx942", (128, 128, 64), **options)

    usual, hinted = build(), build(schedule_hint=hint)
    assert f"call void @llvm.amdgcn.iglp.opt(i32 {strategy})" in hinted.asm["llir"]
    assert "iglp" not in usual.asm["llir"] + build(schedule_hint="none").asm["llir"]
    assert inner_loop(usual.asm["amdgcn"]) != inner_loop(hinted.asm["amdgcn"]) and hinted.n_spills == 0


def test_a_wrong_hint():
    message = "`schedule_hint` is `fast`; it must be `none`, `local-prefetch` or `attention`"
    with pytest.raises(triton.CompilationError, match=message):
        build_matmul("gfx942", schedule_hint="fast")


#
# In the simulator.
#


@pytest.fixture(params=["gfx90a", "gfx942", "gfx950"])
def simulated(request):
    """On gfx950, where tiles pass through registers."""
    driver.set_active(simulated_driver(request.param))
    with triton.knobs.amd.scope():
        triton.knobs.amd.use_async_copy = False
        yield request.param
    driver.set_active_to_cpu()


def run(K, tile, **options):
    rng = np.random.default_rng(K)
    M, N = 2 * tile[0], tile[1]
    a, b = (rng.integers(-4, 5, shape).astype(np.float16) for shape in ((M, K), (K, N)))
    c = np.zeros((M, N), np.float32)
    kernel = matmul[(2, 1)](a, b, c, N, K, *tile, num_warps=8, num_stages=2, **options)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
    return kernel


@pytest.mark.parametrize("tile", [LARGE, (256, 128, 64)])
@pytest.mark.parametrize("K", [64, 128, 320])
def test_products_are_right(simulated, tile, K):
    kernel = run(K, tile)
    # The smaller tiles have two buffers where shared memory is large.
    assert ("llvm.amdgcn.s.setprio" in kernel.asm["llir"]) == (tile == LARGE or simulated != "gfx950")


def test_a_missing_barrier_is_a_race(simulated, tmp_path):
    """Each barrier behind accesses of shared memory is needed: without the wait, half of the waves reads what the other
    half overwrites."""
    text = run(128, LARGE).asm["llir"]
    loop = max(re.split(r"(?m)^(?=\S+:  )", text), key=lambda block: block.count("amdgcn.s.setprio"))
    fences = [place.start() for place in re.finditer(r"  fence syncscope\(\"workgroup\"\) release", loop)]
    assert len(fences) == 4
    for dropped in (2, 3):  # behind the last reads, and behind the stores
        place = fences[dropped]
        changed = loop[:place] + loop[loop.index("\n", place) + 1 :]
        path = tmp_path / f"{dropped}.llir"
        path.write_text(text.replace(loop, changed))
        with pytest.raises(SimulationError, match="race"):
            run(320, LARGE, ir_override=str(path))


@triton.jit
def twice(a, b, c, N, K, M_TILE: tl.constexpr, N_TILE: tl.constexpr, K_TILE: tl.constexpr):
    """Shared memory is used again behind the loop."""
    m, n, k = tl.arange(0, M_TILE), tl.arange(0, N_TILE), tl.arange(0, K_TILE)
    total = tl.zeros((M_TILE, N_TILE), tl.float32)
    for start in range(0, K, K_TILE):
        left = tl.load(a + m[:, None] * K + start + k[None, :])
        right = tl.load(b + (start + k)[:, None] * N + n[None, :])
        total = tl.dot(left, right, total)
    for start in range(0, K, K_TILE):
        left = tl.load(a + m[:, None] * K + start + k[None, :])
        right = tl.load(b + (start + k)[:, None] * N + n[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + m[:, None] * N + n[None, :], total)


def test_loops_one_behind_another(simulated):
    M, N, K = 256, 128, 192
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-4, 5, shape).astype(np.float16) for shape in ((M, K), (K, N)))
    c = np.zeros((M, N), np.float32)
    kernel = twice[(1,)](a, b, c, N, K, M, N, 64, num_warps=8, num_stages=2)
    np.testing.assert_array_equal(c, 2 * (a.astype(np.float32) @ b.astype(np.float32)))
    if simulated != "gfx950":
        assert kernel.asm["llir"].count("llvm.amdgcn.s.setprio(i16 1)") == 4
