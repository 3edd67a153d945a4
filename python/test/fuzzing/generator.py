"""A program of a seed: steps of all kinds, most of them of the kind that the seed is about."""

import numpy as np

from . import (
    arguments,
    atomics,
    control,
    corners,
    descriptors,
    elementwise,
    functions,
    loops,
    memory,
    mistakes,
    products,
    reductions,
    scalars,
    scopes,
    shapes,
)
from .program import Program

TOPICS = {
    module.__name__.rpartition(".")[2]: module
    for module in (
        arguments,
        atomics,
        control,
        corners,
        descriptors,
        elementwise,
        functions,
        loops,
        memory,
        products,
        reductions,
        scalars,
        shapes,
    )
}
#: Programs that must be refused, which are no topic of their own.
MISTAKES = "mistakes"
#: Programs whose text changes at random; trial.py makes them of others.
MUTANTS = "mutants"


def generate(seed, device=None, topic=None):
    """The program; one of ten has a mistake."""
    with np.errstate(all="ignore"):  # integers wrap, and floats leave their range
        return _generated(seed, device, topic)


def _generated(seed, device, topic):
    program = Program(seed, device)
    has_mistake = topic == MISTAKES or (topic is None and program.chance(0.1))
    program.topic = topic if topic in TOPICS else program.random.choice(list(TOPICS))
    program.mistake = None
    steps = []
    for name, module in TOPICS.items():
        total = sum(weight for weight, _ in module.STEPS)
        for weight, step in module.STEPS:
            steps.append((step, weight / total * (4 if name == program.topic else 0.6)))
    makers, weights = zip(*steps, strict=True)
    program.input()
    draw = lambda count: program.random.choices(makers, weights, k=count)
    for step in draw(program.random.randint(3, 10)):
        if program.chance(0.2):
            scopes.wrapped(program, [step, *draw(program.random.randint(0, 2)), *_scopes(program, draw)])
        else:
            step(program)
    if has_mistake:
        mistakes.add(program)
    choose_outputs(program)
    if program.chance(0.1):
        loops.leaves(program)
    return program


def _scopes(program, draw):
    """Sometimes a step that is a scope of others."""
    return [lambda program: scopes.wrapped(program, draw(2))] if program.chance(0.25) else []


def choose_outputs(program):
    """Stores the last values, those that nothing else uses, and some of the others."""
    used = {name for statement in program.statements for name in statement.needs if name not in statement.defines}
    for value in list(program.values[1:]):
        if value.name not in used or program.chance(0.3):
            program.store(value)
