"""Runs random programs of the language on targets and compares what they store with NumPy.

    python -m fuzzing --target cpu,sim:cuda:90,sim:hip:gfx942,interpret --seconds 240 --jobs 16 --seed 0
    python -m fuzzing --replay sim:cuda:90 1234

Run it where the folder `fuzzing` is, with the package on PYTHONPATH; it needs NumPy alone. Targets: cpu, interpret,
cuda (the GPU of this machine), and simulated ones such as sim:cuda:80 and sim:hip:gfx942. Each target gets the same
programs, one for each seed. A program is right, or wrong (an output differs), refused although it is right, failed
(another error, or a wrong program that is not refused as it should be), crashed (its process ended) or hung. The last
five are printed, wrong ones reduced to the statements that the first wrong output needs; the exit status is 1 when
there is one.
"""

import argparse
import collections
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import shutil
import sys
import tempfile
import time

from .generator import MISTAKES, MUTANTS, TOPICS
from .worker import work

OUTCOMES = ("right", "refused", "wrong", "failed", "crashed", "hung")
PROGRAMS_OF_A_PROCESS = 1500
SECONDS_TO_START = 120


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="python -m fuzzing", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--target", default="cpu", help="what the programs run on, separated by commas")
    parser.add_argument("--seconds", type=float, default=60, help="how long, all in all (default: %(default)s)")
    parser.add_argument("--count", type=int, help="end after so many programs of each target")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (default: one for each core)")
    parser.add_argument("--seed", type=int, default=0, help="the first program's seed; the others follow")
    parser.add_argument(
        "--topic", choices=[*TOPICS, MISTAKES, MUTANTS], help="what the programs are about (default: drawn for each)"
    )
    parser.add_argument("--patience", type=float, default=60, help="seconds that a program may take")
    parser.add_argument("--show", type=int, default=10, help="finds to print of each target (default: %(default)s)")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder that gets a file for each find")
    parser.add_argument("--verify-passes", action="store_true", help="check the rules of the IR after every pass")
    parser.add_argument("--replay", nargs=2, metavar=("TARGET", "SEED"), help="run one program and print it")
    return parser.parse_args(arguments)


class Statistics:
    def __init__(self, options):
        self.options = options
        self.counts = collections.defaultdict(collections.Counter)
        self.finds = 0
        self.begin = self.told = time.monotonic()

    def take(self, target, seed, outcome, text):
        counts = self.counts[target]
        counts[outcome] += 1
        if outcome != "right":
            self.finds += 1
            if counts.total() - counts["right"] <= self.options.show:
                print(f"\n--- {target}, seed {seed}: {outcome}\n{text}", flush=True)
            if self.options.keep:
                self.options.keep.mkdir(parents=True, exist_ok=True)
                name = f"{target.replace(':', '-')}_{seed}_{outcome}.txt"
                (self.options.keep / name).write_text(text, encoding="utf-8")
        if time.monotonic() - self.told > 10:
            self.told = time.monotonic()
            print(f"{self.told - self.begin:.0f} s: {self.line()}", flush=True)

    def line(self):
        return "; ".join(f"{target}: {self.words(counts)}" for target, counts in self.counts.items())

    @staticmethod
    def words(counts):
        return ", ".join(
            f"{counts[outcome]} {outcome}" for outcome in OUTCOMES if outcome == "right" or counts[outcome]
        )

    def report(self):
        for target, counts in self.counts.items():
            print(f"{target}: " + ", ".join(f"{counts[outcome]} {outcome}" for outcome in OUTCOMES))


class Seeds:
    """The seeds of one target, for all processes that run it."""

    def __init__(self, options):
        self.next, self.end = options.seed, options.seed + options.count if options.count is not None else None
        self.returned = []

    def take(self):
        if self.returned:
            return self.returned.pop()
        if self.end is not None and self.next >= self.end:
            return None
        self.next += 1
        return self.next - 1


