"""The kernels of gluon_kernels.py on a Hopper GPU, beside the same products that a compiler arranges itself: TFLOP/s.

    PYTHONPATH=<folder of a triton> python bench/gluon_products.py FILE.json [--small]
    python bench/gluon_products.py --compare A.json B.json

Run it with one `triton` after the other on the path, and compare the files. Every row is the best of a few
configurations, checked against PyTorch. `--small` checks small sizes alone and times nothing.
"""

import json
import sys

if sys.argv[1] == "--compare":
    first, second = (json.load(open(name)) for name in sys.argv[2:4])
    print(f"{'':32} {'Gluon':>17} {'automatic':>17} {'library':>9}   Gluon: second / first")
    for row, value in first.items():
        if row in second:
            other = second[row]
            speeds = [run[way]["speed"] for way in ("gluon", "automatic") for run in (value, other)]
            numbers = " ".join(f"{speed:8.1f}" for speed in speeds)
            print(f"{row:32} {numbers} {value['library']:9.1f}   {speeds[1] / speeds[0] if speeds[0] else 0:5.2f}")
    sys.exit()

import torch
import triton
from automatic_kernels import attention, persistent_product, product
from configurations import fastest
from gluon_kernels import attend, multiply
from triton.tools.tensor_descriptor import TensorDescriptor

rows = {}


def measure(function):
    return triton.testing.do_bench(function, warmup=25, rep=100)


def best(name, flops, configs, run, error_of, timed):
    """The fastest of the configurations whose results are right."""

    def report(config, milliseconds):
        print(
            f"  {name} {config}: {flops / milliseconds / 1e9:.1f}" if timed else f"  {name} {config}: right", flush=True
        )

    measured = measure if timed else lambda function: 1
    milliseconds, config = fastest(name, configs, run, error_of, 1e-2, measured, report)
    return {"speed": flops / milliseconds / 1e9, "config": config}


def record(name, flops, ways, run_library, result, timed):
    """`ways` are {"gluon": (configurations, run), "automatic": …}; all write `result`."""
    expected = run_library().float()

    def error_of():
        error = ((result.float() - expected).norm() / expected.norm()).item()
        result.zero_()
        return error

    row = {way: best(f"{name} {way}", flops, *ways[way], error_of, timed) for way in ways}
    row["library"] = flops / measure(run_library) / 1e9 if timed else 0.0
    rows[name] = row
    speeds = " ".join(f"{way} {row[way]['speed']:8.1f}" for way in ways)
    print(f"{name:32} {speeds} library {row['library']:8.1f}", flush=True)


def run_product(size, timed):
    M, N, K = size
    a, b = (torch.randn(shape, device="cuda", dtype=torch.float16) for shape in ((M, K), (K, N)))
    c = torch.empty(M, N, device="cuda", dtype=torch.float16)
    programs = torch.cuda.get_device_properties(0).multi_processor_count

    def in_gluon(config):
        blocks, slots, warps = config
        multiply(a, b, c, programs, blocks, slots, warps)

    def automatic(config):
        way, (m, n, k), stages, warps = config
        described = [
            TensorDescriptor.from_tensor(array, block) for array, block in ((a, [m, k]), (b, [k, n]), (c, [m, n]))
        ]
        tiles = triton.cdiv(M, m), triton.cdiv(N, n)
        all_tiles = tiles[0] * tiles[1]
        kernel, grid = {
            "a tile a program": (product, all_tiles),
            "persistent": (persistent_product, min(all_tiles, programs)),
        }[way]
        kernel[(grid,)](*described, *tiles, K, BM=m, BN=n, BK=k, num_warps=warps, num_stages=stages)

    configs = [((128, 256, 64), 3, 8), ((256, 128, 64), 3, 8), ((128, 128, 64), 4, 8), ((128, 128, 64), 5, 4)]
    shapes = [((128, 256, 64), 3, 8), ((128, 256, 64), 4, 8), ((128, 128, 64), 4, 8), ((128, 128, 64), 3, 4)]
    others = [(way, *shape) for way in ("a tile a program", "persistent") for shape in shapes]
    ways = {"gluon": (configs, in_gluon), "automatic": (others, automatic)}
    record(f"product {M}x{N}x{K}", 2 * M * N * K, ways, lambda: a @ b, c, timed)


def run_attention(heads, length, depth, causal, timed):
    q, k, v = (torch.randn(heads * length, depth, device="cuda", dtype=torch.float16) for _ in range(3))
    o = torch.empty_like(q)

    def in_gluon(config):
        blocks, slots = config
        attend(q, k, v, o, length, causal, blocks, slots)

    def automatic(config):
        m, n, stages, warps = config
        described = [
            TensorDescriptor.from_tensor(array, [rows, depth]) for array, rows in ((q, m), (k, n), (v, n), (o, m))
        ]
        attention[(length // m, heads)](
            *described,
            length,
            depth**-0.5 * 1.4426950408889634,
            causal,
            m,
            n,
            depth,
            num_warps=warps,
            num_stages=stages,
        )

    def library():
        shaped = (array.view(1, heads, length, depth) for array in (q, k, v))
        return torch.nn.functional.scaled_dot_product_attention(*shaped, is_causal=causal).view(-1, depth)

    configs = [((64, 128), 2), ((64, 64), 3), ((64, 64), 4)]
    others = [(128, 128, 2, 8), (128, 64, 3, 8), (128, 64, 3, 4), (64, 64, 3, 4)]
    flops = 4 * heads * length * length * depth // (2 if causal else 1)
    name = f"attention d{depth} {length}{' causal' if causal else ''}"
    record(name, flops, {"gluon": (configs, in_gluon), "automatic": (others, automatic)}, library, o, timed)


def main():
    timed = "--small" not in sys.argv
    for size in [(8192, 8192, 8192), (4096, 4096, 4096), (8192, 8192, 1024)] if timed else [(512, 768, 320)]:
        run_product(size, timed)
    for depth in (64, 128):
        for causal in (False, True):
            if timed:
                run_attention(4096 // depth, 4096, depth, causal, timed)
            else:
                run_attention(3, 512, depth, causal, timed)
    with open(sys.argv[1], "w") as file:
        json.dump(rows, file, indent=1)


main()
