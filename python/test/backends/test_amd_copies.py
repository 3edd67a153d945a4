"""Copies from global to shared memory without registers, on AMD GPUs that have wide ones."""

import re

import numpy as np
import pytest
import triton
import triton.language as tl
from amd_programs import MATRICES, build_with_facts, inner_loop, matmul
from triton.backends.active import simulated_driver
from triton.backends.compiler import GPUTarget
from triton.runtime.driver import driver

TILE = {"M_TILE": 128, "N_TILE": 128, "K_TILE": 64}


def loop_text(kernel):
    return re.search(r"Loop Header.*?\n(.*?)s_cbranch_scc", kernel.asm["amdgcn"], re.S)[1]


@pytest.mark.parametrize("stages,left", [(2, 0), (3, 8)])
def test_tiles_do_not_pass_through_registers(stages, left):
    kernel = build_with_facts(matmul, MATRICES, TILE, "gfx950", num_warps=4, num_stages=stages)
    names = inner_loop(kernel.asm["amdgcn"])
    assert len(re.findall(r"buffer_load_dwordx4 .* lds\b", loop_text(kernel))) == 8
    assert not any(name.startswith("ds_write") for name in names) and names.count("s_barrier") == 1
    # A thread waits for its own copies alone, and not again where it reads what they brought.
    assert re.findall(r"vmcnt\((\d+)\)", loop_text(kernel)) == [str(left)]
    assert kernel.metadata.shared == stages * 2 * 128 * 64 * 2


@triton.jit
def two_loops(x_ptr, y_ptr, out_ptr, n, BLOCKS: tl.constexpr, SIZE: tl.constexpr):
    rows, columns = tl.arange(0, SIZE)[:, None], tl.arange(0, SIZE)[None, :]
    total = tl.zeros([SIZE, SIZE], tl.float32)
    for i in range(n):
        x, y = tl.load(x_ptr + (i * SIZE + rows) * SIZE + columns), tl.load(y_ptr + (i * SIZE + rows) * SIZE + columns)
        total = tl.dot(x, y, total)
    for i in range(BLOCKS):
        x, y = tl.load(x_ptr + (i * SIZE + rows) * SIZE + columns), tl.load(y_ptr + (i * SIZE + rows) * SIZE + columns)
        total = tl.dot(x, y, total)
    tl.store(out_ptr + rows * SIZE + columns, total)


def test_other_loops_do_not_shorten_what_is_in_flight():
    """A loop whose copies all come before it closes empty groups."""
    signature = {"x_ptr": "*fp16", "y_ptr": "*fp16", "out_ptr": "*fp32", "n": "i32"}
    kernel = build_with_facts(two_loops, signature, {"BLOCKS": 2, "SIZE": 64}, "gfx950", num_stages=3)
    assert re.findall(r"vmcnt\((\d+)\)", loop_text(kernel)) == ["4"]


def test_copies_start_before_products():
    kernel = build_with_facts(matmul, MATRICES, TILE, "gfx950", num_warps=4)
    copies, products = (
        [place.start() for place in re.finditer(pattern, loop_text(kernel))] for pattern in (r" lds\b", "v_mfma")
    )
    assert copies[-1] < products[0]


@pytest.mark.parametrize("by_knob", [False, True])
def test_they_can_be_switched_off(monkeypatch, by_knob):
    with triton.knobs.amd.scope():
        if by_knob:
            triton.knobs.amd.use_async_copy = False
        else:
            monkeypatch.setenv("TRITON_HIP_USE_ASYNC_COPY", "0")
        kernel = build_with_facts(matmul, MATRICES, TILE, "gfx950", num_warps=4)
    text = loop_text(kernel)
    assert not re.search(r"\blds\b", text) and "ds_write" in text


def test_narrow_copies_are_not_used():
    text = loop_text(build_with_facts(matmul, MATRICES, TILE, "gfx942", num_warps=4))
    assert not re.search(r"\blds\b", text) and "ds_write" in text


#
# In the simulator.
#


@pytest.fixture
def simulated():
    driver.set_active(simulated_driver("gfx950"))
    yield
    driver.set_active_to_cpu()


@triton.jit
def masked_matmul(a, b, c, M, N, K, a_m, a_k, b_k, b_n, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        left = tl.load(
            a + m[:, None] * a_m + (start + k)[None, :] * a_k, (m < M)[:, None] & (start + k < K)[None, :], 0
        )
        right = tl.load(
            b + (start + k)[:, None] * b_k + n[None, :] * b_n, (start + k < K)[:, None] & (n < N)[None, :], 0
        )
        total = tl.dot(left, right, total)
    tl.store(c + m[:, None] * N + n[None, :], total, (m < M)[:, None] & (n < N)[None, :])


@pytest.mark.parametrize("tile", [(64, 64, 32), (128, 32, 128), (16, 256, 64), (32, 32, 512)])
@pytest.mark.parametrize("stages", [2, 3, 4])
@pytest.mark.parametrize("left,right", ["FC", "CF", "CC"])
def test_products(simulated, tile, stages, left, right):
    generator = np.random.default_rng(0)
    M, N, K = tile[0] + 16, tile[1] + 16, min(4 * tile[2], 512) + 80
    a = np.asarray(generator.integers(-3, 4, (M, K)), np.float16, order=left)
    b = np.asarray(generator.integers(-3, 4, (K, N)), np.float16, order=right)
    c = np.empty((M, N), np.float32)
    grid = (triton.cdiv(M, tile[0]), triton.cdiv(N, tile[1]))
    steps = (s // 2 for s in (*a.strides, *b.strides))
    kernel = masked_matmul[grid](a, b, c, M, N, K, *steps, *tile, num_stages=stages, num_warps=4)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
    assert "load.lds" in kernel.asm["llir"]


def test_wider_elements(simulated):
    generator = np.random.default_rng(0)
    a, b = (generator.integers(-3, 4, (128, 128)).astype(np.float32) for _ in range(2))
    c = np.empty((128, 128), np.float32)
    kernel = matmul[(2, 2)](a, b, c, 128, 128, 64, 64, 32, num_stages=3)
    np.testing.assert_array_equal(c, a @ b)
    assert "load.lds" in kernel.asm["llir"]


@pytest.mark.parametrize("left,is_refused", [(1, False), (2, True)])
def test_a_read_before_the_copies_have_ended_is_refused(simulated, tmp_path, left, is_refused):
    kernel = build_with_facts(matmul, MATRICES, TILE, "gfx950", num_warps=4, num_stages=3)
    text, wait = kernel.asm["ttgir"], "{num = 1 : i32}"
    assert text.count(wait) == 1
    path = tmp_path / "matmul.ttgir"
    path.write_text(text.replace(wait, f"{{num = {left} : i32}}"))
    a, b, c = np.ones((128, 512), np.float16), np.ones((512, 128), np.float16), np.empty((128, 128), np.float16)
    target = GPUTarget("sim:hip", "gfx950", 64)
    if is_refused:
        with pytest.raises(triton.CompilationError, match="ttgir-4: leaves 2 groups in flight"):
            triton.compile(path, target=target)
        return
    triton.compile(path, target=target)[(1, 1, 1)](a, b, c, 128, 512)
    np.testing.assert_array_equal(c, 512)
