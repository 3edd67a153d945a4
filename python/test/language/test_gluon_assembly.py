# ruff: noqa: F811
"""Assembly for all registers of a thread, in Gluon."""

import os
import re

import numpy as np
import pytest
import triton
from gluon_devices import gpu  # noqa: F401
from triton.backends.compiler import GPUTarget
from triton.errors import TritonError
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.language import constexpr_function

LAYOUT = ttgl.BlockedLayout([2], [32], [4], [0])
FLOATS = ttgl.distributed_type(ttgl.float32, [256], LAYOUT)


@pytest.fixture
def nvidia(gpu):
    if "cuda" not in gpu.name:
        pytest.skip("assembly of NVIDIA's GPUs")
    return gpu


@constexpr_function
def additions(outputs, inputs):
    half = len(inputs) // 2
    return " ".join(
        f"add.f32 {out}, {left}, {right};"
        for out, left, right in zip(outputs, inputs[:half], inputs[half:], strict=True)
    )


@gluon.jit
def assembled(x, y, sums, swapped, words):
    i = ttgl.arange(0, 256, layout=LAYOUT)
    a, b = ttgl.load(x + i), ttgl.load(y + i)
    ttgl.store(sums + i, ttgl.inline_asm(additions, ("=f", "f", "f"), (a, b), FLOATS, is_pure=True))
    first, second = ttgl.inline_asm(
        "mov.b32 $0, $5; mov.b32 $1, $4; mov.b32 $2, 0f3F800000; mov.b32 $3, 0f3F800000;",
        "=f,=f,=f,=f,f,f",
        (a,),
        (FLOATS, FLOATS.with_element_ty(ttgl.float32)),
        is_pure=True,
    )
    ttgl.store(swapped + i, first + second)
    buffer = ttgl.allocate_shared_memory(ttgl.int32, [128], ttgl.SwizzledSharedLayout(1, 1, 1, [0]))
    k = ttgl.arange(0, 128, layout=ttgl.BlockedLayout([1], [32], [4], [0]))
    buffer.store(k * 7)
    word = ttgl.inline_asm("ld.shared.b32 $0, [$1+20];", "=r,r", (buffer,), ttgl.int32)
    ttgl.store(words, word + ttgl.inline_asm("add.s32 $0, $1, 1;", ("=r", "r"), (word,), (ttgl.int32,))[0])


def test_assembly_of_threads(nvidia):
    generator = np.random.default_rng(0)
    x, y = (generator.standard_normal(256).astype(np.float32) for _ in range(2))
    sums, swapped, words = np.zeros_like(x), np.zeros_like(x), np.zeros(1, np.int32)
    assembled[(1,)](*map(nvidia.put, (x, y, sums, swapped, words)))
    np.testing.assert_array_equal(nvidia.get(sums), x + y)
    np.testing.assert_array_equal(nvidia.get(swapped), x.reshape(-1, 2)[:, ::-1].ravel() + 1)
    assert nvidia.get(words)[0] == 35 + 36


@gluon.jit
def moved(text: ttgl.constexpr, constraints: ttgl.constexpr, n):
    return ttgl.inline_asm(text, constraints, (n,), ttgl.int32)


@gluon.jit
def moves(x, n, text: ttgl.constexpr, constraints: ttgl.constexpr):
    ttgl.store(x, moved(text, constraints, n))


@pytest.mark.parametrize(
    "text,constraints,error",
    [
        ("v_mov_b33 $0, $1", "=v,v", "LLVM's assembler refuses this assembly: invalid instruction"),
        ("v_mov_b32 $0, $1", "=v", "not supported on GPUs: the constraints `=v` name 1 result and 0 operands"),
        ("v_mov_b32 $0, $2 ; $$9", "=v,v", "not supported on GPUs: the text names the operand `$2`"),
    ],
    ids=["text", "constraints", "operand"],
)
def test_errors_of_assembly_are_at_the_line_of_the_call(text, constraints, error):
    types, constants = {"x": "*i32", "n": "i32"}, {"text": text, "constraints": constraints}
    with pytest.raises(TritonError) as caught:
        triton.compile(gluon.GluonASTSource(moves, types, constants), target=GPUTarget("hip", "gfx942", 64))
    place = rf"(PTXAS error: )?\S+{os.path.basename(__file__)}:{moved.starting_line_number + 2}:12: error: "
    assert re.match(place + re.escape(error), str(caught.value))


def test_types_of_blocks_and_buffers():
    assert FLOATS.with_element_ty(ttgl.int32) == ttgl.distributed_type(ttgl.int32, (256,), LAYOUT)
    with pytest.raises(ValueError, match="has 2 dimensions"):
        ttgl.distributed_type(ttgl.int32, [2, 128], LAYOUT)
    with pytest.raises(ValueError, match="a layout over threads"):
        ttgl.distributed_type(ttgl.int32, [2, 128], ttgl.SwizzledSharedLayout(1, 1, 1, [0]))
    shared = ttgl.SwizzledSharedLayout(1, 1, 1, [0])
    halves = ttgl.shared_memory_descriptor_type(ttgl.float16, [64], shared, [128])
    assert halves == ttgl.shared_memory_descriptor_type(ttgl.float32, (64,), shared, (128,))
    assert halves.nbytes_per_cta == 128
    with pytest.raises(ValueError, match="a layout of shared memory"):
        ttgl.shared_memory_descriptor_type(ttgl.float16, [256], LAYOUT, [256])
