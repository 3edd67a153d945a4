"""Runs many random kernels on a device, in several processes, and compares what they store with NumPy.

    python python/test/whole_kernels/random_kernels.py --device cuda --count 20000 --jobs 16 --seed 0

Devices: cpu, sim:cuda:90, sim:hip:gfx942, cuda (the GPU of this machine), compile:cuda:90 and compile:hip:gfx942
(machine code alone, nothing runs). A kernel is wrong when an output differs, and failed when it does not compile or
run, ends its process or takes too long. Both are counted; the first of them are printed, wrong ones reduced to the
statements that the output needs. The exit status is 1 when there is one.
"""

import argparse
import collections
import importlib.util
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import re
import sys
import tempfile
import time
import traceback

BATCH = 20  # kernels of a source file
PATIENCE = 120  # seconds without a word from a process


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--device", default="cpu", help="cpu, cuda, sim:TARGET or compile:TARGET, such as sim:cuda:90 (default: cpu)"
    )
    parser.add_argument("--count", type=int, default=1000, help="kernels to run (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (default: one for each core)")
    parser.add_argument("--seed", type=int, default=0, help="the first kernel's seed; the others follow")
    parser.add_argument("--num-ctas", type=int, help="blocks that may run a program of sm_90")
    parser.add_argument("--show", type=int, default=5, help="kernels to print (default: %(default)s)")
    return parser.parse_args(arguments)


class Device:
    """Where the kernels of this process run."""

    def __init__(self, name):
        from triton.backends import backends
        from triton.backends.amd.driver import SimulatedHIPDriver, warp_size
        from triton.backends.compiler import GPUTarget
        from triton.backends.nvidia.driver import SimulatedDriver
        from triton.runtime.driver import driver

        kind, _, arch = name.rpartition(":")
        targets = {
            "compile:cuda": lambda: GPUTarget("cuda", int(arch), 32),
            "compile:hip": lambda: GPUTarget("hip", arch, warp_size(arch)),
        }
        self.compiles_for = targets[kind]() if kind in targets else None
        if name == "cuda":
            sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
            import device_copies

            driver.set_active(backends["nvidia"].driver())
            self.run = device_copies.run_on_copies(device_copies.CudaMemory())
        elif kind == "sim:cuda":
            driver.set_active(SimulatedDriver(int(arch)))
        elif kind == "sim:hip":
            driver.set_active(SimulatedHIPDriver(arch))
        elif name != "cpu" and self.compiles_for is None:
            raise SystemExit(f"there is no device `{name}`; use cpu, cuda, sim:cuda:90 or compile:cuda:90")
        else:
            driver.set_active_to_cpu()

    def mistakes(self, program, kernel, outputs=None):
        """The wrong outputs, each with its note."""
        if self.compiles_for is not None:
            self.compile(program, kernel)
            return []
        return program.mistakes(program.launch(self.launcher(kernel), outputs), outputs)

    def launcher(self, kernel):
        if not hasattr(self, "run"):
            return kernel

        class Launcher:
            def __getitem__(_, grid):
                return lambda *args, **kwargs: self.run(kernel, *args, grid=grid, **kwargs)

        return Launcher()

    def compile(self, program, kernel):
        import triton
        from triton.compiler.compiler import ASTSource

        short = {"float": "fp", "int": "i", "uint": "u"}
        rows = list(program.inputs) + [row.values for row in program.outputs]
        names = kernel.arg_names[: len(rows)]
        types = [re.sub("[a-z]+", lambda kind: "*" + short[kind[0]], str(row.dtype)) for row in rows]
        aligned = {(index,): [["tt.divisibility", 16]] for index in range(len(rows))}
        signature = dict(zip(names, types, strict=True)) | {"one": "i32"}
        source = ASTSource(kernel, signature, {"N": program.count, "SHIFT": program.shift}, aligned)
        triton.compile(source, target=self.compiles_for, options=program.options)


def load(folder, name, text):
    path = pathlib.Path(folder) / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def reduced(device, program, wrong, folder):
    """The statements that the first wrong output needs; the whole kernel where those alone are right."""
    from random_elements import HEADER

    output, note = wrong[0]
    text = program.source("kernel", [output])
    module = load(folder, f"reduced_{program.seed}", HEADER + text)
    if device.mistakes(program, module.kernel, [output]):
        return f"{text}# {note}"
    return f"{program.source('kernel')}# {note}\n# right on its own:\n" + re.sub("^", "# ", text, flags=re.M)


