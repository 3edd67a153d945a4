"""How many times as long the generic variants of kernels take as their own ones.

    python bench/generic_variants.py FAMILIES.py [--output ratios.json] [--seconds 230] [--only TEXT] [--check]

FAMILIES.py is a program whose rows are `ALL`, (section, name, function, options), and whose functions give
`Recorder.go(launch, check, ...)` a function that launches kernels and one that returns the error of their results, with
the error that is too large as `tol`. Each row is launched with the variants that launches compile, and with those that
`TRITON_FALLBACK=generic` has run meanwhile: that of the same numbers that are 1, and otherwise that without facts. Both
are timed in turns, on a GPU with a cache that is flushed. The ratios' median, and all above 1.1,
are printed. A row that failed, or that --output has from an earlier run, is left out; with --seconds, no row is begun
later than that.
"""

import argparse
import importlib.util
import json
import math
import statistics
import sys
import time
from pathlib import Path

from triton.compiler import compiler
from triton.runtime import _fallback
from triton.runtime._variants import with_variants

ASKED = 1.1


class Variants:
    """Which variants launches compile, their own or generic ones."""

    def __init__(self):
        self.own, self.are_generic, self.without = compiler.compile, False, set()
        compiler.compile = self.compile

    def compile(self, src, target=None, options=None):
        sources = _fallback._generic_sources(src.fn, src) if self.are_generic else [src]
        for source in sources[:1]:
            return self.own(source, target=target, options=options)
        self.without.add(src.fn.__name__)
        return self.own(src, target=target, options=options)

    def choose(self, are_generic):
        """Launches after this compile anew."""
        self.are_generic = are_generic
        for kernel in list(with_variants):
            kernel.device_caches.clear()
            kernel._forget()


class Row:
    """What stands in for the program's `Recorder`."""

    def __init__(self, variants, families, turns):
        self.variants, self.families, self.turns, self.found = variants, families, turns, {}

    def go(self, launch, check, **_):
        times = {"own": [], "generic": []}
        for _ in range(2):
            for name, found in times.items():
                self.variants.choose(name == "generic")
                launch()
                found += [self.clock(launch) for _ in range(self.turns)]
        self.found = {name: statistics.median(each) for name, each in times.items()}
        self.found["ratio"] = self.found["generic"] / self.found["own"]

    def clock(self, launch):
        """Milliseconds. On a GPU, the host is ahead while the cache is flushed."""
        torch, families = self.families.torch, self.families
        if families.DEVICE != "cuda":
            start = time.perf_counter()
            launch()
            return (time.perf_counter() - start) * 1e3
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        families.flush_buffer().zero_()
        begin.record()
        launch()
        end.record()
        torch.cuda.synchronize()
        return begin.elapsed_time(end)


class Check:
    """Stands in for it, too: compares the results of one launch of the generic variants."""

    def __init__(self, variants, families):
        self.variants, self.families = variants, families

    def go(self, launch, check, tol=1e-2, **_):
        self.variants.choose(True)
        launch()
        self.families.sync()
        error = float(check())
        if not error <= tol:
            raise ValueError(f"the error of the generic variant is {error:g}; it must be at most {tol:g}")


def load(path):
    """The program as a module, which reads its own command line."""
    sys.argv = [path, "list"]
    spec = importlib.util.spec_from_file_location("families", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def measure(families, args, found):
    variants, start = Variants(), time.monotonic()
    for number, (section, name, function, options) in enumerate(families.ALL):
        if args.only not in name or name in found:
            continue
        if time.monotonic() - start > args.seconds:
            print(f"no time is left for {name} and later rows", flush=True)
            return
        row = Row(variants, families, args.turns)
        try:
            for each in [Check(variants, families)] * args.check + [row]:
                families.torch.manual_seed(number)
                function(each, **options)
            found[name] = {"section": section, **row.found}
            print(f"{row.found['ratio']:8.3f}  {row.found['own']:9.4f} ms  {name}", flush=True)
        except Exception as error:
            text = " ".join(str(error).split())[:300]
            found[name] = {"section": section, "error": f"{type(error).__name__}: {text}"}
            print(f"   error  {name}: {found[name]['error']}", flush=True)
        if args.output:
            Path(args.output).write_text(json.dumps(found, indent=1))
    if variants.without:
        print(f"without a generic variant: {', '.join(sorted(variants.without))}")


def report(found):
    """Whether the median is as small as asked for."""
    ratios = sorted((row["ratio"], name) for name, row in found.items() if "ratio" in row)
    if not ratios:
        print("no row was measured")
        return False
    median = statistics.median(ratio for ratio, _ in ratios)
    mean = math.exp(statistics.fmean(math.log(ratio) for ratio, _ in ratios))
    failed = sum("error" in row for row in found.values())
    print(f"{len(ratios)} rows, {failed} failed; generic over own: median {median:.3f}, geometric mean {mean:.3f}")
    for ratio, name in reversed(ratios):
        if ratio > ASKED:
            print(f"{ratio:8.3f}  {name}")
    return median <= ASKED


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("families", metavar="FAMILIES.py")
    parser.add_argument("--output", help="a file of JSON, which is written after each row")
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose name has the text")
    parser.add_argument("--turns", type=int, default=10, help="a variant is timed twice as often")
    parser.add_argument("--check", action="store_true", help="compare the results of generic variants")
    args = parser.parse_args()
    output = Path(args.output) if args.output else None
    found = json.loads(output.read_text()) if output and output.exists() else {}
    measure(load(args.families), args, found)
    raise SystemExit(0 if report(found) else 1)


if __name__ == "__main__":
    main()
