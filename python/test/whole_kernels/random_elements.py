"""Random well-typed kernels on rows of elements of 8 to 32 bits, each with the values that NumPy has for it.

A kernel loads four rows whose elements hold the extremes of their types, combines them in a dozen statements
(arithmetic that wraps, shifts, divisions, comparisons, conversions, reductions and scans, loops with a carried row),
and stores several of the values, each in an array of its own: one launch checks many results. Integers are exact.
Floats are exact where products are not fused with sums; with fusion, what follows from floats is not compared.
"""

import random

import numpy as np

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32"]
FLOATS = ["float16", "float32"]
INPUTS = 4


def extremes(dtype):
    if dtype in FLOATS:
        return np.array([0, -0.0, 1, -1, 0.5, 1.5, -2.25, 100, 1e-3, 255, -7, 2048], dtype)
    info = np.iinfo(dtype)
    near = [info.min, info.min + 1, info.max, info.max - 1, info.max // 2, info.max // 2 + 1, 0, 1, 2, 3, 7, 127, 128]
    near += [255, 256, -1, -2, -128, -129] if info.min < 0 else [254, 255]
    return np.array([value for value in near if info.min <= value <= info.max], dtype)


def random_row(generator, dtype, count):
    """Extremes in one half of the elements, any value in the other."""
    if dtype in FLOATS:
        anything = (generator.standard_normal(count) * 10).astype(dtype)
    else:
        info = np.iinfo(dtype)
        anything = generator.integers(info.min, info.max, count, dtype=dtype, endpoint=True)
    chosen = generator.choice(extremes(dtype), count)
    return np.where(generator.random(count) < 0.5, chosen, anything).astype(dtype)


def truncated_quotient(a, b):
    """As in C: toward zero."""
    wide, divisor = a.astype(np.int64), b.astype(np.int64)
    return (np.sign(wide) * np.sign(divisor) * (np.abs(wide) // np.abs(divisor))).astype(a.dtype)


def remainder(a, b):
    return np.fmod(a.astype(np.int64), b.astype(np.int64)).astype(a.dtype)


class Row:
    """A name of the kernel with its values, the statements that it needs, and whether fused products reach it."""

    def __init__(self, name, values, needs=(), is_inexact=False):
        self.name, self.values, self.is_inexact = name, values, is_inexact
        self.needs = frozenset(needs)

    @property
    def dtype(self):
        return str(self.values.dtype)

    @property
    def bits(self):
        return self.values.dtype.itemsize * 8


class RandomElements:
    def __init__(self, seed):
        self.seed = seed
        self.random = random.Random(f"elements {seed}")
        generator = np.random.default_rng(seed)
        self.count = self.random.choice([64, 128, 256, 512])
        self.options = {"num_warps": self.random.choice([1, 2, 4]), "enable_fp_fusion": self.random.random() < 0.5}
        self.shift = self.random.choice([0, 0, 0, 1])  # elements by which rows are out of alignment
        # Integers become floats but not the other way round: one row at least must hold integers.
        dtypes = [self.random.choice(INTEGERS)]
        dtypes += self.random.choices(INTEGERS[:4] * 2 + INTEGERS[4:] + FLOATS, k=INPUTS - 1)
        self.inputs = [random_row(generator, dtype, self.count + self.shift) for dtype in dtypes]
        self.statements, self.rows = [], []
        for index, values in enumerate(self.inputs):
            self.add(f"tl.load(x{index} + SHIFT + i)", values[self.shift :])
        with np.errstate(all="ignore"):
            for _ in range(self.random.randrange(8, 18)):
                self.statement()
        results = [row for row in self.rows[INPUTS:] if not row.is_inexact]
        self.outputs = results[-8:] or self.rows[:1]

    def add(self, text, values, operands=(), is_inexact=False):
        index = len(self.statements)
        needs = {index}.union(*(row.needs for row in operands))
        self.statements.append(f"v{index} = {text}")
        inexact = is_inexact or any(row.is_inexact for row in operands)
        self.rows.append(Row(f"v{index}", values, needs, inexact))
        return self.rows[-1]

    def any_row(self, dtypes=None):
        """Recent rows more often; converted when none has one of the types."""
        rows = [row for row in self.rows if dtypes is None or row.dtype in dtypes]
        if rows:
            return self.random.choice(rows + rows[-3:])
        return self.converted(self.random.choice(self.rows), self.random.choice(dtypes))

    def converted(self, row, dtype):
        """A row of another type. Floats do not become integers, whose overflow would be undefined."""
        if row.dtype == dtype:
            return row
        if row.dtype in FLOATS and dtype not in FLOATS:
            return self.converted(self.any_row(INTEGERS), dtype)
        if dtype == "float16" and row.bits == 32:  # Rounded twice from 32-bit integers.
            row = self.converted(row, "float32" if row.dtype in FLOATS else "int16")
        return self.add(f"{row.name}.to(tl.{dtype})", row.values.astype(dtype), [row])

    def pair(self, dtypes=None):
        first = self.any_row(dtypes)
        return first, self.converted(self.any_row([first.dtype] if self.random.random() < 0.5 else dtypes), first.dtype)

    def statement(self):
        choices = [
            (self.arithmetic, 10),
            (self.unary, 6),
            (self.extremum, 4),
            (self.shifted, 5),
            (self.divided, 4),
            (self.selected, 6),
            (self.replaced, 3),
            (self.conversion, 6),
            (self.reduced, 3),
            (self.scanned, 1),
            (self.loop, 2),
        ]
        actions, weights = zip(*choices, strict=True)
        self.random.choices(actions, weights)[0]()

    def arithmetic(self):
        a, b = self.pair()
        if a.dtype in FLOATS:
            symbol = self.random.choice("+-*")
        else:
            symbol = self.random.choice("+-*+-*&|^")
        function = {
            "+": np.add,
            "-": np.subtract,
            "*": np.multiply,
            "&": np.bitwise_and,
            "|": np.bitwise_or,
            "^": np.bitwise_xor,
        }[symbol]
        fused = a.dtype in FLOATS and self.options["enable_fp_fusion"]
        self.add(f"{a.name} {symbol} {b.name}", function(a.values, b.values), [a, b], fused)

    def unary(self):
        row = self.any_row()
        if row.dtype in FLOATS or row.dtype.startswith("u"):
            text, values = self.random.choice([("tl.abs({})", np.abs(row.values)), ("-{}", -row.values)])
            if row.dtype.startswith("u"):
                text, values = "~{}", ~row.values
        else:
            text, values = self.random.choice(
                [("-{}", -row.values), ("tl.abs({})", np.abs(row.values)), ("~{}", ~row.values)]
            )
        self.add(text.format(row.name), values, [row])

    def extremum(self):
        a, b = self.pair()
        name, function = self.random.choice([("minimum", np.fmin), ("maximum", np.fmax)])
        if a.dtype in FLOATS:  # Which zero is the smaller is not specified.
            a, b = (self.add(f"{row.name} + 0.0", row.values + row.values.dtype.type(0), [row]) for row in (a, b))
        self.add(f"tl.{name}({a.name}, {b.name})", function(a.values, b.values), [a, b])

    def shifted(self):
        row = self.any_row(INTEGERS)
        symbol = self.random.choice(["<<", ">>"])
        function = np.left_shift if symbol == "<<" else np.right_shift
        if self.random.random() < 0.6:
            amount = self.random.randrange(row.bits)
            self.add(f"{row.name} {symbol} {amount}", function(row.values, row.values.dtype.type(amount)), [row])
            return
        other = self.converted(self.any_row([row.dtype]), row.dtype)
        amounts = other.values & other.values.dtype.type(row.bits - 1)
        self.add(f"{row.name} {symbol} ({other.name} & {row.bits - 1})", function(row.values, amounts), [row, other])

    def divided(self):
        """The divisor is neither 0 nor, where the quotient could overflow, -1."""
        a, b = self.pair(INTEGERS)
        substitute = self.random.choice([1, 2, 3, 7, 100])
        test, is_bad = f"{b.name} == 0", b.values == 0
        if not b.dtype.startswith("u"):
            test, is_bad = f"({b.name} == 0) | ({b.name} == -1)", (b.values == 0) | (b.values == -1)
        values = np.where(is_bad, substitute, b.values).astype(b.dtype)
        divisor = self.add(f"tl.where({test}, {substitute}, {b.name}).to(tl.{b.dtype})", values, [b])
        symbol, function = self.random.choice([("//", truncated_quotient), ("%", remainder)])
        self.add(f"{a.name} {symbol} {divisor.name}", function(a.values, divisor.values), [a, divisor])

    def selected(self):
        a, b = self.pair()
        c, d = self.pair()
        symbol, function = self.random.choice(
            [
                ("<", np.less),
                ("<=", np.less_equal),
                (">", np.greater),
                (">=", np.greater_equal),
                ("==", np.equal),
                ("!=", np.not_equal),
            ]
        )
        text = f"tl.where({a.name} {symbol} {b.name}, {c.name}, {d.name})"
        self.add(text, np.where(function(a.values, b.values), c.values, d.values), [a, b, c, d])

    def replaced(self):
        """Two values of a row become a third."""
        row = self.any_row(INTEGERS)
        first, second, third = (int(value) for value in self.random.choices(extremes(row.dtype).tolist(), k=3))
        values = np.where((row.values == first) | (row.values == second), third, row.values).astype(row.dtype)
        text = f"tl.where(({row.name} == {first}) | ({row.name} == {second}), {third}, {row.name}).to(tl.{row.dtype})"
        self.add(text, values, [row])

    def conversion(self):
        row = self.any_row()
        self.converted(row, self.random.choice(FLOATS if row.dtype in FLOATS else INTEGERS + FLOATS))

    def reduced(self):
        """A reduction of narrow integers is one of 32 bits."""
        row = self.any_row(INTEGERS)
        name, function = self.random.choice([("sum", np.add), ("max", np.maximum), ("min", np.minimum)])
        wide = row.values.dtype if name != "sum" else np.dtype("uint32" if row.dtype.startswith("u") else "int32")
        value = function.reduce(row.values, dtype=wide)
        text = f"(tl.zeros([N], tl.{wide}) + tl.{name}({row.name})).to(tl.{wide})"
        self.add(text, np.full(self.count, value, wide), [row])

    def scanned(self):
        row = self.any_row(INTEGERS)
        values = np.cumsum(row.values.astype(np.int32), dtype=np.int32)
        self.add(f"tl.cumsum({row.name}.to(tl.int32), 0)", values, [row])

    def loop(self):
        """A carried row, as often as an argument says."""
        a, b = self.pair(INTEGERS)
        symbol, function = self.random.choice([("+", np.add), ("-", np.subtract), ("*", np.multiply)])
        row = self.add(a.name, a.values, [a, b])
        turns = self.random.randrange(4)
        for _ in range(turns):
            row.values = function(row.values, b.values)
        self.statements[-1] += (
            f"\n    for _ in range({turns} * one):\n        {row.name} = {row.name} {symbol} {b.name}"
        )

    def parameters(self, outputs):
        rows = [f"x{index}" for index in range(INPUTS)] + [f"o{index}" for index in range(len(outputs))]
        return ", ".join([*rows, "one", "N: tl.constexpr", "SHIFT: tl.constexpr"])

    def source(self, name, outputs=None):
        """The kernel, as far as `outputs` need it."""
        outputs = outputs or self.outputs
        needed = frozenset().union(*(row.needs for row in outputs))
        lines = ["i = tl.arange(0, N)"]
        lines += [statement for index, statement in enumerate(self.statements) if index in needed]
        lines += [f"tl.store(o{index} + i, {row.name})" for index, row in enumerate(outputs)]
        return f"@triton.jit\ndef {name}({self.parameters(outputs)}):\n" + "".join(f"    {line}\n" for line in lines)

    def launch(self, kernel, outputs=None):
        """Runs the kernel; returns what it stored."""
        stored = [np.zeros(self.count, row.dtype) for row in outputs or self.outputs]
        kernel[(1,)](*self.inputs, *stored, 1, N=self.count, SHIFT=self.shift, **self.options)
        return stored

    def mistakes(self, stored, outputs=None):
        """The outputs that differ from NumPy's, each with a line that says where."""
        wrong = []
        for row, actual in zip(outputs or self.outputs, stored, strict=True):
            same = (actual == row.values) | (np.isnan(actual) & np.isnan(row.values))
            if not same.all():
                place = int(np.flatnonzero(~same)[0])
                note = f"{row.name}[{place}] is {actual[place]}, must be {row.values[place]}; {np.sum(~same)} differ"
                inputs = ", ".join(f"x{i}: {x[place + self.shift]} ({x.dtype})" for i, x in enumerate(self.inputs))
                wrong.append((row, f"{note}; inputs there {inputs}"))
        return wrong


HEADER = "import triton\nimport triton.language as tl\n\n\n"


def write_module(path, programs):
    """A file with the kernels `k<seed>` of the programs."""
    path.write_text(HEADER + "\n\n".join(program.source(f"k{program.seed}") for program in programs))
