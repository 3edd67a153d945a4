"""Compiling ahead of launching, from kernels and from IR."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest
import triton
import triton.language as tl
from triton._utils import warn_once
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


SIGNATURE = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}


def check(kernel, rng):
    x, y, out = rng.random(100, dtype=np.float32), rng.random(100, dtype=np.float32), np.full(100, np.nan, np.float32)
    kernel[(2, 1, 1)](x, y, out, 100)
    np.testing.assert_array_equal(out, x + y)


def test_source_from_names(rng):
    kernel = triton.compile(ASTSource(add_kernel, SIGNATURE, {"BLOCK": 64}))
    check(kernel, rng)
    assert "tt.func public @add_kernel" in kernel.asm["ttir"]
    assert "tt.divisibility" not in kernel.asm["ttir"]


def test_source_with_attributes(rng):
    attrs = {(0,): [["tt.divisibility", 16]], (3,): [["tt.divisibility", 16]]}
    kernel = triton.compile(ASTSource(fn=add_kernel, signature=SIGNATURE, constexprs={(4,): 64}, attrs=attrs))
    assert kernel.asm["ttir"].count("tt.divisibility = 16") == 2


class OldAttributes:
    divisible_by_16 = (0, 1, 2)
    equal_to_1 = ()


@pytest.mark.parametrize("signature", [{0: "*fp32", 1: "*fp32", 2: "*fp32", 3: "i32"}, "*fp32, *fp32, *fp32, i32"])
@pytest.mark.parametrize("constants", [{"BLOCK": 64}, {4: 64}])
def test_older_spelling(rng, signature, constants):
    kernel = triton.compile(ASTSource(add_kernel, signature=signature, constants=constants, attrs=OldAttributes()))
    check(kernel, rng)
    assert kernel.asm["ttir"].count("tt.divisibility = 16") == 3


def test_stages_and_metadata(rng):
    kernel = add_kernel.warmup(*[np.zeros(4, np.float32)] * 3, 4, BLOCK=64, grid=(1,), num_warps=8)
    stages = list(kernel.asm)
    assert stages[:2] == ["source", "ttir"] or stages[0] == "ttir"
    assert {"ttir", "ttcir", "llir", "asm"} <= set(stages) and stages[-1] == "o"
    assert "tt.load" in kernel.asm["ttir"] and "define" in kernel.asm["llir"]
    assert isinstance(kernel.kernel, bytes) and kernel.kernel[:4] == b"\x7fELF"
    assert kernel.kernel == kernel.asm["o"]
    with pytest.raises(KeyError):
        kernel.asm["ptx"]
    metadata = kernel.metadata
    assert metadata.name == "add_kernel" and metadata.num_warps == 8 and metadata.hash == kernel.hash
    assert metadata.target == triton.runtime.driver.active.get_current_target()
    assert metadata.shared == 0 and metadata.triton_version
    assert metadata.tensordesc_meta == [] and metadata.tmem_size == 0


def test_ir_file(tmp_path, rng):
    kernel = add_kernel.warmup(*[np.zeros(4, np.float32)] * 3, 4, BLOCK=64, grid=(1,))
    path = tmp_path / "add.ttir"
    path.write_text(kernel.asm["ttir"])
    check(triton.compile(str(path)), rng)
    check(triton.compile(path, target=GPUTarget("cpu", "x86_64", 0), options={"num_warps": 2}), rng)


WRITTEN_BY_TRITON = (
    """#loc = loc("add.py":3:0)
