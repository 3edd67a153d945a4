#!/usr/bin/env python3
"""Makes a failing kernel or IR file small, by taking away all that the failure does not need.

    scripts/reduce_kernel.py wrong.mlir --expect "Stack dump" -- build/tools/triton-opt/triton-opt --triton-licm {}
    scripts/reduce_kernel.py wrong.py --expect "internal compiler error" -- .venv/bin/python {}
    scripts/reduce_kernel.py wrong.mlir -- ./interesting.sh {}

The command runs on each attempt in place of `{}`. With --expect an attempt still fails when the regular expression is
found in what the command prints; without, when the command exits with 0, as scripts for mlir-reduce do. What is left
goes to --output, by default the input's name with `.reduced` before the suffix. Lines of the input that a comment marks
with `keep` stay.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

DEFINITION = re.compile(r"^(\s*)(%[\w$.-]+) = (.*(?:->|:))\s*([^:{}]*?)\s*(?:loc\(.*\))?\s*$")
FUNCTION = re.compile(r"(func(?:\.func)?\s+(?:public\s+|private\s+)?@[\w$.\"-]+\()(.*)")


class Reducer:
    """The lines that are left, and the test that decides what may go."""

    def __init__(self, lines, still_fails):
        self.lines, self.still_fails = lines, still_fails
        self.attempts = 0

    def attempt(self, lines):
        """Keeps these lines if they still fail."""
        if lines == self.lines or not any(line.strip() for line in lines):
            return False
        self.attempts += 1
        if not self.still_fails("\n".join(lines) + "\n"):
            return False
        self.lines = lines
        return True

    def remove_runs(self):
        """Removes runs of lines, long ones first and from the end on: later lines use what earlier ones define."""
        size = max(1, len(self.lines) // 2)
        changed = False
        while True:
            end = len(self.lines)
            while end > 0:
                start = max(0, end - size)
                kept = [line for line in self.lines[start:end] if re.search(r"(#|//).*\bkeep\b", line)]
                changed |= self.attempt(self.lines[:start] + kept + self.lines[end:])
                end = min(start, len(self.lines))
            if size == 1:
                return changed
            size //= 2

    def remove_blocks(self):
        """Removes what opens and closes a block (`scf.for ... {` and `}`; `for ...:`) around lines that stay."""
        changed = False
        for at in reversed(range(len(self.lines))):
            if at >= len(self.lines):
                continue
            line = self.lines[at]
            indent = len(line) - len(line.lstrip())
            inner = [
                number
                for number in range(at + 1, len(self.lines))
                if all(
                    not other.strip() or len(other) - len(other.lstrip()) > indent
                    for other in self.lines[at + 1 : number + 1]
                )
            ]
            if not inner or not line.rstrip().endswith(("{", ":")):
                continue
            last = inner[-1] + 1
            closes = last < len(self.lines) and self.lines[last].lstrip().startswith("}")
            body = [" " * indent + text.lstrip() if text.strip() else text for text in self.lines[at + 1 : last]]
            changed |= self.attempt(self.lines[:at] + body + self.lines[last + closes :]) or (
                line.rstrip().endswith("{") and self.attempt(self.lines[:at] + self.lines[last + closes :])
            )
        return changed

    def forget_computations(self):
        """Makes values of IR arguments of their function, or poison, so that what computed them can go."""
        changed = False
        for at in reversed(range(len(self.lines))):
            definition = DEFINITION.match(self.lines[at])
            if not definition or " = ub.poison" in self.lines[at]:
                continue
            indent, name, operation, types = definition.groups()
            # Of several types the first is the result's, as in `tt.addptr %p, %i : !tt.ptr<f32>, i32`.
            kind = types if "->" in operation else re.split(r", (?![^<]*>)", types)[0]
            if operation.startswith("arith.cmp"):
                kind = re.sub(r"\b(i\d+|b?f\d+|index)\b(?=>?$)", "i1", kind)
            before, after = self.lines[:at], self.lines[at + 1 :]
            function = next((n for n in reversed(range(at)) if FUNCTION.search(before[n])), None)
            if function is not None:
                opened = FUNCTION.search(before[function]).end(1)
                rest = before[function][opened:]
                header = f"{before[function][:opened]}{name}: {kind}{'' if rest.startswith(')') else ', '}{rest}"
                if self.attempt([*before[:function], header, *before[function + 1 :], *after]):
                    changed = True
                    continue
            changed |= self.attempt([*before, f"{indent}{name} = ub.poison : {kind}", *after])
        return changed

    def remove_arguments(self):
        """Removes arguments of functions of IR, one at a time."""
        changed = False
        for at, line in enumerate(self.lines):
            header = FUNCTION.search(line)
            for argument in (
                re.findall(r"%[\w$.-]+: (?:[^,()<>{}]|<[^()]*?>|\{[^{}]*\})+,? ?", header[2]) if header else ()
            ):
                current = self.lines[at]
                changed |= self.attempt(
                    [*self.lines[:at], current.replace(argument, "", 1).replace(", )", ")"), *self.lines[at + 1 :]]
                )
        return changed

    def run(self):
        steps = (self.remove_runs, self.remove_blocks, self.forget_computations, self.remove_arguments)
        while any([step() for step in steps]):
            pass


def make_test(command, suffix, expected, timeout, folder):
    """A function that says whether a text still fails."""
    path = folder / f"attempt{suffix}"

    def still_fails(text):
        path.write_text(text)
        try:
            done = subprocess.run(
                [word.replace("{}", str(path)) for word in command],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=timeout,
            )
        except subprocess.TimeoutExpired:
            return expected == "timeout"
        if expected is None:
            return done.returncode == 0
        return re.search(expected, done.stdout.decode(errors="replace")) is not None

    return still_fails


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", type=pathlib.Path)
    parser.add_argument("--expect", help="what the command prints where it fails; `timeout`: it does not end")
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--timeout", type=float, default=60, help="seconds that one attempt may take")
    parser.add_argument("command", nargs="+", help="the command, with {} for the file")
    arguments = parser.parse_args()
    if not any("{}" in word for word in arguments.command):
        parser.error("the command has no {}, which stands for the file")
    output = arguments.output or arguments.input.with_suffix(f".reduced{arguments.input.suffix}")
    text = arguments.input.read_text()
    with tempfile.TemporaryDirectory(prefix="reduce-") as folder:
        still_fails = make_test(
            arguments.command, arguments.input.suffix, arguments.expect, arguments.timeout, pathlib.Path(folder)
        )
        if not still_fails(text):
            sys.exit(f"{arguments.input} does not fail as described: nothing to reduce")
        reducer = Reducer(text.splitlines(), still_fails)
        reducer.run()
    output.write_text("\n".join(reducer.lines) + "\n")
    print(f"{output}: {len(reducer.lines)} of {len(text.splitlines())} lines, {reducer.attempts} attempts")


if __name__ == "__main__":
    main()