class Worker:
    """A process that runs one target until a time, and another one when that process ends."""

    def __init__(self, target, seeds, until, options):
        self.target, self.seeds, self.until, self.options = target, seeds, until, options
        self.folder = tempfile.mkdtemp(prefix="triton-fuzzing-")
        self.start()

    def start(self):
        environment = {"TRITON_VERIFY_PASSES": "1"} if self.options.verify_passes else {}
        settings = {"environment": environment, "topic": self.options.topic}
        context = multiprocessing.get_context("spawn")
        self.pipe, child = context.Pipe()
        self.process = context.Process(target=work, args=(child, self.target, self.folder, settings), daemon=True)
        self.process.start()
        child.close()
        self.seed, self.heard, self.ran = None, time.monotonic(), 0

    def send_next(self):
        """Whether there is more to do."""
        self.seed = self.seeds.take() if time.monotonic() < self.until else None
        if self.ran >= PROGRAMS_OF_A_PROCESS and self.seed is not None:
            self.seeds.returned.append(self.seed)
            self.end()
            self.start()
            return True
        self.heard = time.monotonic()
        try:
            self.pipe.send(self.seed)
        except OSError:
            pass  # the next look at the process finds that it ended
        self.ran += 1
        return self.seed is not None

    def look(self, is_ready, statistics):
        """Takes what the process says. Whether it goes on."""
        if is_ready:
            try:
                outcome, text = self.pipe.recv()
            except (EOFError, ConnectionResetError):
                return self.restart(statistics, "crashed")
            if outcome != "ready":
                statistics.take(self.target, self.seed, outcome, text)
                if self.options.replay and outcome == "right":
                    print(self.last_program())
            return self.send_next()
        patience = self.options.patience if self.seed is not None else SECONDS_TO_START
        if time.monotonic() - self.heard > patience:
            return self.restart(statistics, "hung")
        return True

    def restart(self, statistics, outcome):
        self.process.join(5 if outcome == "crashed" else 0)
        status = self.process.exitcode
        self.end()
        if self.seed is None:
            statistics.take(self.target, -1, "crashed", "the process ended before its first program")
            return False
        if outcome == "hung" or status != 0:
            how = "" if outcome == "hung" else f"# the process ended with {status}\n"
            statistics.take(self.target, self.seed, outcome, how + self.last_program())
        else:  # it ended by itself after its last answer, before it read this seed
            self.seeds.returned.append(self.seed)
        self.start()
        return True

    def last_program(self):
        return "\n".join(path.read_text(encoding="utf-8") for path in pathlib.Path(self.folder).glob("*.py"))

    def end(self):
        self.process.kill()
        self.process.join()
        self.pipe.close()

    def remove(self):
        self.end()
        shutil.rmtree(self.folder, ignore_errors=True)


def replay(options):
    target, seed = options.replay
    options.count, options.seed, options.show = 1, int(seed), 1
    statistics = Statistics(options)
    run(options, [target], statistics)
    return statistics


def run(options, targets, statistics):
    """Gives each target a process or more, or processes their time in turn where there are fewer."""
    jobs = max(1, options.jobs)
    seeds = {target: Seeds(options) for target in targets}
    turns = max(1, -(-len(targets) // jobs))
    share = options.seconds / turns
    begin = time.monotonic()
    for turn in range(turns):
        chosen = targets[turn * jobs : (turn + 1) * jobs]
        until = begin + share * (turn + 1)
        workers = [
            Worker(target, seeds[target], until, options)
            for target in [chosen[job % len(chosen)] for job in range(jobs)]
        ]
        while workers:
            ready = multiprocessing.connection.wait([worker.pipe for worker in workers], timeout=1)
            for worker in list(workers):
                if not worker.look(worker.pipe in ready, statistics):
                    workers.remove(worker)
                    worker.remove()


def main(arguments=None):
    options = parse(arguments)
    if options.replay:
        statistics = replay(options)
    else:
        statistics = Statistics(options)
        run(options, options.target.split(","), statistics)
    statistics.report()
    return 1 if statistics.finds else 0


if __name__ == "__main__":
    sys.exit(main())
