"""Kernels for other processors than this one: those without AVX-512, without F16C and without AVX move, convert and add
narrow floats by other instructions. Newer processors than the host's are compiled for, and only what the code calls is
looked at."""

import ctypes
import os
import re

import numpy as np
import pytest
import triton
import triton.language as tl
import values
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from values import argument, poisoned, read, store_as, tl_dtype

OLDER = ["x86-64", "x86-64-v2", "x86-64-v3"]
NEWER = ["x86-64-v4", "znver4", "sapphirerapids"]
NARROW = ["float16", "bfloat16", "float8e5", "float8e4nv"]
# The smallest normal value of each type: three quarters of it are subnormal.
SMALLEST = {"float16": 2.0**-14, "bfloat16": 2.0**-126, "float8e5": 2.0**-14, "float8e4nv": 2.0**-6}
N = 100  # no multiple of any vector length


@triton.jit
def move_kernel(
    x_ptr, at_ptr, gathered_ptr, scattered_ptr, scaled_ptr, chosen_ptr, scalar_ptr, factor, n, BLOCK: tl.constexpr
):
    i = tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask)
    at = tl.load(at_ptr + i, mask=mask, other=0)
    some = mask & (at % 3 != 0)
    tl.store(gathered_ptr + i, tl.load(x_ptr + at, mask=some, other=tl.load(x_ptr)), mask=mask)
    tl.store(scattered_ptr + at, x, mask=some)
    tl.store(scaled_ptr + i, (x.to(tl.float32) * factor).to(x.dtype), mask=mask)
    scalar = factor.to(x.dtype)
    for _ in range(n):
        scalar = (scalar.to(tl.float32) * 0.96875 + factor * 0.0625).to(x.dtype)
    tl.store(chosen_ptr + i, tl.where(at % 2 == 0, x, scalar), mask=mask)
    tl.store(scalar_ptr, scalar)


@triton.jit
def sum_kernel(x_ptr, sum_ptr, old_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(old_ptr + i, tl.atomic_add(sum_ptr + i % 8, tl.load(x_ptr + i, mask=i < n), mask=i < n), mask=i < n)
    if tl.program_id(0) == 0:
        tl.atomic_add(sum_ptr + 8, tl.load(x_ptr))


@pytest.fixture
def processor():
    """The tests launch on the processor, whatever the other tests run on."""
    triton.runtime.driver.set_active_to_cpu()


@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("arch", OLDER)
def test_narrow_floats_move_and_convert(processor, rng, arch, dtype):
    x = store_as(rng.standard_normal(N), dtype)
    at = rng.permutation(N).astype(np.int32)
    factor = np.float32(0.75 * SMALLEST[dtype])
    gathered, scattered, scaled, chosen = (poisoned(N, dtype) for _ in range(4))
    before, scalar = scattered.copy(), poisoned(1, dtype)
    pointers = [argument(array, dtype) for array in (gathered, scattered, scaled, chosen, scalar)]
    move_kernel[(1,)](argument(x, dtype), at, *pointers, float(factor), N, BLOCK=128, arch=arch)

    def rounded(value):
        return store_as(value.astype(np.float64), dtype)

    some = at % 3 != 0
    np.testing.assert_array_equal(gathered, np.where(some, x[at], x[0]))
    before[at[some]] = x[some]
    np.testing.assert_array_equal(scattered, before)
    np.testing.assert_array_equal(read(scaled, dtype), read(rounded(read(x, dtype).astype(np.float32) * factor), dtype))
    carried = rounded(np.array([factor]))
    for _ in range(N):
        product = read(carried, dtype) * 0.96875 + float(factor) * 0.0625
        carried = rounded(product.astype(np.float32))
    assert scalar[0] == carried[0]
    np.testing.assert_array_equal(chosen, np.where(at % 2 == 0, x, carried[0]))


@pytest.mark.parametrize("unit", [1.0, 2.0**-24, 2.0**-133])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("arch", ["", *OLDER])
def test_sums_of_16_bits(processor, rng, arch, dtype, unit):
    if dtype == "float16" and unit < 2.0**-24:
        pytest.skip("below the smallest fp16")
    x = rng.integers(0, 3, 500).astype(np.float64)  # All sums are exact, down to the smallest subnormal values.
    x[0] = 2
    total, old = np.zeros(9, values.storage_dtype(dtype)), poisoned(500, dtype)
    sum_kernel[(8,)](*(argument(a, dtype) for a in (store_as(x * unit, dtype), total, old)), 500, BLOCK=64, arch=arch)
    sums = [x[k::8].sum() for k in range(8)]
    np.testing.assert_array_equal(read(total, dtype) / unit, [*sums, 2])
    # Every addition saw another value: sorted, the old values and what was added to them form a chain.
    seen = read(old, dtype) / unit
    for k in range(8):
        order = np.lexsort((seen[k::8] + x[k::8], seen[k::8]))
        np.testing.assert_array_equal(seen[k::8][order][1:], (seen[k::8] + x[k::8])[order][:-1])


LIBRARIES = [ctypes.CDLL(name) for name in ("libmvec.so.1", "libm.so.6", "libc.so.6")]


def undefined_calls(assembly):
    """The functions that the code calls and that neither the runtime nor the C library defines."""
    calls = set(re.findall(r"^\s+(?:call|jmp)q?\s+([A-Za-z_]\w*)(?:@PLT)?\s*$", assembly, re.M))
    own = ("triton_cpu_", "__nv_")
    return {name for name in calls if not name.startswith(own) and not any(hasattr(lib, name) for lib in LIBRARIES)}


def assembly_of(kernel, pointers, others, arch):
    names = kernel.arg_names
    runtime = [*pointers, *others]
    signature = dict(zip(names[: len(runtime)], runtime, strict=True)) | {"BLOCK": "constexpr"}
    source = ASTSource(kernel, signature=signature, constexprs={"BLOCK": 128})
    return triton.compile(source, target=GPUTarget("cpu", "", 0), options={"arch": arch}).asm["asm"]


@pytest.mark.parametrize("dtype", [*NARROW, "float32", "float64"])
@pytest.mark.parametrize("arch", OLDER + NEWER)
def test_code_calls_only_what_exists(arch, dtype):
    pointer = "*" + str(tl_dtype(dtype))
    moved = [pointer, "*i32", *[pointer] * 5]
    assembly = assembly_of(move_kernel, moved, ["fp32", "i32"], arch)
    assert "move_kernel" in assembly
    assert not undefined_calls(assembly)
    assert "vcvtneps2bf16" not in assembly  # It flushes subnormals.
    if not dtype.startswith("float8"):
        assembly = assembly_of(sum_kernel, [pointer] * 3, ["i32"], arch)
        assert not undefined_calls(assembly)
        assert "vcvtneps2bf16" not in assembly


@triton.jit
def dot_kernel(a_ptr, b_ptr, c_ptr, count, BLOCK: tl.constexpr):
    i, j = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :]
    total = tl.zeros((BLOCK, BLOCK), c_ptr.dtype.element_ty)
    for step in range(count):
        k = step * BLOCK * BLOCK
        total = tl.dot(tl.load(a_ptr + k + i * BLOCK + j), tl.load(b_ptr + k + i * BLOCK + j), total)
    tl.store(c_ptr + i * BLOCK + j, total)


