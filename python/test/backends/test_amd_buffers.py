"""Accesses of AMD GPUs through buffer resources: where they are used, and that results are those of pointers."""

import re

import numpy as np
import pytest
import triton
import triton.language as tl
from amd_programs import (
    ARCHITECTURES,
    MATRICES,
    NOT_NEGATIVE,
    SMALL_RANGE,
    add,
    build_with_facts,
    inner_loop,
    instructions,
    matmul,
)
from triton.backends.active import simulated_driver
from triton.backends.amd.compiler import HIPBackend
from triton.runtime.driver import driver
from triton.runtime.errors import SimulationError


def accesses(assembly):
    return set(re.findall(r"^\s+(global|buffer|flat)_(?:load|store)", assembly, re.M))


VECTORS = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}
TILE = {"M_TILE": 64, "N_TILE": 64, "K_TILE": 32}


@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("facts", [False, True])
def test_masks_need_no_branch(arch, facts):
    """What all elements have in common is added to the base. The rest is known to be small without any facts."""
    kernel = build_with_facts(add, VECTORS, {"BLOCK": 1024}, arch, facts)
    assert accesses(kernel.asm["amdgcn"]) == {"buffer"}
    assert not any(re.search("saveexec|cbranch", name) for name in instructions(kernel.asm["amdgcn"]))


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_products_have_scalar_bases(arch):
    kernel = build_with_facts(matmul, MATRICES, TILE, arch, num_warps=256 // ARCHITECTURES[arch])
    loop = inner_loop(kernel.asm["amdgcn"])
    assert accesses(kernel.asm["amdgcn"]) == {"buffer"}
    # LLVM believes that bases are scalars, and threads do not count addresses.
    assert not any("readfirstlane" in name for name in instructions(kernel.asm["amdgcn"]))
    assert not any(re.match("v_(lshl_add_u64|addc?_co|add_nc_u64)", name) for name in loop), loop


def test_unknown_signs_keep_pointers():
    assert "global" in accesses(build_with_facts(matmul, MATRICES, TILE, facts=False).asm["amdgcn"])


def test_they_can_be_switched_off(monkeypatch):
    monkeypatch.setenv("AMDGCN_USE_BUFFER_OPS", "0")
    assert accesses(build_with_facts(add, VECTORS, {"BLOCK": 1024}).asm["amdgcn"]) == {"global"}


def test_atomic_operations_can_be_switched_off(monkeypatch):
    types = {"x": "*fp32", "counts": "*fp32", "old": "*fp32", "n": "i32"}

    def atomics():
        kernel = build_with_facts(count_values, types, {"SEM": "relaxed", "BLOCK": 256})
        return set(re.findall(r"(global|buffer)_atomic", kernel.asm["amdgcn"])), instructions(kernel.asm["amdgcn"])

    through, names = atomics()
    assert through == {"buffer"} and not any("saveexec" in name for name in names)
    monkeypatch.setenv("AMDGCN_USE_BUFFER_ATOMICS", "0")
    assert atomics()[0] == {"global"}


@triton.jit
def scaled_row(x, out, stride, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    tl.store(out + row * BLOCK + i, 2 * tl.load(x + row * stride + i))


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_bases_may_lie_before_arrays(arch):
    """The offsets are small by themselves, so the sign of the stride makes no difference."""
    kernel = build_with_facts(
        scaled_row, {"x": "*fp32", "out": "*fp32", "stride": "i32"}, {"BLOCK": 1024}, arch, facts=False
    )
    assert accesses(kernel.asm["amdgcn"]) == {"buffer"}


@triton.jit
def through_table(table, out, BLOCK: tl.constexpr):
    source = tl.load(table).to(tl.pointer_type(tl.float32))
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(source + i))


def test_bases_that_are_loaded_keep_pointers():
    kernel = build_with_facts(through_table, {"table": "*i64", "out": "*fp32"}, {"BLOCK": 1024})
    assert accesses(kernel.asm["amdgcn"]) == {"global", "buffer"}


@triton.jit
def row_of_table(x, table, out, BLOCK: tl.constexpr):
    row = tl.load(table) & 255
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + row * BLOCK + i))


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_bases_with_loaded_offsets_are_scalars(arch):
    """LLVM would repeat the access for each base among the threads if it did not know that there is one."""
    kernel = build_with_facts(row_of_table, {"x": "*fp32", "table": "*i32", "out": "*fp32"}, {"BLOCK": 1024}, arch)
    assert "buffer" in accesses(kernel.asm["amdgcn"])
    assert not any("cbranch" in name for name in instructions(kernel.asm["amdgcn"]))


