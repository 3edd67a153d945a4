"""Puts the statements of steps into a branch, a loop or a function, whatever they are."""

import re

import numpy as np

from . import elements
from .products import loop_options
from .program import Value


def wrapped(program, steps):
    """Lets the steps make their statements and puts those into a scope, out of which some of the values come.

    Statements that write memory stay outside: a scope that runs another number of times would write something else.
    """
    kind = program.random.choice(["branch", "branch", "loop", "loop", "while", "function", "function"])
    counter = program.input("int32", (), style="small")
    marks = len(program.statements), len(program.values), len(program.arguments)
    for step in steps:
        step(program)
    statements, values = program.statements[marks[0] :], program.values[marks[1] :]
    fit = [value for value in values if value.is_usable and value.dtype not in elements.NARROW]
    if not fit or any(argument.expected is not None for argument in program.arguments[marks[2] :]):
        return
    chosen = fit[-program.random.randint(1, 3) :]
    del program.statements[marks[0] :], program.values[marks[1] :]
    lines = _needed(statements, chosen)
    {"branch": _branch, "loop": _loop, "while": _while, "function": _function}[kind](program, lines, chosen, counter)


def _needed(statements, chosen):
    """The lines of the statements that the values need."""
    wanted, kept = {value.name for value in chosen}, []
    for statement in reversed(statements):
        if wanted & set(statement.defines):
            kept = statement.lines + kept
            wanted |= statement.needs
    return kept


def _indented(lines):
    return [f"    {line}" for line in lines]


def _initial(program, value):
    """A line that gives a new name what it is where the scope does not run, and that in NumPy."""
    name = program.fresh("w")
    zero = "False" if value.dtype == "int1" else "0"
    line = f"{name} = tl.full({list(value.shape)}, {zero}, tl.{value.dtype})"
    return name, line, np.zeros(value.data.shape, value.data.dtype)


def _column(counts, value):
    return counts.reshape(-1, *(1,) * value.rank)


def _branch(program, lines, chosen, counter):
    number = program.random.choice([0, 1, -1, 2])
    holds = counter.data > number
    initials = [_initial(program, value) for value in chosen]
    results = [
        Value(name, value.dtype, np.where(_column(holds, value), value.data, data))
        for (name, _, data), value in zip(initials, chosen, strict=True)
    ]
    ends = [f"{result.name} = {value.name}" for result, value in zip(results, chosen, strict=True)]
    text = [line for _, line, _ in initials]
    if program.chance(0.3):
        # The other way round: the branch that does nothing comes first.
        text += [f"if {counter.name} <= {number}:", f"    {results[0].name} = {results[0].name}", "else:"]
    else:
        text += [f"if {counter.name} > {number}:"]
    program.add_all(text + _indented(lines + ends), results)


def _accumulated(program, chosen, counts):
    """The names that a loop carries: lines before and in it, and the results after so many iterations."""
    begins, steps, results = [], [], []
    for value in chosen:
        name, line, data = _initial(program, value)
        begins.append(line)
        if value.dtype in elements.INTEGERS and program.chance(0.6):
            steps.append(f"{name} = {name} * 3 + {value.name}")
            for turn in range(int(counts.max(initial=0))):
                following = data * np.asarray(3, data.dtype) + value.data
                data = np.where(_column(counts > turn, value), following, data)
        else:
            steps.append(f"{name} = {value.name}")
            data = np.where(_column(counts > 0, value), value.data, data)
        results.append(Value(name, value.dtype, data))
    return begins, steps, results


def _loop(program, lines, chosen, counter):
    index = program.fresh("i")
    if program.chance(0.5):
        bound, counts = counter.name, np.maximum(counter.data, 0)
    else:
        number = program.random.choice([0, 1, 2, 3])
        bound = program.number(number) if program.chance(0.5) else str(number)
        counts = np.full(program.programs, number)
    begins, steps, results = _accumulated(program, chosen, counts)
    head = f"for {index} in {loop_options(program)(f'0, {bound}')}:"
    program.add_all([*begins, head, *_indented(lines + steps)], results)


def _while(program, lines, chosen, counter):
    left = program.fresh("left")
    begins, steps, results = _accumulated(program, chosen, np.maximum(counter.data, 0))
    body = [*lines, *steps, f"{left} -= 1"]
    program.add_all([*begins, f"{left} = {counter.name}", f"while {left} > 0:", *_indented(body)], results)


def _function(program, lines, chosen, counter):
    """A function whose parameters are the names from outside that the lines mention."""
    words = set(re.findall(r"[A-Za-z_]\w*", "\n".join(lines)))
    outside = [value.name for value in program.values] + [argument.name for argument in program.arguments]
    names = [name for name in outside if name in words]
    returns = ", ".join(value.name for value in chosen)
    body = "\n".join(_indented([*lines, f"return {returns}"]))
    function = program.helper("scope", f"def NAME({', '.join(names)}):\n{body}\n")
    results = [Value(program.fresh("w"), value.dtype, value.data) for value in chosen]
    targets = ", ".join(result.name for result in results)
    program.add_all([f"{targets} = {function}({', '.join(names)})"], results)
