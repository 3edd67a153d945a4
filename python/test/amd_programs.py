"""Kernels that tests of code for AMD GPUs compile, and the instructions of what comes out."""

import re
import subprocess

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

ARCHITECTURES = {"gfx90a": 64, "gfx942": 64, "gfx950": 64, "gfx1100": 32, "gfx1151": 32, "gfx1200": 32, "gfx1201": 32}


TOOLS = "/usr/lib/llvm-22/bin/"


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@triton.jit
def softmax(x, out, n, stride, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * stride + i, i < n, other=-float("inf"))
    exponentials = tl.exp(values - tl.max(values, 0))
    tl.store(out + row * stride + i, exponentials / tl.sum(exponentials, 0), i < n)


@triton.jit
def matmul(a, b, c, N, K, M_TILE: tl.constexpr, N_TILE: tl.constexpr, K_TILE: tl.constexpr):
    m = tl.program_id(0) * M_TILE + tl.arange(0, M_TILE)
    n = tl.program_id(1) * N_TILE + tl.arange(0, N_TILE)
    k = tl.arange(0, K_TILE)
    a_tile, b_tile = a + m[:, None] * K + k[None, :], b + k[:, None] * N + n[None, :]
    total = tl.zeros((M_TILE, N_TILE), tl.float32)
    for _ in range(0, K, K_TILE):
        total = tl.dot(tl.load(a_tile), tl.load(b_tile), total)
        a_tile += K_TILE
        b_tile += K_TILE * N
    tl.store(c + m[:, None] * N + n[None, :], total.to(c.dtype.element_ty))


def build(kernel, arch, types, constants, **options):
    signature = types | dict.fromkeys(constants, "constexpr")
    divisible = {(i,): [["tt.divisibility", 16]] for i in range(len(types))}
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=divisible)
    return triton.compile(source, target=GPUTarget("hip", arch, ARCHITECTURES[arch]), options=options)


def build_matmul(arch, tile=(128, 128, 64), element="fp16", **options):
    options.setdefault("num_warps", 256 // ARCHITECTURES[arch])
    types = {"a": f"*{element}", "b": f"*{element}", "c": "*fp16", "N": "i32", "K": "i32"}
    return build(matmul, arch, types, dict(zip(("M_TILE", "N_TILE", "K_TILE"), tile, strict=True)), **options)


def instructions(assembly):
    """The names of the instructions of a kernel's text, in order."""
    body = assembly[: assembly.index("s_endpgm") + len("s_endpgm")]
    lines = (line.split(";")[0].strip() for line in body.splitlines())
    return [line.split()[0] for line in lines if re.match(r"[a-z]\w*(\s|$)", line)]


def inner_loop(assembly):
    """The instructions of the only loop."""
    match = re.search(r"Loop Header.*?\n(.*?)s_cbranch_scc", assembly, re.S)
    return instructions(match[1] + "s_endpgm")[:-1]


def without_encodings(names):
    """The assembler writes the encoding behind a name where there are several."""
    short = (re.sub(r"_(e32|e64|dpp|sdwa)$", "", name) for name in names)
    return [name for name in short if name not in ("s_nop", "s_code_end")]


def written_instructions(kernel):
    return without_encodings(instructions(kernel.asm["amdgcn"]))


def listed_instructions(kernel, folder):
    """Those that LLVM's disassembler finds in the code object."""
    (folder / "k.hsaco").write_bytes(kernel.asm["hsaco"])
    command = [TOOLS + "llvm-objdump", "-d", "--no-show-raw-insn", "--no-leading-addr", str(folder / "k.hsaco")]
    listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return without_encodings(instructions(listing[listing.index(">:") + 2 :]))


@triton.jit
def running_sum(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.cumsum(tl.load(x + i), 0))


@triton.jit
def scaled_matmul(
    a, b, a_scale, b_scale, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, LEFT: tl.constexpr
):
    row, column = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    packing: tl.constexpr = 2 if LEFT == "e2m1" else 1
    left_k, right_k, groups = tl.arange(0, BK // packing), tl.arange(0, BK // 2), tl.arange(0, BK // 32)
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        left = tl.load(a + row[:, None] * (K // packing) + left_k[None, :])
        right = tl.load(b + column[None, :] * (K // 2) + right_k[:, None])
        left_scale = tl.load(a_scale + row[:, None] * (K // 32) + groups[None, :])
        right_scale = tl.load(b_scale + column[:, None] * (K // 32) + groups[None, :])
        acc = tl.dot_scaled(left, left_scale, LEFT, right, right_scale, "e2m1", acc)
        left_k += BK // packing
        right_k += BK // 2
        groups += BK // 32
    tl.store(c + row[:, None] * N + column[None, :], acc)


SMALL_RANGE, NOT_NEGATIVE = ["tt.pointer_range", 32], ["tt.nonnegative", 1]
MATRICES = {"a": "*fp16", "b": "*fp16", "c": "*fp16", "N": "i32", "K": "i32"}


def build_with_facts(kernel, types, constants, arch="gfx942", facts=True, **options):
    """With everything that a launch can know of its arguments, or without."""
    attributes = {
        (i,): [["tt.divisibility", 16]] + [SMALL_RANGE if text.startswith("*") else NOT_NEGATIVE] * facts
        for i, text in enumerate(types.values())
    }
    source = ASTSource(
        fn=kernel, signature=types | dict.fromkeys(constants, "constexpr"), constexprs=constants, attrs=attributes
    )
    return triton.compile(source, target=GPUTarget("hip", arch, ARCHITECTURES[arch]), options=options)