#
# In the simulator.
#


@pytest.fixture(params=["gfx942", "gfx1201"])
def simulated(request):
    driver.set_active(simulated_driver(request.param))
    yield
    driver.set_active_to_cpu()


def uses_buffers(kernel, access="load"):
    return "llvm.amdgcn.raw.ptr.buffer." + access in kernel.asm["llir"]


@triton.jit
def copy_rows(x, out, rows, columns, x_row, x_column, BLOCK: tl.constexpr, WIDTH: tl.constexpr):
    i, j = tl.arange(0, BLOCK)[:, None], tl.arange(0, WIDTH)[None, :]
    mask = (i < rows) & (j < columns)
    values = tl.load(x + i * x_row + j * x_column, mask, other=-1)
    tl.store(out + i * WIDTH + j, values)


@pytest.mark.parametrize("step", [(1, 1), (1, -1), (-1, 1), (-2, -3)])
def test_strides_of_both_signs(simulated, step):
    x = np.arange(40 * 50, dtype=np.int32).reshape(40, 50)[:: step[0], :: step[1]]
    rows, columns = min(x.shape[0], 13), min(x.shape[1], 29)
    out = np.empty((16, 32), np.int32)
    kernel = copy_rows[(1,)](x, out, rows, columns, *(s // 4 for s in x.strides), 16, 32)
    expected = np.full((16, 32), -1)
    expected[:rows, :columns] = x[:rows, :columns]
    np.testing.assert_array_equal(out, expected)
    assert uses_buffers(kernel) == (step == (1, 1))


@pytest.mark.parametrize("step", [1, -1])
def test_rows_in_both_directions(simulated, step):
    x = np.arange(8 * 256, dtype=np.float32).reshape(8, 256)[::step]
    out = np.empty((8, 256), np.float32)
    kernel = scaled_row[(8,)](x, out, x.strides[0] // 4, 256)
    np.testing.assert_array_equal(out, 2 * x)
    assert uses_buffers(kernel)


@triton.jit
def behind_row(x, out, index, n, step, BLOCK: tl.constexpr):
    i = (tl.arange(0, BLOCK) + index).to(tl.int64) * step
    tl.store(out + tl.arange(0, BLOCK), tl.load(x - n * step + i))


def test_small_arrays_do_not_bound_offsets_from_before_them(simulated):
    """The base lies before the array, so that offsets within the array need not be small."""
    x, out = np.arange(4096, dtype=np.float32), np.empty(64, np.float32)
    kernel = behind_row[(1,)](x, out, 1 << 26, 1 << 26, 32, 64)
    np.testing.assert_array_equal(out, x[::32][:64])
    assert not uses_buffers(kernel)


@triton.jit
def shifted(x, out, n, BACK: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = i - BACK
    tl.store(out + i, tl.load(x + j, (j >= 0) & (j < n), other=7), i < n)


@pytest.mark.parametrize("back", [1, 100, -3])
def test_masks_prove_signs(simulated, back):
    x = np.arange(1000, dtype=np.int64)
    out = np.zeros(1000, np.int64)
    kernel = shifted[(4,)](x, out, 1000, back, 256)
    j = np.arange(1000) - back
    np.testing.assert_array_equal(out, np.where((j >= 0) & (j < 1000), x[j % 1000], 7))
    assert uses_buffers(kernel)


@triton.jit
def square(x, out, low, BLOCK: tl.constexpr):
    """The same vector counts rows and columns. The mask holds for the rows alone."""
    i = tl.arange(0, BLOCK) - low
    mask = (i >= 0)[:, None] & (tl.arange(0, BLOCK) < BLOCK)[None, :]
    values = tl.load(x + i[:, None] * 16 + i[None, :], mask, other=0)
    tl.store(out + tl.arange(0, BLOCK)[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :], values)


def test_masks_prove_nothing_of_other_axes(simulated):
    memory = np.arange(600, dtype=np.int32)
    x, out = memory[50:], np.zeros((8, 8), np.int32)
    square[(1,)](x, out, 2, 8)
    i = np.arange(8) - 2
    expected = 50 + i[:, None] * 16 + i[None, :]
    np.testing.assert_array_equal(out, np.where((i >= 0)[:, None], expected, 0))


def test_loaded_rows(simulated):
    x = np.random.default_rng(1).random((256, 1024), np.float32)
    out = np.empty(1024, np.float32)
    kernel = row_of_table[(1,)](x, np.array([77], np.int32), out, 1024)
    np.testing.assert_array_equal(out, x[77])
    assert uses_buffers(kernel)


@triton.jit
def sum_of_steps(x, out, n, step, BLOCK: tl.constexpr):
    pointers = x + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        total += tl.load(pointers, start + tl.arange(0, BLOCK) < n, other=0)
        pointers += step
    tl.store(out + tl.arange(0, BLOCK), total)


@pytest.mark.parametrize("forward", [True, False])
def test_carried_pointers(simulated, forward):
    x = np.random.default_rng(0).random(1024, np.float32)
    out = np.empty(128, np.float32)
    start, step, n = (0, 128, 1000) if forward else (896, -128, 1024)
    expected = np.where(np.arange(1024) < n, x, 0).reshape(8, 128).sum(0)
    for stages in (2, 1):  # With stages, the first loads are before the loop, and do not carry their pointers.
        kernel = sum_of_steps[(1,)](x[start:], out, n, step, 128, num_stages=stages)
        np.testing.assert_allclose(out, expected, rtol=1e-5)
    assert uses_buffers(kernel) == forward


@triton.jit
def count_values(x, counts, old, n, SEM: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + i, i < n, other=0)
    before = tl.atomic_add(counts + tl.arange(0, BLOCK), values, i < n, sem=SEM)
    tl.store(old + i, before, i < n)


@pytest.mark.parametrize("sem", ["relaxed", "acq_rel"])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32])
def test_relaxed_atomic_operations(simulated, dtype, sem):
    x = np.random.default_rng(2).integers(1, 9, 1000).astype(dtype)
    counts, old = np.zeros(256, dtype), np.full(1000, -1, dtype)
    kernel = count_values[(4,)](x, counts, old, 1000, sem, 256)
    parts = np.zeros(1024, dtype)
    parts[:1000] = x
    np.testing.assert_array_equal(counts, parts.reshape(4, 256).sum(0))
    assert np.all(old >= 0) and np.all(old + x <= counts[np.arange(1000) % 256])
    assert uses_buffers(kernel, "atomic") == (sem == "relaxed")


@triton.jit
def combine_bits(p, x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i)
    tl.atomic_and(p + i, value, sem="relaxed")
    tl.atomic_or(p + BLOCK + i, value, sem="relaxed")
    tl.atomic_xor(p + 2 * BLOCK + i, value, sem="relaxed")
    tl.atomic_max(p + 3 * BLOCK + i, value, sem="relaxed")
    tl.atomic_min(p + 4 * BLOCK + i, value, sem="relaxed")
    tl.store(x + i, tl.atomic_xchg(p + 5 * BLOCK + i, value, sem="relaxed"))


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64])
def test_all_atomic_operations(simulated, dtype):
    info = np.iinfo(dtype)
    generator = np.random.default_rng(3)
    p = generator.integers(info.min, info.max, (6, 128), dtype)
    x = generator.integers(info.min, info.max, 128, dtype)
    results = [p[0] & x, p[1] | x, p[2] ^ x, np.maximum(p[3], x), np.minimum(p[4], x), x.copy()]
    exchanged = p[5].copy()
    kernel = combine_bits[(1,)](p, x, 128)
    np.testing.assert_array_equal(p, results)
    np.testing.assert_array_equal(x, exchanged)
    assert uses_buffers(kernel, "atomic")
    assert "atomicrmw" not in kernel.asm["llir"]


