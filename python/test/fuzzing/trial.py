"""Runs a program and says what became of it."""

import numpy as np

from . import comparison, mistakes, mutants, targets
from .generator import MUTANTS, generate


def copies(arguments, moved=0, is_guarded=False):
    """What a launch passes: names, types, arrays or numbers, and what makes descriptors of arrays."""
    return [(each.name, each.dtype, each.copy(moved, is_guarded), each.descriptor) for each in arguments]


def launch(target, program, folder, outputs=None):
    """What is wrong with each output, by its name; nothing for a right program. Some programs run twice, with arrays
    that are aligned in another way, and on the processor some have arrays after which the process ends."""
    name = f"program_{abs(program.seed)}_{'all' if outputs is None else outputs[0]}"
    text = program.source(outputs)
    module = targets.load(folder, name, text)
    chosen = [argument for argument in program.arguments if argument.name in program.passed]
    found = {}
    for moved in range(2 if program.seed % 10 == 3 else 1):
        stored = copies(chosen, moved, target.name == "cpu" and program.seed % 3 == 1)
        target.run(module.kernel, program, stored)
        found |= differences(chosen, stored)
    return found


def differences(chosen, stored):
    found = {}
    for argument, (_, _, array, _) in zip(chosen, stored, strict=True):
        if argument.expected is not None and isinstance(array, np.ndarray):
            words = comparison.difference(array, argument.expected)
            if words:
                found[argument.name] = words
    return found


def described(program, text):
    shapes = [
        f"# {each.name}: {each.dtype} {each.stored.tolist() if each.stored.size <= 16 else list(each.stored.shape)}"
        if isinstance(each.stored, np.ndarray)
        else f"# {each.name} = {each.stored!r}"
        for each in program.arguments
        if each.name in program.passed
    ]
    return "\n".join([f"# grid {program.grid}, options {program.options}", *shapes, text])


def reduced(target, program, found, folder):
    """The statements that the first wrong output needs; the whole program where those alone are right."""
    output, words = next(iter(found.items()))
    try:
        alone = launch(target, program, folder, [output])
    except Exception as error:
        alone = {output: f"{words}; alone, {type(error).__name__}: {error}"}
    if alone:
        return described(program, program.source([output])) + f"# {output}: {alone[output]}\n"
    return described(program, program.source()) + f"# {output}: {words}; alone, it is right\n"


def smallest(target, program, error, folder):
    """The statements of the first output with which alone the same kind of error comes."""
    for argument in program.outputs():
        try:
            launch(target, program, folder, [argument.name])
        except Exception as alone:
            if type(alone) is type(error):
                return f"{described(program, program.source([argument.name]))}# {type(alone).__name__}: {alone}\n"
    return f"{described(program, program.source())}# {type(error).__name__}: {error}\n"


def mistaken(target, program, folder):
    """What becomes of a program with a mistake: right where it is refused as it should be."""
    if target.name == "interpret":
        return "right", ""
    try:
        launch(target, program, folder)
    except Exception as error:
        words = mistakes.judge(program, program.source(), error)
        return ("failed", f"{described(program, program.source())}# {words}\n") if words else ("right", "")
    return "failed", f"{described(program, program.source())}# `{program.mistake}` is not refused\n"


def mutant(target, program, folder):
    """What becomes of a changed program that is only compiled."""
    if target.name == "interpret":
        return "right", ""
    text = mutants.mutate(program, program.source())
    words = None
    try:
        module = targets.load(folder, f"mutant_{abs(program.seed)}", text)
    except (NameError, TypeError, ValueError, SyntaxError, AttributeError):
        return "right", ""  # not even Python takes it
    chosen = [each for each in program.arguments if each.name in program.passed]
    try:
        target.run(module.kernel, program, copies(chosen), True)
    except Exception as error:
        words = mutants.judge(error)
    return ("failed", f"{described(program, text)}# {words}\n") if words else ("right", "")


def attempt(target, seed, folder, topic=None):
    """One of right, wrong, refused and failed, with a text."""
    program = generate(seed, target, topic)
    if topic == MUTANTS or (topic is None and seed % 8 == 0):
        return mutant(target, program, folder)
    if program.mistake is not None:
        return mistaken(target, program, folder)
    try:
        found = launch(target, program, folder)
    except Exception as error:
        kind = "refused" if type(error).__name__ in ("CompilationError", "InterpreterError") else "failed"
        if target.name == "cuda" and kind == "failed":
            # After an error of the GPU, nothing else runs in this process.
            return kind, f"{described(program, program.source())}# {type(error).__name__}: {error}\n"
        return kind, smallest(target, program, error, folder)
    return ("wrong", reduced(target, program, found, folder)) if found else ("right", "")
