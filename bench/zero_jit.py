"""How long launches of a server wait for a compiler: this package from a bundle, and Triton warmed up by its own means.

    PYTHONPATH=OURS python bench/zero_jit.py compare --device cuda --theirs-path FOLDER [--seconds 60]
    python bench/zero_jit.py compare --device cuda --theirs /path/to/python-with-triton-3.9

Both get the same canary, which is launched before, and the same requests of random sizes afterwards. This package
records the canary, builds a bundle of it and starts anew, with TRITON_FALLBACK=generic; Triton keeps what it compiled
on disk, starts anew and launches the canary once more. The table has the host's part of each launch. FOLDER is where
`pip install --target FOLDER triton==3.9.0` has put it; an empty one leaves the Triton of the interpreter itself.
Without a GPU, arrays are NumPy's, Triton is left out, and the time of a launch is that of the kernel, too.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HEADS, DEPTH, PAGE, PAGES, MOST_ROWS, MOST_LENGTH = 4, 32, 16, 64, 24, 700
STALL_MS, NOTICED_MS = 10, 1


class Device:
    """Arrays of PyTorch on a GPU, or NumPy's."""

    def __init__(self, name):
        import numpy

        self.numpy, self.torch = numpy, None
        if name != "cpu":
            import torch

            self.torch = torch

    def array(self, values):
        return self.torch.from_numpy(values).cuda() if self.torch else values

    def wait(self):
        if self.torch:
            self.torch.cuda.synchronize()

    def host(self, array):
        return array.cpu().numpy() if self.torch else array


class Server:
    """Holds what all requests share."""

    def __init__(self, device):
        numpy = device.numpy
        self.device, self.launch_us = device, []
        rng = numpy.random.default_rng(0)

        def random_array(*shape):
            return device.array(rng.standard_normal(shape).astype(numpy.float32))

        pool = MOST_ROWS * PAGES
        self.keys, self.values = (random_array(pool, PAGE, HEADS, DEPTH) for _ in range(2))
        self.weight = random_array(1024)
        self.random_array, self.rng = random_array, rng

    def launch(self, kernel, grid, *arguments, **constants):
        start = time.perf_counter_ns()
        kernel[grid](*arguments, **constants)
        self.launch_us.append((time.perf_counter_ns() - start) / 1e3)

    def serve(self, request, check=False):
        """The launches of one request; with ``check``, their results are compared with NumPy's."""
        import serving_kernels as kernels

        numpy, device = self.device.numpy, self.device
        rows, columns, experts, vocabulary = (request[name] for name in ("rows", "columns", "experts", "vocabulary"))
        lengths = numpy.array(request["lengths"], numpy.int32)
        pages = self.rng.permutation(MOST_ROWS * PAGES)[: rows * PAGES].astype(numpy.int32).reshape(rows, PAGES)
        widths = [count + request["padding"] for count in (columns, vocabulary, experts)]
        x, logits, scores = (self.random_array(rows, width) for width in widths)
        queries = self.random_array(rows, HEADS, DEPTH)
        given = {"lengths": device.array(lengths), "pages": device.array(pages)}
        normed, gated = self.random_array(rows, columns), self.random_array(rows, experts)
        turned, mixed = self.random_array(rows, HEADS, DEPTH), self.random_array(rows, HEADS, DEPTH)
        tokens = device.array(numpy.zeros(rows, numpy.int32))
        self.launch(kernels.rms_norm, (rows,), x, self.weight, normed, widths[0], columns, 1e-6, BLOCK=1024)
        half = DEPTH // 2
        self.launch(kernels.rotate, (rows, HEADS), queries, given["lengths"], turned, HEADS, half, BLOCK=half)
        cache = self.keys, self.values, given["pages"], given["lengths"]
        self.launch(kernels.attend, (rows, HEADS), turned, *cache, mixed, HEADS, PAGES, DEPTH=DEPTH, PAGE=PAGE)
        self.launch(kernels.gate, (rows,), scores, gated, widths[2], experts, BLOCK=64)
        self.launch(kernels.sample, (rows,), logits, tokens, widths[1], vocabulary, 0.7, BLOCK=1024)
        device.wait()
        if check:
            x, scores, logits = x[:, :columns], scores[:, :experts], logits[:, :vocabulary]
            arrays = (x, normed, queries, turned, mixed, scores, gated, logits, tokens)
            self.check(lengths, pages, *map(device.host, arrays))

    def check(self, lengths, pages, x, normed, queries, turned, mixed, scores, gated, logits, tokens):
        numpy, host, close = self.device.numpy, self.device.host, self.device.numpy.testing.assert_allclose
        scale = 1 / numpy.sqrt((x * x).mean(1, keepdims=True) + 1e-6)
        close(normed, x * scale * host(self.weight)[: x.shape[1]], rtol=1e-4, atol=1e-5)
        half = DEPTH // 2
        left, right = queries[..., :half], queries[..., half:]
        angle = (lengths[:, None] * numpy.exp2(-13 * numpy.arange(half) / half))[:, None, :]
        cos, sin = numpy.cos(angle), numpy.sin(angle)
        expected = numpy.concatenate([left * cos - right * sin, right * cos + left * sin], -1)
        close(turned, expected, rtol=1e-3, atol=1e-3)
        caches = [host(each) for each in (self.keys, self.values)]
        for row, length in enumerate(lengths):
            keys, values = (each[pages[row]].reshape(-1, HEADS, DEPTH)[:length] for each in caches)
            weight = numpy.einsum("hd,thd->ht", turned[row], keys)
            weight = numpy.exp(weight - weight.max(1, keepdims=True))
            expected = numpy.einsum("ht,thd->hd", weight / weight.sum(1, keepdims=True), values)
            close(mixed[row], expected, rtol=1e-3, atol=1e-3)
        weight = numpy.exp(scores - scores.max(1, keepdims=True))
        close(gated, weight / weight.sum(1, keepdims=True), rtol=1e-4, atol=1e-6)
        assert (tokens == logits.argmax(1)).all()