def test_accesses_outside_of_arrays_are_reported(simulated):
    x, out = np.zeros(1000, np.float32), np.zeros(1024, np.float32)
    with pytest.raises(SimulationError, match="read of 16 bytes at byte 4000 of `x`"):
        add[(1,)](x, out, out, 1024, 1024)


def test_what_launches_know(simulated):
    x = np.zeros(1024, np.float32)
    huge = np.empty((1 << 31) + 4096, np.int8).view(np.float32)
    facts = lambda kernel: {name for given in kernel.src.attrs.values() for name, _ in given}  # noqa: E731
    known = add[(1,)](x, x, x, 1024, 1024)
    assert facts(known) == {"tt.divisibility", "tt.pointer_range", "tt.nonnegative"}
    assert facts(add[(1,)](x, x, x, -16, 1024)) == {"tt.divisibility", "tt.pointer_range"}
    large = add[(1,)](huge, huge, huge, 1024, 1024)
    assert facts(large) == {"tt.divisibility", "tt.nonnegative"}
    assert uses_buffers(known) and uses_buffers(large)  # offsets from the base are small


def test_keys_of_other_programs():
    small = np.zeros(16, np.float32)
    assert HIPBackend.get_tensor_specialization(small, align=True) in ("DS", "S")
    huge = np.empty((1 << 31) + 4096, np.int8)
    assert "S" not in HIPBackend.get_tensor_specialization(huge, align=True)
    assert HIPBackend.parse_attr("DS") == [["tt.divisibility", 16], SMALL_RANGE]
    assert HIPBackend.get_int_specialization(32, align=True) == "DN"
    assert HIPBackend.get_int_specialization(-32, align=True) == "D"
    assert HIPBackend.parse_attr("DN") == [["tt.divisibility", 16], NOT_NEGATIVE]
    assert HIPBackend.parse_attr("") == []


