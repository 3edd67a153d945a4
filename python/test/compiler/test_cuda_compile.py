"""Compiling for NVIDIA GPUs, which needs no GPU."""

import os
import re
import shutil

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import ASTSource
from triton.runtime.driver import driver
from triton.runtime.errors import PTXASError


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=mask) * 3 + tl.load(y_ptr + i, mask=mask), mask=mask)


SIGNATURE = {"x_ptr": "*fp32", "y_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32"}
ALIGNED = {(index,): [["tt.divisibility", 16]] for index in range(4)}


def compile_for(arch, backend="cuda", block=512, **options):
    source = ASTSource(add_kernel, SIGNATURE, {"BLOCK": block}, ALIGNED)
    return triton.compile(source, target=GPUTarget(backend, arch, 32), options=options)


@pytest.mark.parametrize("arch", [75, 80, 86, 89, 90, 100, 120])
def test_every_architecture_becomes_machine_code(arch):
    kernel = compile_for(arch)
    assert list(kernel.asm) == ["source", "ttir", "ttgir", "llir", "ptx", "cubin"]
    assert f'ttg.target = "cuda:{arch}"' in kernel.asm["ttgir"]
    assert f".target sm_{arch}" in kernel.asm["ptx"] and ".entry add_kernel(" in kernel.asm["ptx"]
    assert kernel.asm["cubin"][:4] == b"\x7fELF" and kernel.kernel == kernel.asm["cubin"]
    assert 4 <= kernel.n_regs <= 255 and kernel.n_spills == 0
    assert kernel.metadata.shared == 0 and kernel.metadata.num_warps == 4


def test_aligned_pointers_give_vector_accesses():
    ptx = compile_for(90).asm["ptx"]
    assert ptx.count("ld.global.v4") == 2 and ptx.count("st.global.v4") == 1


@triton.jit
def hints_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr, CACHE: tl.constexpr, STORE: tl.constexpr, EVICT: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0, cache_modifier=CACHE, eviction_policy=EVICT)
    tl.store(out_ptr + i, x, mask=i < n, cache_modifier=STORE, eviction_policy=EVICT)


@pytest.mark.parametrize("arch", [75, 80, 90, 100])
@pytest.mark.parametrize(
    "cache,store,evict,load_form,store_form",
    [
        ("", "", "", "ld.global", "st.global"),
        (".ca", ".wb", "", "ld.global.ca", "st.global.wb"),
        (".cg", ".cg", "evict_last", "ld.global.cg", "st.global.cg"),
        (".cv", ".wt", "", "ld.global.cv", "st.global.wt"),
        ("", ".cs", "evict_first", "ld.global.L1::evict_first", "st.global.cs"),
        ("", "", "evict_last", "ld.global.L1::evict_last", "st.global.L1::evict_last"),
    ],
)
def test_hints_become_qualifiers(arch, cache, store, evict, load_form, store_form):
    signature = {"x_ptr": "*fp16", "out_ptr": "*fp16", "n": "i32"}
    constants = {"BLOCK": 1024, "CACHE": cache, "STORE": store, "EVICT": evict}
    source = ASTSource(
        hints_kernel, signature, constants, {index: value for index, value in ALIGNED.items() if index[0] < 3}
    )
    ptx = triton.compile(source, target=GPUTarget("cuda", arch, 32)).asm["ptx"]
    assert re.findall(r"(ld\.global\S*)", ptx) == [load_form + ".v4.b32"]
    assert re.findall(r"(st\.global\S*)", ptx) == [store_form + ".v4.b32"]


@triton.jit
def product_kernel(a_ptr, b_ptr, c_ptr, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, PRECISION: tl.constexpr):
    m, k = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, K)
    total = tl.zeros((M, N), tl.float32)
    for step in range(0, n, K):
        a = tl.load(a_ptr + m[:, None] * n + step + k[None, :])
        b = tl.load(b_ptr + (step + k)[:, None] * N + tl.arange(0, N)[None, :])
        total = tl.dot(a, b, total, input_precision=PRECISION)
    tl.store(c_ptr + m[:, None] * N + tl.arange(0, N)[None, :], total)


