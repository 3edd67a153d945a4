"""How long launches of a server wait for a compiler: this package from a bundle, and Triton warmed up by its own means.

    PYTHONPATH=OURS python bench/zero_jit.py compare --device cuda --theirs-path FOLDER [--seconds 60]
    python bench/zero_jit.py compare --device cuda --theirs /path/to/python-with-triton-3.9
    python bench/zero_jit.py ready --device cuda [--repeats 3]

Both get the same canary, which is launched before, and the same requests of random sizes afterwards. This package
records the canary, builds a bundle of it and starts anew, with TRITON_FALLBACK=generic; Triton keeps what it compiled
on disk, starts anew and launches the canary once more. The table has the host's part of each launch. FOLDER is where
`pip install --target FOLDER triton==3.9.0` has put it; an empty one leaves the Triton of the interpreter itself.
Without a GPU, arrays are NumPy's, Triton is left out, and the time of a launch is that of the kernel, too. With
--device stand-in, launches go to the library that TRITON_LIBCUDA_PATH names in the place of the CUDA driver, which
gets addresses of the host.

First launches are those that find no variant in memory: "own" take theirs from the bundle, "generic" another one. Of
their time, "load" is the driver's, which maps the code onto the device; the rest is this package's.

`ready` measures from the start of a process until it has served the canary: from a bundle, from one that is loaded at
once, from a cache on disk, and with neither. Each is started --repeats times, in turns, and the medians are printed.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HEADS, DEPTH, PAGE, PAGES, MOST_ROWS, MOST_LENGTH = 4, 32, 16, 64, 24, 700
STALL_MS, NOTICED_MS = 10, 1


class HostArray:
    """An array of the host that says no more than its address."""

    def __init__(self, values):
        self.values, self.dtype = values, values.dtype
        self.address = values.ctypes.data

    def data_ptr(self):
        return self.address


class Device:
    """Arrays of PyTorch on a GPU, or NumPy's."""

    def __init__(self, name):
        import numpy

        self.numpy, self.torch, self.name = numpy, None, name
        if name == "cuda":
            import torch

            self.torch = torch

    def array(self, values):
        if self.name == "stand-in":
            return HostArray(values)
        return self.torch.from_numpy(values).cuda() if self.torch else values

    def wait(self):
        if self.torch:
            self.torch.cuda.synchronize()

    def host(self, array):
        return array.cpu().numpy() if self.torch else array


class Server:
    """Holds what all requests share."""

    def __init__(self, device):
        import serving_kernels  # noqa: F401  as servers do before they freeze

        numpy = device.numpy
        self.device, self.launch_us, self.first = device, [], {}
        self.known = {}  # the kernels that have run, by address
        rng = numpy.random.default_rng(0)

        def random_array(*shape):
            return device.array(rng.standard_normal(shape).astype(numpy.float32))

        pool = MOST_ROWS * PAGES
        self.keys, self.values = (random_array(pool, PAGE, HEADS, DEPTH) for _ in range(2))
        self.weight = random_array(1024)
        self.random_array, self.rng = random_array, rng

    def launch(self, kernel, grid, *arguments, **constants):
        before = self.load_count()
        start = time.perf_counter_ns()
        compiled = kernel[grid](*arguments, **constants)
        taken = (time.perf_counter_ns() - start) / 1e3
        self.launch_us.append(taken)
        if id(compiled) not in self.known:
            self.known[id(compiled)] = compiled
            kind = "generic" if type(compiled).__name__ == "GenericKernel" else "own"
            self.first.setdefault(kind, []).append((taken, (self.load_count() - before) / 1e3))

    @staticmethod
    def load_count():
        """The nanoseconds for which this process has loaded kernels on devices; 0 of another package."""
        count = getattr(sys.modules["triton"]._C, "load_count", None)
        return count()[1] if count else 0

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


