"""Random kernels of scalar code with branches, loops and exits from them do what Python does with the same text."""

import importlib.util
import random

import numpy as np
import pytest

NAMES = ["a", "b", "c", "d"]
ARGUMENTS = [(3, 5, 7, 11), (0, 0, 0, 0), (100, 2, 33, 17), (1, 16, 1, 40)]


class Program:
    """A module with a kernel and two functions that it calls. Values stay non-negative and below 2**31, where `//` and
    `%` agree with Python's."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.functions = []
        self.counters = 0
        self.text = self.module()

    def pick(self, *choices):
        return self.rng.choice(choices)()

    def name(self):
        return self.rng.choice(NAMES)

    def expression(self, depth=0):
        if depth > 2:
            return self.name()

        def operand():
            return self.expression(depth + 1)

        def operation():
            return f"(({operand()} {self.rng.choice('+-*&|^')} {operand()}) & 1023)"

        return self.pick(
            self.name,
            self.name,
            lambda: str(self.rng.randrange(9)),
            operation,
            operation,
            lambda: f"({operand()} if {self.condition(depth + 1)} else {operand()})",
            lambda: f"({operand()} {self.rng.choice(['//', '%'])} {self.rng.randrange(1, 7)})",
            lambda: f"{self.rng.choice(['min', 'max'])}({operand()}, {operand()})",
        )

    def condition(self, depth=0):
        comparison = f"{self.name()} {self.rng.choice(['<', '>', '==', '!=', '<=', '>='])} {self.expression(depth + 1)}"
        return self.pick(
            lambda: comparison,
            lambda: f"({comparison}) and ({self.name()} > {self.rng.randrange(50)})",
            lambda: f"({comparison}) or ({self.name()} < {self.rng.randrange(50)})",
            lambda: f"not ({comparison})",
            lambda: f"{self.rng.randrange(5)} <= {self.name()} < {self.rng.randrange(500)}",
            lambda: self.rng.choice(["FLAG", "not FLAG", f"FLAG and ({comparison})", f"FLAG or ({comparison})"]),
        )

    def block(self, depth, exits):
        """Statements; `exits` holds the statements that may leave them."""
        lines = [line for _ in range(self.rng.randrange(1, 4)) for line in self.statement(depth, exits)]
        return ["    " + line for line in lines]

    def statement(self, depth, exits):
        simple = [self.assignment, self.augmented, self.swap, self.call]
        nested = [lambda: self.branch(depth, exits), lambda: self.for_loop(depth, exits)]
        nested.append(lambda: self.while_loop(depth, exits))
        if exits:
            nested += [lambda: self.leave(depth, exits)] * 2
        return self.pick(*simple, *(nested if depth < 4 else []))

    def exit(self, exits):
        kind = self.rng.choice(exits)
        return f"return {self.expression()}, {self.expression()}" if kind == "return" else kind

    def leave(self, depth, exits):
        """A branch that leaves; rarely all paths."""
        lines = [f"if {self.condition()}:", *self.block(depth + 2, exits), "    " + self.exit(exits)]
        if self.rng.random() < 0.2:
            lines += ["else:", *self.block(depth + 2, exits), "    " + self.exit(exits)]
        return lines

    def loop_exits(self, exits):
        """What may leave the body of a loop: as often as not, nothing new."""
        return exits if self.rng.random() < 0.3 else [*exits, "break", "continue"]

    def loop_else(self, depth, exits):
        return ["else:", *self.block(depth + 1, exits)] if self.rng.random() < 0.3 else []

    def assignment(self):
        return [f"{self.name()} = {self.expression()}"]

    def augmented(self):
        return [f"{self.name()} {self.rng.choice(['+=', '^=', '|='])} {self.expression()} & 255"]

    def swap(self):
        first, second = self.rng.sample(NAMES, 2)
        return [f"{first}, {second} = {second}, {self.expression()}"]

    def call(self):
        if not self.functions:
            return ["pass"]
        first, second = self.rng.sample(NAMES, 2)
        flag = self.rng.choice(["FLAG", "True", "False"])
        function = self.rng.choice(self.functions)
        return [
            f"{first}, {second} = {function}({self.expression()}, {self.expression()}, {self.rng.randrange(9)}, {flag})"
        ]

    def branch(self, depth, exits):
        lines = [f"if {self.condition()}:", *self.block(depth + 1, exits)]
        if self.rng.random() < 0.3:
            lines += [f"elif {self.condition()}:", *self.block(depth + 1, exits)]
        if self.rng.random() < 0.6:
            lines += ["else:", *self.block(depth + 1, exits)]
        return lines

    def counter(self):
        self.counters += 1
        return f"count{self.counters}"

    def for_loop(self, depth, exits):
        index = self.counter()
        bounds = self.pick(
            lambda: f"range({self.name()} & 3)",
            lambda: f"range({self.rng.randrange(4)}, {self.name()} & 7, 2)",
            lambda: f"range({self.name()} & 7, 0, -2)",
            lambda: f"tl.static_range({self.rng.randrange(4)})",
            lambda: f"tl.range(0, {self.rng.randrange(3)})",
        )
        outer = [kind for kind in exits if kind == "return"]
        body = self.block(depth + 1, self.loop_exits(outer))
        return [f"for {index} in {bounds}:", f"    {self.name()} += {index}", *body, *self.loop_else(depth, exits)]

    def while_loop(self, depth, exits):
        count = self.counter()
        outer = [kind for kind in exits if kind == "return"]
        header = [f"{count} = {self.name()} & 3"]
        if self.rng.random() < 0.3:
            # Ends by an exit alone. The first lines of the body must not be skipped.
            body = self.block(depth + 1, [*outer, "break", "continue"])
            return [*header, "while True:", f"    {count} -= 1", f"    if {count} < 0:", "        break", *body]
        test = self.rng.choice([f"{count} > 0", f"({count} := {count} - 1) >= 0"])
        step = [f"    {count} -= 1"] if ":=" not in test else []
        body = self.block(depth + 1, self.loop_exits(outer))
        return [*header, f"while {test}:", *step, *body, *self.loop_else(depth, exits)]

    def module(self):
        lines = ["import triton", "import triton.language as tl"]
        for name in ("first", "second"):
            lines += [
                "",
                "",
                "@triton.jit",
                f"def {name}(a, b, c, FLAG: tl.constexpr):",
                "    d = a + 1",
                *self.block(1, ["return"]),
                f"    return {self.expression()}, {self.expression()}",
            ]
            self.functions.append(name)
        body = [line for _ in range(3) for line in self.block(0, [])]
        # A kernel that knows the ones and the multiples of 16 among its arguments is compiled for each of ARGUMENTS.
        is_specialized = self.rng.random() < 0.25
        lines += [
            "",
            "",
            "@triton.jit" if is_specialized else "@triton.jit(do_not_specialize=['a', 'b', 'c', 'd'])",
            "def kernel(out, a, b, c, d, FLAG: tl.constexpr):",
            *body,
            *(f"    tl.store(out + {index}, {name})" for index, name in enumerate(NAMES)),
        ]
        return "\n".join(lines) + "\n"

    def load(self, path):
        """The module, compiled by Triton when it is called."""
        path.write_text(self.text)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def python_results(self, arguments, flag):
        """What Python computes, the kernel's names of triton.language meaning their Python counterparts."""
        results = {}

        class Language:
            constexpr = None
            range = static_range = range
            store = staticmethod(results.__setitem__)

        names = {"tl": Language}
        plain = "\n".join(line for line in self.text.splitlines() if "triton" not in line)
        exec(plain, names)
        names["kernel"](0, *arguments, flag)
        return [results[index] for index in range(len(NAMES))]


@pytest.mark.parametrize("seed", range(8))
def test_random_control_flow(seed, tmp_path, device):
    program = Program(seed)
    kernel = program.load(tmp_path / f"program{seed}.py").kernel
    for arguments in ARGUMENTS:
        for flag in (True, False):
            expected = program.python_results(arguments, flag)
            if max(expected) >= 2**31:
                continue
            out = device.put(np.full(len(NAMES), -1, np.int32))
            kernel[(1,)](out, *arguments, FLAG=flag)
            assert list(device.get(out)) == expected, f"{arguments}, {flag}\n{program.text}"
