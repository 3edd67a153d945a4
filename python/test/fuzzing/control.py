"""Steps: loops, branches and functions over statements whose text NumPy itself can evaluate."""

import re

import numpy as np

from .products import loop_options
from .program import Value

INTEGER_TYPES = ("int32", "int32", "int64", "uint32", "int16", "int8", "uint8")


class _Language:
    """What expressions of this file use of `tl`, for NumPy."""

    where = staticmethod(np.where)
    minimum = staticmethod(np.minimum)
    maximum = staticmethod(np.maximum)


def evaluate(text, environment):
    """What the text is in NumPy."""
    return np.asarray(eval(text, {"tl": _Language}, environment))


class Body:
    """Statements on names of one integer type, some scalars and some blocks, and what they do."""

    def __init__(self, program, dtype, names):
        self.program, self.dtype, self.names = program, dtype, list(names)

    def expression(self, depth=2):
        random = self.program.random
        if depth == 0 or self.program.chance(0.15):
            return random.choice(self.names) if self.program.chance(0.8) else str(random.choice([1, 2, 3, 5, 7, 100]))
        one, other = self.expression(depth - 1), self.expression(depth - 1)
        if one.isdigit() and other.isdigit():
            one = random.choice(self.names)
        kind = random.random()
        if kind < 0.65:
            return f"({one} {random.choice(['+', '-', '*', '&', '|', '^'])} {other})"
        if kind < 0.75:
            return f"({random.choice(self.names)} {random.choice(['<<', '>>'])} {random.choice([1, 2, 5])})"
        name = random.choice(self.names)
        return f"tl.where({self.condition()}, {name}, ({one} + {name}))"

    def update(self, name):
        """An expression of the type and shape of the name, which it mentions."""
        text = self.expression()
        return text if re.search(rf"\b{name}\b", text) and text != name else f"({name} ^ {text})"

    def condition(self):
        random = self.program.random
        name = random.choice(self.names)
        other = random.choice([*self.names, "0", "3", "50"])
        sign = random.choice(["<", ">", "==", "!=", "<=", ">="])
        return f"({name} & 7) {sign} ({other} & 7)" if not other.isdigit() else f"({name} & 7) {sign} {other}"

    def evaluate(self, text, environment):
        return evaluate(text, environment).astype(environment[self.names[0]].dtype)


def _columns(value, rank):
    """Its data with as many dimensions as a block of the rank."""
    return value.data.reshape(-1, *(1,) * (rank - value.rank), *value.data.shape[1:])


def _start(program, scalars_only=False):
    """Carried values of one type: a block or a scalar, and a scalar."""
    dtype = program.random.choice(INTEGER_TYPES)
    shape = () if scalars_only or program.chance(0.3) else program.shape((1, 1, 2))
    return dtype, program.input(dtype, shape), program.input(dtype, ())


def _emit(program, lines, dtype, results):
    program.add_all(lines, [Value(name, dtype, data) for name, data in results])


def _kept(data, value):
    return data.reshape(-1, *value.data.shape[1:]) if value.rank == 0 else np.broadcast_to(data, value.data.shape)