def requests(seed, count):
    """Of random sizes, few of which are multiples of 16, and some of which are 1."""
    rng = random.Random(seed)
    for _ in range(count):
        rows = rng.randint(1, MOST_ROWS)
        yield {
            "rows": rows,
            "columns": rng.choice([1, 64, 200, 512, 1000, 1024, rng.randint(1, 1024)]),
            "experts": rng.choice([1, 8, 16, 60, 64, rng.randint(1, 64)]),
            "vocabulary": rng.choice([1, 1000, 4096, rng.randint(1, 5000)]),
            "padding": rng.choice([0, 0, 8, 16, rng.randint(0, 64)]),
            "lengths": [rng.randint(1, MOST_LENGTH) for _ in range(rows)],
        }


def run(args):
    """Serves, in this process, and prints the figures as JSON."""
    start = time.perf_counter()
    import triton

    server = Server(Device(args.device))
    if args.bundle:
        loaded = triton.load_bundle(args.bundle, eager=True)
        assert not loaded.problems, loaded.problems
        triton.freeze()
    else:
        for request in requests(args.canary_seed, args.canary):
            server.serve(request, check=args.check)
    ready, server.launch_us = time.perf_counter(), []
    for request in requests(args.seed, args.requests):
        server.serve(request, check=args.check)
        if args.seconds and time.perf_counter() > ready + args.seconds:
            break
    times = sorted(server.launch_us) or [0.0]
    figures = {
        "version": triton.__version__,
        "ready_s": ready - start,
        "launches": len(server.launch_us),
        "stalls": sum(each > STALL_MS * 1e3 for each in times),
        "stalled_ms": sum(each for each in times if each > STALL_MS * 1e3) / 1e3,
        "noticed": sum(each > NOTICED_MS * 1e3 for each in times),
        "p50_us": times[len(times) // 2],
        "p99_us": times[len(times) * 99 // 100],
        "most_us": times[-1],
    }
    if hasattr(triton, "monitor"):
        seen = triton.monitor.snapshot()
        figures |= {"compilations": seen.compilations, "fallbacks": seen.fallbacks}
    print(json.dumps(figures))


def run_elsewhere(python, arguments, **environment):
    command = [python, __file__, "run", *map(str, arguments)]
    done = subprocess.run(command, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}")
    return json.loads(done.stdout.splitlines()[-1])


def measure_ours(folder, target, common, canary):
    """Records the canary, builds the bundle and serves from it, with a cache that is empty."""
    classes, bundle = folder / "classes.jsonl", folder / "kernels.bundle"
    environment = {"TRITON_CACHE_DIR": str(folder / "ours"), "TRITON_RECORD_CLASSES": str(classes)}
    run_elsewhere(sys.executable, [*common, *canary, "--requests", 0], **environment)
    build = [sys.executable, "-m", "triton.tools.build", classes, "--target", target, "-o", bundle]
    environment = {"TRITON_FALLBACK": "generic", "TRITON_CACHE_DIR": str(folder / "empty")}
    paths = os.pathsep.join(filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH")]))
    subprocess.run(build, check=True, env={**os.environ, **environment, "PYTHONPATH": paths}, stdout=sys.stderr)
    return run_elsewhere(sys.executable, [*common, "--bundle", bundle], **environment)


def measure_theirs(folder, python, path, common, canary):
    """Fills the cache on disk with the canary, and serves in a process that launches it again. Its PYTHONPATH has
    nothing of this package."""
    environment = {"TRITON_CACHE_DIR": str(folder / "theirs"), "PYTHONPATH": path}
    run_elsewhere(python, [*common, *canary, "--requests", 0], **environment)
    return run_elsewhere(python, [*common, *canary], **environment)


def compare(args):
    common = ["--device", args.device, "--requests", args.requests, "--seed", args.seed]
    common += ["--check"] * args.check
    common += ["--seconds", args.seconds] if args.seconds else []
    canary = ["--canary", args.canary, "--canary-seed", args.canary_seed]
    with tempfile.TemporaryDirectory() as folder:
        target = args.target or ("cpu" if args.device == "cpu" else "cuda:90")
        rows = {"ours": measure_ours(Path(folder), target, common, canary)}
        if args.theirs or args.theirs_path is not None:
            theirs = args.theirs or sys.executable, args.theirs_path or ""
            rows["theirs"] = measure_theirs(Path(folder), *theirs, common, canary)
    names = ["ready_s", "launches", "stalls", "stalled_ms", "noticed", "p50_us", "p99_us", "most_us"]
    names += ["compilations", "fallbacks"]
    print(f"{'':14}" + "".join(f"{name:>14}" for name in rows))
    print(f"{'version':14}" + "".join(f"{row['version'][:13]:>14}" for row in rows.values()))
    for name in names:
        print(f"{name:14}" + "".join(f"{row[name]:14.6g}" if name in row else f"{'':>14}" for row in rows.values()))
    if args.output:
        Path(args.output).write_text(json.dumps(rows, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["compare", "run"])
    parser.add_argument("--theirs", metavar="PYTHON", help="an interpreter that imports Triton 3.9 and PyTorch")
    parser.add_argument("--theirs-path", metavar="FOLDER", help="what their PYTHONPATH is in place of this one's")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--target", help="of the bundle; cuda:90 for an H100 or H200")
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, help="serve no longer than this, each; without, all requests")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--canary", type=int, default=20, help="requests that both get to know before")
    parser.add_argument("--canary-seed", type=int, default=2)
    parser.add_argument("--check", action="store_true", help="compare all results with NumPy's")
    parser.add_argument("--output", help="a file of JSON with the figures")
    parser.add_argument("--bundle", help="of `run`: serve from it, frozen, in place of a canary")
    args = parser.parse_args()
    (run if args.command == "run" else compare)(args)


if __name__ == "__main__":
    main()