@pytest.mark.parametrize("arch", [75, 80, 90])
@pytest.mark.parametrize(
    "precision,shape",
    [
        ("ieee", (64, 64, 32)),
        ("ieee", (128, 64, 32)),
        ("tf32x3", (64, 64, 32)),
        ("bf16x6", (64, 64, 32)),
    ],
)
def test_products_of_single_stay_in_registers(arch, precision, shape):
    signature = {"a_ptr": "*fp32", "b_ptr": "*fp32", "c_ptr": "*fp32", "n": "i32"}
    constants = dict(zip("MNK", shape, strict=True)) | {"PRECISION": precision}
    source = ASTSource(product_kernel, signature, constants, ALIGNED)
    kernel = triton.compile(source, target=GPUTarget("cuda", arch, 32))
    assert kernel.n_spills == 0
    instruction = {"ieee": "fma.rn.f32", "tf32x3": ".f32.tf32.tf32.f32", "bf16x6": ".f32.bf16.bf16"}[precision]
    assert (instruction if arch >= 80 else "fma.rn.f32") in kernel.asm["ptx"]


@triton.jit
def sums_kernel(x_ptr, out_ptr, N: tl.constexpr):
    place = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + place)
    tl.store(out_ptr + place, x * 2 + tl.sort(x) + tl.cumsum(x, 1))


def test_spills_are_the_words_of_local_memory():
    """As Triton counts them: what is spilled in several places shares memory."""
    source = ASTSource(sums_kernel, {"x_ptr": "*fp32", "out_ptr": "*fp32"}, {"N": 32})
    kernel = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 1, "maxnreg": 40})
    assert 0 < kernel.n_spills * 4 == kernel.metadata.resources["local_bytes"] < kernel.metadata.n_spills


@pytest.mark.parametrize("arch,capacity", [(86, 101376), (100, 232448), (110, 232448), (120, 101376)])
def test_pipelines_fill_the_shared_memory_of_the_architecture(arch, capacity):
    signature = {"a_ptr": "*fp32", "b_ptr": "*fp32", "c_ptr": "*fp32", "n": "i32"}
    stage = (128 * 32 + 32 * 64) * 4  # bytes of the two tiles of an iteration
    source = ASTSource(product_kernel, signature, {"M": 128, "N": 64, "K": 32, "PRECISION": "tf32"}, ALIGNED)
    kernel = triton.compile(source, target=GPUTarget("cuda", arch, 32), options={"num_stages": 16})
    assert kernel.metadata.shared == capacity // stage * stage


@triton.jit
def one_product_kernel(a_ptr, b_ptr, c_ptr, SUM: tl.constexpr, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    place = i[:, None] * SIZE + i[None, :]
    product = tl.dot(tl.load(a_ptr + place), tl.load(b_ptr + place), out_dtype=SUM)
    tl.store(c_ptr + place, product)


# By operand and sum: instructions of sm_75, sm_80 and sm_90.
MATRIX_INSTRUCTIONS = {
    ("fp16", "fp32"): ("m16n8k8.row.col.f32.f16.f16.f32", "m16n8k16.row.col.f32.f16.f16.f32", None),
    ("fp16", "fp16"): ("m16n8k8.row.col.f16.f16.f16.f16", "m16n8k16.row.col.f16.f16.f16.f16", None),
    ("fp8e5", "fp32"): ("m16n8k8.row.col.f32.f16.f16.f32", "m16n8k16.row.col.f32.f16.f16.f32", None),
    ("bf16", "fp32"): ("", "m16n8k16.row.col.f32.bf16.bf16.f32", None),
    ("fp32", "fp32"): ("", "m16n8k8.row.col.f32.tf32.tf32.f32", None),
    ("i8", "i32"): ("", "m16n8k32.row.col.s32.s8.s8.s32", None),
    ("fp64", "fp64"): ("", "m8n8k4.row.col.f64.f64.f64.f64", "m16n8k8.row.col.f64.f64.f64.f64"),
}


@pytest.mark.parametrize("operand,result", MATRIX_INSTRUCTIONS)
def test_products_use_matrix_units(operand, result):
    on_75, on_80, on_90 = MATRIX_INSTRUCTIONS[operand, result]
    for arch, instruction in [(75, on_75), (80, on_80), (89, on_80), (90, on_90 or on_80), (120, on_90 or on_80)]:
        signature = {"a_ptr": f"*{operand}", "b_ptr": f"*{operand}", "c_ptr": f"*{result}"}
        constants = {"SUM": tl.float16 if result == "fp16" else tl.float32, "SIZE": 32}
        kernel = triton.compile(ASTSource(one_product_kernel, signature, constants), target=GPUTarget("cuda", arch, 32))
        assert set(re.findall(r"mma\.sync\.aligned\.(\S+)", kernel.asm["ptx"])) == ({instruction} - {""}), arch
        for call in re.findall(r"call [^\n]*@llvm\.nvvm\.mma[^\n]*", kernel.asm["llir"]):
            attributes = re.search(r"\) #(\d+)", call).group(1)
            assert re.search(rf"attributes #{attributes} = {{[^}}]*convergent", kernel.asm["llir"])


@triton.jit
def norm_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, x / tl.sqrt(tl.sum(x * x) / n))
    tl.store(out_ptr + BLOCK + i, x / tl.sum(x))


