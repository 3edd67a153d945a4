"""Kernels may have the names of functions that the generated code calls, or that compilers and assemblers keep."""

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def work(x, y, N: tl.constexpr, prints: tl.constexpr = False):
    i = tl.arange(0, N)
    value = libdevice.pow(tl.load(x + i), 1.5) % 0.7
    if prints:
        tl.device_print("value", value)
    tl.store(y + i, tl.sort(value))


@triton.jit
def fmodf(x, y, N: tl.constexpr):
    work(x, y, N)


@triton.jit
def memcpy(x, y, N: tl.constexpr):
    work(x, y, N)


@triton.jit
def __nv_powf(x, y, N: tl.constexpr):
    work(x, y, N)


@triton.jit
def __ocml_pow_f32(x, y, N: tl.constexpr):
    work(x, y, N)


@triton.jit
def global_smem(x, y, N: tl.constexpr):
    work(x, y, N)


@triton.jit
def vprintf(x, y, N: tl.constexpr):
    work(x, y, N, prints=True)


@triton.jit
def WARP_SZ(x, y, N: tl.constexpr):
    work(x, y, N)


KERNELS = [fmodf, memcpy, __nv_powf, __ocml_pow_f32, global_smem, vprintf]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_names_of_functions_that_code_calls(device, kernel):
    x, y = np.linspace(0.1, 3, 64, dtype=np.float32), np.zeros(64, np.float32)
    compiled = kernel[(1,)](x, y, 64)
    np.testing.assert_allclose(y, np.sort(np.fmod(x**1.5, np.float32(0.7))), atol=1e-5)
    assert compiled.metadata.name in (kernel.__name__, f"kernel_{kernel.__name__}")


@tl.core.extern
def call_mine(value, _semantic=None):
    types = {(tl.float32,): ("mine", tl.float32)}
    return tl.core.extern_elementwise("", "", [value], types, is_pure=True, _semantic=_semantic)


@triton.jit
def mine(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, call_mine(tl.load(x + i)))


def compile_for(kernel, backend, arch, warp_size):
    source = triton.compiler.ASTSource(kernel, {"x": "*fp32", "y": "*fp32", "N": "constexpr"}, {"N": 64})
    return triton.compile(source, target=triton.backends.compiler.GPUTarget(backend, arch, warp_size))


TARGETS = [("cuda", 90, 32), ("hip", "gfx942", 64)]


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_a_kernel_that_calls_a_function_of_its_own_name(target):
    with pytest.raises(triton.CompilationError, match="a kernel with the name `mine`.* give the kernel another name"):
        compile_for(mine, *target)


@pytest.mark.parametrize("target", TARGETS, ids=str)
@pytest.mark.parametrize("kernel", [__nv_powf, __ocml_pow_f32, global_smem, WARP_SZ], ids=lambda k: k.__name__)
def test_names_in_machine_code(target, kernel):
    compiled = compile_for(kernel, *target)
    assert compiled.metadata.name == f"kernel_{kernel.__name__}"
    assert compiled.metadata.name in compiled.asm["ptx" if target[0] == "cuda" else "amdgcn"]


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_users_select_kernels_by_their_own_names(target, monkeypatch, tmp_path):
    for dump in ("MLIR_ENABLE_DUMP", "NVPTX_ENABLE_DUMP", "AMDGCN_ENABLE_DUMP"):
        monkeypatch.setenv(dump, "global_smem")
    monkeypatch.setenv("MLIR_DUMP_PATH", str(tmp_path / "dump"))
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    monkeypatch.setenv("TRITON_DUMP_DIR", str(tmp_path / "files"))
    compile_for(global_smem, *target)
    dumped = (tmp_path / "dump").read_text()
    assert "tt.func public @kernel_global_smem" in dumped
    assert (".entry kernel_global_smem" if target[0] == "cuda" else ".globl\tkernel_global_smem") in dumped
    files = {path.name for path in (tmp_path / "files").glob("*/*")}
    assert "global_smem.ttir" in files and not any(name.startswith("kernel_") for name in files)
