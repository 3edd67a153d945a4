"""What passes through memory: products with weights that are packed once, and additions of large arrays, as the tables
of docs/performance.md.

    .venv-optional/bin/python bench/memory_bound.py [--size 4096] [--write]

Medians of runs in turn on one thread, and how many times as long PyTorch takes, and the same kernel without what is
measured. The time is that of the thread, which other processes hardly change."""

import argparse
import pathlib
import statistics
import sys
import time

import torch
import triton
import triton.language as tl
from triton.tools.packed_operand import load_block, pack

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
from marked_section import MarkedSection, write  # noqa: E402

SECTION = MarkedSection(
    "docs/performance.md",
    "<!-- Memory: written by bench/memory_bound.py. -->",
    "<!-- End of the figures of memory. -->",
)


@triton.jit
def product(a, b, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(1) * BM + tl.arange(0, BM)
    columns = tl.program_id(0) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        inner = k + tl.arange(0, BK)
        left = tl.load(a + rows[:, None] * K + inner[None, :], mask=rows[:, None] < M, other=0.0)
        right = tl.load(b + inner[:, None] * N + columns[None, :])
        total = tl.dot(left, right, total, input_precision="ieee")
    tl.store(out + rows[:, None] * N + columns[None, :], total.to(out.dtype.element_ty), mask=rows[:, None] < M)


@triton.jit
def packed_product(
    a, b, out, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PANEL: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(1) * BM + tl.arange(0, BM)
    columns = tl.program_id(0) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for block in range(K // BK):
        inner = block * BK + tl.arange(0, BK)
        left = tl.load(a + rows[:, None] * K + inner[None, :], mask=rows[:, None] < M, other=0.0)
        right = load_block(b, block, tl.program_id(0), K // BK, BK, BN, PANEL, GROUP)
        total = tl.dot(left, right, total, input_precision="ieee")
    tl.store(out + rows[:, None] * N + columns[None, :], total.to(out.dtype.element_ty), mask=rows[:, None] < M)


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


def in_turn(*functions, repetitions=11):
    """The median milliseconds of each function."""
    times = [[] for _ in functions]
    for repetition in range(repetitions + 2):
        for series, function in zip(times, functions, strict=True):
            begin = time.thread_time()
            function()
            if repetition >= 2:
                series.append((time.thread_time() - begin) * 1e3)
    return [statistics.median(series) for series in times]


def row(first, times, last=""):
    cells = [*first, f"{times[0]:.2f}", *(f"{each:.2f} ({each / times[0]:.2f} x)" for each in times[1:])]
    return "| " + " | ".join(map(str, cells + ([last] if last else []))) + " |"


def measure_product(dtype, m, size, generator):
    a, b = (torch.randn(shape, generator=generator).to(dtype) for shape in ((m, size), (size, size)))
    weight = b.T.contiguous()  # as nn.Linear keeps it
    out, other = torch.empty((m, size), dtype=dtype), torch.empty((m, size), dtype=dtype)
    # As many columns as are summed at once, so that a program reads its weights in the order of memory.
    bm, bn = min(m, 64), max(32, 256 // m)
    bk = 16384 // bn
    operand = pack(b, bk, bn, bm)
    grid, plain_grid = (size // bn, -(-m // bm)), (size // 128, -(-m // bm))
    shape = (m, size, size, bm)

    def packed():
        constants = (bn, bk, operand.panel, operand.group)
        packed_product[grid](a, operand.data, out, *shape, *constants, num_cpu_threads=1)

    def plain():
        product[plain_grid](a, b, other, *shape, 128, 128, num_cpu_threads=1)

    times = in_turn(packed, plain, lambda: torch.nn.functional.linear(a, weight))
    exact = a.double() @ b.double()
    for result in (out, other):
        error = float((result.double() - exact).abs().max() / exact.abs().max())
        assert error < (1e-2 if dtype == torch.bfloat16 else 1e-5), error
    rate = b.numel() * b.element_size() / times[0] / 1e6
    return row((str(dtype).removeprefix("torch."), m), times, f"{rate:.1f}")


def measure_addition(exponent):
    n, part, block = 1 << exponent, 1 << 22, 4096
    x, y, out, other = (torch.randn(n) for _ in range(4))

    def whole():
        add[(n // block,)](x, y, out, n, block, num_cpu_threads=1)

    def in_parts():  # each of which the cache holds
        for first in range(0, n, part):
            pieces = (array[first : first + part] for array in (x, y, other))
            add[(part // block,)](*pieces, part, block, num_cpu_threads=1)

    times = in_turn(whole, in_parts, lambda: torch.add(x, y, out=other))
    assert torch.equal(out, x + y)
    return row((f"2^{exponent}",), times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=4096, help="rows and columns of the weights")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/performance.md")
    given = parser.parse_args()
    triton.runtime.driver.set_active_to_cpu()
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(0)
    version = torch.__version__.split("+")[0]
    lines = [
        f"| {given.size} x {given.size} weights | M | packed, ms | as they are | PyTorch {version} | GB/s of weights |",
        "| --- |" + " ---: |" * 5,
    ]
    for dtype in (torch.bfloat16, torch.float32):
        lines += [measure_product(dtype, m, given.size, generator) for m in (1, 2, 4, 8, 16, 32, 64)]
    lines += [
        "",
        f"| additions of f32 | past the cache, ms | by the cache | PyTorch {version} |",
        "| --- |" + " ---: |" * 3,
    ]
    lines += [measure_addition(exponent) for exponent in (24, 25)]
    section = "\n".join(lines) + "\n"
    print(section)
    if given.write:
        write(SECTION.documents(section))


if __name__ == "__main__":
    main()
