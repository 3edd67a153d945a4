"""Products by the outer products of SME, which run in qemu in registers of several lengths by the same code."""

import shutil
import subprocess

import numpy as np
import pytest
import triton
import triton.language as tl
from aarch64_kernels import attention, matmul, operands, packed_matmul
from aarch64_machine import CLANG, compile_for, launch, qemu
from aot_programs import WARNINGS, compile_aot
from triton.tools.packed_operand import pack

pytestmark = [
    pytest.mark.usefixtures("host_device"),
    pytest.mark.skipif(not shutil.which("qemu-aarch64"), reason="this machine has no qemu for AArch64"),
]
ARCH = "apple-m4"
TYPES = ["float32", "float64", "float16", "bfloat16", "float8e5", "int8"]
#: Bytes of the registers of streaming mode, from the shortest to the longest.
LENGTHS = [16, 32, 64, 256]


@pytest.fixture(params=LENGTHS)
def machine(request):
    return f"max,sme-default-vector-length={request.param}"


def result(dtype, *shape):
    return np.full(shape, 99, {"int8": np.int32, "float64": np.float64}.get(dtype, np.float32))


def assert_product(out, a, b, dtype, start=0):
    if dtype == "int8":
        return np.testing.assert_array_equal(out, start + a @ b)
    error = np.abs(out - start - a @ b) / (np.abs(start) + np.abs(a) @ np.abs(b))
    assert np.max(error) < (1e-15 if dtype == "float64" else 1e-6)


