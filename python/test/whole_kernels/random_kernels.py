"""Random well-typed kernels on square tiles, each with the same program in NumPy.

A kernel works on three arrays x0, x1, x2 and an output `o`, all f32: loads and stores in both orientations and with
masks, elementwise operations, reductions, broadcasts, transposes, products, loops with carried tiles and branches, in
any order; from seed FIRST_RICH on also scans, sorts, gathers, reshapes, pairs, casts and atomics. The NumPy program
runs statement by statement, so it also fixes the order of memory accesses. Where threads share the work of a program,
that order holds between barriers alone: `barriers` puts one on both sides of each store.

As a program, it runs the random kernels of `random_elements` in great numbers: see `random_driver`.
"""

import random

PARAMETERS = "x0, x1, x2, o, enabled, columns, rows"
PROLOGUE = [
    ("i = tl.arange(0, SIZE)", "i = np.arange(SIZE)"),
    ("tile = i[:, None] * SIZE + i[None, :]", "pass"),
    ("mask = (i[:, None] < rows) & (i[None, :] < columns)", "mask = (i[:, None] < rows) & (i[None, :] < columns)"),
]
ELEMENTWISE = [
    ("{a} + {b}", "{a} + {b}"),
    ("{a} - {b}", "{a} - {b}"),
    ("{a} * {b} * 0.5", "{a} * {b} * f32(0.5)"),
    ("tl.maximum({a}, {b})", "np.maximum({a}, {b})"),
    ("tl.where({a} > {b}, {a}, {b} * 0.25)", "np.where({a} > {b}, {a}, {b} * f32(0.25))"),
    ("tl.where(mask, {a}, {b})", "np.where(mask, {a}, {b})"),
    ("tl.exp(tl.minimum({a}, 1.0) - 1.0)", "np.exp(np.minimum({a}, f32(1)) - f32(1))"),
]
FIRST_RICH = 80
REARRANGEMENTS = [
    ("tl.reshape(tl.reshape({a}, (SIZE * SIZE,)), (SIZE, SIZE))", "{a}.copy()"),
    ("tl.reshape(tl.reshape({a}, (SIZE // 4, SIZE * 4)), (SIZE, SIZE))", "{a}.copy()"),
    (
        "tl.reshape(tl.trans(tl.reshape({a}, (SIZE // 2, 2, SIZE)), (1, 0, 2)), (SIZE, SIZE))",
        "{a}.reshape(SIZE // 2, 2, SIZE).transpose(1, 0, 2).reshape(SIZE, SIZE)",
    ),
    ("tl.cumsum({a}, axis={axis}) * (1.0 / SIZE)", "{a}.cumsum(axis={axis}) * f32(1 / SIZE)"),
    (
        "tl.cumsum({a}, axis={axis}, reverse=True) * (1.0 / SIZE)",
        "np.flip(np.flip({a}, {axis}).cumsum({axis}), {axis}) * f32(1 / SIZE)",
    ),
    ("tl.flip({a}, {axis})", "np.flip({a}, {axis}).copy()"),
    ("tl.sort({a})", "np.sort({a}, axis=1)"),
    ("tl.sort({a}, descending=True)", "np.sort({a}, axis=1)[:, ::-1].copy()"),
    ("tl.gather({a}, index, {axis})", "np.take_along_axis({a}, index, {axis})"),
    ("{a}.to(tl.float16).to(tl.float32)", "{a}.astype(np.float16).astype(f32)"),
]


class Scope:
    """The names that a statement may use, by rank."""

    def __init__(self, tiles=(), rows=(), scalars=()):
        self.tiles, self.rows, self.scalars = list(tiles), list(rows), list(scalars)

    def inner(self):
        return Scope(self.tiles, self.rows, self.scalars)


