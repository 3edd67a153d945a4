"""What would take a compilation minutes: long and doubling code is compiled at once or refused, for one target each."""

import importlib.util
import re
import time

import numpy as np
import pytest
import triton
import triton.language as tl
from programs import run
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import ASTSource

PASSES_OF_LOOPS = """
import numpy as np, triton, triton.language as tl
@triton.jit
def many_loops(x, N: tl.constexpr):
    i = tl.arange(0, 128)
    for j in tl.static_range(N):
        tl.store(x + i, tl.load(x + i) + j % 7)
many_loops.warmup(np.float32, LOOPS, grid=(1,))
"""


@pytest.mark.parametrize("loops, allocator", [(100, "Greedy"), (3000, "Fast")])
def test_the_allocator_of_registers_takes_time_by_the_number_of_loops(tmp_path, loops, allocator):
    """The usual one takes the square of the number of blocks: 3000 loops took half a minute."""
    _, report = run(
        tmp_path,
        PASSES_OF_LOOPS.replace("LOOPS", str(loops)),
        LLVM_ENABLE_TIMING="1",
        TRITON_ALWAYS_COMPILE="1",
        TRITON_DEFAULT_BACKEND="cpu",
    )
    used = set(re.findall(r"(\w+) Register Allocator", report))
    # The usual one may be there in any case, from what warms up the compiler.
    assert ("Fast" in used) == (allocator == "Fast") and allocator in used


def kernel_of(tmp_path, name, text):
    path = tmp_path / f"{name}.py"
    path.write_text("import triton\nimport triton.language as tl\n\n\n" + text)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


@pytest.mark.parametrize("step", ["a = a * 3 + tl.load(o + a)", "a = a + tl.load(o + a)", "a = a * a + tl.load(o + a)"])
def test_straight_line_code_compiles_at_once(tmp_path, step):
    """400 steps that depend on one another: passes of LLVM once took minutes and gigabytes for them."""
    body = f"    {step}\n" * 400
    kernel = kernel_of(
        tmp_path, "straight", f"@triton.jit\ndef kernel(o, p):\n    a = tl.program_id(0)\n{body}    tl.store(p, a)\n"
    )
    start = time.process_time()
    triton.compile(ASTSource(kernel, {"o": "*i32", "p": "*i32"}, {}), target=GPUTarget("cuda", 90, 32))
    assert time.process_time() - start < 20


@triton.jit
def doubled_offsets(x, out, n, N: tl.constexpr, STEPS: tl.constexpr):
    i = tl.arange(0, N)
    offsets = i + n
    mask = i < n
    for step in tl.static_range(STEPS):
        offsets = offsets + offsets
        mask = (mask & (i + step < 2 * n)) & (mask & (i * step < 3 * n))
    tl.store(out + i, tl.load(x + offsets, mask=mask, other=0))


def test_sums_that_double_compile_at_once():
    """Whoever follows both sides of each sum and mask takes twice as long for every step."""
    source = ASTSource(doubled_offsets, {"x": "*i32", "out": "*i32", "n": "i32"}, {"N": 128, "STEPS": 60})
    start = time.process_time()
    triton.compile(source, target=GPUTarget("hip", "gfx942", 64))
    assert time.process_time() - start < 20


@triton.jit
def sorted_running_sums(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    sums = tl.cumsum(tl.load(x + i), reverse=True)
    tl.store(out + i, tl.sort(tl.cumsum(tl.sort(sums, descending=True), reverse=True)))


def test_layouts_of_long_chains_are_chosen_at_once():
    """Each step of a sort has layouts of its own in which all earlier steps could be: their comparison is bounded."""
    source = ASTSource(sorted_running_sums, {"x": "*i16", "out": "*i16"}, {"N": 256})
    start = time.process_time()
    triton.compile(source, target=GPUTarget("cuda", 80, 32))
    assert time.process_time() - start < 20


def test_call_trees_that_double_are_refused(tmp_path):
    functions = "@triton.jit\ndef f0(x):\n    return x * 3 + 1\n\n\n"
    for level in range(1, 21):
        functions += f"@triton.jit\ndef f{level}(x):\n    return f{level - 1}(x) + f{level - 1}(x + 1)\n\n\n"
    kernel = kernel_of(tmp_path, "tree", f"{functions}@triton.jit\ndef kernel(p):\n    tl.store(p, f20(tl.load(p)))\n")
    with pytest.raises(triton.CompilationError, match="operations with all calls inlined.*more than 100000"):
        kernel[(1,)](np.zeros(1, np.int32))


def test_kernels_of_too_many_lines_are_refused(tmp_path):
    body = "    a = a * 3 + tl.load(p + a)\n" * 26_000
    kernel = kernel_of(
        tmp_path, "long", f"@triton.jit\ndef kernel(p):\n    a = tl.program_id(0)\n{body}    tl.store(p, a)\n"
    )
    with pytest.raises(triton.CompilationError, match="kernel `kernel` has .* operations .* split the kernel"):
        kernel[(1,)](np.zeros(1, np.int32))


@triton.jit
def largest_of_rows(x, out, n, N: tl.constexpr):
    r, c = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    a = tl.load(x + r * n + c, mask=(r < n) & (c < n), other=0)
    tl.store(out + tl.arange(0, N), tl.argmax(a, 1))


def test_registers_of_large_functions_are_chosen_quickly():
    """256 elements of a thread, with their masks: the usual allocator of LLVM searched for a minute what to spill."""
    source = ASTSource(largest_of_rows, {"x": "*fp32", "out": "*i32", "n": "i32"}, {"N": 128})
    start = time.process_time()
    triton.compile(source, target=GPUTarget("hip", "gfx942", 64), options={"num_warps": 1})
    assert time.process_time() - start < 20


GATHERS = """
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import ASTSource

@triton.jit
def gathers_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row = (((i // 64) % 64).to(tl.float32) * 0.49).to(tl.int32)
    column = ((i % 64).to(tl.float32) * 0.49).to(tl.int32)
    total = tl.zeros([BLOCK], tl.float32)
    for down in tl.static_range(4):
        y = tl.minimum(tl.maximum(row + (down - 1), 0), 31)
        for right in tl.static_range(4):
            x = tl.minimum(tl.maximum(column + (right - 1), 0), 31)
            total += tl.load(x_ptr + x + 32 * y + 1024 * (i // 4096), i < n)
    tl.store(out_ptr + i, total, i < n)

signature = {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "BLOCK": "constexpr"}
attributes = {(index,): [["tt.divisibility", 16]] for index in (0, 1)}
source = ASTSource(gathers_kernel, signature, constexprs={(3,): BLOCK}, attrs=attributes)
triton.compile(source, target=GPUTarget("cuda", 90, 32))
"""


@pytest.mark.parametrize("block, reduces", [(256, True), (1024, False)])
def test_gathers_with_common_indices_are_not_compared(tmp_path, block, reduces):
    """For each two of the 128 addresses, LLVM searches the function for an instruction that computes their distance:
    this pass is left out where there are so many. What ran is in LLVM's report."""
    text = GATHERS.replace("(3,): BLOCK", f"(3,): {block}")
    _, report = run(tmp_path, text, LLVM_ENABLE_TIMING="1", TRITON_ALWAYS_COMPILE="1")
    assert "Assembly Printer" in report
    assert ("Straight line strength reduction" in report) == reduces
