"""Serves random requests from a bundle while what it stands on breaks, and counts what a request must not notice.

    python bench/zero_jit_soak.py [--seconds 3600] [--device cuda] [--folder SMALL_DISK]

Processes serve the requests of zero_jit.py from a signed bundle, frozen, and compare all results with NumPy's. One more
process compiles what it needs, with the same cache. Meanwhile, at random:

- the cache is removed;
- the disk is full: no process may write a file, and --folder, if it is a small file system, is filled;
- another bundle takes the place of the first, and the process that writes it is killed;
- the driver is reset: the process of a GPU ends at once, as after an error that its context does not survive, and
  another one starts; or a process drops its driver and goes on with a new one.

Requests that a process was ended in go to the next one. It is an error if a request fails or gets no answer, if one
is compiled for, or if a bundle or a file of the cache is torn. The host's part of a launch is that of a kernel that
does nothing: of launches that find all in memory, and of the first two in a process.
"""

import argparse
import contextlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import zero_jit

KEY = b"the key of a soak"
SLOW_US = 1_000
HOST_LAUNCHES = 20  # of the kernel that does nothing, in each request
FIRST_COUNTS = [1001, 1008]  # one of each class, which its first launch takes from the bundle
GENERATION = "soak/generation"  # an item of the bundle that differs from one to the next


# ---- A process that serves ----


def serve(args):
    """Answers each line of standard input, a request's number, by a line of JSON."""
    import triton

    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    if args.bundle:
        # Here and there also all at once.
        loaded = triton.load_bundle(args.bundle, key=KEY, eager=os.getpid() % 3 == 0)
        assert loaded.classes is not None and not loaded.problems, loaded.problems
        triton.freeze()
    server, is_new = zero_jit.Server(zero_jit.Device(args.device)), True
    print(json.dumps({"ready": True}), file=answers)
    for line in sys.stdin:
        if line == "reset\n":
            reset_driver()
            continue
        server.launch_us, before = [], triton.monitor.snapshot()
        try:
            server.serve(next(zero_jit.requests(int(line), 1)), check=True)
            first_us = launch_nothing(server, FIRST_COUNTS) if is_new else []
            host_us, is_new = launch_nothing(server, range(1001, 1001 + HOST_LAUNCHES)), False
        except Exception as error:
            print(json.dumps({"lost": f"{type(error).__name__}: {error}"}), file=answers)
            continue
        seen = triton.monitor.snapshot() - before
        answer = {"request": int(line), "compilations": seen.compilations, "from_bundle": seen.bundle_hits}
        answer |= {"generic": seen.fallbacks, "wait_ms": seen.wait_ms, "waits": seen.waits}
        answer |= {"host_us": host_us, "first_us": first_us}
        print(json.dumps(answer), file=answers)


def reset_driver():
    """Goes on with a new driver, as a program that has reset its device."""
    import triton

    triton.runtime.driver.set_active(type(triton.runtime.driver.active)())


def launch_nothing(server, counts):
    """The microseconds of launches: by the clock, and of this thread alone."""
    import serving_kernels

    times = []
    for count in counts:
        # Linux takes the core away where a thread asks for its own time and has used its share.
        own, start = time.thread_time_ns(), time.perf_counter_ns()
        serving_kernels.nothing[(1,)](server.weight, count, BLOCK=16)
        times.append(((time.perf_counter_ns() - start) / 1e3, (time.thread_time_ns() - own) / 1e3))
    server.device.wait()
    return times


# ---- A process that replaces the bundle ----


def replace(args):
    """Writes bundles of the same kernels to the path, one after the other, and says when one is there."""
    import triton

    bundle = triton._C.open_bundle(args.source, KEY)
    items = {name: bundle.item(name) for name in bundle.item_names("")}
    for generation in range(sys.maxsize):
        items[GENERATION] = b"%d of %d" % (generation, os.getpid())
        try:
            triton._C.aot_bundle(args.bundle, [], ["cpu"], items, KEY)
        except Exception:  # the disk is full
            time.sleep(0.01)
        else:
            print("replaced", flush=True)
        time.sleep(random.uniform(0, 0.05))


# ---- The soak ----


class Totals:
    """What has happened, of all processes."""

    def __init__(self):
        self.numbers, self.problems, self.host_us, self.first_us = Counter(), [], [], []
        self.access = threading.Lock()

    def count(self, **amounts):
        with self.access:
            self.numbers.update(amounts)

    def wrong(self, what, message):
        with self.access:
            self.numbers[what] += 1
            self.problems.append(f"{what}: {message}")

    def answered(self, answer, is_frozen):
        with self.access:
            self.numbers["requests" if is_frozen else "requests beside"] += 1
            if is_frozen:
                for name in ("compilations", "from_bundle", "generic", "waits", "wait_ms"):
                    self.numbers[name] += answer[name]
                self.host_us += answer["host_us"]
                self.first_us += answer["first_us"]
            else:
                self.numbers["compilations beside"] += answer["compilations"]