def work(pipe, device_name, options, seeds):
    """A process: tells what became of each kernel, launched with `options` beside its own, with its seed and a text.
    Ends early after a launch that failed on a GPU, where nothing else runs afterwards."""
    with tempfile.TemporaryDirectory(prefix="triton-random-") as folder:
        os.environ["TRITON_CACHE_DIR"] = os.path.join(folder, "cache")
        from random_elements import HEADER, RandomElements
        from triton import CompilationError

        device = Device(device_name)
        for first in range(0, len(seeds), BATCH):
            programs = [RandomElements(seed) for seed in seeds[first : first + BATCH]]
            for program in programs:
                program.options |= options
            text = HEADER + "\n\n".join(program.source(f"k{program.seed}") for program in programs)
            module = load(folder, f"batch_{seeds[first]}", text)
            for program in programs:
                try:
                    wrong = device.mistakes(program, getattr(module, f"k{program.seed}"))
                    pipe.send(
                        (program.seed, "wrong", reduced(device, program, wrong, folder))
                        if wrong
                        else (program.seed, "right", "")
                    )
                except Exception as error:
                    pipe.send((program.seed, "failed", program.source("kernel") + traceback.format_exc(limit=3)))
                    if device_name == "cuda" and not isinstance(error, CompilationError):
                        return


class Worker:
    """A process and the seeds that it has not told about yet."""

    def __init__(self, device_name, options, seeds):
        context = multiprocessing.get_context("spawn")
        self.seeds = collections.deque(seeds)
        self.pipe, child = context.Pipe(duplex=False)
        self.process = context.Process(target=work, args=(child, device_name, options, list(seeds)), daemon=True)
        self.process.start()
        child.close()
        self.heard = time.monotonic()

    def receive(self):
        """The next report; None at the end of the process."""
        try:
            report = self.pipe.recv()
        except EOFError:
            return None
        self.heard = time.monotonic()
        self.seeds.remove(report[0])
        return report

    def is_late(self):
        return time.monotonic() - self.heard > PATIENCE

    def stop(self):
        self.process.join(0 if self.is_late() else 20)
        self.process.kill()
        self.process.join()
        self.pipe.close()


class Statistics:
    def __init__(self, total, show):
        self.total, self.left = total, show
        self.counts = collections.Counter()
        self.begin = self.told = time.monotonic()

    def take(self, seed, outcome, text):
        self.counts[outcome] += 1
        if outcome != "right" and self.left > 0:
            self.left -= 1
            print(f"\n--- seed {seed}: {outcome}\n{text}", flush=True)
        if time.monotonic() - self.told > 5:
            self.told = time.monotonic()
            print(self.line(), flush=True)

    def line(self):
        done = self.counts.total()
        rate = done / max(time.monotonic() - self.begin, 1e-3)
        return (
            f"{done} of {self.total} kernels, {rate:.1f} a second: "
            f"{self.counts['wrong']} wrong, {self.counts['failed']} failed"
        )


def main(arguments=None):
    options = parse(arguments)
    seeds = range(options.seed, options.seed + options.count)
    statistics = Statistics(options.count, options.show)
    added = {"num_ctas": options.num_ctas} if options.num_ctas else {}
    jobs = min(options.jobs, options.count)
    workers = [Worker(options.device, added, seeds[job::jobs]) for job in range(jobs)]
    while workers:
        ready = multiprocessing.connection.wait([worker.pipe for worker in workers], timeout=1)
        for worker in list(workers):
            report = worker.receive() if worker.pipe in ready else None
            if report:
                statistics.take(*report)
            if report or not (worker.pipe in ready or worker.is_late()):
                continue
            worker.stop()
            workers.remove(worker)
            # A process that ends in the middle of its list has told about its last kernel, or died in the next one.
            if worker.seeds and (worker.is_late() or worker.process.exitcode != 0):
                how = (
                    f"its process ended with {worker.process.exitcode}" if not worker.is_late() else "it takes too long"
                )
                statistics.take(worker.seeds.popleft(), "failed", how)
            if worker.seeds:
                workers.append(Worker(options.device, added, worker.seeds))
    print(f"{options.device}, seeds {seeds.start} to {seeds.stop - 1}: {statistics.line()}")
    return 1 if statistics.counts["right"] < options.count else 0


if __name__ == "__main__":
    sys.exit(main())