module {
  tt.func public @add_kernel(
      %arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("add.py":3:0),
      %arg1: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("add.py":3:0),
      %arg2: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("add.py":3:0),
      %arg3: i32 {tt.divisibility = 16 : i32} loc("add.py":3:0)) attributes {noinline = false} {
    %c64_i32 = arith.constant 64 : i32 loc(#loc1)
    %0 = tt.get_program_id x : i32 loc(#loc2)
    %1 = arith.muli %0, %c64_i32 : i32 loc(#loc3)
    %2 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32> loc(#loc4)
    %3 = tt.splat %1 : i32 -> tensor<64xi32> loc(#loc5)
    %4 = arith.addi %3, %2 : tensor<64xi32> loc(#loc5)
    %5 = tt.splat %arg3 : i32 -> tensor<64xi32> loc(#loc6)
    %6 = arith.cmpi slt, %4, %5 : tensor<64xi32> loc(#loc6)
    %7 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>> loc(#loc7)
    %8 = tt.addptr %7, %4 : tensor<64x!tt.ptr<f32>>, tensor<64xi32> loc(#loc7)
    %9 = tt.load %8, %6 : tensor<64x!tt.ptr<f32>> loc(#loc8)
    %10 = tt.splat %arg1 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>> loc(#loc9)
    %11 = tt.addptr %10, %4 : tensor<64x!tt.ptr<f32>>, tensor<64xi32> loc(#loc9)
    %12 = tt.load %11, %6 : tensor<64x!tt.ptr<f32>> loc(#loc10)
    %13 = arith.addf %9, %12 : tensor<64xf32> loc(#loc11)
    %14 = tt.splat %arg2 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>> loc(#loc12)
    %15 = tt.addptr %14, %4 : tensor<64x!tt.ptr<f32>>, tensor<64xi32> loc(#loc12)
    tt.store %15, %13, %6 : tensor<64x!tt.ptr<f32>> loc(#loc13)
    tt.return loc(#loc14)
  } loc(#loc)
} loc(#loc)
"""
    + "\n".join(f'#loc{n} = loc("add.py":{n + 3}:4)' for n in range(1, 15))
    + "\n"
)


# The same as Triton 3.9 writes it, with a `tl.debug_barrier` besides.
NEWER = {
    "tt.load %8, %6": "tt.load %8, %6 "
    "{cachePolicy = #tt.cache_policy<cache_modifier = ca, eviction_policy = evict_last>}",
    "    tt.store": "    ttg.barrier all loc(#loc12)\n    tt.store",
}


@pytest.mark.parametrize("replaced", [{}, NEWER], ids=["3.6", "3.9"])
def test_ir_file_of_triton(tmp_path, rng, replaced):
    path = tmp_path / "add_kernel.ttir"
    text = WRITTEN_BY_TRITON
    for older, newer in replaced.items():
        text = text.replace(older, newer)
    path.write_text(text)
    kernel = triton.compile(str(path))
    x, y, out = rng.random(96, dtype=np.float32), rng.random(96, dtype=np.float32), np.full(96, np.nan, np.float32)
    kernel[(2, 1, 1)](x, y, out, 96)
    np.testing.assert_array_equal(out, x + y)


# A function with early returns, called where the inliner of MLIR leaves the call.
WITH_A_CALL = """
tt.func public @classes(%out: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %class = tt.call @class_of(%i) : (i32) -> i32
    %address = tt.addptr %out, %i : !tt.ptr<i32>, i32
    tt.store %address, %class : !tt.ptr<i32>
  }
  tt.return
}
tt.func private @class_of(%x: i32) -> i32 attributes {noinline = true} {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %ten = arith.constant 10 : i32
  %large = arith.cmpi sgt, %x, %ten : i32
  cf.cond_br %large, ^end(%one : i32), ^small
^end(%result: i32):
  tt.return %result : i32
^small:
  %few = arith.cmpi slt, %x, %two : i32
  cf.cond_br %few, ^end(%two : i32), ^end(%three : i32)
}
"""


def test_ir_file_with_a_call(tmp_path, host_device):
    path = tmp_path / "classes.ttir"
    path.write_text(WITH_A_CALL)
    out = np.zeros(16, np.int32)
    triton.compile(str(path))[(1, 1, 1)](out, 16)
    np.testing.assert_array_equal(out, [2, 2, *[3] * 9, *[1] * 5])


def test_broken_ir_file(tmp_path):
    path = tmp_path / "broken.ttir"
    for text in (
        "",
        "this is no IR",
        "module {\n  tt.func public @f() {\n    tt.nonsense\n  }\n}\n",
        "\0\0\0",
        WRITTEN_BY_TRITON[:900],
    ):
        path.write_text(text)
        with pytest.raises(triton.TritonError):
            triton.compile(str(path))


WRONG_TTGIR = """
{layout}
module attributes {{"ttg.num-ctas" = 1 : i32, {attributes}, "ttg.threads-per-warp" = 32 : i32}} {{
  tt.func public @k(%arg0: !tt.ptr<i32>) {{
    %0 = arith.constant dense<0> : tensor<{size}xi32, #layout>
    tt.return
  }}
}}
"""
BLOCKED = "#layout = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
LINEAR = (
    "#layout = #ttg.linear<{register = [[128]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}>"
)
RIGHT = '"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"'


@pytest.mark.parametrize(
    "attributes,layout,size,message",
    [
        (RIGHT, BLOCKED, 128, None),
        (RIGHT, LINEAR, 256, None),
        ('"ttg.num-warps" = 3 : i32, ttg.target = "cuda:90"', BLOCKED, 128, "power of two"),
        ('"ttg.num-warps" = 4 : i32, ttg.target = "cuda:31"', BLOCKED, 128, "cuda:31"),
        ('"ttg.num-warps" = 4 : i32', BLOCKED, 128, "ttg.target"),
        ('"ttg.num-warps" = 8 : i32, ttg.target = "cuda:90"', BLOCKED, 128, "warps"),
        ('"ttg.num-warps" = 8 : i32, ttg.target = "cuda:90"', LINEAR, 256, "4 warps of 32 lanes, the program has 8"),
        ('"ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942"', LINEAR, 256, "hip:gfx942"),
    ],
)
def test_wrong_ttgir_is_a_mistake_of_its_author(tmp_path, attributes, layout, size, message):
    path = tmp_path / "k.ttgir"
    path.write_text(WRONG_TTGIR.format(attributes=attributes, layout=layout, size=size))
    target = GPUTarget("sim:cuda", 90, 32)
    if message is None:
        triton.compile(str(path), target=target)
        return
    with pytest.raises(triton.CompilationError, match=message) as raised:
        triton.compile(str(path), target=target)
    assert "internal" not in str(raised.value)


TTIR_OF = "module {{\n  tt.func public @k(%p: !tt.ptr<f32>) {{\n    {}\n    tt.return\n  }}\n}}\n"
LLIR_OF = "define void @k(ptr %p) {{\n  {}\n  ret void\n}}\n"
CPU, CUDA = GPUTarget("cpu", "", 0), GPUTarget("cuda", 90, 32)
SIMULATED, HIP = GPUTarget("sim:cuda", 90, 32), GPUTarget("hip", "gfx942", 64)
WIDE = "%x = tt.load %p : !tt.ptr<f32>\n    %y = arith.extf %x : f32 to f128"


@pytest.mark.parametrize("target", [CPU, CUDA, SIMULATED, HIP], ids=lambda target: target.backend)
@pytest.mark.parametrize(
    "line, message",
    [
        (
            "%0 = llvm.mlir.constant(1 : i32) : i32",
            r"k\.ttir:3:10: error: `llvm.mlir.constant` does not belong in TTIR",
        ),
        ("tt.call @k(%p) : (!tt.ptr<f32>) -> ()", r"k\.ttir:3:5: error: a function calls itself here"),
        (WIDE, r"k\.ttir:4:10: error: kernels have no values of type 'f128'"),
    ],
    ids=["dialect", "recursion", "type"],
)
def test_wrong_ttir_is_a_mistake_of_its_author(tmp_path, target, line, message):
    path = tmp_path / "k.ttir"
    path.write_text(TTIR_OF.format(line))
    with pytest.raises(triton.CompilationError, match=message):
        triton.compile(str(path), target=target)


PTX_OF = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{{
{}
ret;
}}
"""


@pytest.mark.parametrize(
    "stage, text, target, message",
    [
        ("llir", LLIR_OF.format('call void asm sideeffect "nonsense;", ""()'), CPU, r"k\.llir:.*nonsense"),
        ("llir", LLIR_OF.format("call void @missing()") + "declare void @missing()", CPU, r"k\.llir:.*`missing`"),
        ("llir", LLIR_OF.format("").replace("void @k", "ptx_kernel void @k"), HIP, r"k\.llir:.*calling convention"),
        ("ptx", PTX_OF.format("nonsense;"), CUDA, r"k\.ptx:6:1: error: .*known instruction: 'nonsense'"),
        ("amdgcn", "\t.text\n\t.globl k\nk:\n\tnonsense v0\n", HIP, r"k\.amdgcn:4:2: error: .*invalid instruction"),
    ],
    ids=["assembly", "call", "convention", "ptx", "amdgcn"],
)
def test_wrong_code_is_a_mistake_of_its_author(tmp_path, stage, text, target, message):
    path = tmp_path / f"k.{stage}"
    path.write_text(text)
    with pytest.raises(triton.TritonError, match=message) as raised:
        triton.compile(str(path), target=target)
    assert "internal" not in str(raised.value)


def without_warps(text):
    """What a user's stage or an override might make of TTGIR."""
    return text.replace('"ttg.num-warps" = 4', '"ttg.num-warps" = 8')


@pytest.mark.parametrize("way", ["hook", "override"])
def test_ttgir_that_a_user_changed_is_a_mistake_of_its_author(tmp_path, monkeypatch, way):
    source = ASTSource(add_kernel, SIGNATURE, {"BLOCK": 1024})
    if way == "hook":

        def change(backend=None, stages=None, options=None, language=None, capability=None):
            if stages is None:
                return "warps", "warps"
            own = stages["ttgir"]
            stages["ttgir"] = lambda src, metadata: without_warps(own(src, metadata))

        monkeypatch.setattr(triton.knobs.runtime, "add_stages_inspection_hook", change)
    else:
        monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
        monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
        monkeypatch.setenv("TRITON_DUMP_DIR", str(tmp_path))
        triton.compile(source, target=SIMULATED)
        (file,) = tmp_path.glob("*/*.ttgir")
        file.write_text(without_warps(file.read_text()))
        monkeypatch.setenv("TRITON_KERNEL_DUMP", "0")
        monkeypatch.setenv("TRITON_KERNEL_OVERRIDE", "1")
        monkeypatch.setenv("TRITON_OVERRIDE_DIR", str(tmp_path))
    with pytest.raises(triton.CompilationError, match="4 warps of 32 lanes, the program has 8") as raised:
        triton.compile(source, target=SIMULATED)
    assert "internal" not in str(raised.value)


def test_errors_about_texts_with_nul_are_whole(tmp_path):
    path = tmp_path / "nul.ttir"
    path.write_text("module {\n  tt.func public @f() {\n    \0 nonsense\n  }\n}\n")
    with pytest.raises(triton.TritonError) as raised:
        triton.compile(str(path))
    assert "nul.ttir:3" in str(raised.value) and "nonsense" in str(raised.value)


@pytest.mark.parametrize("dtype", [np.float32, np.dtype("float32"), np.dtype(np.float32)])
def test_types_of_numpy_stand_for_arrays(dtype):
    kernel = add_kernel.warmup(dtype, dtype, dtype, 100, BLOCK=16, grid=(1,))
    assert kernel.asm["ttir"].count("!tt.ptr<f32>") >= 3


def test_wrong_sources():
    with pytest.raises(TypeError):
        ASTSource(add_kernel, {(0, 1): "*fp32"}, {"BLOCK": 64})
    with pytest.raises(ValueError, match="`n`"):
        ASTSource(add_kernel, {"x": "*fp32", "y": "*fp32", "out": "*fp32"}, {"BLOCK": 64})
    with pytest.raises(ValueError, match="nothing"):
        ASTSource(add_kernel, {**SIGNATURE, "nothing": "i32"}, {"BLOCK": 64})
    with pytest.raises(KeyError, match="float7"):
        ASTSource(add_kernel, {**SIGNATURE, "n": "float7"}, {"BLOCK": 64})
    with pytest.raises(ValueError, match="`BLOCK`"):
        ASTSource(add_kernel, SIGNATURE)
    with pytest.raises(TypeError):
        triton.compile(42)
    with pytest.raises(RuntimeError, match="backends"):
        triton.compile(ASTSource(add_kernel, SIGNATURE, {"BLOCK": 64}), target=GPUTarget("tpu", "v5", 0))


def test_kernel_name_from_repr():
    """The function finds constants and types by the names of parameters, as in Triton; parts of tuples have none."""

    @triton.jit(repr=lambda spec: f"kernel_{'_'.join(spec.constants)}_{spec.constants['N']}_{spec.signature['x'][1:]}")
    def kernel(x, pair, N: tl.constexpr):
        tl.store(x, N + pair[1])

    x = np.zeros(1, np.int32)
    compiled = kernel[(1,)](x, (np.int64(7), tl.constexpr(3)), N=32)
    assert compiled.name == "kernel_N_32_i32" and x[0] == 35
    compiled = triton.compile(ASTSource(kernel, {"x": "*i32", "pair": ("i32", "i32"), "N": "constexpr"}, {"N": 64}))
    assert compiled.name == "kernel_N_64_i32"


@triton.jit
def precision_kernel(x, PRECISION: tl.constexpr):
    i = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)
    tl.store(x + i, tl.dot(tl.load(x + i), tl.load(x + i), input_precision=PRECISION))


@triton.jit
def float8_kernel(x, TYPE: tl.constexpr):
    i = tl.arange(0, 16)
    tl.store(x + i, tl.load(x + i).to(TYPE).to(tl.float32))


def is_refused(kernel, target, **constants):
    source = triton.compiler.ASTSource(kernel, signature={"x": "*fp32"}, constexprs=constants)
    try:
        triton.compile(source, target=target)
    except triton.CompilationError:
        return True
    return False


@pytest.mark.parametrize("backend,arch", [("cpu", "x86_64"), ("sim:cuda", 80), ("sim:cuda", 90)])
def test_options_list_what_the_compiler_takes(backend, arch, monkeypatch):
    target = triton.backends.compiler.GPUTarget(backend, arch, 0 if backend == "cpu" else 32)
    options = triton.compiler.make_backend(target).parse_options({})
    for precision in ("ieee", "tf32", "tf32x3", "bf16x3", "bf16x6", "half"):
        is_allowed = precision in options.allowed_dot_input_precisions
        assert is_refused(precision_kernel, target, PRECISION=precision) != is_allowed, precision
    for dtype in (tl.float8e5, tl.float8e4nv, tl.float8e5b16, tl.float8e4b8, tl.float8e4b15):
        assert is_refused(float8_kernel, target, TYPE=dtype) != (dtype.name in options.supported_fp8_dtypes), dtype
    assert options.default_dot_input_precision == ("ieee" if backend == "cpu" else "tf32")
    monkeypatch.setenv("TRITON_F32_DEFAULT", "tf32x3")
    assert triton.compiler.make_backend(target).parse_options({}).default_dot_input_precision == "tf32x3"


@pytest.mark.parametrize("name, value", [("extern_libs", 3), ("extern_libs", {"own": 3}), ("num_cpu_threads", "4")])
def test_wrong_values_of_options_of_nvidia_gpus(name, value):
    with pytest.raises(ValueError, match=f"the option `{name}` is {value!r}; it must be"):
        triton.compiler.make_backend(GPUTarget("cuda", 80, 32)).parse_options({name: value})


def test_options_of_nvidia_gpus():
    """The defaults of Triton 3.9, and what it has that has no effect here."""
    from triton.backends.nvidia.compiler import CUDABackend

    options = CUDABackend(GPUTarget("cuda", 90, 32)).parse_options({})
    assert options.enable_reflect_ftz and options.sanitize_overflow and options.enable_fp_fusion
    assert options.allowed_dot_input_precisions == ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")
    assert options.default_dot_input_precision == "tf32" and options.arch == "sm90"
    assert options.max_num_imprecise_acc_default == 2**30 and options.deprecated_fp8_dot_operand_dtypes == ("fp8e4b15",)
    assert dict(options.extern_libs)["libdevice"].endswith(".bc") and not options.enable_iisan
    older = CUDABackend(GPUTarget("cuda", 80, 32)).parse_options({"extern_libs": {"own": "/own.bc"}})
    assert older.max_num_imprecise_acc_default == 0 and older.deprecated_fp8_dot_operand_dtypes == ()
    assert older.extern_libs[0] == ("own", "/own.bc") and len(options.hash()) == 64 and options.hash() != older.hash()
    for name, value in (
        ("clc", True),
        ("sched4reg", True),
        ("min_shared_mem", 1024),
        ("fpsan_homomorphic_casts", True),
    ):
        warn_once.cache_clear()
        with pytest.warns(UserWarning, match=f"`{name}` is {value}, which has no effect"):
            assert getattr(CUDABackend(GPUTarget("cuda", 100, 32)).parse_options({name: value}), name) == value


def test_file_of_ir_in_place_of_the_text(tmp_path, host_device):
    @triton.jit
    def kernel(x, n, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(x + i, 1, mask=i < n)

    x = np.zeros(32, np.int32)
    compiled = kernel.warmup(x, 20, BLOCK=32, grid=(1,))
    path = tmp_path / "other.ttir"
    path.write_text(compiled.asm["ttir"].replace("dense<1>", "dense<7>"))
    kernel[(1,)](x, 20, BLOCK=32, ir_override=str(path))
    np.testing.assert_array_equal(x, [7] * 20 + [0] * 12)
    tuned = triton.autotune([triton.Config({"BLOCK": 32}, ir_override=str(path))], key=[])(triton.jit(kernel.fn))
    x[:] = 0
    tuned[(1,)](x, 20)
    assert x.sum() == 140


@pytest.mark.parametrize("dtype", ["fp16", "bf16", "fp8e5", "fp8e4nv"])
@pytest.mark.parametrize("level", ["x86-64-v2", "x86-64-v3", "x86-64-v4"])
def test_masked_narrow_floats_call_no_conversion(level, dtype):
    """On processors without the instructions LLVM would call functions that only compilers of C bring along."""

    @triton.jit
    def kernel(x, i, out, n, BLOCK: tl.constexpr):
        lanes = tl.arange(0, BLOCK)
        places = tl.load(i + lanes, mask=lanes < n, other=0)
        value = tl.load(x + lanes, mask=lanes < n, other=1.0) + tl.load(x + places, mask=places < n, other=0.0)
        tl.store(out + lanes, value, mask=lanes < n)

    source = ASTSource(kernel, {"x": f"*{dtype}", "i": "*i32", "out": f"*{dtype}", "n": "i32"}, {"BLOCK": 64})
    text = triton.compile(source, target=GPUTarget("cpu", level, 0)).asm["asm"]
    assert "__trunc" not in text and "__extend" not in text


def test_the_operations_of_a_file(tmp_path):
    """`IRSource.make_ir` reads the text and runs no pass."""
    from triton.compiler.compiler import IRSource, make_backend

    source = tmp_path / "kernel.ttir"
    source.write_text(
        "module {\n  tt.func public @k(%x: i32) {\n    %y = arith.addi %x, %x : i32\n    tt.return\n  }\n}\n"
    )
    target = triton.runtime.driver.active.get_current_target()
    backend = make_backend(target)
    names = []
    module = IRSource(str(source)).make_ir(target, backend.parse_options({}), {}, {}, None)
    module.walk(lambda operation: names.append(operation.get_name()))
    assert names == ["arith.addi", "tt.return", "tt.func", "builtin.module"]
    source.write_text("module {\n  tt.func public @k() {\n")
    with pytest.raises(triton.CompilationError, match="kernel.ttir"):
        IRSource(str(source)).make_ir(target, backend.parse_options({}))


@triton.jit
def sum_kernel(x, out, N: tl.constexpr):
    tl.store(out, tl.sum(tl.load(x + tl.arange(0, N))))


SUM = ASTSource(sum_kernel, {"x": "*i32", "out": "*i32"}, {"N": 1024})
LATER_STAGES = [
    ("cuda", 90, 32, "llir"),
    ("cuda", 90, 32, "ptx"),
    ("hip", "gfx942", 64, "llir"),
    ("hip", "gfx942", 64, "amdgcn"),
]


@pytest.mark.parametrize("backend, arch, warp_size, stage", LATER_STAGES)
def test_texts_of_later_stages_say_what_a_launch_needs(tmp_path, backend, arch, warp_size, stage):
    target = GPUTarget(backend, arch, warp_size)
    kernel = triton.compile(SUM, target=target, options={"num_warps": 8})
    assert kernel.metadata.shared > 0
    path = tmp_path / f"kernel.{stage}"
    path.write_text(kernel.asm[stage])
    again = triton.compile(str(path), target=target)
    assert (again.metadata.shared, again.metadata.num_warps) == (kernel.metadata.shared, kernel.metadata.num_warps)


@pytest.mark.parametrize("stage", ["llir", "ptx"])
def test_shared_memory_of_unknown_size_is_refused(tmp_path, stage):
    target = GPUTarget("cuda", 90, 32)
    kernel = triton.compile(SUM, target=target)
    lines = [line for line in kernel.asm[stage].splitlines() if "triton.launch" not in line]
    path = tmp_path / f"kernel.{stage}"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(triton.CompilationError, match="shared memory whose size the text does not say"):
        triton.compile(str(path), target=target)
    path.write_text(
        kernel.asm[stage]
        .replace("triton.launch: ", "triton.launch: x")
        .replace("!triton.launch = !{", "!triton.launch = !{!{}, ")
    )
    with pytest.raises(triton.CompilationError, match="triton.launch"):
        triton.compile(str(path), target=target)


def test_a_kernel_of_a_later_stage_runs(tmp_path):
    """On a simulated GPU, with another number of warps than the launch asks for."""
    program = tmp_path / "program.py"
    program.write_text(SUM_PROGRAM)
    settings = {"TRITON_SIMULATE": "cuda:90", "TRITON_CACHE_DIR": str(tmp_path / "cache")}
    run = subprocess.run(
        [sys.executable, str(program), str(tmp_path / "kernel.llir")],
        env={**os.environ, **settings},
        text=True,
        capture_output=True,
    )
    assert run.returncode == 0, run.stderr


SUM_PROGRAM = """
import sys
import numpy as np
import triton
import triton.language as tl

@triton.jit
def sum_kernel(x, out, N: tl.constexpr):
    tl.store(out, tl.sum(tl.load(x + tl.arange(0, N))))

x, out = np.arange(1024, dtype=np.int32), np.zeros(1, np.int32)
kernel = sum_kernel[(1,)](x, out, N=1024, num_warps=8)
with open(sys.argv[1], "wb") as file:
    file.write(kernel.kernel)
out[:] = 0
again = sum_kernel[(1,)](x, out, N=1024, ir_override=sys.argv[1])
assert out[0] == x.sum() and again.metadata.num_warps == kernel.metadata.num_warps
"""


@triton.jit
def scaled_sum(x, out, n, s, STAYS: tl.constexpr):
    i = tl.arange(0, 128)
    total = tl.zeros((128,), tl.float32)
    for j in tl.range(0, n, disable_licm=STAYS):
        total += tl.load(x + j * 128 + i) * tl.exp(s)
    tl.store(out + i, total)


@pytest.mark.parametrize("target", [GPUTarget("cuda", 90, 32), GPUTarget("hip", "gfx942", 64)])
@pytest.mark.parametrize("stays", [False, True])
def test_what_disable_licm_keeps_in_a_loop_stays_there(target, stays):
    """Passes of TTGIR and LLVM's optimizer move code out of loops, too."""
    signature = {"x": "*fp32", "out": "*fp32", "n": "i32", "s": "fp32"}
    kernel = triton.compile(ASTSource(scaled_sum, signature, {"STAYS": stays}), target=target)
    for stage, loop, exponential in (
        ("ttir", "scf.for", "math.exp"),
        ("ttgir", "scf.for", "math.exp"),
        ("llir", " phi ", " call .*(exp|ex2)"),
    ):
        text = kernel.asm[stage]
        assert (re.search(exponential, text).start() > text.index(loop)) == stays, stage
