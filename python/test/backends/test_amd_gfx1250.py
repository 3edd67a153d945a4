"""gfx1250, as far as LLVM and the simulator know it. Nothing about its layouts was compared with hardware."""

import re

import numpy as np
import pytest
import triton
from amd_programs import add, instructions, listed_instructions, matmul, scaled_matmul, softmax, written_instructions
from triton.backends.active import simulated_driver
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.runtime.driver import driver

TARGET = GPUTarget("hip", "gfx1250", 32)
VECTORS = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}
ROWS = {"x": "*fp32", "out": "*fp32", "n": "i32", "stride": "i32"}


def build(kernel, types, constants, **options):
    divisible = {(i,): [["tt.divisibility", 16]] for i in range(len(types))}
    signature = types | dict.fromkeys(constants, "constexpr")
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=divisible)
    return triton.compile(source, target=TARGET, options=options)


def build_matmul(element, depth=64):
    types = {"a": f"*{element}", "b": f"*{element}", "c": "*fp16", "N": "i32", "K": "i32"}
    return build(matmul, types, {"M_TILE": 64, "N_TILE": 64, "K_TILE": depth}, num_warps=4)


def build_scaled(left):
    types = dict.fromkeys(("a", "b", "a_scale", "b_scale"), "*u8") | {"c": "*fp32", "N": "i32", "K": "i32"}
    return build(scaled_matmul, types, {"BM": 64, "BN": 64, "BK": 128, "LEFT": left})


@pytest.mark.parametrize("kernel,types", [(add, VECTORS), (softmax, ROWS)])
def test_code_objects(kernel, types):
    compiled = build(kernel, types, {"BLOCK": 1024})
    assert compiled.asm["hsaco"][:4] == b"\x7fELF" and compiled.n_spills == 0
    assert compiled.metadata.resources["waves_per_simd"] == 16


def test_code_objects_contain_the_instructions_of_the_text(tmp_path):
    for kernel in (
        build(add, VECTORS, {"BLOCK": 1024}),
        build_matmul("fp16"),
        build_matmul("fp32"),
        build_scaled("e4m3"),
    ):
        assert listed_instructions(kernel, tmp_path) == written_instructions(kernel)


def test_accesses_go_through_buffers():
    """The second word of a resource ends with seven bits of its size, which are behind a longer base than elsewhere."""
    kernel = build(add, VECTORS, {"BLOCK": 1024})
    names = instructions(kernel.asm["amdgcn"])
    assert {name for name in names if re.match("global|buffer", name)} == {"buffer_load_b128", "buffer_store_b128"}
    assert re.search(r"s_or_b(32|64) .*0xfe000000", kernel.asm["amdgcn"])


@pytest.mark.parametrize(
    "element,instruction",
    [
        ("fp16", "v_wmma_f32_16x16x32_f16"),
        ("bf16", "v_wmma_f32_16x16x32_bf16"),
        ("fp8e4nv", "v_wmma_f32_16x16x64_fp8_fp8"),
        ("fp8e5", "v_wmma_f32_16x16x64_bf8_bf8"),
        ("fp32", "v_wmma_f32_16x16x4_f32"),
    ],
)
def test_products_use_its_own_instructions(element, instruction):
    names = instructions(build_matmul(element).asm["amdgcn"])
    assert {name for name in names if "wmma" in name} == {instruction}


def test_deep_tiles_of_8_bit_floats_need_half_as_many_instructions():
    names = instructions(build_matmul("fp8e5", depth=128).asm["amdgcn"])
    assert {name for name in names if "wmma" in name} == {"v_wmma_f32_16x16x128_f8f6f4"}


def test_tiles_that_lie_across_k_are_transposed_by_their_reads():
    """For elements of 16 bits. How the instruction for bytes deals them to lanes is not published."""
    reads = {name for name in instructions(build_matmul("fp16").asm["amdgcn"]) if name.startswith("ds_load")}
    assert reads == {"ds_load_b128", "ds_load_tr16_b128"}
    assert not [name for name in instructions(build_matmul("fp8e5").asm["amdgcn"]) if "_tr" in name]


@pytest.mark.parametrize("left", ["e4m3", "e2m1"])
def test_scaled_products_use_the_instructions_with_scales(left):
    names = instructions(build_scaled(left).asm["amdgcn"])
    assert {name for name in names if "wmma" in name} == {"v_wmma_scale_f32_16x16x128_f8f6f4"}
    assert not [name for name in names if name.startswith("v_cvt")]


def test_clusters_are_refused():
    with pytest.raises(ValueError, match="clusters of programs are not supported on AMD GPUs"):
        build(add, VECTORS, {"BLOCK": 1024}, num_ctas=2)


@pytest.fixture
def simulated():
    driver.set_active(simulated_driver("gfx1250"))
    yield
    driver.set_active_to_cpu()


def test_products_in_the_simulator(simulated):
    generator = np.random.default_rng(0)
    a, b = (generator.integers(-3, 4, (128, 128)).astype(np.float16) for _ in range(2))
    c = np.empty((128, 128), np.float32)
    kernel = matmul[(2, 2)](a, b, c, 128, 128, 64, 64, 64)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
    assert "wmma.f32.16x16x32.f16" in kernel.asm["llir"]


def test_rows_in_the_simulator(simulated):
    x = np.random.default_rng(0).standard_normal((4, 1024)).astype(np.float32)
    out = np.empty_like(x)
    softmax[(4,)](x, out, 1000, 1024, BLOCK=1024)
    expected = np.exp(x[:, :1000] - x[:, :1000].max(1, keepdims=True))
    np.testing.assert_allclose(out[:, :1000], expected / expected.sum(1, keepdims=True), rtol=1e-5)
