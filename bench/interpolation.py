"""How good choices of tuned kernels are for sizes that nobody has tuned: product of matrices, softmax and layer norm in
float16.

    python bench/interpolation.py [--kernels product,softmax,layer_norm] [--unseen 60] [--output times.json]
        [--seconds 235 --milliseconds 1] [--repeats 3]

Needs PyTorch, and a GPU for times that mean something. All configurations are measured for sizes that are tuned, which
are the corners of a range and random ones in it, and for unseen ones of the same kind, in random order: once to see
what a measurement is worth, and --repeats times more, one round after the other. With --seconds, it is for as many of
these as there is time for. The choice by the times of the tuned sizes is compared with what was the fastest for the
unseen size by the medians of the rounds: how many are within 3 %, the loss of nine in ten, and the largest.
Beside it are those of other ways to choose, of which "left out" is by the times of all other sizes, and "measured" the
fastest of the first time. At last, launches of unseen sizes go through `triton.autotune` itself, and must take the same
choices without measuring. --input reads the times of an earlier run. The exit status is 0 if 90 % are within 3 % for
each kernel.
"""

import argparse
import contextlib
import functools
import itertools
import json
import math
import random
import statistics
import sys
import time
from pathlib import Path

import interpolation_kernels as kernels
import triton
from triton.runtime._choices import candidates_of
from triton.runtime._interpolation import Measured, interpolate
from triton.runtime._recording import device_name, processors

#: Of --seconds, for imports before measuring and launches after it.
SECONDS_AROUND = 20
#: The smallest and the largest of each size of a key.
RANGES = {
    "product": [(512, 8192), (512, 8192), (512, 8192)],
    "softmax": [(1, 16384), (256, 16384)],
    "layer_norm": [(1, 16384), (256, 16384)],
}
TUNED_SIZES = {"product": 108, "softmax": 108, "layer_norm": 108}


