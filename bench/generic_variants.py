"""How many times as long kernels take on the variants that `TRITON_FALLBACK=generic` runs for classes that nobody has
compiled as on their own ones.

    python bench/generic_variants.py FAMILIES.py [--output ratios.json] [--seconds 230] [--only TEXT] [--check]

FAMILIES.py is a program whose rows are `ALL`, (section, name, function, options), and whose functions give
`Recorder.go(launch, check, ...)` a function that launches kernels and one that returns the error of their results, with
the error that is too large as `tol`. With FAMILIES_SMALL=1 the same rows have small sizes.

Each row's classes are unseen: which variants there are follows from other classes of its kernels,

- *sizes*: those that the row launches at the small sizes,
- *types*: those of the same types and constants where no integer is 1 or a multiple of 16,

and a launch takes the best of those that serve it, as it does after a freeze. Variants are timed in turns, on a GPU
with a cache that is flushed; those with the own one's machine code are not timed. The ratios' medians, and all above
1.1, are printed. A row that failed, or that --output has from an earlier run, is left out; with --seconds, no row is
begun later than that.
"""

import argparse
import contextlib
import importlib.util
import json
import math
import os
import statistics
import sys
import time
from collections import namedtuple
from pathlib import Path

from triton.compiler import ASTSource, compiler
from triton.runtime import _fallback, _ladder
from triton.runtime._variants import with_variants
from triton.runtime.jit import JITFunction

ASKED = 1.1


#: From which classes of its kernels the variants of a row are made.
KNOWN = "sizes", "types"


class Variants:
    """Which variants launches compile: their "own", or what stands in for these beside other classes."""

    def __init__(self, small_classes):
        self.small_classes = small_classes  # {(row, kernel): sources}
        self.own, self.kind, self.row = compiler.compile, "own", ""
        self.machine_code = {}  # of what a row has launched, by kind
        compiler.compile = self.compile

    def compile(self, src, target=None, options=None):
        chosen = src if self.kind == "own" else self.stand_in(src, target, options)
        compiled = self.own(chosen, target=target, options=options)
        self.machine_code.setdefault(self.kind, []).append(compiled.kernel)
        return compiled if chosen.signature == src.signature else StandIn(compiled)

    def stand_in(self, src, target, options):
        others = self.small_classes.get((self.row, src.fn.__name__), []) if self.kind == "sizes" else []
        known = [with_integers_of(other, src) for other in others] or [with_integers_of(None, src)]
        beside = [each for other in known for each in _fallback.sources_beside(src.fn, other, options, target)]
        return _ladder.best_first([Source(each) for each in known + beside], src)[0].src

    def choose(self, kind):
        """Launches after this compile anew."""
        self.kind = kind
        self.machine_code.pop(kind, None)
        for kernel in list(with_variants):
            kernel.device_caches.clear()
            kernel._forget()


Source = namedtuple("Source", ["src"])


class StandIn:
    """A variant that is passed numbers which the launch's own one knows."""

    _handle = None  # The launcher calls `_launch`.

    def __init__(self, compiled):
        self.compiled = compiled

    def __getattr__(self, name):
        return getattr(self.compiled, name)

    def _launch(self, grid, bound):
        self.compiled._handle.launch(grid, tuple(bound.values()), None)


def with_integers_of(other, own):
    """The class ``own`` with what is known of integers in the other one, or with nothing."""
    signature, constants = dict(own.signature), dict(own.constants)
    attributes = {path: facts for path, facts in own.attrs.items() if not is_integer(own, path[0])}
    for number, parameter in enumerate(own.fn.params):
        path, name = (number,), parameter.name
        if not is_integer(own, number):
            continue
        constants.pop(path, None)
        if other is None or not is_integer(other, number):
            own_type = "i32" if own.signature[name] == "constexpr" else own.signature[name]
            signature[name] = parameter.annotation_type or own_type
            continue
        signature[name] = other.signature[name]
        constants |= {path: 1} if signature[name] == "constexpr" else {}
        attributes |= {path: other.attrs[path]} if path in other.attrs else {}
    return ASTSource._for_launches(own.fn, signature, constants, dict(sorted(attributes.items())))


def is_integer(src, number):
    parameter = src.fn.params[number]
    type_ = src.signature[parameter.name]
    is_one = type_ == "constexpr" and src.constants.get((number,)) == 1
    return not parameter.is_constexpr and (is_one or type_ in ("i32", "i64", "u32", "u64"))