class Place:
    """A process that serves, and the next one when it has ended."""

    def __init__(self, soak, number, is_frozen):
        self.soak, self.is_frozen, self.random = soak, is_frozen, random.Random(number)
        self.process, self.was_killed, self.ready = None, False, threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.soak.ending.is_set():
            number = self.soak.next_request()
            while not self.answer(number):
                if self.soak.totals.numbers["died"] > 10:  # processes do not serve
                    self.soak.ending.set()
                    return self.ready.set()
                self.soak.totals.count(**{"sent again": 1})
        self.stop()

    def answer(self, number):
        """Whether the request was answered, or is lost; not if its process was killed."""
        try:
            if self.process is None and not self.start():
                return False
            self.process.stdin.write(f"{number}\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            self.ended(number)
            return False
        answer = json.loads(line)
        if "lost" in answer:
            self.soak.totals.wrong("lost", f"request {number}: {answer['lost']}")
        else:
            self.soak.totals.answered(answer, self.is_frozen)
        return True

    def start(self):
        self.was_killed = False
        self.process = self.soak.start_server(self.is_frozen)
        if self.process.stdout.readline():
            self.soak.totals.count(starts=1)
            self.ready.set()
            return True
        self.ended("the start")
        return False

    def ended(self, where):
        status, self.process = self.process.wait(), None
        if not self.was_killed:
            self.soak.totals.wrong("died", f"a process ended with {status} in {where}")

    def disturb(self):
        """A reset of the driver, of either kind."""
        process, kind = self.process, "drivers reset"
        if process is None or self.was_killed:
            return
        with contextlib.suppress(OSError, ValueError):
            if self.random.random() < 0.3:
                self.was_killed, kind = True, "processes ended"
                process.kill()
            else:
                process.stdin.write("reset\n")
        self.soak.totals.count(**{kind: 1})

    def stop(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()


class Soak:
    def __init__(self, args, folder):
        self.args, self.folder, self.totals = args, folder, Totals()
        self.cache, self.bundle, self.first = folder / "cache", folder / "kernels.bundle", folder / "first.bundle"
        self.ending, self.random = threading.Event(), random.Random(args.seed)
        self.number, self.access = 0, threading.Lock()
        self.replacing, self.places = None, []

    def next_request(self):
        with self.access:
            self.number += 1
            return self.args.seed * 1_000_000 + self.number

    def environment(self, **own):
        path = os.pathsep.join(filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH")]))
        backend = {"TRITON_CPU_BACKEND": "1"} if self.args.device == "cpu" else {}
        return {**os.environ, **backend, "PYTHONPATH": path, "TRITON_CACHE_DIR": str(self.cache), **own}

    def start(self, command, *words, **environment):
        words = [sys.executable, __file__, command, *map(str, words)]
        pipe = subprocess.PIPE
        return subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True, env=self.environment(**environment))

    def start_server(self, is_frozen, **environment):
        words = ["--device", self.args.device, *(["--bundle", self.bundle] if is_frozen else [])]
        return self.start("serve", *words, TRITON_FALLBACK="generic" if is_frozen else "0", **environment)

    def build(self):
        """Records the canary, and builds the bundle that all others are made of."""
        classes = self.folder / "classes.jsonl"
        canary = self.start_server(False, TRITON_RECORD_CLASSES=str(classes))
        canary.stdin.write("".join(f"{number}\n" for number in range(self.args.canary)))
        lines = canary.communicate()[0].splitlines()
        assert len(lines) == 1 + self.args.canary and not any("lost" in line for line in lines), lines
        (self.folder / "key").write_bytes(KEY)
        target = self.args.target or ("cpu" if self.args.device == "cpu" else "cuda:90")
        words = [sys.executable, "-m", "triton.tools.build", classes, "--target", target, "-o", self.first]
        words += ["--key", self.folder / "key"]
        environment = self.environment(TRITON_FALLBACK="generic", TRITON_CACHE_DIR=str(self.folder / "built"))
        subprocess.run(words, check=True, env=environment, stdout=sys.stderr)
        shutil.copy(self.first, self.bundle)

    def run(self):
        self.places = [Place(self, number, number > 0) for number in range(1 + self.args.processes)]
        troubles = [self.remove_cache, self.fill_disk, self.end_writer, self.reset_a_driver]
        for place in self.places:
            place.ready.wait(60)
        end, last_line = time.monotonic() + self.args.seconds, time.monotonic()
        try:
            self.start_writer()
            while time.monotonic() < end and not self.ending.is_set():
                time.sleep(self.random.uniform(0, 2 * self.args.pause))
                self.random.choice(troubles)()
                if time.monotonic() > last_line + 60:
                    last_line = time.monotonic()
                    print(f"{end - last_line:.0f} s to go: {dict(self.totals.numbers)}", file=sys.stderr, flush=True)
        finally:
            self.ending.set()
            self.stop_writer()
            for place in self.places:
                place.thread.join()
        self.check_files()

    # ---- Troubles ----

    def remove_cache(self):
        shutil.rmtree(self.cache, ignore_errors=True)
        self.totals.count(**{"caches removed": 1})

    def fill_disk(self):
        """For a moment."""
        processes = [each for each in [self.replacing, *(place.process for place in self.places)] if each is not None]
        limit = self.random.choice([0, 1_000, 30_000])
        for process in processes:
            limit_files(process, limit)
        filler = self.folder / "filler"
        if shutil.disk_usage(self.folder).free < 1 << 28:
            with contextlib.suppress(OSError), open(filler, "wb", buffering=0) as file:
                while True:
                    file.write(bytes(1 << 16))
        time.sleep(self.random.uniform(0, self.args.pause))
        filler.unlink(missing_ok=True)
        for process in processes:
            limit_files(process, resource.RLIM_INFINITY)
        self.totals.count(**{"disks full": 1})

    def start_writer(self):
        self.replacing = self.start("replace", "--bundle", self.bundle, "--source", self.first)
        threading.Thread(target=self.read_writer, args=(self.replacing,), daemon=True).start()

    def read_writer(self, process):
        for _ in process.stdout:
            self.totals.count(replacements=1)

    def stop_writer(self):
        self.replacing.kill()
        self.replacing.wait()

    def end_writer(self):
        """Whatever it does at the moment; what it leaves must be a whole bundle."""
        self.stop_writer()
        self.totals.count(**{"writers ended": 1})
        self.check_bundle()
        for left in self.folder.glob("kernels.bundle.*"):
            self.totals.count(**{"unfinished files": 1})
            left.unlink()
        self.start_writer()

    def reset_a_driver(self):
        self.random.choice(self.places).disturb()

    # ---- Torn files ----

    def check_bundle(self):
        import triton

        try:
            bundle = triton._C.open_bundle(str(self.bundle), KEY)
            for name in bundle.item_names(""):
                bundle.item(name)
        except ValueError as error:
            self.totals.wrong("torn", str(error))

    def check_files(self):
        """The cache's as well."""
        self.check_bundle()
        for path in self.cache.glob("*/*.json"):
            try:
                json.loads(path.read_bytes())
            except ValueError as error:
                self.totals.wrong("torn", f"{path}: {error}")


def limit_files(process, size):
    """The largest size to which the process may write a file."""
    with contextlib.suppress(OSError):  # it may have ended
        hard = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (min(size, hard) if hard >= 0 else size, hard))


def quantile(ordered, share):
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


def report(totals, seconds):
    """Prints the figures; whether all is well."""
    numbers = totals.numbers
    for name in ("lost", "died", "compilations", "torn"):
        numbers.setdefault(name, 0)
    print(f"{seconds:.0f} s, {numbers['requests']} requests from bundles, {numbers['requests beside']} beside them")
    for name in sorted(numbers.keys() - {"requests", "requests beside"}):
        print(f"  {name:20} {numbers[name]:g}")
    print(f"{'host part of launches, us':42}      p50      p99    p99.9      max   above 1 ms")
    for of_what, times in (("in memory", totals.host_us), ("the first of a class", totals.first_us)):
        for how, clock in (("by the clock", 0), ("of the thread alone", 1)):
            ordered = sorted(each[clock] for each in times)
            figures = [quantile(ordered, share) for share in (0.5, 0.99, 0.999, 1)]
            slow = f"{sum(each > SLOW_US for each in ordered)} of {len(ordered)}"
            print(f"  {of_what}, {how}".ljust(43) + "".join(f"{figure:9.1f}" for figure in figures) + f"{slow:>14}")
    for problem in totals.problems[:20]:
        print(problem)
    return numbers["requests"] > 0 and not any(numbers[name] for name in ("lost", "died", "compilations", "torn"))


def soak(args):
    with contextlib.ExitStack() as stack:
        folder = args.folder or stack.enter_context(tempfile.TemporaryDirectory(prefix="zero-jit-soak-"))
        running = Soak(args, Path(folder))
        running.build()
        start = time.monotonic()
        running.run()
        is_well = report(running.totals, time.monotonic() - start)
    raise SystemExit(0 if is_well else 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", nargs="?", default="soak", choices=["soak", "serve", "replace"])
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--processes", type=int, default=2, help="that serve from the bundle")
    parser.add_argument("--pause", type=float, default=0.5, help="seconds between two troubles, in the mean")
    parser.add_argument("--canary", type=int, default=20, help="requests that the bundle is built of")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--target", help="of the bundle; cuda:90 for an H100 or H200")
    parser.add_argument("--folder", help="for the cache and the bundle, such as a small file system, which gets filled")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bundle", help="of `serve` and `replace`")
    parser.add_argument("--source", help="of `replace`: the bundle with the kernels")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    {"soak": soak, "serve": serve, "replace": replace}[args.command](args)


if __name__ == "__main__":
    main()
