"""The stages of a backend one by one, as programs call them that launch kernels themselves, such as jax-triton."""

import types

import pytest
import triton
import triton._C.libtriton as libtriton
import triton.language as tl
from shared_kernels import product_by_maps
from triton.backends.amd.compiler import HIPBackend
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.compiler import CUDABackend
from triton.compiler import ASTSource, code_generator


@triton.jit
def increment(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


@triton.jit
def shout(x):
    tl.device_print("x", tl.load(x))


CUDA, HIP = CUDABackend(GPUTarget("cuda", 90, 32)), HIPBackend(GPUTarget("hip", "gfx942", 64))


def module_of(backend, kernel, signature, constants, **options):
    """What the frontend makes of the kernel, whose arrays and numbers are all divisible by 16, and the options."""
    array = types.SimpleNamespace(data_ptr=lambda: 32, dtype="fp32")
    _, key = libtriton.native_specialize_impl(backend, array, False, True, True)
    attributes = {(index,): backend.parse_attr(key) for index in range(len(signature))}
    signature = {**signature, **dict.fromkeys(constants, "constexpr")}
    source = ASTSource(kernel, signature, constants, attributes)
    options, context = backend.parse_options(options), libtriton.ir.context()
    libtriton.ir.load_dialects(context)
    backend.load_dialects(context)
    functions, modules = backend.get_codegen_implementation(options), backend.get_module_map()
    return code_generator.ast_to_ttir(kernel, source, context, options, functions, modules), options


def lowered(backend, *arguments, **options):
    """The artifacts by stage, and the metadata."""
    artifact, options = module_of(backend, *arguments, **options)
    metadata, artifacts = {}, {}
    capability = (90,) if backend is CUDA else ()
    for stage in backend.stage_names:
        artifact = artifacts[stage] = getattr(backend, f"make_{stage}")(artifact, metadata, options, *capability)
    return artifacts, metadata


@pytest.mark.parametrize("backend", [CUDA, HIP], ids=["cuda", "hip"])
def test_stages_one_by_one(backend):
    signature = {"x": "*fp32", "y": "*fp32", "n": "i32"}
    artifacts, metadata = lowered(backend, increment, signature, {"BLOCK": 64}, num_warps=8)
    assert "tt.store" in artifacts["ttir"] and "#ttg.blocked" in artifacts["ttgir"] and "define" in artifacts["llir"]
    assert list(artifacts.values())[-1][:4] == b"\x7fELF"
    # Whoever launches it does so with the warps that were asked for.
    assert metadata["name"] == "increment" and metadata["num_warps"] == 8
    assert metadata["shared"] == 0 and metadata["tmem_size"] == 0 and metadata["tensordesc_meta"] == []
    if backend is CUDA:
        assert ".reqntid 256" in artifacts["ptx"]


def test_names_that_launchers_need():
    from triton.backends.nvidia.driver import TMA_DTYPE_DEVICE_TO_HOST, TMA_TF32
    from triton.experimental.gluon._runtime import GluonASTSource, GluonJITFunction

    assert TMA_DTYPE_DEVICE_TO_HOST[8] == 10 and TMA_TF32 == 11
    assert issubclass(GluonJITFunction, triton.JITFunction) and issubclass(GluonASTSource, ASTSource)


def test_kernels_that_other_launchers_cannot_launch():
    signature = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "N": "i32", "K": "i32"}
    with pytest.raises(RuntimeError, match="gets tensor maps .* TRITON_DISABLE_WARP_SPECIALIZATION=1"):
        lowered(CUDA, product_by_maps, signature, {"BLOCK": 64})
    with pytest.raises(RuntimeError, match="`shout` gets a buffer for messages .* leave out `tl.device_print`"):
        lowered(HIP, shout, {"x": "*i32"}, {})