class State:
    """Two carried names, and which programs still run."""

    def __init__(self, program, dtype, block, scalar, index=None):
        self.program, self.dtype, self.block, self.scalar = program, dtype, block, scalar
        self.a, self.b = program.fresh("a"), program.fresh("b")
        rank = block.rank
        self.environment = {self.a: _columns(block, rank), self.b: _columns(scalar, rank)}
        self.begin = [f"{self.a} = {block.name}", f"{self.b} = {scalar.name}"]
        self.whole = Body(program, dtype, [self.a, self.b])
        self.narrow = Body(program, dtype, [self.b])
        self.column = (-1, *(1,) * rank)

    def use_index(self, name):
        """`name`, an int32 of the loop, as a value of the carried type."""
        self.narrow.names.append(name)
        self.whole.names.append(name)

    def updates(self):
        """Lines that change the carried names, to be run in order."""
        chosen = [(self.a, self.whole.update(self.a)), (self.b, self.narrow.update(self.b))]
        self.program.random.shuffle(chosen)
        return chosen[: self.program.random.choice([1, 2, 2])]

    def run(self, updates, active, extra=None):
        environment = self.environment | (extra or {})
        for name, text in updates:
            result = (self.whole if name == self.a else self.narrow).evaluate(text, environment)
            changed = np.where(active.reshape(self.column), result, environment[name])
            self.environment[name] = environment[name] = changed

    def test(self, text, extra=None):
        environment = self.environment | (extra or {})
        return np.broadcast_to(evaluate(text, environment), (self.program.programs, *self.column[1:])).reshape(-1)

    def finish(self, lines):
        results = [
            (self.a, _kept(self.environment[self.a], self.block)),
            (self.b, self.environment[self.b].reshape(-1)),
        ]
        _emit(self.program, self.begin + lines, self.dtype, results)


def _indented(updates, indent="    "):
    return [f"{indent}{name} = {text}" for name, text in updates]


def _bounds(program):
    """The text of a range, and its numbers in each program."""
    random = program.random
    begin, step = random.choice([0, 0, 0, 1, -3, 7]), random.choice([1, 1, 1, 2, 3, 5])
    count = random.choice([0, 1, 2, 3, 5, 8])
    end = begin + count * step - (random.randrange(step) if count else 0)
    kind = random.random()
    if kind < 0.35:
        limits = program.generator.integers(begin - 1, begin + 9, program.programs)
        limit = program.input("int32", (), data=limits.astype(np.int32))
        ranges = [range(begin, int(each), step) for each in limits]
        return f"{begin}, {limit.name}, {step}", ranges
    if kind < 0.6:
        texts = [program.number(each) if each is not step or step > 0 else str(each) for each in (begin, end, step)]
        return ", ".join(texts), [range(begin, end, step)] * program.programs
    if kind < 0.7 and count:
        return f"{begin + count}, {begin}, -1", [range(begin + count, begin, -1)] * program.programs
    return f"{begin}, {end}, {step}", [range(begin, end, step)] * program.programs


def counted(program):
    """A loop over a range, perhaps with a branch, `break` or `continue`, or another loop in it."""
    dtype, block, scalar = _start(program)
    state = State(program, dtype, block, scalar)
    index, cast_index = program.fresh("i"), program.fresh("c")
    bounds, ranges = _bounds(program)
    state.use_index(cast_index)
    lines = [f"for {index} in {loop_options(program)(bounds)}:", f"    {cast_index} = {index}.to(tl.{dtype})"]
    steps, active = [], np.ones(program.programs, bool)
    names, weights = ["update", "branch", "nest", "break", "continue"], [4, 3, 2, 1, 1]
    kinds = program.random.choices(names, weights, k=program.random.randint(1, 3))
    for kind in kinds:
        steps.append(_loop_step(program, state, kind, lines))
    longest = max(len(each) for each in ranges)
    for place in range(longest):
        numbers = np.array([each[place] if place < len(each) else 0 for each in ranges])
        here = active & np.array([place < len(each) for each in ranges])
        extra = {cast_index: numbers.astype(np.int32).astype(dtype).reshape(state.column)}
        for step in steps:
            here, stops = step(here, extra)
            active = active & ~stops
    state.finish(lines)