def random_sizes(name, count, rng, known):
    """In the range, even in octaves: multiples of 64, of 8, or any; none of those that are known."""
    found, ranges = set(), RANGES[name]
    while len(found) < count:
        factor = rng.choice([64, 64, 8, 1])
        sizes = tuple(
            min(max(least, int(2 ** rng.uniform(math.log2(least), math.log2(most))) // factor * factor), most)
            for least, most in ranges
        )
        if sizes not in known:
            found.add(sizes)
    return sorted(found)


def tuned_sizes(name):
    corners = list(itertools.product(*RANGES[name]))
    return corners + random_sizes(name, TUNED_SIZES[name] - len(corners), random.Random(name), corners)


def measure(name, cases, milliseconds, end=math.inf):
    """[(sizes, {text of a configuration: milliseconds})], in random order, so that a GPU that gets slower spoils no
    size alone; of those that are begun before the end."""
    rows = []
    for number, sizes in enumerate(random.Random(1).sample(cases, len(cases)), start=1):
        if time.monotonic() > end:
            break
        launch, times = kernels.launch_of(name, sizes), {}
        for config in kernels.TUNED[name].configs:
            with contextlib.suppress(triton.runtime.errors.OutOfResources):
                run = functools.partial(launch, kernels.TUNED[name].fn, **config.all_kwargs())
                times[str(config)] = clock(run, milliseconds)
        rows.append((sizes, times))
        print(f"\r{name}: {number} of {len(cases)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return rows


def clock(run, milliseconds):
    """Without the host, where there is a GPU."""
    if triton.runtime.driver.active.get_current_target().backend == "cpu":
        return triton.testing.do_bench(run, warmup=1, rep=milliseconds, quantiles=[0.5])
    return triton.testing.do_bench_cudagraph(run, rep=milliseconds, quantiles=[0.5])


def losses_of(choose, again):
    """How many times as long as the fastest each choice takes."""
    return sorted(times.get(choose(sizes), math.inf) / min(times.values()) for sizes, times in again.items())


def nearest(sizes, tuned, times):
    logarithms = [math.log(size) for size in sizes]
    place = min(tuned, key=lambda other: math.dist(logarithms, [math.log(size) for size in other]))
    return min(times[place], key=times[place].get)


def judge(name, known, again, processors):
    """Prints a line for each way to choose; the share of interpolated choices within 3 %. ``known`` are the times of
    the first time, ``again`` the medians of the others, of unseen sizes."""
    tuned = [sizes for sizes in known if sizes not in again]
    names = {text for times in known.values() for text in times}
    mean = {text: sum(math.log(known[sizes].get(text, 1e9)) for sizes in tuned) for text in names}
    measured = measured_of(name, known, processors)

    def interpolated(sizes, others):
        return interpolate({each: measured[each] for each in others}, sizes, candidates(name, sizes)).configuration

    ways = {
        "interpolated": lambda sizes: interpolated(sizes, tuned),
        "left out": lambda sizes: interpolated(sizes, known.keys() - {sizes}),
        "of the nearest": lambda sizes: nearest(sizes, tuned, known),
        "one for all": lambda sizes: min(mean, key=mean.get),
        "measured": lambda sizes: min(known[sizes], key=known[sizes].get),
    }
    shares = {}
    for way, choose in ways.items():
        losses = losses_of(choose, again)
        shares[way] = sum(loss <= 1.03 for loss in losses) / len(losses)
        ninth = losses[math.ceil(0.9 * len(losses)) - 1]
        print(f"{name:12}{way:16}{shares[way]:10.1%}{ninth:12.3f}{losses[-1]:10.3f}")
    return shares["interpolated"]


def candidates(name, sizes):
    configs = {str(config): config for config in kernels.TUNED[name].configs}
    return candidates_of(kernels.TUNED[name], {"grid": kernels.grid_of(name, sizes)}, configs)


def measured_of(name, known, processors, rest=()):
    """{key: Measured} of {sizes: times}."""
    found = {}
    for sizes, times in known.items():
        programs = {text: each.programs for text, each in candidates(name, sizes).items()}
        found[(*sizes, *rest)] = Measured(min(times, key=times.get), times, programs, processors)
    return found


def check_launches(name, known, again):
    """Whether launches choose as `judge` has them choose, without measuring."""
    tuner, before = kernels.TUNED[name], triton.monitor.snapshot()
    rest = ["torch.float16"] * kernels.ARRAYS[name]
    tuned = {sizes: times for sizes, times in known.items() if sizes not in again}
    measured = tuner._loaded[device_name()] = measured_of(name, tuned, processors(), rest)
    for sizes in again:
        kernels.launch_of(name, sizes)(tuner)
        expected = interpolate(measured, (*sizes, *rest), candidates(name, sizes)).configuration
        assert str(tuner.best_config) == expected, (sizes, tuner.best_config, expected)
    seen = triton.monitor.snapshot() - before
    print(f"{name:12}{len(again)} launches: {seen.interpolations} interpolated, {seen.tuning_runs} measured")
    return (seen.interpolations, seen.tuning_runs) == (len(again), 0)


def rows_of(name, args, end):
    """[the times of all sizes, those of unseen ones once more for each round]."""
    tuned = tuned_sizes(name)
    unseen = random_sizes(name, args.unseen, random.Random(args.seed), tuned)
    known, rounds = measure(name, tuned, args.milliseconds), []
    for left in range(args.repeats + 1, 0, -1):
        now = time.monotonic()
        # What was measured in the first round is measured in all others, which take as long.
        share = now + (end - now) / left if left > args.repeats else end
        rounds.append(measure(name, unseen, args.milliseconds, share))
        unseen = [sizes for sizes, _ in rounds[-1]]
    if not unseen:
        raise SystemExit(f"{name}: the tuned sizes have taken all of the time; give more --seconds, or fewer --kernels")
    first, *rounds = [[row for row in rows if row[0] in unseen] for rows in rounds]
    return [known + first, *rounds]


def ends_of(names, args):
    """When to begin no more sizes of each kernel: all get a time that is as long as their work."""
    if args.seconds is None:
        return dict.fromkeys(names, math.inf)
    work = [(TUNED_SIZES[name] + (1 + args.repeats) * args.unseen) * len(kernels.TUNED[name].configs) for name in names]
    start, seconds = time.monotonic(), args.seconds - SECONDS_AROUND
    return {name: start + seconds * sum(work[: index + 1]) / sum(work) for index, name in enumerate(names)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", default=",".join(RANGES))
    parser.add_argument("--unseen", type=int, default=60, help="sizes of each kernel")
    parser.add_argument("--milliseconds", type=float, default=2, help="to measure a configuration, ten times on GPUs")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=3, help="rounds whose medians say which one was the fastest")
    parser.add_argument("--output", help="a file of JSON for the times")
    parser.add_argument("--input", help="such a file, in place of measuring")
    parser.add_argument("--seconds", type=float, help="for all of it; without, as long as it takes")
    args = parser.parse_args()
    found, is_well = json.loads(Path(args.input).read_text()) if args.input else {"processors": processors()}, True
    for name, end in ends_of(args.kernels.split(","), args).items():
        found[name] = found.get(name) or rows_of(name, args, end)
        if args.output:
            Path(args.output).write_text(json.dumps(found))
    print(f"{'':12}{'choice':16}{'within 3 %':>10}{'nine in ten':>12}{'the worst':>10}")
    for name in args.kernels.split(","):
        is_well &= judge(name, *times_of(found[name]), found["processors"]) >= 0.9
    if not args.input:
        for name in args.kernels.split(","):
            is_well &= check_launches(name, *times_of(found[name]))
    raise SystemExit(0 if is_well else 1)


def times_of(rounds):
    """{sizes: times} of the first time, and the medians of all others."""
    known, *others = [{tuple(sizes): times for sizes, times in rows} for rows in rounds]
    again = {}
    for sizes in others[0]:
        found = [times[sizes] for times in others]
        again[sizes] = {text: statistics.median(times.get(text, math.inf) for times in found) for text in found[0]}
    return known, again


if __name__ == "__main__":
    main()