def uses_outer_products(kernel, arguments, constants, **options):
    return "mopa" in compile_for(ARCH, kernel, arguments, constants, **options).asm["asm"]


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("block", [(32, 32, 32), (16, 64, 16), (128, 16, 16), (64, 128, 4)])
@pytest.mark.parametrize("dtype", TYPES)
def test_matmul(tmp_path, rng, machine, dtype, block, transposed):
    m, n, k = 139, 150, 50
    ((a, short), (b, _)), exact = operands(rng, dtype, (m, k), (k, n))
    stored = np.ascontiguousarray(b.T) if transposed else b
    bm, bn, bk = block
    constants = {"TRANSPOSED": transposed, "BM": bm, "BN": bn, "BK": bk}
    out = result(dtype, m, n)
    arguments = ((a, short), (stored, short), out, m, n, k)
    assert uses_outer_products(matmul, arguments, constants)
    launch(tmp_path, ARCH, matmul, (-(-m // bm), -(-n // bn)), arguments, constants, machine=machine)
    assert_product(out, *exact, dtype)


@triton.jit
def transposed_product(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    left = tl.load(a + k[:, None] * M + i[None, :])
    right = tl.load(b + k[:, None] * N + j[None, :])
    place = c + i[:, None] * N + j[None, :]
    tl.store(place, tl.dot(tl.trans(left), right, tl.load(place), input_precision="ieee"))


@pytest.mark.parametrize("shape", [(128, 128, 1), (64, 128, 2), (32, 64, 8)])
@pytest.mark.parametrize("dtype", TYPES)
def test_short_sums(tmp_path, rng, machine, dtype, shape):
    """Fewer rows than the instruction multiplies at once have another one. The first operand is stored by columns."""
    m, n, k = shape
    arrays, exact = operands(rng, dtype, (k, m), (k, n))
    out = result(dtype, m, n)
    constants = {"M": m, "N": n, "K": k}
    group = {"float32": 1, "float64": 1, "int8": 4}.get(dtype, 2)
    assert uses_outer_products(transposed_product, (*arrays, out), constants) == (k >= group)
    launch(tmp_path, ARCH, transposed_product, (1,), (*arrays, out), constants, machine=machine)
    assert_product(out, exact[0].T, exact[1], dtype, start=99)


@triton.jit
def batched_product(a, b, c, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    batch = tl.arange(0, B)[:, None, None]
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    left = tl.load(a + batch * M * K + i[None, :, None] * K + k[None, None, :])
    right = tl.load(b + batch * K * N + k[None, :, None] * N + j[None, None, :])
    total = tl.dot(left, right, input_precision="ieee", out_dtype=c.dtype.element_ty)
    tl.store(c + batch * M * N + i[None, :, None] * N + j[None, None, :], total)


@pytest.mark.parametrize("dtype", TYPES)
def test_batches(tmp_path, rng, machine, dtype):
    batch, m, n, k = 4, 32, 64, 16
    arrays, exact = operands(rng, dtype, (batch, m, k), (batch, k, n))
    out = result(dtype, batch, m, n)
    constants = {"B": batch, "M": m, "N": n, "K": k}
    assert uses_outer_products(batched_product, (*arrays, out), constants)
    launch(tmp_path, ARCH, batched_product, (1,), (*arrays, out), constants, machine=machine)
    assert_product(out, *exact, dtype)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_attention(tmp_path, rng, machine, dtype):
    """Two products of different types in one loop, with other vector code between them."""
    n, d = 75, 64
    arrays, (q, k, v) = operands(rng, dtype, (n, d), (n, d), (n, d))
    out = np.full((n, d), np.nan, np.float32)
    constants = {"CAUSAL": False, "BM": 32, "BN": 32, "D": d}
    assert uses_outer_products(attention, (*arrays, out, n, d**-0.5), constants)
    launch(tmp_path, ARCH, attention, (3,), (*arrays, out, n, d**-0.5), constants, machine=machine)
    scores = q @ k.T * d**-0.5
    weights = np.exp(scores - scores.max(1, keepdims=True))
    expected = weights @ v / weights.sum(1, keepdims=True)
    np.testing.assert_allclose(out, expected, atol=1e-5 if dtype == "float32" else 1e-2)


@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_packed_weights(tmp_path, rng, machine, dtype):
    m, n, k, (bm, bn, bk) = 40, 70, 90, (32, 64, 32)
    a, b = (rng.integers(-100, 100, shape).astype(dtype) for shape in ((m, k), (k, n)))
    packed = pack(b, bk, bn, bm, arch=ARCH)
    assert (packed.panel, packed.group) == (bn, 4 if dtype == "int8" else 1)
    constants = {"BM": bm, "BN": bn, "BK": bk, "PANEL": packed.panel, "GROUP": packed.group}
    out = result(dtype, m, n)
    launch(tmp_path, ARCH, packed_matmul, (2, 2), (a, packed.data, out, m, n, k), constants, machine=machine)
    np.testing.assert_array_equal(out, a.astype(np.int64) @ b.astype(np.int64))


def test_products_that_are_rounded_before_they_are_added():
    arguments = (*[np.zeros(1, np.float32)] * 3, 1, 1, 1)
    constants = {"TRANSPOSED": False, "BM": 32, "BN": 32, "BK": 32}
    assert uses_outer_products(matmul, arguments, constants)
    assert not uses_outer_products(matmul, arguments, constants, enable_fp_fusion=False)


# A caller whose tiles are in use leaves them to be saved. The kernel is C, which a compiler assembles.
CALLER = r"""
#include "HEADER"
#include <stdio.h>
#include <string.h>
static float a[64 * 64], b[64 * 64], c[64 * 64];
static unsigned char saved[256 * 256];
static struct { void *buffer; unsigned short rows; char zeros[6]; } block = {saved, 0, {0}};
int main(void) {
  unsigned long rows, left, state, i;
  int failed;
  for (i = 0; i < 64 * 64; ++i) {
    a[i] = (float)(i % 7);
    b[i] = (float)(i % 5);
  }
  __asm__ volatile(".arch armv8.6-a+sme\n\trdsvl %0, #1\n\tsmstart\n\tptrue p0.b\n\tmov z0.b, #77\n\tmov w12, #0\n"
                   "1:\tmov za0h.b[w12, 0], p0/m, z0.b\n\tadd w12, w12, #1\n\tcmp w12, %w0\n\tb.lo 1b\n\tsmstop sm"
                   : "=&r"(rows) : : "x12", "p0", "memory", "cc", "z0");
  block.rows = (unsigned short)rows;
  __asm__ volatile("msr S3_3_C13_C0_5, %0" : : "r"(&block) : "memory");
  failed = FUNCTION(NULL, ARGUMENTS);
  __asm__ volatile("mrs %0, S3_3_C13_C0_5\n\tmrs %1, S3_3_C4_C2_2" : "=r"(left), "=r"(state) : : "memory");
  for (i = 0; i < rows * rows && saved[i] == 77; ++i)
    ;
  printf("%d %lu %lu %d %g\n", failed, left, state, i == rows * rows, (double)c[64 * 63 + 63]);
  memset(saved, 0, sizeof(saved));
  failed = FUNCTION(NULL, ARGUMENTS);
  printf("%d %d\n", failed, saved[0]);
  return 0;
}
"""


@pytest.mark.parametrize("compiler", ["clang-22", "aarch64-linux-gnu-gcc"])
def test_callers_with_tiles_of_their_own(tmp_path, machine, compiler):
    if not shutil.which(compiler):
        pytest.skip("this machine has no such compiler")
    signature, grid = "*fp32:16,*fp32:16,*fp32:16,i32,i32,i32,64,64,32", "1, 1, 1"
    function, source = compile_aot(tmp_path, "matmul", signature, grid, f"cpu:{ARCH}")
    program = CALLER.replace("HEADER", source.with_suffix(".h").name).replace("FUNCTION", function)
    (tmp_path / "main.c").write_text(program.replace("ARGUMENTS", "a, b, c, 64, 64, 64"))
    build = CLANG if compiler == "clang-22" else [compiler, "-static"]
    command = [*build, "-std=c11", *WARNINGS, "-O2", tmp_path / "main.c", source, "-lm", "-o", tmp_path / "run"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    i = np.arange(64 * 64).reshape(64, 64)
    expected = ((i % 7) @ (i % 5))[-1, -1]
    command = [*qemu(ARCH, machine), tmp_path / "run"]
    assert subprocess.run(command, capture_output=True, text=True).stdout == f"0 0 0 1 {expected:g}\n0 0\n"