def median(values):
    return sorted(values)[len(values) // 2] if values else 0.0


def first_launches(server):
    """What first launches took in microseconds, and the part of it that loads took."""
    found = {}
    for kind, times in server.first.items():
        found |= {f"{kind}_firsts": len(times), f"{kind}_first_us": median([taken for taken, _ in times])}
        found |= {f"{kind}_first_most_us": max(taken for taken, _ in times)}
        found |= {f"{kind}_load_us": median([load for _, load in times])}
        own = [taken - load for taken, load in times]
        found |= {f"{kind}_ours_us": median(own), f"{kind}_ours_most_us": max(own)}
    return found


def run(args):
    """Serves, in this process, and prints the figures as JSON."""
    start = time.perf_counter()
    import triton

    server = Server(Device(args.device))
    if args.bundle:
        loaded = triton.load_bundle(args.bundle, eager=not args.lazily)
        assert not loaded.problems, loaded.problems
        triton.freeze()
    if args.canary and (args.since or not args.bundle):
        for request in requests(args.canary_seed, args.canary):
            server.serve(request, check=args.check)
    ready, ready_since = time.perf_counter(), time.time() - args.since
    server.launch_us, server.first = [], server.first if args.since else {}
    for request in requests(args.seed, args.requests):
        server.serve(request, check=args.check)
        if args.seconds and time.perf_counter() > ready + args.seconds:
            break
    times = sorted(server.launch_us) or [0.0]
    figures = {
        "version": triton.__version__,
        "ready_s": ready_since if args.since else ready - start,
        "launches": len(server.launch_us),
        "stalls": sum(each > STALL_MS * 1e3 for each in times),
        "stalled_ms": sum(each for each in times if each > STALL_MS * 1e3) / 1e3,
        "noticed": sum(each > NOTICED_MS * 1e3 for each in times),
        "p50_us": times[len(times) // 2],
        "p99_us": times[len(times) * 99 // 100],
        "most_us": times[-1],
        **first_launches(server),
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


def build_bundle(folder, target, common, canary):
    """Records the canary, and builds a bundle of it."""
    classes, bundle = folder / "classes.jsonl", folder / "kernels.bundle"
    environment = {"TRITON_CACHE_DIR": str(folder / "ours"), "TRITON_RECORD_CLASSES": str(classes)}
    run_elsewhere(sys.executable, [*common, *canary, "--requests", 0], **environment)
    build = [sys.executable, "-m", "triton.tools.build", classes, "--target", target, "-o", bundle]
    environment = {"TRITON_FALLBACK": "generic", "TRITON_CACHE_DIR": str(folder / "empty")}
    paths = os.pathsep.join(filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH")]))
    subprocess.run(build, check=True, env={**os.environ, **environment, "PYTHONPATH": paths}, stdout=sys.stderr)
    return bundle, environment


def measure_ours(folder, target, common, canary):
    """Serves from a bundle, with a cache that is empty."""
    bundle, environment = build_bundle(folder, target, common, canary)
    return run_elsewhere(sys.executable, [*common, "--bundle", bundle], **environment)


def measure_theirs(folder, python, path, common, canary):
    """Fills the cache on disk with the canary, and serves in a process that launches it again. Its PYTHONPATH has
    nothing of this package."""
    environment = {"TRITON_CACHE_DIR": str(folder / "theirs"), "PYTHONPATH": path}
    run_elsewhere(python, [*common, *canary, "--requests", 0], **environment)
    return run_elsewhere(python, [*common, *canary], **environment)


def target_of(args):
    return args.target or ("cpu" if args.device == "cpu" else "cuda:90")


def ready(args):
    """The seconds from the start of a process until it has served the canary, by where its kernels come from."""
    common, canary = ["--device", args.device], ["--canary", args.canary, "--canary-seed", args.canary_seed]
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        bundle, environment = build_bundle(Path(folder), target_of(args), common, canary)
        ways = {
            "a bundle": (["--bundle", bundle, "--lazily"], environment),
            "a bundle, loaded at once": (["--bundle", bundle], environment),
            "a cache on disk": ([], {"TRITON_CACHE_DIR": f"{folder}/ours"}),
            "neither": ([], {"TRITON_CACHE_DIR": f"{folder}/new"}),
        }
        for _ in range(args.repeats):
            for name, (given, settings) in ways.items():
                shutil.rmtree(f"{folder}/new", ignore_errors=True)
                command = [*common, *canary, *given, "--requests", 0, "--since", time.time()]
                rows.setdefault(name, []).append(run_elsewhere(sys.executable, command, **settings))
    print(f"{'start to ready, from':28}{'seconds':>9}{'compiled':>10}")
    for name, found in rows.items():
        print(f"{name:28}{median([each['ready_s'] for each in found]):9.3f}{found[0]['compilations']:10}")
    if args.output:
        Path(args.output).write_text(json.dumps(rows, indent=1))


def compare(args):
    common = ["--device", args.device, "--requests", args.requests, "--seed", args.seed]
    common += ["--check"] * args.check
    common += ["--lazily"] * args.lazily
    common += ["--seconds", args.seconds] if args.seconds else []
    canary = ["--canary", args.canary, "--canary-seed", args.canary_seed]
    with tempfile.TemporaryDirectory() as folder:
        rows = {"ours": measure_ours(Path(folder), target_of(args), common, canary)}
        if args.theirs or args.theirs_path is not None:
            theirs = args.theirs or sys.executable, args.theirs_path or ""
            rows["theirs"] = measure_theirs(Path(folder), *theirs, common, canary)
    names = ["ready_s", "launches", "stalls", "stalled_ms", "noticed", "p50_us", "p99_us", "most_us"]
    names += [name for name in rows["ours"] if name.startswith(("own_", "generic_"))] + ["compilations", "fallbacks"]
    print(f"{'':22}" + "".join(f"{name:>14}" for name in rows))
    print(f"{'version':22}" + "".join(f"{row['version'][:13]:>14}" for row in rows.values()))
    for name in names:
        print(f"{name:22}" + "".join(f"{row[name]:14.6g}" if name in row else f"{'':>14}" for row in rows.values()))
    if args.output:
        Path(args.output).write_text(json.dumps(rows, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["compare", "ready", "run"])
    parser.add_argument("--theirs", metavar="PYTHON", help="an interpreter that imports Triton 3.9 and PyTorch")
    parser.add_argument("--theirs-path", metavar="FOLDER", help="what their PYTHONPATH is in place of this one's")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda", "stand-in"])
    parser.add_argument("--target", help="of the bundle; cuda:90 for an H100 or H200")
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, help="serve no longer than this, each; without, all requests")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--canary", type=int, default=20, help="requests that both get to know before")
    parser.add_argument("--canary-seed", type=int, default=2)
    parser.add_argument("--check", action="store_true", help="compare all results with NumPy's")
    parser.add_argument("--output", help="a file of JSON with the figures")
    parser.add_argument("--repeats", type=int, default=3, help="of `ready`: how often each process is started")
    parser.add_argument("--lazily", action="store_true", help="read classes from the bundle when they are launched")
    parser.add_argument("--since", type=float, default=0.0, help="of `run`: when the process was started")
    parser.add_argument("--bundle", help="of `run`: serve from it, frozen, in place of a canary")
    args = parser.parse_args()
    {"run": run, "ready": ready, "compare": compare}[args.command](args)


if __name__ == "__main__":
    main()