def test_divisors_that_cannot_be_extreme_need_no_scaling(rng):
    source = ASTSource(norm_kernel, {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32"}, {"BLOCK": 128})
    ptx = triton.compile(source, target=GPUTarget("cuda", 90, 32)).asm["ptx"]
    assert ptx.count("rcp.approx.ftz.f32") == 2 and ptx.count("div.full.f32") == 1
    kernel = triton.compile(source, target=GPUTarget("sim:cuda", 90, 32))
    x, out = rng.random(128, dtype=np.float32) + 1, np.full((2, 128), np.nan, np.float32)
    kernel[(1,)](x, out, 100)
    wide = x.astype(np.float64)
    np.testing.assert_allclose(out, [wide / np.sqrt((wide * wide).sum() / 100), wide / wide.sum()], rtol=1e-6)
    kernel[(1,)](x * 0, out, 100)
    assert np.isnan(out).all()  # 0 / 0


@triton.jit
def tiles_kernel(x_ptr, out_ptr, rows, n, BLOCK: tl.constexpr):
    total = tl.zeros([BLOCK], tl.float32)
    for i in range(n):
        total += tl.load(x_ptr + (i // rows) * BLOCK * 2 + (i % rows) * BLOCK + tl.arange(0, BLOCK))
    tl.store(out_ptr + tl.arange(0, BLOCK), total)


def test_a_quotient_gives_the_remainder():
    signature = {"x_ptr": "*fp32", "out_ptr": "*fp32", "rows": "i32", "n": "i32"}
    source = ASTSource(tiles_kernel, signature, {"BLOCK": 128})
    ptx = triton.compile(source, target=GPUTarget("cuda", 90, 32)).asm["ptx"]
    assert ptx.count("div.s32") > 1 and ptx.count("rem.s32") <= 1  # 1 // rows needs no division, 1 % rows does.


def test_num_warps_is_the_block():
    assert ".reqntid 128" in compile_for(80).asm["ptx"]
    kernel = compile_for(80, block=1024, num_warps=8)
    assert ".reqntid 256" in kernel.asm["ptx"] and kernel.metadata.num_warps == 8


def test_no_more_warps_than_vectors():
    kernel = compile_for(80, block=256, num_warps=8)
    assert ".reqntid 64" in kernel.asm["ptx"] and kernel.metadata.num_warps == 2
    assert compile_for(80, block=256, num_warps=8, maxnreg=64).metadata.num_warps == 8


def test_fusion_is_an_option():
    assert "fma.rn.f32" in compile_for(80).asm["ptx"]
    assert "fma" not in compile_for(80, enable_fp_fusion=False).asm["ptx"]


def test_maxnreg_limits_registers():
    kernel = compile_for(80, maxnreg=24)
    assert ".maxnreg 24" in kernel.asm["ptx"] and kernel.n_regs <= 24


@triton.jit
def described_product(a, b, out, K):
    total = tl.zeros((128, 128), tl.float32)
    for k in range(0, K, 64):
        total = tl.dot(a.load([0, k]), b.load([k, 0]), total)
    out.store([0, 0], total.to(tl.float16))


@pytest.mark.parametrize("maxnreg, limited", [(256, False), (96, True)])
def test_maxnreg_leaves_producer_warps_what_they_need(maxnreg, limited):
    """256 registers for each of 8 warps are all there are: the producer's warps come from what is left over."""
    block = lambda rows, columns: f"tensordesc<fp16[{rows}, {columns}]>"
    signature = {"a": block(128, 64), "b": block(64, 128), "out": block(128, 128), "K": "i32"}
    kernel = triton.compile(
        ASTSource(described_product, signature),
        target=GPUTarget("cuda", 90, 32),
        options=dict(num_warps=8, maxnreg=maxnreg),
    )
    ptx = kernel.asm["ptx"]
    threads = int(re.search(r"\.reqntid (\d+)", ptx)[1])
    assert threads > 256 and kernel.n_regs * threads <= 65536
    assert (".maxnreg" in ptx) == limited


def test_flushing_is_an_option():
    assert ".ftz" not in compile_for(80).asm["ptx"]
    assert "fma.rn.ftz.f32" in compile_for(80, allow_flush_denorm=True).asm["ptx"]


def test_ptx_version_is_an_option():
    assert ".version 7.8" in compile_for(80, ptx_version=78).asm["ptx"]


@pytest.mark.parametrize("backend", ["cuda", "sim:cuda"])
@pytest.mark.parametrize(
    "arch,version,first", [(90, 78, "80, the first with sm_90a"), (80, 79, "70, "), (100, 3, "86, ")]
)
def test_wrong_ptx_version(backend, arch, version, first):
    said = f"the option `ptx_version` is {version}; it must be a version of PTX from {first}"
    with pytest.raises(triton.CompilationError, match=said):
        compile_for(arch, backend, ptx_version=version)


@pytest.mark.parametrize("release,version", [("12.5", "8.5"), ("12.6", "8.5"), ("12.8", "8.7"), ("12.9", "8.8")])
def test_ptx_version_follows_ptxas(tmp_path, release, version):
    program = tmp_path / "ptxas"
    program.write_text(
        f'#!/bin/sh\ncase "$*" in *--version*) echo "release {release}, V{release}.0"; exit;; esac\n'
        f'exec {triton.knobs.nvidia.ptxas.path} "$@"\n'
    )
    program.chmod(0o755)
    with triton.knobs.nvidia.scope():
        triton.knobs.nvidia.ptxas = str(program)
        assert f".version {version}" in compile_for(80, block=256).asm["ptx"]


def test_line_table_names_the_source():
    assert re.search(r'\.file\s+\d+ ".*test_cuda_compile\.py"', compile_for(80).asm["ptx"])
    assert ".loc" in compile_for(80).asm["ptx"]


def test_line_tables_do_not_switch_optimization_off():
    assert re.search(r"\.target sm_80$", compile_for(80).asm["ptx"], re.MULTILINE)
    assert compile_for(80).n_regs < 40


@pytest.mark.parametrize(
    "options,error,message",
    [
        ({"num_ctas": 3}, ValueError, "`num_ctas` is 3; it must be 1, 2, 4 or 8"),
        ({"num_warps": 3}, AssertionError, "power of two"),
        ({"num_warps": 64}, triton.CompilationError, "from 1 to 32"),
        ({"maxnreg": 300}, triton.CompilationError, "at most 255 registers"),
    ],
)
def test_wrong_options_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        compile_for(90, **options)


def test_unknown_architecture_is_refused():
    with pytest.raises(
        triton.CompilationError, match="`70` is not a compute capability of a cuda target; there are 75"
    ):
        compile_for(70)


def test_errors_of_ptxas_name_kernel_and_file(fresh_cache):
    with pytest.raises(PTXASError, match="cannot assemble kernel `add_kernel` for sm_80") as caught:
        compile_for(80, ptx_options="--no-such-flag")
    kept = re.search(r"the PTX is kept in (\S+)", str(caught.value)).group(1)
    with open(kept) as file:
        assert ".entry add_kernel(" in file.read()
    shutil.rmtree(os.path.dirname(kept))


def test_missing_ptxas_is_told(fresh_cache, monkeypatch):
    monkeypatch.setenv("TRITON_PTXAS_PATH", "/nowhere/ptxas")
    with pytest.raises(PTXASError, match="TRITON_PTXAS_PATH names `/nowhere/ptxas`"):
        compile_for(80)


@triton.jit
def assembly_of_another_gpu(x):
    i = tl.arange(0, 32)
    y = tl.inline_asm_elementwise("v_mov_b32 $0, $1", "=v,v", [tl.load(x + i)], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(x + i, y)


def test_assembly_of_another_gpu_is_the_kernels_error():
    source = triton.compiler.ASTSource(assembly_of_another_gpu, {"x": "*i32"})
    line = assembly_of_another_gpu.starting_line_number + 3
    with pytest.raises(PTXASError, match=rf"test_cuda_compile.py:{line}:\d+: .*constraint 'v'"):
        triton.compile(source, target=GPUTarget("cuda", 90, 32))


@triton.jit
def assemble(text: tl.constexpr, constraints: tl.constexpr, v):
    return tl.inline_asm_elementwise(text, constraints, [v], dtype=tl.int32, is_pure=True, pack=1)


@triton.jit
def assembly_without_result(x, text: tl.constexpr, constraints: tl.constexpr):
    i = tl.arange(0, 64)
    tl.store(x + i, assemble(text, constraints, tl.load(x + i)))


@pytest.mark.parametrize(
    "target,text,constraints,refused",
    [
        (GPUTarget("cuda", 90, 32), "not.b32 0, $1;", "=r,r", r"Result register required.*: `not\.b32 0, %r\d+;`"),
        (GPUTarget("cuda", 90, 32), "not.b32 $0 $1;", "=r,r", r"Parsing error near '%r\d+'.*: `not\.b32 %r\d+ %r\d+;`"),
        (GPUTarget("hip", "gfx942", 64), "v_not_b32 0, $1", "=v,v", r"invalid operand.*: `v_not_b32 0, v\d+`"),
    ],
    ids=["cuda", "cuda-syntax", "hip"],
)
def test_assembly_that_the_assembler_refuses_has_a_place(target, text, constraints, refused):
    source = triton.compiler.ASTSource(
        assembly_without_result, {"x": "*i32"}, {"text": text, "constraints": constraints}
    )
    with pytest.raises(PTXASError) as caught:
        triton.compile(source, target=target)
    error = str(caught.value)
    place = rf"PTXAS error: \S+test_cuda_compile.py:{assemble.starting_line_number + 2}:12: error: .*{refused}"
    assert re.match(place, error)
    if kept := re.search(r"the PTX is kept in (\S+)", error):
        shutil.rmtree(os.path.dirname(kept[1]))


def test_override_replaces_every_stage(fresh_cache, tmp_path, monkeypatch):
    """A file of each stage, with a mark in it, takes the place of what the compiler made."""
    monkeypatch.setenv("TRITON_DUMP_DIR", str(tmp_path / "dump"))
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    compile_for(80)
    monkeypatch.delenv("TRITON_KERNEL_DUMP")
    (folder,) = (tmp_path / "dump").iterdir()
    assert {file.suffix for file in folder.iterdir()} >= {".ttir", ".ttgir", ".llir", ".ptx", ".cubin"}
    monkeypatch.setenv("TRITON_KERNEL_OVERRIDE", "1")
    for stage, old, new in [
        ("ttgir", "3.000000e+00", "5.000000e+00"),
        ("llir", "3.000000e+00", "7.000000e+00"),
        ("ptx", "0f40400000", "0f41100000"),
    ]:
        target = tmp_path / stage / folder.name / f"add_kernel.{stage}"
        target.parent.mkdir(parents=True)
        text = (folder / f"add_kernel.{stage}").read_text()
        assert old in text
        target.write_text(text.replace(old, new))
        monkeypatch.setenv("TRITON_OVERRIDE_DIR", str(tmp_path / stage))
        kernel = compile_for(80)
        assert new in kernel.asm[stage]
        constant = {"ttgir": "0f40A00000", "llir": "0f40E00000", "ptx": "0f41100000"}[stage]
        assert constant in kernel.asm["ptx"]


def test_ptx_dump_is_printed(fresh_cache, monkeypatch, capfd):
    monkeypatch.setenv("NVPTX_ENABLE_DUMP", "1")
    compile_for(80)
    assert ".entry add_kernel(" in capfd.readouterr().err


def test_unoptimized_assembly_differs(fresh_cache, monkeypatch):
    optimized = compile_for(80).asm["cubin"]
    monkeypatch.setenv("DISABLE_PTXAS_OPT", "1")
    assert compile_for(80).asm["cubin"] != optimized


def test_launch_without_a_driver_is_told(tmp_path):
    if driver.get_active_gpus():
        pytest.fail("run this test where there is no GPU, or with --deselect")
    kernel = compile_for(90)
    x = np.zeros(4, np.float32)
    with pytest.raises(ValueError, match="argument `x_ptr`.*cannot be accessed from Triton on a GPU"):
        kernel[(1,)](x, x, x, 4)


def test_without_a_gpu_the_processor_is_the_device():
    assert driver.default.get_current_target().backend in ("cpu", "cuda")
    if not driver.get_active_gpus():
        with pytest.raises(RuntimeError, match="no GPU"):
            driver.set_active_to_gpu()


@triton.jit
def large_tile_kernel(out_ptr):
    i = tl.arange(0, 1 << 20)
    tl.store(out_ptr + i, i)


@triton.jit
def small_float_atomic_kernel(out_ptr):
    tl.atomic_add(out_ptr.to(tl.pointer_type(tl.float8e5)), 1.0)


@triton.jit
def small_float_conversion_kernel(out_ptr):
    tl.store(out_ptr, tl.load(out_ptr).to(tl.float8e5).to(tl.float32))


@pytest.mark.parametrize(
    "kernel,mark,parts",
    [
        (large_tile_kernel, "tl.arange", ["a tensor of 1048576 elements", "smaller blocks or a larger `num_warps`"]),
        (small_float_atomic_kernel, "out_ptr.to", ["`tl.atomic_add` does not support elements of dtype fp8e5"]),
        (small_float_conversion_kernel, "tl.load", ["8-bit floats do not convert from or to integers", "`tl.float32`"]),
    ],
)
def test_errors_speak_of_the_language(kernel, mark, parts):
    """The place, what was found and what to do, in the words of the kernel; never an operation of the compiler."""
    source = ASTSource(kernel, {"out_ptr": "*i32"})
    with pytest.raises(triton.CompilationError) as caught:
        triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 1})
    first, excerpt, marks = str(caught.value).splitlines()[:3]
    assert re.match(r".*test_cuda_compile\.py:\d+:\d+: error: ", first) and "^" in marks
    assert excerpt[marks.index("^") :].startswith(mark)
    assert all(part in str(caught.value) for part in parts), str(caught.value)
    assert "tt." not in first and "ttg." not in first


def test_every_pass_of_a_gpu_can_be_printed(tmp_path, monkeypatch, fresh_cache):
    dump, folder = tmp_path / "dump.mlir", tmp_path / "passes"
    for name, value in {
        "MLIR_ENABLE_DUMP": "add_kernel",
        "MLIR_DUMP_PATH": str(dump),
        "LLVM_IR_ENABLE_DUMP": "add_kernel",
        "TRITON_PASS_DUMP_DIR": str(folder),
    }.items():
        monkeypatch.setenv(name, value)
    compile_for(90)
    text = dump.read_text()
    passes = re.findall(r"IR Dump After \S+ \(([\w-]+), stage (\w+)\)", text)
    assert {stage for _, stage in passes} == {"ttir", "ttgir", "llir"}
    named = [name for name, _ in passes]
    for name in ("triton-licm", "tritongpu-coalesce", "tritongpu-insert-barriers", "convert-triton-gpu-to-llvm"):
        assert name in named
    assert len(list(folder.glob("*.mlir"))) == len(passes)
    steps = re.findall(r"LLVM IR after (\S+) \(stage (\w+)\)", text)
    for step in ("translate", "simplify", "gpu-bound-half-conversions", "optimize", "gpu-verify-llir"):
        assert (step, "llir") in steps
    named = sorted(path.name.split("-", 3)[2:] for path in folder.glob("*.ll"))
    assert sorted(name.rsplit("-", 1)[0] for _, name in named) == sorted(name for name, _ in steps)
    # What code is generated from: another text than the artifact llir where these passes have changed something.
    last = [(name, "ptx") for name in ("nvidia-widen-narrow-integers", "nvidia-sink-shared-reads", "codegen")]
    assert steps[steps.index(last[0]) :][: len(last)] == last


def test_passes_over_llvm_ir_can_be_skipped(tmp_path, monkeypatch, fresh_cache):
    folder = tmp_path / "passes"
    monkeypatch.setenv("TRITON_PASS_DUMP_DIR", str(folder))
    monkeypatch.setenv("TRITON_SKIP_PASSES", "nvidia-share-initial-values")
    compile_for(90)
    names = {path.name.split("-", 3)[3].rsplit("-", 1)[0] for path in folder.glob("*.ll")}
    assert "nvidia-add-pairs" in names and "nvidia-share-initial-values" not in names
