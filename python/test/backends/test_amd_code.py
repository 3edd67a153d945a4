"""The code for AMD GPUs, which nothing here can run: LLVM's own tools confirm what the compiler says about it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import triton
import triton.language as tl
from amd_programs import (
    ARCHITECTURES,
    TOOLS,
    add,
    build,
    build_matmul,
    inner_loop,
    instructions,
    listed_instructions,
    running_sum,
    scaled_matmul,
    softmax,
    written_instructions,
)


def build_all(arch):
    floats = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}
    rows = {"x": "*fp32", "out": "*fp32", "n": "i32", "stride": "i32"}
    return [
        build(add, arch, floats, {"BLOCK": 1024}),
        build(softmax, arch, rows, {"BLOCK": 1024}),
        build_matmul(arch),
    ]


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_code_objects_contain_the_instructions_of_the_text(arch, tmp_path):
    for kernel in build_all(arch):
        assert listed_instructions(kernel, tmp_path) == written_instructions(kernel)


@triton.jit
def crowd(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    values = tl.load(x + i)
    for _ in range(4):
        values = tl.cumsum(values) + tl.flip(values)
    tl.store(out + i, values)


def build_crowd(arch):
    """A kernel that has too few registers."""
    lanes = ARCHITECTURES[arch]
    few = 8 if lanes == 64 else 16
    return build(crowd, arch, {"x": "*fp32", "out": "*fp32"}, {"BLOCK": 128 * lanes}, num_warps=1, waves_per_eu=few)


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_resources_are_those_of_the_code_object(arch, tmp_path):
    fields = {
        "vgprs": "vgpr_count",
        "agprs": "agpr_count",
        "sgprs": "sgpr_count",
        "vgpr_spills": "vgpr_spill_count",
        "sgpr_spills": "sgpr_spill_count",
        "scratch_bytes": "private_segment_fixed_size",
    }
    for kernel in [*build_all(arch), build_crowd(arch)]:
        (tmp_path / "k.hsaco").write_bytes(kernel.asm["hsaco"])
        command = [TOOLS + "llvm-readobj", "--notes", str(tmp_path / "k.hsaco")]
        notes = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        resources = kernel.metadata.resources
        for name, field in fields.items():
            match = re.search(rf"\.{field}: +(\d+)", notes)
            assert resources[name] == (int(match[1]) if match else 0), name
        assert resources["lds_bytes"] == kernel.metadata.shared
        occupancy = int(re.search(r"; Occupancy: (\d+)", kernel.asm["amdgcn"])[1])
        if kernel.metadata.shared == 0:
            assert resources["waves_per_simd"] == occupancy
        else:  # LLVM does not know what a launch adds
            assert 1 <= resources["waves_per_simd"] <= occupancy
    assert resources["vgpr_spills"] > 0 and resources["scratch_bytes"] > 0


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_nothing_is_spilled(arch):
    for kernel in build_all(arch):
        assert kernel.n_spills == 0
        for field in ("vgpr_spill_count", "sgpr_spill_count", "private_segment_fixed_size"):
            assert re.search(rf"\.{field}: +0\b", kernel.asm["amdgcn"]), field


def test_code_is_generated_again_where_much_is_spilled():
    """One strategy needs too many registers for addresses, another one orders instructions for few waves."""
    types = dict.fromkeys(("q", "k", "v", "out"), "*fp16") | {"N": "i32", "scale": "fp32"}
    kernel = build(attention, "gfx1201", types, {"BM": 128, "BN": 64, "D": 128}, num_warps=8)
    assert kernel.n_spills == 0
    # A thread has 128 sums and 64 registers of the next tiles, and 256 registers.
    assert build_matmul("gfx1100", (128, 128, 64), num_warps=4).n_spills < 400


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_a_product_meets_once_and_reads_whole_vectors(arch):
    """Operands are loaded an iteration ahead, go to two buffers in turn and are read in 16 bytes, or transposed."""
    loop = inner_loop(build_matmul(arch, (64, 64, 32)).asm["amdgcn"])
    barriers = [name for name in loop if name in ("s_barrier", "s_barrier_signal")]
    reads = [name for name in loop if re.match(r"ds_(read|load)", name)]
    assert len(barriers) == 1
    vectors = {"ds_read_b128", "ds_load_b128"} | ({"ds_read_b64_tr_b16"} if arch == "gfx950" else set())
    assert set(reads) <= vectors and reads
    loads, uses = (
        [i for i, name in enumerate(loop) if re.match(kind, name)] for kind in ("global_load", "ds_(read|load)")
    )
    assert loads[0] < uses[0]
    assert any(re.match("v_w?mma|v_mfma", name) for name in loop)


def test_a_large_product_keeps_its_matrix_unit_busy():
    kernel = build_matmul("gfx942", (256, 256, 64), num_warps=8)
    loop = inner_loop(kernel.asm["amdgcn"])
    assert kernel.n_spills == 0 and kernel.n_regs <= 256
    products = [name for name in loop if name.startswith("v_mfma")]
    # 8 tiles of 32 x 32 for each warp, and eight steps of 8 along K; an instruction takes 32 clocks, others 4.
    assert len(products) == 64
    assert 32 * len(products) > 0.84 * (32 * len(products) + 4 * (len(loop) - len(products)))
    # Threads load whole vectors of both operands, and no address in LDS is computed from its beginning.
    assert [name for name in loop if name.startswith("global_load")] == 8 * ["global_load_dwordx4"]
    assert not re.search(r"v_add_u32\S* v\d+, 0,", kernel.asm["amdgcn"])


@triton.jit
def attention(q, k, v, out, N, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    m, n, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D)
    query = tl.load(q + m[:, None] * D + d[None, :])
    acc, total = tl.zeros((BM, D), tl.float32), tl.zeros((BM,), tl.float32)
    largest = tl.full((BM,), -float("inf"), tl.float32)
    for start in range(0, N, BN):
        scores = tl.dot(query, tl.load(k + (start + n)[None, :] * D + d[:, None])) * scale
        next_largest = tl.maximum(largest, tl.max(scores, 1))
        p = tl.exp2(scores - next_largest[:, None])
        factor = tl.exp2(largest - next_largest)
        total = total * factor + tl.sum(p, 1)
        value = tl.load(v + (start + n)[:, None] * D + d[None, :])
        acc = tl.dot(p.to(tl.float16), value, acc * factor[:, None])
        largest = next_largest
    tl.store(out + m[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.float16))


def test_attention_computes_pairs():
    """A thread has 32 scores and 64 elements of the accumulator, and one row of both."""
    types = dict.fromkeys(("q", "k", "v", "out"), "*fp16") | {"N": "i32", "scale": "fp32"}
    kernel = build(attention, "gfx942", types, {"BM": 128, "BN": 64, "D": 128}, num_warps=4, num_stages=1)
    loop = inner_loop(kernel.asm["amdgcn"])
    assert kernel.n_spills == 0
    assert loop.count("v_mfma_f32_32x32x8_f16") == 64
    # LLVM takes some pairs apart behind matrix instructions, beside which pairs do not run.
    pairs = [name for name in loop if re.match("v_pk_(mul|add|fma)_f32", name)]
    halves = [name for name in loop if re.match("v_(mul|add)_f32_e64|v_fma_f32", name)]
    exponentials = [name for name in loop if name.startswith("v_exp_f32")]
    assert len(pairs) + len(halves) // 2 >= (64 + 32) // 2 and len(exponentials) == 33
    assert loop.count("v_sub_f32_e32") == 1  # of the row


def expand_aliases(text, aliases):
    while found := re.search(r"#(?!ttg\.)\w+", text):
        text = text.replace(found[0], aliases[found[0]])
    return text


def shared_accesses(ttgir):
    """The shape, the encoding of the buffer and that of the tensor of each operation on shared memory."""
    aliases = dict(re.findall(r"^(#\w+) = (#ttg\..*)$", ttgir, re.M))
    for line in ttgir.splitlines():
        if not re.search(r"ttg\.local_(alloc|load|store) ", line) or "tensor<" not in line:
            continue
        line = expand_aliases(re.sub(r" loc\(.*", "", line[line.index(" : ") :]), aliases)
        shape, tensor = re.search(r"(?<!\w)tensor<(\w+), (#ttg.*?>)>(?: ->|\)|$)", line).groups()
        yield shape, re.search(r"memdesc<\w+, (#ttg.*?}>)", line)[1], tensor


@pytest.mark.parametrize("warps", [4, 8])
@pytest.mark.parametrize("tile", [(256, 256, 64), (128, 128, 64), "attention"])
def test_shared_memory_has_no_bank_conflicts(tile, warps):
    path = os.pathsep.join([str(Path(triton.__file__).parents[2] / "tools/tritonc"), str(Path(sys.executable).parent)])
    tritonc = shutil.which("tritonc", path=path)
    if tritonc is None:
        pytest.skip("tritonc is neither in the build folder nor beside Python")
    if tile == "attention":
        types = dict.fromkeys(("q", "k", "v", "out"), "*fp16") | {"N": "i32", "scale": "fp32"}
        kernel = build(attention, "gfx942", types, {"BM": 128, "BN": 64, "D": 128}, num_warps=warps, num_stages=1)
    else:
        kernel = build_matmul("gfx942", tile, num_warps=warps)
    accesses = set(shared_accesses(kernel.asm["ttgir"]))
    assert len(accesses) >= 4
    for shape, buffer, tensor in accesses:
        command = [tritonc, "layout", buffer, "--shape", shape, "--access", tensor]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        assert "bank-conflict degree 1 " in text, (shape, buffer, tensor)


@triton.jit
def scale_shift(x, w, b, out, factor, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) * factor * tl.load(w + i) + tl.load(b + i))


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950"])
def test_arithmetic_of_f32_and_f16_needs_no_conversions(arch):
    """What is not mixed is computed in pairs."""
    types = {"x": "*fp32", "w": "*fp16", "b": "*fp16", "out": "*fp16", "factor": "fp32"}
    kernel = build(scale_shift, arch, types, {"BLOCK": 1024}, num_warps=4)
    names = instructions(kernel.asm["amdgcn"])
    assert names.count("v_pk_mul_f32") == 2
    assert len([name for name in names if name.startswith("v_fma_mix")]) == 4
    assert not [name for name in names if name.startswith("v_cvt")]


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950"])
def test_scans_shift_rows_of_lanes(arch):
    """Warps exchange nothing but their totals, of which each thread reads four at once."""
    kernel = build(running_sum, arch, {"x": "*fp32", "out": "*fp32"}, {"BLOCK": 4096}, num_warps=4)
    assert kernel.metadata.shared == 4 * 4 * 4
    assert kernel.metadata.base_arch == arch and kernel.metadata.warp_size == 64
    names = instructions(kernel.asm["amdgcn"])
    assert {name for name in names if name.startswith("ds_")} == {"ds_write2_b32", "ds_read_b128"}
    assert len(re.findall(r"v_add_f32_dpp.*(?:wave_shr|row_shr|row_bcast)", kernel.asm["amdgcn"])) == 4 * 6


@triton.jit
def add_and_subtract(x, y, out, ASM: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    values = [tl.load(x + i), tl.load(y + i)]
    total, difference = tl.inline_asm_elementwise(
        ASM, "=&v,=&v,v,v", values, dtype=(tl.int32, tl.int32), is_pure=True, pack=1
    )
    tl.store(out + i, total * difference)


def test_assembly_in_kernels():
    def assemble(text):
        types = {"x": "*i32", "y": "*i32", "out": "*i32"}
        return build(add_and_subtract, "gfx942", types, {"ASM": text, "BLOCK": 256})

    names = instructions(assemble("v_add_u32 $0, $2, $3\nv_sub_u32 $1, $2, $3").asm["amdgcn"])
    assert any(name.startswith("v_sub_u32") for name in names)
    with pytest.raises(triton.runtime.errors.PTXASError, match="v_addition"):
        assemble("v_addition $0, $2, $3\nv_sub_u32 $1, $2, $3")


@pytest.mark.parametrize("extent", [16, 32])
def test_the_size_of_matrix_instructions_can_be_chosen(extent):
    kernel = build_matmul("gfx942", matrix_instr_nonkdim=extent)
    names = {name for name in instructions(kernel.asm["amdgcn"]) if name.startswith("v_mfma")}
    assert names == {{16: "v_mfma_f32_16x16x16_f16", 32: "v_mfma_f32_32x32x8_f16"}[extent]}


def test_a_wrong_size_of_matrix_instructions():
    with pytest.raises(triton.CompilationError, match="`matrix_instr_nonkdim` is 8; it must be 0, 16 or 32"):
        build_matmul("gfx942", matrix_instr_nonkdim=8)


@pytest.mark.parametrize("left", ["e4m3", "e2m1"])
def test_scaled_products_use_the_instructions_with_scales(left):
    types = dict.fromkeys(("a", "b", "a_scale", "b_scale"), "*u8") | {"c": "*fp32", "N": "i32", "K": "i32"}
    kernel = build(scaled_matmul, "gfx950", types, {"BM": 128, "BN": 128, "BK": 128, "LEFT": left})
    loop = inner_loop(kernel.asm["amdgcn"])
    # A quarter of 16 tiles of 32 x 32 for each warp, two steps along K, and nothing is converted.
    assert loop.count("v_mfma_scale_f32_32x32x64_f8f6f4") == 8
    assert not [name for name in loop if name.startswith(("v_cvt", "v_mul_f"))]
    assert kernel.n_spills == 0
    older = inner_loop(
        build(scaled_matmul, "gfx942", types, {"BM": 128, "BN": 128, "BK": 128, "LEFT": left}).asm["amdgcn"]
    )
    assert any(name.startswith("v_mfma_f32_32x32x8_bf16") for name in older)


@pytest.mark.parametrize("extent,rows,depth", [(16, 64, 64), (16, 64, 128), (32, 64, 64), (32, 64, 128), (32, 16, 128)])
def test_the_size_of_scaled_instructions_can_be_chosen(extent, rows, depth):
    """Tiles that are smaller than the instruction of that size are converted."""
    types = dict.fromkeys(("a", "b", "a_scale", "b_scale"), "*u8") | {"c": "*fp32", "N": "i32", "K": "i32"}
    constants = {"BM": rows, "BN": 64, "BK": depth, "LEFT": "e4m3"}
    kernel = build(scaled_matmul, "gfx950", types, constants, matrix_instr_nonkdim=extent)
    names = {name for name in instructions(kernel.asm["amdgcn"]) if name.startswith("v_mfma_scale")}
    known = {16: "v_mfma_scale_f32_16x16x128_f8f6f4", 32: "v_mfma_scale_f32_32x32x64_f8f6f4"}[extent]
    fits = rows >= extent and depth >= {16: 128, 32: 64}[extent]
    assert names == ({known} if fits else set())


def test_deep_tiles_of_8_bit_floats_are_multiplied_at_the_full_rate():
    names = instructions(build_matmul("gfx950", (128, 128, 128), "fp8e4nv").asm["amdgcn"])
    assert {name for name in names if name.startswith("v_mfma")} == {"v_mfma_f32_32x32x64_f8f6f4"}


@triton.jit
def cast(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i).to(out.dtype.element_ty))


FORMATS = {"gfx942": ("fp8e4b8", "fp8e5b16"), "gfx950": ("fp8e4nv", "fp8e5"), "gfx1201": ("fp8e4nv", "fp8e5")}


@pytest.mark.parametrize("wide", ["fp32", "fp16", "bf16"])
@pytest.mark.parametrize("arch", FORMATS)
def test_instructions_convert_the_8_bit_floats_of_the_machine(arch, wide):
    def count(source, target, pattern):
        kernel = build(cast, arch, {"x": f"*{source}", "out": f"*{target}"}, {"BLOCK": 1024}, num_warps=1)
        names = instructions(kernel.asm["amdgcn"])
        found = [name for name in names if re.match(pattern, name)]
        return len(found), len(names)

    elements = 1024 // ARCHITECTURES[arch]
    for element, name in zip(FORMATS[arch], ("fp8", "bf8"), strict=True):
        direct = arch == "gfx950" and wide != "fp32"
        found, total = count(element, wide, f"v_cvt_scalef32_pk_.*{name}" if direct else f"v_cvt_pk_f32_{name}")
        assert found == elements // 2
        assert total < 4 * elements
        assert count(wide, element, f"v_cvt_pk_{name}_f32")[0] == elements // 2


def test_instructions_convert_to_bfloat():
    kernel = build(cast, "gfx950", {"x": "*fp32", "out": "*bf16"}, {"BLOCK": 1024}, num_warps=1)
    assert instructions(kernel.asm["amdgcn"]).count("v_cvt_pk_bf16_f32") == 1024 // 64 // 2


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950", "gfx1100"])
def test_reductions_read_registers_of_other_lanes(arch):
    """A maximum and a sum of a warp, each step one instruction without a copy or a canonical form of its operand."""
    rows = {"x": "*fp32", "out": "*fp32", "n": "i32", "stride": "i32"}
    assembly = build(softmax, arch, rows, {"BLOCK": 1024}, num_warps=1).asm["amdgcn"]
    assert not [name for name in instructions(assembly) if name.startswith("ds_")]
    for name in ("v_max_f32", "v_add_f32"):
        assert len(re.findall(rf"{name}_dpp", assembly)) == (4 if arch == "gfx1100" else 6)
    assert "v_mov_b32_dpp" not in assembly
