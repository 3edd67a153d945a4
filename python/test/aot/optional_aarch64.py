"""Kernels for processors of AArch64, which run in qemu: with NEON alone, with the products of ARMv8.6, with SVE in
registers of 128, 256 and 512 bits, and with SME."""

import errno
import math
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest
import triton
import triton.language as tl
from aarch64_kernels import SHORT, attention, matmul, operands, packed_matmul
from aarch64_machine import CLANG, PROCESSORS, compile_for, launch, qemu
from aot_programs import FOLDER, KERNELS, WARNINGS, compile_aot
from triton.tools.packed_operand import pack
from values import poisoned, read, store_as

pytestmark = [
    pytest.mark.usefixtures("host_device"),
    pytest.mark.skipif(not shutil.which("qemu-aarch64"), reason="this machine has no qemu for AArch64"),
]
TRITONC = pathlib.Path(triton.__file__).parents[2] / "tools/tritonc/tritonc"


@pytest.fixture(params=PROCESSORS)
def arch(request):
    return request.param


@triton.jit
def mixture(x, y, out, chosen, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    a, b = tl.load(x + i, mask=inside), tl.load(y + i, mask=inside, other=1.0)
    value = tl.exp(a) * factor + tl.sqrt(tl.abs(b)) / (1 + a * a) - tl.log(tl.abs(b) + 1) + tl.sin(a) * tl.erf(b)
    tl.store(out + i, value, mask=inside)
    some = inside & (i % 3 != 0)
    tl.store(chosen + (n - 1 - i), tl.load(x + (n - 1 - i), mask=some, other=-1.0).to(tl.int32), mask=some)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_elementwise(tmp_path, rng, arch, dtype):
    n = 1000
    x, y = (rng.standard_normal(n).astype(dtype) for _ in range(2))
    out, chosen = np.full(n, np.nan, dtype), np.full(n, 77, np.int32)
    launch(tmp_path, arch, mixture, (4,), (x, y, out, chosen, n, 1.25), {"BLOCK": 256})
    a, b = x.astype(np.float64), y.astype(np.float64)
    expected = np.exp(a) * 1.25 + np.sqrt(np.abs(b)) / (1 + a * a) - np.log(np.abs(b) + 1)
    expected += np.sin(a) * np.vectorize(math.erf)(b)
    tolerance = 1e-12 if dtype == "float64" else 1e-5
    np.testing.assert_allclose(out, expected, rtol=tolerance, atol=tolerance)
    i = np.arange(n)[::-1]
    np.testing.assert_array_equal(chosen, np.where(i % 3 != 0, x.astype(np.int32), 77))


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.program_id(0) * columns
    value = tl.load(x + row + i, mask=i < columns, other=-float("inf"))
    value = tl.exp(value - tl.max(value, 0))
    tl.store(out + row + i, value / tl.sum(value, 0), mask=i < columns)


@triton.jit
def layer_norm(x, weight, bias, out, columns, epsilon, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.program_id(0) * columns
    inside = i < columns
    value = tl.load(x + row + i, mask=inside, other=0.0).to(tl.float32)
    centered = tl.where(inside, value - tl.sum(value, 0) / columns, 0.0)
    scale = tl.rsqrt(tl.sum(centered * centered, 0) / columns + epsilon)
    result = centered * scale * tl.load(weight + i, mask=inside) + tl.load(bias + i, mask=inside)
    tl.store(out + row + i, result.to(out.dtype.element_ty), mask=inside)


def test_softmax(tmp_path, rng, arch):
    x = rng.standard_normal((5, 781)).astype(np.float32)
    out = np.full_like(x, np.nan)
    launch(tmp_path, arch, softmax, (5,), (x, out, 781), {"BLOCK": 1024})
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    np.testing.assert_allclose(out, e / e.sum(1, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_layer_norm(tmp_path, rng, arch, dtype):
    short = SHORT.get(dtype, "fp32")
    x = store_as(rng.standard_normal((4, 300)), dtype)
    out = poisoned(x.size, dtype).reshape(x.shape)
    weight, bias = (rng.standard_normal(300).astype(np.float32) for _ in range(2))
    launch(tmp_path, arch, layer_norm, (4,), ((x, short), weight, bias, (out, short), 300, 1e-5), {"BLOCK": 512})
    v = read(x, dtype).astype(np.float64)
    c = v - v.mean(1, keepdims=True)
    expected = c / np.sqrt((c * c).mean(1, keepdims=True) + 1e-5) * weight + bias
    tolerance = {"float32": 2e-5, "float16": 2e-3, "bfloat16": 1e-2}[dtype]
    np.testing.assert_allclose(read(out, dtype), expected, rtol=tolerance, atol=tolerance)


@triton.jit
def narrow(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i).to(tl.bfloat16))


def test_rounding_to_bfloat16(tmp_path, rng, arch):
    """Random bits are numbers of every magnitude, subnormals, infinities and NaNs; halves of a unit are ties."""
    bits = rng.integers(0, 1 << 32, 4096, np.uint32)
    bits[::3] = bits[::3] & 0xFFFF0000 | 0x8000
    bits[::5] &= 0x807FFFFF
    bits[:6] = [0, 0x80000000, 0x7F800000, 0xFF800000, 0x7F800001, 0xFFFFFFFF]
    x, out = bits.view(np.float32), np.zeros(bits.size, np.uint16)
    launch(tmp_path, arch, narrow, (4,), (x, (out, "bf16")), {"BLOCK": 1024})
    isnan = np.isnan(x)
    expected = (bits.astype(np.uint64) + 0x7FFF + (bits >> 16 & 1) >> 16).astype(np.uint16)
    np.testing.assert_array_equal(out[~isnan], expected[~isnan])
    np.testing.assert_array_equal(out[isnan], (bits >> 16 | 0x40).astype(np.uint16)[isnan])


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("block", [(16, 32, 32), (2, 4, 8), (1, 16, 16), (32, 16, 64)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16", "float8e5", "int8"])
def test_matmul(tmp_path, rng, arch, dtype, block, transposed):
    m, n, k = 37, 50, 96
    ((a, short), (b, _)), exact = operands(rng, dtype, (m, k), (k, n))
    out = np.zeros((m, n), {"int8": np.int32, "float64": np.float64}.get(dtype, np.float32))
    stored = np.ascontiguousarray(b.T) if transposed else b
    bm, bn, bk = block
    constants = {"TRANSPOSED": transposed, "BM": bm, "BN": bn, "BK": bk}
    launch(tmp_path, arch, matmul, (-(-m // bm), -(-n // bn)), ((a, short), (stored, short), out, m, n, k), constants)
    expected = exact[0] @ exact[1]
    if dtype == "int8":
        np.testing.assert_array_equal(out, expected)
    else:
        scale = np.abs(exact[0]) @ np.abs(exact[1])
        assert np.max(np.abs(out - expected) / scale) < (1e-15 if dtype == "float64" else 1e-6)


@pytest.mark.parametrize(
    "arch, dtype, block, product",
    [
        ("neoverse-v2", "bf16", (16, 16, 16), r"bfmmla\s+v\d+\.4s, v\d+\.8h"),
        ("neoverse-v2", "fp8e5", (16, 16, 16), r"bfmmla\s+v\d+\.4s, v\d+\.8h"),
        ("neoverse-v2", "bf16", (1, 16, 16), r"bfdot\s+v\d+\.4s, v\d+\.8h"),
        ("neoverse-v2", "i8", (16, 16, 16), r"smmla\s+v\d+\.4s, v\d+\.16b"),
        ("neoverse-n1", "i8", (16, 16, 16), r"sdot\s+v\d+\.4s, v\d+\.16b"),
        ("neoverse-n1", "bf16", (16, 16, 16), r"fmla\s+v\d+\.4s"),
        ("neoverse-v1", "fp32", (16, 16, 16), r"fml[as]|fmad\s+z\d+\.s"),
        ("aarch64", "fp32", (16, 16, 16), r"fmla\s+v\d+\.4s"),
        ("apple-m4", "fp32", (32, 32, 32), r"\sfmopa\s+za3\.s, p\d/m, p\d/m, z\d+\.s"),
        ("apple-m4", "fp16", (16, 64, 16), r"\sfmopa\s+za3\.s, p\d/m, p\d/m, z\d+\.h"),
        ("apple-m4", "fp8e5", (64, 16, 16), r"\sbfmopa\s+za3\.s, p\d/m, p\d/m, z\d+\.h"),
        ("apple-m4", "i8", (32, 32, 32), r"\ssmopa\s+za3\.s, p\d/m, p\d/m, z\d+\.b"),
        ("apple-m4", "bf16", (16, 16, 16), r"bfmmla\s+v\d+\.4s, v\d+\.8h"),
    ],
)
def test_products_take_the_fastest_instruction(arch, dtype, block, product):
    array = np.zeros(1)
    result = np.zeros(1, np.int32 if dtype == "i8" else np.float32)
    constants = dict(zip(("TRANSPOSED", "BM", "BN", "BK"), (False, *block), strict=True))
    compiled = compile_for(arch, matmul, ((array, dtype), (array, dtype), result, 1, 1, 1), constants)
    assert re.search(product, compiled.asm["asm"])


@pytest.mark.parametrize("block", [(16, 32, 32), (1, 64, 16)])
@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_packed_weights(tmp_path, rng, arch, dtype, block):
    m, n, k = 20, 70, 90
    a, b = (rng.integers(-100, 100, shape).astype(dtype) for shape in ((m, k), (k, n)))
    bm, bn, bk = block
    packed = pack(b, bk, bn, bm, arch=arch)
    constants = {"BM": bm, "BN": bn, "BK": bk, "PANEL": packed.panel, "GROUP": packed.group}
    out = np.zeros((m, n), np.int32 if dtype == "int8" else np.float32)
    launch(tmp_path, arch, packed_matmul, (-(-m // bm), -(-n // bn)), (a, packed.data, out, m, n, k), constants)
    np.testing.assert_array_equal(out, a.astype(np.int64) @ b.astype(np.int64))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_attention(tmp_path, rng, arch, dtype, causal):
    n, d = 75, 32
    q, k, v = (store_as(rng.standard_normal((n, d)), dtype) for _ in range(3))
    out = np.full((n, d), np.nan, np.float32)
    short = SHORT.get(dtype, "fp32")
    constants = {"CAUSAL": causal, "BM": 16, "BN": 32, "D": d}
    launch(tmp_path, arch, attention, (5,), ((q, short), (k, short), (v, short), out, n, d**-0.5), constants)
    eq, ek, ev = (read(x, dtype).astype(np.float64) for x in (q, k, v))
    scores = eq @ ek.T * d**-0.5
    if causal:
        scores = np.where(np.tril(np.ones((n, n), bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(1, keepdims=True))
    expected = weights @ ev / weights.sum(1, keepdims=True)
    np.testing.assert_allclose(out, expected, atol=1e-5 if dtype == "float32" else 1e-2)


@triton.jit
def atomics(x, sums, largest, old, halves, lock, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    tl.store(old + i, tl.atomic_add(sums + i % 7, value, mask=i < n), mask=i < n)
    tl.atomic_max(largest, tl.max(tl.where(i < n, value, -1000.0), 0).to(tl.int32))
    tl.atomic_add(halves + i % 7, value.to(tl.float16), mask=i < n)
    tl.atomic_cas(lock, tl.program_id(0), tl.program_id(0) + 1)


def test_atomics(tmp_path, rng, arch):
    n = 200
    x = rng.integers(-3, 4, n).astype(np.float32)
    sums, old, halves = np.zeros(7, np.float32), np.zeros(n, np.float32), np.zeros(7, np.float16)
    largest, lock = np.full(1, -5, np.int32), np.zeros(1, np.int32)
    launch(tmp_path, arch, atomics, (4,), (x, sums, largest, old, halves, lock, n), {"BLOCK": 64})
    expected = [x[j::7].sum() for j in range(7)]
    np.testing.assert_array_equal(sums, expected)
    np.testing.assert_array_equal(halves, expected)
    before = np.empty(n, np.float32)
    for j in range(7):
        before[j::7] = np.cumsum(x[j::7]) - x[j::7]
    np.testing.assert_array_equal(old, before)
    assert largest[0] == x.max() and lock[0] == 4


@triton.jit
def scans(x, forward, backward, ordered, places, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i)
    tl.store(forward + i, tl.cumsum(value, 0))
    tl.store(backward + i, tl.cumprod(1 + value * 0.0625, 0, reverse=True))
    tl.store(ordered + i, tl.sort(value))
    tl.store(places, tl.argmax(value, 0))
    tl.store(places + 1, tl.sum(tl.histogram(value.to(tl.int32) + 8, 16) * (tl.arange(0, 16) == 8), 0))


def test_scans(tmp_path, rng, arch):
    x = rng.integers(-8, 8, 64).astype(np.float32)
    forward, backward, ordered = (np.full(64, np.nan, np.float32) for _ in range(3))
    places = np.zeros(2, np.int32)
    launch(tmp_path, arch, scans, (1,), (x, forward, backward, ordered, places), {"BLOCK": 64})
    np.testing.assert_array_equal(forward, np.cumsum(x))
    np.testing.assert_allclose(backward, np.cumprod(1 + x[::-1].astype(np.float64) / 16)[::-1], rtol=1e-5)
    np.testing.assert_array_equal(ordered, np.sort(x))
    assert list(places) == [np.argmax(x), np.count_nonzero(x == 0)]


@triton.jit
def integers(x, y, quotient, remainder, high, bits, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b = tl.load(x + i, mask=i < n), tl.load(y + i, mask=i < n, other=1)
    tl.store(quotient + i, a // b, mask=i < n)
    tl.store(remainder + i, a % b, mask=i < n)
    wide = a.to(tl.int64) * b
    tl.store(high + i, (wide >> 7) ^ (a.to(tl.int64) << 3), mask=i < n)
    tl.store(bits + i, tl.umulhi(a.to(tl.uint32), b.to(tl.uint32)), mask=i < n)


def test_integers(tmp_path, rng, arch):
    n = 100
    x = rng.integers(-(2**31), 2**31, n, np.int32)
    y = np.where(np.arange(n) % 2, rng.integers(1, 50, n), rng.integers(-(2**31), -1, n)).astype(np.int32)
    quotient, remainder, high = np.zeros(n, np.int32), np.zeros(n, np.int32), np.zeros(n, np.int64)
    bits = np.zeros(n, np.uint32)
    launch(tmp_path, arch, integers, (1,), (x, y, quotient, remainder, high, bits, n), {"BLOCK": 128})
    a, b = x.astype(np.int64), y.astype(np.int64)
    np.testing.assert_array_equal(quotient, np.trunc(a / b).astype(np.int64))
    np.testing.assert_array_equal(remainder, np.fmod(a, b))
    np.testing.assert_array_equal(high, (a * b >> 7) ^ (a << 3))
    ua, ub = x.view(np.uint32).astype(np.uint64), y.view(np.uint32).astype(np.uint64)
    np.testing.assert_array_equal(bits, (ua * ub >> np.uint64(32)).astype(np.uint32))


@triton.jit
def convert(x, narrow, back, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n).to(narrow.dtype.element_ty)
    tl.store(narrow + i, value, mask=i < n)
    tl.store(back + i, value.to(tl.float32), mask=i < n)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float8e5", "float8e4nv"])
def test_conversions(tmp_path, rng, arch, dtype):
    x = rng.standard_normal(300).astype(np.float32)
    x[:100] *= 2.0 ** rng.integers(-30, 5, 100)
    x[100:104] = [np.inf, -np.inf, 0.0, -0.0]
    if dtype.startswith("float8"):
        x[100:102] = 448, -448
    narrow, back = poisoned(300, dtype), np.full(300, np.nan, np.float32)
    launch(tmp_path, arch, convert, (1,), (x, (narrow, SHORT[dtype]), back, 300), {"BLOCK": 512})
    np.testing.assert_array_equal(read(narrow, dtype), read(store_as(x.astype(np.float64), dtype), dtype))
    np.testing.assert_array_equal(back, read(narrow, dtype))


@triton.jit
def talkative(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i)
    tl.device_print("values", value)
    tl.device_print("first", tl.program_id(0))
    tl.device_assert(value < n, "too large")


def test_prints_and_asserts(tmp_path, arch):
    x = np.arange(4, dtype=np.int32)
    printed = launch(tmp_path, arch, talkative, (1,), (x, 4), {"BLOCK": 4}, debug=True)
    assert printed.splitlines() == [
        "(0, 0, 0) values:  rank 1 bits 32 kind 0 hex 0: 0 1 2 3",
        "(0, 0, 0) first:  rank 0 bits 32 kind 0 hex 0: 0",
    ]
    printed = launch(tmp_path, arch, talkative, (1,), (x, 3), {"BLOCK": 4}, debug=True, status=3)
    assert re.search(r"assertion \(0, 0, 0\): too large at .*optional_aarch64\.py:\d+$", printed.strip())


SCALE = "*fp32:16, *fp32, i32, fp32, 64"
BUILDS = [[*CLANG, "-std=c11"]]
if shutil.which("aarch64-linux-gnu-gcc"):
    BUILDS.append(["aarch64-linux-gnu-gcc", "-std=c11", "-static"])


@pytest.mark.parametrize("build", range(len(BUILDS)))
def test_ahead_of_time(tmp_path, arch, build):
    """Kernels as C, with a test of the processor's features in front of each launch."""
    function, source = compile_aot(tmp_path, "scale", SCALE, "(n + BLOCK - 1) / BLOCK, 1, 1", f"cpu:{arch}")
    sums, sums_source = compile_aot(
        tmp_path, "row_sums", "*fp32:16, *fp32:16, i32, i32, 4", "(20 + ROWS - 1) / ROWS, 1, 1", f"cpu:{arch}"
    )
    program = tmp_path / "main.c"
    program.write_text(
        f'#include "{source.with_suffix(".h").name}"\n#include "{sums_source.with_suffix(".h").name}"\n'
        "#include <stdio.h>\nint main(void) {\n  static float x[1540], out[1540];\n  int i, failed;\n"
        "  for (i = 0; i < 1540; ++i)\n    x[i] = (float)i / 1024;\n"
        f"  failed = {function}(NULL, x, out, 1539, 1.5);\n"
        '  printf("%d %g %g %g\\n", failed, (double)out[1], (double)out[1538], (double)out[1539]);\n'
        f"  failed = {sums}(NULL, x, out, 77, 77);\n"
        '  printf("%d %g\\n", failed, (double)out[19]);\n  return 0;\n}\n'
    )
    command = [*BUILDS[build], *WARNINGS, "-O2", program, source, sums_source, "-lm", "-o", tmp_path / "run"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    total = np.exp(np.arange(19 * 77, 20 * 77) / 1024).sum()
    expected = f"0 {1.5 / 1024:g} {1538 * 1.5 / 1024:g} 0\n0 {total:g}\n"
    assert subprocess.run([*qemu(arch), tmp_path / "run"], capture_output=True, text=True).stdout == expected
    if arch != "aarch64":
        older = subprocess.run([*qemu("aarch64"), tmp_path / "run"], capture_output=True, text=True)
        assert older.stdout.splitlines()[0] == f"{errno.ENOEXEC} 0 0 0"


READER = r"""
#define TRITON_BUNDLE_IMPLEMENTATION
#include <triton/bundle.h>
int main(int argc, char **argv) {
  static float x[100], out[100];
  triton_bundle *bundle;
  triton_bundle_error error;
  triton_bundle_kernel kernel;
  float factor = 1.5f;
  uint64_t arguments[4] = {(uint64_t)(uintptr_t)x, (uint64_t)(uintptr_t)out, 99, 0};
  int i;
  memcpy(&arguments[3], &factor, 4);
  for (i = 0; i < 100; ++i)
    x[i] = (float)i;
  if (triton_bundle_open_file(argv[argc - 1], &bundle, &error) != 0 ||
      triton_bundle_load(bundle, "scale", NULL, triton_bundle_cpu_device(), &kernel, &error) != 0) {
    printf("%s\n", error.text);
    return 1;
  }
  i = triton_bundle_run(&kernel, triton_bundle_choose(&kernel, arguments), arguments, 2, 1, 1);
  printf("%d %s %g %g\n", i, kernel.target, (double)out[98], (double)out[99]);
  triton_bundle_close(bundle);
  return 0;
}
"""


def test_bundle(tmp_path):
    """A program takes the code of the most capable processor that it runs on, and none of another architecture."""
    (tmp_path / "reader.c").write_text(READER)
    clang = [flag for flag in CLANG if flag != "-static"]
    include = FOLDER.parents[2] / "include"
    command = [*clang, *WARNINGS, f"-I{include}", tmp_path / "reader.c", "-ldl", "-o", tmp_path / "reader"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr

    def read_bundle(arch, targets):
        command = [
            TRITONC,
            "bundle",
            f"{KERNELS}:scale",
            "--signature=*fp32, *fp32, i32, fp32, 64",
            "--target",
            targets,
            "-o",
            "k.ttb",
        ]
        written = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert written.returncode == 0, written.stderr
        command = [*qemu(arch), "-L", "/usr/aarch64-linux-gnu", tmp_path / "reader", tmp_path / "k.ttb"]
        return subprocess.run(command, capture_output=True, text=True).stdout

    targets = "cpu:x86-64,cpu:x86-64-v3,cpu:aarch64,cpu:neoverse-v1,cpu:neoverse-v2"
    for arch, chosen in (("aarch64", "aarch64"), ("neoverse-v1", "neoverse-v1"), ("neoverse-v2", "neoverse-v2")):
        assert read_bundle(arch, targets) == f"0 cpu:{chosen} 147 0\n"
    assert read_bundle("neoverse-v1", "cpu:aarch64,cpu:neoverse-v1") == "0 cpu:neoverse-v1 147 0\n"
    assert read_bundle("neoverse-v2", "cpu:aarch64,cpu:neoverse-v1") == "0 cpu:aarch64 147 0\n"
    assert read_bundle("apple-m4", "cpu:aarch64,cpu:apple-m4") == "0 cpu:apple-m4 147 0\n"
    assert read_bundle("aarch64", "cpu:aarch64,cpu:apple-m4") == "0 cpu:aarch64 147 0\n"
    assert "no code of `scale` for this processor, which lacks x86-64" in read_bundle("neoverse-v2", "cpu:x86-64")
    assert "which lacks sve-bits-256" in read_bundle("neoverse-v2", "cpu:neoverse-v1")