class RandomKernel:
    def __init__(self, seed, barriers=False):
        self.random = random.Random(seed)
        self.barriers = barriers
        self.is_rich = seed >= FIRST_RICH
        self.options = {"num_warps": 1 << seed % 4, "num_stages": 1 + seed % 3}
        self.size = self.random.choice([8, 16, 32, 64])
        self.columns = self.random.choice([self.size, self.size - 1, self.size // 2 + 1, 1])
        self.rows = self.random.choice([self.size, self.size - 3, self.size // 2])
        self.names = 0
        self.kernel, self.reference = [], []
        for kernel, reference in PROLOGUE:
            self.emit(0, kernel, reference)
        if self.is_rich:
            self.emit(0, "index = (i[:, None] * 3 + i[None, :] * 5) % SIZE", "index = (i[:, None] * 3 + i * 5) % SIZE")
        scope = Scope()
        self.load(0, scope)
        for _ in range(self.random.randrange(6, 22)):
            self.statement(0, scope, loops=0)
        for plane, value in enumerate(self.random.choices(scope.tiles, k=3)):
            self.emit(0, f"tl.store(o + {plane} * SIZE * SIZE + tile, {value})", f"o[{plane}] = {value}")

    def source(self):
        def function(name, parameters, lines):
            return f"def {name}({parameters}):\n" + "".join(f"    {line}\n" for line in lines)

        return "\n\n".join(
            [
                "import numpy as np\nimport triton\nimport triton.language as tl\nfrom numpy import float32 as f32",
                "@triton.jit\n" + function("kernel", PARAMETERS + ", SIZE: tl.constexpr", self.kernel),
                function("reference", PARAMETERS + ", SIZE", self.reference),
            ]
        )

    def emit(self, depth, kernel, reference):
        self.kernel.append("    " * depth + kernel)
        self.reference.append("    " * depth + reference)

    def assign(self, depth, kernel, reference):
        self.names += 1
        name = f"v{self.names}"
        self.emit(depth, f"{name} = {kernel}", f"{name} = {reference}")
        return name

    def statement(self, depth, scope, loops):
        choices = [(self.load, 16), (self.elementwise, 23), (self.transpose, 7), (self.reduce, 12), (self.store, 9)]
        if scope.rows:
            choices += [(self.broadcast, 10), (self.reduce_row, 5)]
        if scope.scalars:
            choices += [(self.add_scalar, 4)]
        if self.size <= 32:
            choices += [(self.product, 2)]
        if self.is_rich:
            choices += [(self.rearrange, 20), (self.pair, 8), (self.atomic_add, 5)]
        if loops < 2:
            choices += [(self.loop, 4), (self.branch, 2)]
        actions, weights = zip(*choices, strict=True)
        action = self.random.choices(actions, weights)[0]
        if action in (self.loop, self.branch):
            action(depth, scope, loops)
        else:
            action(depth, scope)

    def place(self):
        """An array with its addresses and its view in NumPy, as it is or transposed."""
        array = f"x{self.random.randrange(3)}"
        return self.random.choice([(f"{array} + tile", array), (f"{array} + tl.trans(tile)", f"{array}.T")])

    def load(self, depth, scope):
        pointer, view = self.place()
        if self.random.random() < 0.5:
            scope.tiles.append(self.assign(depth, f"tl.load({pointer})", f"{view}.copy()"))
        else:
            scope.tiles.append(
                self.assign(depth, f"tl.load({pointer}, mask=mask, other=0.5)", f"np.where(mask, {view}, f32(0.5))")
            )

    def store(self, depth, scope):
        (pointer, view), value = self.place(), self.random.choice(scope.tiles)
        masked = self.random.random() >= 0.5
        self.barrier(depth)
        if masked:
            self.emit(
                depth,
                f"tl.store({pointer}, {value}, mask=mask)",
                f"{view}[...] = np.where(mask, {value}, {view})",
            )
        else:
            self.emit(depth, f"tl.store({pointer}, {value})", f"{view}[...] = {value}")
        self.barrier(depth)

    def barrier(self, depth):
        if self.barriers:
            self.emit(depth, "tl.debug_barrier()", "pass")

    def elementwise(self, depth, scope):
        names = dict(zip("ab", self.random.choices(scope.tiles, k=2), strict=True))
        kernel, reference = self.random.choice(ELEMENTWISE)
        scope.tiles.append(self.assign(depth, kernel.format(**names), reference.format(**names)))

    def transpose(self, depth, scope):
        value = self.random.choice(scope.tiles)
        scope.tiles.append(self.assign(depth, f"tl.trans({value})", f"{value}.T.copy()"))

    def rearrange(self, depth, scope):
        kernel, reference = self.random.choice(REARRANGEMENTS)
        names = {"a": self.random.choice(scope.tiles), "axis": self.random.randrange(2)}
        scope.tiles.append(self.assign(depth, kernel.format(**names), reference.format(**names)))

    def pair(self, depth, scope):
        """Two tiles through one of three dimensions, or the neighbours in each row change places."""
        a, b = self.random.choices(scope.tiles, k=2)
        first, second = f"v{self.names + 1}", f"v{self.names + 2}"
        self.names += 2
        if self.random.random() < 0.5:
            self.emit(
                depth, f"{first}, {second} = tl.split(tl.join({a}, {b}))", f"{first}, {second} = {a}.copy(), {b}.copy()"
            )
            scope.tiles += [first, second]
            return
        pairs = f"({a}, (SIZE, SIZE // 2, 2))"
        self.emit(depth, f"{first}, {second} = tl.split(tl.reshape{pairs})", f"{first} = np.reshape{pairs}[:, :, ::-1]")
        swapped = self.assign(depth, f"tl.interleave({second}, {first})", f"{first}.reshape(SIZE, SIZE)")
        scope.tiles.append(swapped)

    def atomic_add(self, depth, scope):
        (pointer, view), value = self.place(), self.random.choice(scope.tiles)
        self.barrier(depth)
        old = self.assign(depth, f"tl.atomic_add({pointer}, {value} * 0.25)", f"{view}.copy()")
        self.emit(depth, "pass", f"{view}[...] += {value} * f32(0.25)")
        self.barrier(depth)
        scope.tiles.append(old)

    def reduce(self, depth, scope):
        value, axis = self.random.choice(scope.tiles), self.random.randrange(2)
        kernel, reference = self.random.choice(
            [
                ("tl.sum({}, axis={}) * (1.0 / SIZE)", "{}.sum(axis={}) * f32(1 / SIZE)"),
                ("tl.max({}, axis={})", "{}.max(axis={})"),
                ("tl.min({}, axis={})", "{}.min(axis={})"),
            ]
        )
        scope.rows.append(self.assign(depth, kernel.format(value, axis), reference.format(value, axis)))

    def reduce_row(self, depth, scope):
        value = self.random.choice(scope.rows)
        scope.scalars.append(self.assign(depth, f"tl.max({value}, axis=0)", f"{value}.max()"))

    def broadcast(self, depth, scope):
        tile, row = self.random.choice(scope.tiles), self.random.choice(scope.rows)
        text = f"{tile} {self.random.choice('+-*')} {row}{self.random.choice(['[:, None]', '[None, :]'])}"
        scope.tiles.append(self.assign(depth, text, text))

    def add_scalar(self, depth, scope):
        tile, value = self.random.choice(scope.tiles), self.random.choice(scope.scalars)
        scope.tiles.append(self.assign(depth, f"{tile} * 0.5 + {value}", f"{tile} * f32(0.5) + {value}"))

    def product(self, depth, scope):
        a, b = self.random.choices(scope.tiles, k=2)
        product = f'tl.dot({a}, {b}, input_precision="ieee") * (1.0 / SIZE)'
        scope.tiles.append(self.assign(depth, product, f"({a} @ {b}) * f32(1 / SIZE)"))

    def loop(self, depth, scope, loops):
        """One or two carried tiles; two may change places in each iteration."""
        carried = [self.assign(depth, value, value) for value in self.random.choices(scope.tiles, k=2)]
        head = f"for k{loops} in range(enabled * {self.random.randrange(4)}):"
        self.emit(depth, head, head)
        inner = scope.inner()
        inner.tiles += carried
        for _ in range(self.random.randrange(1, 6)):
            self.statement(depth + 1, inner, loops + 1)
        for name in carried:
            value = self.random.choice(inner.tiles)
            self.emit(depth + 1, f"{name} = {value} * 0.5 + 0.25", f"{name} = {value} * f32(0.5) + f32(0.25)")
        if self.random.random() < 0.5:
            swap = f"{carried[0]}, {carried[1]} = {carried[1]}, {carried[0]}"
            self.emit(depth + 1, swap, swap)
        scope.tiles += carried

    def branch(self, depth, scope, loops):
        value = self.random.choice(scope.tiles)
        name = self.assign(depth, value, value)
        head = f"if enabled > {self.random.randrange(2)}:"
        self.emit(depth, head, head)
        inner = scope.inner()
        for _ in range(self.random.randrange(1, 5)):
            self.statement(depth + 1, inner, loops + 1)
        result = self.random.choice(inner.tiles)
        self.emit(depth + 1, f"{name} = {result} + 1.0", f"{name} = {result} + f32(1)")
        scope.tiles.append(name)


if __name__ == "__main__":
    import sys

    import random_driver

    sys.exit(random_driver.main())
