"""Measures the figures that this project sets itself, prints them as a table and writes them as JSON.

Ratios come from one run, with both sides taken in turn. Work for two threads comes in single short launches with pauses
between them, because a virtual machine may take its second core away from a longer one. Cold figures come from fresh
processes with an empty cache directory.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import history

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "examples"))


@dataclass
class Figure:
    """`reach` reads "<= 15" or ">= 0.85"; it is for the ratio where there is one, for the value otherwise."""

    name: str
    value: float
    unit: str
    reference: "float | None"
    ratio: "float | None"
    reach: str

    def is_reached(self):
        relation, bound = self.reach.split()
        measured = self.value if self.ratio is None else self.ratio
        return measured <= float(bound) if relation == "<=" else measured >= float(bound)


def cold(*arguments, repetitions=7, keep_cache=False):
    """The median of a measurement by cold.py. With `keep_cache` all but the first find the cache filled."""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for repetition in range(repetitions + keep_cache):
            cache = folder if keep_cache else os.path.join(folder, str(repetition))
            result = subprocess.run(
                [sys.executable, HERE / "cold.py", *map(str, arguments)],
                text=True,
                check=True,
                capture_output=True,
                env={**os.environ, "TRITON_CACHE_DIR": cache},
            )
            if repetition or not keep_cache:
                results.append(float(result.stdout))
    return statistics.median(results)


def in_turn(*functions, repetitions=15, pause=0.02):
    """The median milliseconds of each function, measured in turn after one unmeasured round."""
    times = [[] for _ in functions]
    for repetition in range(repetitions + 1):
        for function, own in zip(functions, times, strict=True):
            time.sleep(pause)
            start = time.perf_counter()
            function()
            if repetition:
                own.append((time.perf_counter() - start) * 1e3)
    return [statistics.median(own) for own in times]


def compile_figures():
    rows = []
    for kernel, title, block, first_reach, later_reach in (
        ("vector_add", "vector add", 1024, 15, 6),
        ("softmax", "softmax", 2048, 22, 12),
        ("matmul", "matmul 64x64x32", 32, 25, 15),
    ):
        rows.append(
            Figure(
                f"compile {title}, first of a process",
                cold("compile", kernel, block, 1),
                "ms",
                None,
                None,
                f"<= {first_reach}",
            )
        )
        rows.append(
            Figure(f"compile {title}, later", cold("compile", kernel, block, 2), "ms", None, None, f"<= {later_reach}")
        )
    rows.append(
        Figure(
            "disk-cache hit to callable",
            cold("compile", "vector_add", 1024, 2, keep_cache=True),
            "ms",
            None,
            None,
            "<= 2",
        )
    )
    for kernel, title in (("vector_add", "vector add"), ("softmax", "softmax")):
        small, large = (cold("compile", kernel, block, 2) for block in (256, 65536))
        rows.append(Figure(f"compile {title}, BLOCK 65536 over 256", large, "ms", small, large / small, "<= 1.3"))
    rows.append(Figure("import triton", cold("import"), "ms", None, None, "<= 60"))
    rows.append(
        Figure("peak memory, compile and run vector add", cold("memory", repetitions=3), "MB", None, None, "<= 250")
    )
    return rows


def launch_figure():
    import numpy as np
    from kernels_of_bench import launch_kernel

    x, y, out = (np.zeros(64, np.float32) for _ in range(3))
    count, best = 20000, float("inf")
    launch_kernel[(1,)](x, y, out, 64)
    for _ in range(10):
        start = time.perf_counter()
        for _ in range(count):
            launch_kernel[(1,)](x, y, out, 64)
        best = min(best, (time.perf_counter() - start) / count * 1e6)
    return [Figure("launch from Python, one program, 4 arguments", best, "us", None, None, "<= 2")]


def vector_add_figure():
    import numpy as np
    from kernels.vector_add import add_kernel

    n = 1 << 26
    generator = np.random.default_rng(0)
    x, y, out = generator.random(n, np.float32), generator.random(n, np.float32), np.zeros(n, np.float32)

    def add():
        add_kernel[(n // 4096,)](x, y, out, n, BLOCK_SIZE=4096)

    ours, numpys = in_turn(add, lambda: np.add(x, y, out=out))
    out.fill(0)
    add()
    assert np.array_equal(out, x + y)
    traffic = 3 * x.nbytes * 1e-6
    return [
        Figure("vector add 2^26 f32 over numpy.add", traffic / ours, "GB/s", traffic / numpys, numpys / ours, ">= 1.0")
    ]


ROWS = (8192, 2048)


def softmax_figures():
    import numpy as np
    from kernels.fused_softmax import softmax_kernel

    generator = np.random.default_rng(0)
    x = generator.standard_normal(ROWS, np.float32)
    out = np.zeros_like(x)
    traffic = 2 * x.nbytes * 1e-6

    def numpy_softmax():
        e = np.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    def softmax(x=x):
        softmax_kernel[(ROWS[0],)](out, x, ROWS[1], ROWS[1], ROWS[0], ROWS[1], BLOCK_SIZE=ROWS[1])

    ours, numpys = in_turn(softmax, numpy_softmax, repetitions=7)
    softmax()
    np.testing.assert_allclose(out, numpy_softmax(), rtol=1e-4, atol=1e-7)
    masked = x.copy()
    masked[:, generator.permutation(ROWS[1])[: ROWS[1] // 2]] = -np.inf
    plain, half = in_turn(softmax, lambda: softmax(masked))
    return [
        Figure("softmax 8192x2048 f32 over NumPy", traffic / ours, "GB/s", traffic / numpys, numpys / ours, ">= 5"),
        Figure(
            "softmax, half of each row -inf, over none", traffic / half, "GB/s", traffic / plain, plain / half, ">= 0.9"
        ),
    ]


def layer_norm_figure():
    import numpy as np
    from kernels.layer_norm import layer_norm_kernel

    generator = np.random.default_rng(0)
    x = generator.standard_normal(ROWS, np.float32)
    out = np.zeros_like(x)
    weight, bias = generator.random(ROWS[1], np.float32), generator.random(ROWS[1], np.float32)
    mean, rstd = np.zeros(ROWS[0], np.float32), np.zeros(ROWS[0], np.float32)

    def layer_norm():
        layer_norm_kernel[(ROWS[0],)](x, out, weight, bias, mean, rstd, ROWS[1], ROWS[1], 1e-5, BLOCK_SIZE=ROWS[1])

    def numpy_layer_norm():
        centred = x - x.mean(axis=1, keepdims=True)
        return centred / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + 1e-5) * weight + bias

    ours, numpys = in_turn(layer_norm, numpy_layer_norm, repetitions=7)
    layer_norm()
    np.testing.assert_allclose(out, numpy_layer_norm(), rtol=1e-3, atol=1e-4)
    traffic = 2 * x.nbytes * 1e-6
    return [
        Figure("layer norm 8192x2048 f32 over NumPy", traffic / ours, "GB/s", traffic / numpys, numpys / ours, ">= 5")
    ]


def matmul_figure(title, milliseconds, reference, reach):
    """The rate of a 1024^3 product beside that of the reference."""
    work = 2 * 1024**3 * 1e-6
    return Figure(
        f"matmul 1024^3 {title}", work / milliseconds, "GFLOP/s", work / reference, reference / milliseconds, reach
    )


def matmul_figures():
    import numpy as np
    import triton
    import triton.language as tl
    from kernels_of_bench import square_matmul_kernel
    from threadpoolctl import threadpool_info, threadpool_limits

    rows = []
    n = 1024
    generator = np.random.default_rng(0)
    a, b = (generator.standard_normal((n, n), np.float32) for _ in range(2))
    c = np.zeros((n, n), np.float32)
    blas = next(info for info in threadpool_info() if info["user_api"] == "blas")
    print(f"OpenBLAS {blas['version']} uses its kernels for {blas['architecture']}")

    def matmul(a, b, c, total, threads, blocks=(64, 64, 64)):
        square_matmul_kernel[(n // blocks[1], n // blocks[0])](
            a, b, c, n, TOTAL=total, BLOCK_M=blocks[0], BLOCK_N=blocks[1], BLOCK_K=blocks[2], num_cpu_threads=threads
        )

    two_threads = None
    for threads in (1, 2):
        with threadpool_limits(limits=threads, user_api="blas"):
            # OpenBLAS's threads keep spinning for some 0.1 s after their work and would hold a core against ours.
            ours, blas_time = in_turn(
                lambda threads=threads: matmul(a, b, c, tl.float32, threads), lambda: np.matmul(a, b), pause=0.2
            )
        np.testing.assert_allclose(c, a.astype(np.float64) @ b, rtol=1e-3, atol=1e-3)
        title = f"f32, {threads} thread{'s' * (threads > 1)}, over OpenBLAS"
        rows.append(matmul_figure(title, ours, blas_time, ">= 0.85"))
        two_threads = lambda: matmul(a, b, c, tl.float32, 2)

    def bfloat16(x):
        return triton.reinterpret((x.view(np.uint32) >> 16).astype(np.uint16), tl.bfloat16)

    a16, b16 = bfloat16(a), bfloat16(b)
    a8, b8 = (generator.integers(-128, 128, (n, n), np.int8) for _ in range(2))
    c32 = np.zeros((n, n), np.int32)
    for title, function, reach in (
        ("bf16", lambda: matmul(a16, b16, c, tl.float32, 2), 1.8),
        ("int8", lambda: matmul(a8, b8, c32, tl.int32, 2), 2.8),
    ):
        time_here, f32 = in_turn(function, two_threads)
        rows.append(matmul_figure(f"{title} over f32", time_here, f32, f">= {reach}"))
    assert np.array_equal(c32, a8.astype(np.int32) @ b8.astype(np.int32))
    return rows


def print_table(rows):
    cells = [("figure", "value", "reference", "ratio", "reach", "")]
    for row in rows:
        reference = "" if row.reference is None else f"{row.reference:.2f} {row.unit}"
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}x"
        cells.append(
            (
                row.name,
                f"{row.value:.2f} {row.unit}",
                reference,
                ratio,
                row.reach,
                "reached" if row.is_reached() else "missed",
            )
        )
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    for line in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", default=str(HERE.parent / "build" / "bench.json"), help="the JSON file to write")
    parser.add_argument(
        "--history",
        default=str(HERE.parent / "build" / "bench-history.jsonl"),
        help="the file to which the figures are added; the page that draws all of them is written beside it",
    )
    parser.add_argument(
        "--only", default="", help="comma-separated: compile, launch, vector_add, softmax, layer_norm, matmul"
    )
    options = parser.parse_args()
    groups = {
        "compile": compile_figures,
        "launch": launch_figure,
        "vector_add": vector_add_figure,
        "softmax": softmax_figures,
        "layer_norm": layer_norm_figure,
        "matmul": matmul_figures,
    }
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors; an idle machine gives true figures")
    rows = []
    for name, measure in groups.items():
        if not options.only or name in options.only.split(","):
            rows += measure()
    print_table(rows)
    figures = [asdict(row) for row in rows]
    Path(options.output).write_text(json.dumps(figures, indent=1) + "\n")
    commit = subprocess.run(
        ["git", "-C", HERE, "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    ).stdout.strip()
    history.append(options.history, commit or "unknown", time.strftime("%Y-%m-%d %H:%M"), figures)
    history.write_page(options.history, Path(options.history).with_suffix(".html"))


if __name__ == "__main__":
    main()