@pytest.mark.parametrize(
    "arch, dtype, product",
    [
        ("sapphirerapids", "bf16", r"tdpbf16ps\s+%tmm"),
        ("sapphirerapids", "fp8e5", r"tdpbf16ps\s+%tmm"),
        ("sapphirerapids", "i8", r"tdpbssd\s+%tmm"),
        ("sapphirerapids", "fp16", r"vfmadd231ps\s.*%zmm"),
        ("graniterapids", "fp16", r"tdpfp16ps\s+%tmm"),
        ("cooperlake", "bf16", r"vfmadd231ps\s.*%ymm"),
        ("icelake-server", "i8", r"vpdpbusd\s.*%zmm"),
        ("znver5", "bf16", r"vdpbf16ps\s.*%zmm"),
        ("alderlake", "i8", r"vpdpbusd\s.*%ymm"),
    ],
)
def test_products_take_the_fastest_instruction(arch, dtype, product):
    result = "*i32" if dtype == "i8" else "*fp32"
    assembly = assembly_of(dot_kernel, [f"*{dtype}"] * 2 + [result], ["i32"], arch)
    assert re.search(product, assembly)
    assert not undefined_calls(assembly)
    tiles = "%tmm" in product
    assert [assembly.count(name) for name in ("ldtilecfg", "tilerelease")] == ([2, 1] if tiles else [0, 0])
    assert not tiles or assembly.index("tilerelease") > assembly.rindex("tdp")


@pytest.mark.parametrize("dtype", [*NARROW, "float32", "float64"])
@pytest.mark.parametrize("arch", ["aarch64", "armv9-a", "neoverse-v1"])
def test_code_for_another_architecture(processor, arch, dtype):
    """optional_aarch64.py runs such code."""
    pointer = "*" + str(tl_dtype(dtype))
    moved = [pointer, "*i32", *[pointer] * 5, "fp32", "i32"]
    signature = dict(zip(move_kernel.arg_names, moved, strict=False)) | {"BLOCK": "constexpr"}
    source = ASTSource(move_kernel, signature=signature, constexprs={"BLOCK": 128})
    kernel = triton.compile(source, target=GPUTarget("cpu", "", 0), options={"arch": arch})
    machine = int.from_bytes(kernel.asm["o"][18:20], "little")
    assert machine == 183  # EM_AARCH64
    calls = set(re.findall(r"^\s+bl?\s+([A-Za-z_]\w*)\s*$", kernel.asm["asm"], re.M))
    assert not {name for name in calls if not name.startswith("triton_cpu_")}
    if os.uname().machine != "x86_64":
        return
    array = np.zeros(8, np.float32)
    with pytest.raises(RuntimeError, match="cannot run in this process"):
        sum_kernel[(1,)](array, array, array, 8, BLOCK=8, arch=arch)