def _loop_step(program, state, kind, lines):
    """Appends the lines of one part of a loop's body; returns what runs it and says who goes on and who leaves."""
    nobody = np.zeros(program.programs, bool)
    updates = state.updates()
    if kind == "update":
        lines += _indented(updates)

        def run(here, extra):
            state.run(updates, here, extra)
            return here, nobody

        return run
    if kind == "nest":
        count = program.random.choice([1, 2, 3])
        lines.append(f"    for {program.fresh('j')} in {program.random.choice(['range', 'tl.static_range'])}({count}):")
        lines += _indented(updates, "        ")

        def run(here, extra):
            for _ in range(count):
                state.run(updates, here, extra)
            return here, nobody

        return run
    test = state.narrow.condition()
    lines.append(f"    if {test}:")
    if kind in ("break", "continue"):
        lines.append(f"        {kind}")

        def run(here, extra):
            holds = here & state.test(test, extra)
            return here & ~holds, holds if kind == "break" else nobody

        return run
    others = state.updates() if program.chance(0.6) else []
    lines += _indented(updates, "        ")
    if others:
        lines.append("    else:")
        lines += _indented(others, "        ")

    def run(here, extra):
        holds = state.test(test, extra)
        state.run(updates, here & holds, extra)
        state.run(others, here & ~holds, extra)
        return here, nobody

    return run


def conditional(program):
    """`while` with a condition of the data."""
    dtype, block, scalar = _start(program)
    state = State(program, dtype, block, scalar)
    count = program.fresh("n")
    limit = program.random.choice([1, 3, 7])
    test = state.narrow.condition()
    updates = state.updates()
    lines = [f"{count} = 0", f"while ({test}) & ({count} < {limit}):", *_indented(updates), f"    {count} += 1"]
    active = np.ones(program.programs, bool)
    for _ in range(limit):
        active = active & state.test(test)
        state.run(updates, active)
    state.finish(lines)


def branches(program):
    """if, elif and else, with a nested one."""
    dtype, block, scalar = _start(program)
    state = State(program, dtype, block, scalar)
    lines, remaining = [], np.ones(program.programs, bool)
    arms = []
    for arm in range(program.random.randint(1, 3)):
        test = state.narrow.condition()
        lines.append(f"{'el' if arm else ''}if {test}:")
        updates = state.updates()
        lines += _indented(updates)
        inner = None
        if program.chance(0.3):
            inner_test = state.narrow.condition()
            inner = (inner_test, state.updates())
            lines += [f"    if {inner_test}:", *_indented(inner[1], "        ")]
        arms.append((test, updates, inner))
    if program.chance(0.6):
        updates = state.updates()
        lines += ["else:", *_indented(updates)]
        arms.append((None, updates, None))
    # All tests are made before any arm runs, as only one of them does.
    taken = []
    for test, _, _ in arms:
        holds = remaining & state.test(test) if test else remaining
        taken.append(holds)
        remaining = remaining & ~holds
    for (_, updates, inner), holds in zip(arms, taken, strict=True):
        state.run(updates, holds)
        if inner:
            state.run(inner[1], holds & state.test(inner[0]))
    state.finish(lines)


def unrolled(program):
    """static_range, whose index is a constant."""
    dtype, block, scalar = _start(program)
    state = State(program, dtype, block, scalar)
    index = program.fresh("i")
    count = program.random.choice([1, 2, 4])
    updates = state.updates()
    lines = [f"for {index} in tl.static_range({count}):", f"    {state.b} += {index}", *_indented(updates)]
    lines += [f"    if {index} % 2 == 0:", f"        {state.a} = {state.a} * 3"]
    everyone = np.ones(program.programs, bool)
    for place in range(count):
        state.run([(state.b, f"{state.b} + {place}"), *updates], everyone)
        if place % 2 == 0:
            state.run([(state.a, f"{state.a} * 3")], everyone)
    state.finish(lines)


def ternary(program):
    dtype, block, scalar = _start(program, scalars_only=True)
    state = State(program, dtype, block, scalar)
    test = state.narrow.condition()
    lines = [f"{state.a} = {state.a} if {test} else {state.b}"]
    holds = state.test(test)
    state.environment[state.a] = np.where(holds, state.environment[state.a], state.environment[state.b])
    state.finish(lines)


STEPS = [(6, counted), (3, conditional), (4, branches), (2, unrolled), (1, ternary)]
