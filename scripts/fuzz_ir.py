#!/usr/bin/env python3
"""Feeds damaged IR to triton-opt and tritonc: whatever the text, they must end soon and with an ordinary error.

The inputs are the lit tests (for triton-opt, with the passes of their RUN lines and with whole stages) and every stage
of the example kernels (for tritonc). With --orders, the lit tests are left as they are and go through passes of all
RUN lines in any order, also those of another stage. Mutant N of a seed is always the same one, so that a failure can be
repeated:

    scripts/fuzz_ir.py build --count 5000 --seed 1 --keep /tmp/mutants
    scripts/fuzz_ir.py build --seed 1 --only 1234 --keep /tmp/mutants

With --seconds, mutants that have not ended by then are left out. The last line says how many ran. It is printed every
ten seconds as it is then, so that a run that is killed has said what it did.

The exit status is 1 when a tool crashed, aborted or did not end. Each such mutant is printed with the command that
shows the failure, and written to the folder of --keep.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time

from lit_tests import lit_tests

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIME_LIMIT = 30  # seconds; a mutant takes a tenth of one
COUNT_EVERY = 10  # seconds
LEFT_OUT = "left out"
MEMORY_LIMIT = 4 << 30

TOKEN = re.compile(
    r"%[\w$.#-]+|[@#!^][\w$.]+|\"[^\"\n]*\"|\d+\.\d+(?:e[+-]?\d+)?|0x[0-9a-fA-F]+|\d+|[\w$.]+|->|[^\s\w]"
)
NUMBERS = ("0", "1", "-1", "2", "3", "7", "31", "33", "64", "255", "1024", "65536", "-2147483648", "2147483648",
           "9223372036854775807", "-9223372036854775808", "18446744073709551616")  # fmt: skip
TYPES = ("i1", "i8", "i16", "i32", "i64", "i128", "i7", "index", "f16", "bf16", "f32", "f64", "f128", "none",
         "vector<4xf32>", "tensor<16xi32>", "tensor<?xf32>", "memref<4xi8>", "!llvm.ptr", "!llvm.ptr<3>", "ptr",
         "ptr addrspace(3)", "<4 x i32>", "half", "float", "double", "fp128", "void", "token", "x86_amx",
         "{ i32, i64 }", "[4 x i8]", "tuple<i32, f32>", "!tt.ptr<f32>", "tensor<16x!tt.ptr<f16>>")  # fmt: skip
TYPE = re.compile(r"i\d+|index|bf16|f\d+|half|float|double|ptr|void|!llvm\.ptr|!tt\.ptr")
NUMBER = re.compile(r"\d+")
# Passes beyond those of the RUN lines, with whatever options they have.
STAGES = (
    "--triton-ttir",
    "--triton-ttir --triton-ttgir=target=cuda:90",
    "--triton-ttgir=target=cuda:90",
    "--triton-ttir --triton-ttgir=target=cuda:80 --allocate-shared-memory --convert-triton-gpu-to-llvm",
    "--triton-cpu-lower-tiles --cse",
    "--triton-ttir --triton-cpu-lower-tiles --cpu-verify-ttcir",
    "--cpu-convert-division --cpu-convert-math",
    "--canonicalize --cse --loop-invariant-code-motion --sccp",
)
KERNELS = {
    "vector_add.py:add_kernel": "*fp32:16,*fp32:16,*fp32:16,i32,256",
    "matmul.py:matmul_kernel": "*fp16:16,*fp16:16,*fp16:16,i32,i32,i32,i32:16,1,i32:16,1,i32:16,1,32,32,32,8,None",
    "fused_softmax.py:softmax_kernel": "*fp32,*fp32,i32,i32,i32,i32,128",
    "layer_norm.py:layer_norm_kernel": "*fp16,*fp16,*fp16,*fp16,*fp32,*fp32,i32,i32,fp32,128",
    "dropout.py:seeded_dropout_kernel": "*fp32,*fp32,i32,fp32,i32,128",
}

Task = collections.namedtuple("Task", ["text", "suffix", "command"])


def numbered_edit(rng, tokens):
    """Changes one token, or a few that stand together; `tokens` are the pieces of a line, spaces included."""
    places = [i for i, token in enumerate(tokens) if not token.isspace() and token]
    if not places:
        return
    at = rng.choice(places)
    token = tokens[at]
    kind = rng.random()
    if NUMBER.fullmatch(token) and kind < 0.7:
        tokens[at] = rng.choice(NUMBERS)
    elif TYPE.fullmatch(token) and kind < 0.8:
        tokens[at] = rng.choice(TYPES)
    elif kind < 0.25:
        tokens[at] = ""
    elif kind < 0.4:
        tokens[at] = token + " " + token
    elif kind < 0.55:
        other = rng.choice(places)
        tokens[at], tokens[other] = tokens[other], tokens[at]
    else:
        # Something of the same kind from elsewhere, such as another value or another operation.
        tokens[at] = None


def mutate(text, rng):
    lines = text.split("\n")
    words = collections.defaultdict(list)
    for token in TOKEN.findall(text):
        words["word" if token[0].isalpha() else token[0]].append(token)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if not lines:
            return ""
        at = rng.randrange(len(lines))
        kind = rng.random()
        if kind < 0.08:
            del lines[at]
        elif kind < 0.14:
            lines.insert(at, lines[at])
        elif kind < 0.2:
            other = rng.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        else:
            pieces = re.split(f"({TOKEN.pattern})", lines[at])
            before = list(pieces)
            numbered_edit(rng, pieces)
            for i, piece in enumerate(pieces):
                if piece is None:
                    key = "word" if before[i][0].isalpha() else before[i][0]
                    pieces[i] = rng.choice(words[key] or [before[i]])
            lines[at] = "".join(pieces)
    return "\n".join(lines)


def lit_inputs():
    """(text, passes) of each part of each lit test."""
    for path in lit_tests():
        if path.suffix == ".ll":
            continue
        text = path.read_text()
        runs = re.findall(r"RUN: triton-opt ([^|>\n]*)", text)
        options = [
            " ".join(word for word in shlex.split(run) if word.startswith("--") and "debug" not in word and
                     word not in ("--split-input-file", "--verify-diagnostics"))
            for run in runs
        ]  # fmt: skip
        for part in re.split(r"^// -----.*$", text, flags=re.MULTILINE):
            part = "\n".join(line for line in part.split("\n") if not line.lstrip().startswith("//"))
            if part.strip():
                yield part.strip() + "\n", sorted(set(options))


def kernel_stages(tritonc, folder):
    """(text, suffix, target) of each stage of the example kernels."""
    for kernel, signature in KERNELS.items():
        for target in ("cpu", "cuda:90"):
            out = folder / f"{kernel.partition(':')[2]}-{target.replace(':', '-')}"
            command = [tritonc, "compile", ROOT / "examples/kernels" / kernel, "--target", target, "-o", out]
            subprocess.run([*command, "--signature", signature], check=True, capture_output=True)
            for path in sorted(out.glob("*")):
                if path.suffix in (".ttir", ".ttcir", ".ttgir", ".llir", ".ptx"):
                    yield path.read_text(), path.suffix, target


def limit_memory():
    """For this process and those that it starts, which need no code between fork and exec then."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Fuzzer:
    def __init__(self, build, seed, folder, orders=False, seconds=None):
        self.optimizer = build / "tools/triton-opt/triton-opt"
        self.tritonc = build / "tools/tritonc/tritonc"
        self.seed, self.folder = seed, folder
        self.passes = list(lit_inputs())
        self.stages = list(kernel_stages(self.tritonc, folder))
        self.orders = orders
        self.end = None if seconds is None else time.monotonic() + seconds
        self.flags = sorted(
            {flag for _, options in self.passes for words in options for flag in words.split() if flag.startswith("--")}
        )

    def task(self, number):
        """Mutant `number`: the text, the suffix of its file and the command."""
        rng = random.Random(f"{self.seed}-{number}")
        if self.orders:
            text, _ = rng.choice(self.passes)
            return Task(text, ".mlir", [self.optimizer, *rng.choices(self.flags, k=rng.randint(1, 6))])
        if number % 2 == 0 or not self.stages:
            text, options = rng.choice(self.passes)
            chosen = rng.choice(STAGES) if not options or rng.random() < 0.5 else rng.choice(options)
            return Task(mutate(text, rng), ".mlir", [self.optimizer, *shlex.split(chosen)])
        text, suffix, target = rng.choice(self.stages)
        options = ["--target", target, "-o", self.folder / "out"]
        return Task(mutate(text, rng), suffix, [self.tritonc, "compile", *options])

    def run(self, number):
        """What is wrong with mutant `number`, and the task: None when the tool behaved, LEFT_OUT without time."""
        left = TIME_LIMIT if self.end is None else min(TIME_LIMIT, self.end - time.monotonic())
        if left <= 0:
            return LEFT_OUT
        task = self.task(number)
        path = self.folder / f"{number}{task.suffix}"
        path.write_text(task.text)
        command = [*map(str, task.command), str(path)]
        environment = {"TRITON_ALWAYS_COMPILE": "1", "TRITON_CACHE_DIR": str(self.folder / "cache"), "PATH": "/usr/bin",
                       "TMPDIR": str(self.folder)}  # fmt: skip
        if "LD_LIBRARY_PATH" in os.environ:  # tools that were carried to another machine
            environment["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
        try:
            done = subprocess.run(command, capture_output=True, timeout=left, env=environment)
        except subprocess.TimeoutExpired:
            return ("does not end", command) if left == TIME_LIMIT else LEFT_OUT
        errors = done.stderr.decode(errors="replace")
        path.unlink()
        if done.returncode < 0:
            return f"signal {-done.returncode}", command
        for sign in ("LLVM ERROR", "Stack dump", "Assertion", "UNREACHABLE"):
            if sign in errors:
                return sign, command
        return None


def describe_failure(fuzzer, number, problem, command, keep):
    task = fuzzer.task(number)
    if keep:
        path = keep / f"seed{fuzzer.seed}-{number}{task.suffix}"
        path.write_text(task.text)
        command = [*command[:-1], str(path)]
    print(f"mutant {number}: {problem}: {shlex.join(command)}", flush=True)


def print_counts(seed, ran, failures):
    print(f"{ran} mutants of seed {seed}: {failures} failures", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first mutant")
    parser.add_argument("--count", type=int, default=1000, help="how many mutants")
    parser.add_argument("--seconds", type=float, help="leave out mutants that have not ended by then")
    parser.add_argument("--only", type=int, help="the number of the only mutant")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--orders", action="store_true", help="valid IR through passes in any order")
    parser.add_argument("--keep", type=pathlib.Path, help="write failing mutants to this folder")
    arguments = parser.parse_args()
    numbers = range(arguments.first, arguments.first + arguments.count)
    if arguments.only is not None:
        numbers = [arguments.only]
    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)
    limit_memory()
    ran = failures = 0
    with tempfile.TemporaryDirectory(prefix="fuzz-ir-") as folder:
        fuzzer = Fuzzer(
            arguments.build.resolve(), arguments.seed, pathlib.Path(folder), arguments.orders, arguments.seconds
        )
        if not fuzzer.stages:
            sys.exit("no example kernel compiles: is tritonc built?")
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            counted = time.monotonic()
            for number, found in zip(numbers, pool.map(fuzzer.run, numbers), strict=True):
                if found is LEFT_OUT:
                    continue
                ran += 1
                if found:
                    failures += 1
                    describe_failure(fuzzer, number, *found, arguments.keep)
                if time.monotonic() > counted + COUNT_EVERY:
                    counted = time.monotonic()
                    print_counts(arguments.seed, ran, failures)
    print_counts(arguments.seed, ran, failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