class Row:
    """What stands in for the program's `Recorder`."""

    def __init__(self, variants, families, turns):
        self.variants, self.families, self.turns, self.found = variants, families, turns, {}

    def go(self, launch, check, **_):
        code = self.variants.machine_code
        for kind in ("own", *KNOWN):
            self.variants.choose(kind)
            launch()
        times = {kind: [] for kind in code if kind == "own" or code[kind] != code["own"]}
        for _ in range(2 * (len(times) > 1)):
            for kind, found in times.items():
                self.variants.choose(kind)
                launch()
                found += [self.clock(launch) for _ in range(self.turns)]
        medians = {kind: statistics.median(each) for kind, each in times.items() if each}
        self.found = {"milliseconds": medians, **{kind: medians.get(kind, 1) / medians.get("own", 1) for kind in KNOWN}}
        self.found |= {kind: 1.0 for kind in KNOWN if kind not in medians}

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
    """Stands in for it, too: compares the results of one launch of a kind of variants."""

    def __init__(self, variants, families, kind):
        self.variants, self.families, self.kind = variants, families, kind

    def go(self, launch, check, tol=1e-2, **_):
        self.variants.choose(self.kind)
        launch()
        self.families.sync()
        error = float(check())
        if not error <= tol:
            raise ValueError(f"the error of the variant by {self.kind} is {error:g}; it must be at most {tol:g}")


def load(path, **environment):
    """The program as a module, which reads its own command line."""
    sys.argv = [path, "list"]
    spec = importlib.util.spec_from_file_location("families", path)
    module = importlib.util.module_from_spec(spec)
    before = dict(os.environ)
    os.environ.update(environment)
    spec.loader.exec_module(module)
    os.environ.clear()
    os.environ.update(before)
    return module


def small_classes(path, device):
    """{(row, kernel): sources} of the launches at small sizes, none of which is done."""
    small, found = load(path, FAMILIES_SMALL="1", FAMILIES_DEVICE=device), {}

    def note(kernel, arguments, options, is_warmup, values):
        found.setdefault((row, kernel.__name__), []).append(ASTSource._of_arguments(kernel, arguments))

    launches = namedtuple("Launches", ["go"])(lambda launch, check, **_: launch())
    own, JITFunction._compile = JITFunction._compile, note
    for number, (_, name, function, options) in enumerate(small.ALL):
        row = name
        small.torch.manual_seed(number)
        with contextlib.suppress(Exception):  # The row itself says so at its own sizes.
            function(launches, **options)
    JITFunction._compile = own
    return found


def measure(families, args, found):
    variants, start = Variants(small_classes(args.families, families.DEVICE)), time.monotonic()
    for number, (section, name, function, options) in enumerate(families.ALL):
        if args.only not in name or name in found:
            continue
        if time.monotonic() - start > args.seconds:
            print(f"no time is left for {name} and later rows", flush=True)
            return
        row, variants.row = Row(variants, families, args.turns), name
        variants.machine_code.clear()
        try:
            checks = [Check(variants, families, kind) for kind in KNOWN if args.check]
            for each in [*checks, row]:
                families.torch.manual_seed(number)
                function(each, **options)
            found[name] = {"section": section, **row.found}
            ratios = "  ".join(f"{kind} {row.found[kind]:7.3f}" for kind in KNOWN)
            print(f"{ratios}  {row.found['milliseconds'].get('own', 0):9.4f} ms  {name}", flush=True)
        except Exception as error:
            text = " ".join(str(error).split())[:300]
            found[name] = {"section": section, "error": f"{type(error).__name__}: {text}"}
            print(f"   error  {name}: {found[name]['error']}", flush=True)
        if args.output:
            Path(args.output).write_text(json.dumps(found, indent=1))


def report(found):
    """Whether the median is as small as asked for."""
    failed = sum("error" in row for row in found.values())
    print(f"{len(found) - failed} rows, {failed} failed; time on a generic variant over the own one's:")
    medians = {}
    for kind in KNOWN:
        ratios = sorted((row[kind], name) for name, row in found.items() if kind in row)
        if not ratios:
            print("no row was measured")
            return False
        medians[kind] = statistics.median(ratio for ratio, _ in ratios)
        mean = math.exp(statistics.fmean(math.log(ratio) for ratio, _ in ratios))
        same = sum(ratio == 1 for ratio, _ in ratios)
        print(f"{kind}: median {medians[kind]:.3f}, geometric mean {mean:.3f}, the same code {same}")
        for ratio, name in reversed(ratios):
            if ratio > ASKED:
                print(f"{ratio:8.3f}  {name}")
    return medians["sizes"] <= ASKED


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