@pytest.mark.parametrize("arch", ["gfx942", "gfx1201"])
def test_loops_carry_the_bases_of_buffers(arch):
    """A base is advanced, and not computed from a counter in each iteration."""
    kernel = build_with_facts(matmul, MATRICES, {"M_TILE": 128, "N_TILE": 128, "K_TILE": 32}, arch, num_warps=8)
    loop = max(re.split(r"(?m)^(?=\S+:  )", kernel.asm["llir"]), key=lambda block: len(re.findall("mfma|wmma", block)))
    assert len(re.findall(r"phi ptr addrspace\(1\)", loop)) == 2 and "phi i64" not in loop
    assert not [name for name in inner_loop(kernel.asm["amdgcn"]) if name.startswith("s_lshl_b64")]


@pytest.mark.parametrize("arch,tile,warps", [("gfx1201", 128, 4), ("gfx1100", 256, 16)])
def test_large_products_fit_in_few_registers(arch, tile, warps):
    """A thread has 128 sums and up to 64 registers of the next tiles, and 256 registers. In the last iteration, too, it
    reads parts of the operands as it multiplies them."""
    kernel = build_with_facts(matmul, MATRICES, {"M_TILE": tile, "N_TILE": tile, "K_TILE": 64}, arch, num_warps=warps)
    assert kernel.n_spills == 0
    # Warps are spread over the schedulers of two compute units, which share 128 KiB.
    assert kernel.metadata.resources["waves_per_simd"] == 4


@triton.jit
def read_at_narrow_index(x, indices, out, BLOCK: tl.constexpr):
    index = tl.load(indices + tl.program_id(0))
    tl.store(out + tl.program_id(0), tl.load(x + (index & 15)))
    many = tl.load(indices + tl.arange(0, BLOCK))
    tl.store(out + 8 + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.load(x + (many & 15)))


@pytest.mark.parametrize("dtype", ["int8", "int16", "int64"])
def test_offsets_of_any_width(simulated, monkeypatch, rng, dtype):
    monkeypatch.setenv("TRITON_VERIFY_PASSES", "1")
    indices = rng.integers(-100, 100, 8).astype(dtype)
    x, out = np.arange(16, dtype=np.float32), np.zeros(8 + 64, np.float32)
    kernel = read_at_narrow_index[(8,)](x, indices, out, 8, num_warps=1)
    np.testing.assert_array_equal(out, np.concatenate([indices & 15] * 9))
    assert uses_buffers(kernel)
