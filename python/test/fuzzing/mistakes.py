"""Programs with a mistake: each must be refused at its line, by an error with file, line and column.

A mistake is a statement that the language does not have for the types and shapes at hand. It joins a right program.
"""

import re

from . import elements
from .shapes import block

#: An error of the compiler begins so, perhaps after the path's folder.
PLACE = re.compile(r"(\S+\.py):(\d+):(\d+): error: ")
ERRORS = ("CompilationError", "CompileTimeAssertionFailure", "UnsupportedLanguageConstruct")
INTERNAL = re.compile(r"internal compiler error|Assertion `|Stack dump|LLVM ERROR|UNREACHABLE|Traceback")


def _float(program):
    return program.input(program.random.choice(["float32", "float16", "float64"]), program.shape((1, 2)))


def _integer(program):
    return program.input(program.dtype("int"), program.shape((1, 2)))


def _other_length(program, value):
    """A block that does not broadcast with the value."""
    length = value.shape[-1]
    return program.input(value.dtype, (*value.shape[:-1], length * 2 if length > 1 else 4))


def shapes_differ(program):
    value = program.input(program.dtype("int", "float"), (8,))
    other = _other_length(program, value)
    return program.random.choice(
        [
            f"{value.name} + {other.name}",
            f"tl.where({value.name} == {value.name}, {value.name}, {other.name})",
            f"tl.maximum({value.name}, {other.name})",
            f"tl.join({value.name}, {other.name})",
            f"tl.cat({value.name}, {other.name})",
            f"tl.broadcast({value.name}, {other.name})",
        ]
    )


def wrong_type(program):
    x, y = _float(program), _integer(program)
    forms = [
        f"{x.name} & {x.name}",
        f"{x.name} << 1",
        f"~{x.name}",
        f"{x.name} // {x.name}",
        f"{y.name} @ {y.name}",
        f"{y.name} ** 2",
        f"tl.exp({y.name})",
        f"tl.sqrt_rn({y.name})",
        f"tl.histogram({x.name}, 16)",
        f"tl.xor_sum({x.name}, axis=0)",
        f"{x.name}.to(tl.int8, bitcast=True)",
        f"tl.load({y.name})",
        f"tl.store({x.name}, {y.name})",
        f"tl.gather({y.name}, {x.name}, 0)",
        f"{x.name}[0]",
        f"tl.umulhi({x.name}, {x.name})",
        f"{x.name}.to(tl.float128)",
        "-tl.program_id(0).T",
    ]
    return program.random.choice(forms)


def wrong_shape(program):
    value = block(program)
    rank, count = value.rank, value.size
    forms = [
        f"tl.reshape({value.name}, [{count * 2}])",
        f"tl.reshape({value.name}, [3, {count}])",
        f"tl.permute({value.name}, {list(range(rank)) + [0]})",
        f"tl.permute({value.name}, {[0] * rank if rank > 1 else [1]})",
        f"tl.expand_dims({value.name}, {rank + 1})",
        f"tl.sum({value.name}.to(tl.float32), axis={rank})",
        f"tl.flip({value.name}, {rank})",
        f"tl.broadcast_to({value.name}, [{', '.join(['3'] * rank)}])",
        f"tl.split(tl.reshape({value.name}, [{count}, 1]))",
        f"tl.associative_scan({value.name}, {rank}, no_function)",
        f"tl.argmax({value.name}, axis={-rank - 1})",
        f"{value.name}.item()" if count > 1 else "tl.arange(0, 3)",
        f"tl.zeros([{count}, 3], tl.int32)",
        "tl.arange(0, 12)",
        "tl.arange(4, 4)",
    ]
    return program.random.choice(forms)


def wrong_product(program):
    first = program.input("float16", (16, 16))
    second = program.input(program.random.choice(["float16", "int8", "float32"]), (32, 16))
    vector = program.input("float16", (16,))
    forms = [
        f"tl.dot({first.name}, {second.name})",
        f"tl.dot({first.name}, {vector.name})",
        f'tl.dot({first.name}, {first.name}, input_precision="none")',
        f"tl.dot({first.name}, {first.name}, acc={vector.name})",
        f"tl.dot({first.name}, {first.name}, out_dtype=tl.bfloat16)",
        f"tl.dot({first.name}.to(tl.uint8), {first.name}.to(tl.uint8))",
    ]
    return program.random.choice(forms)


def wrong_name(program):
    value = block(program)
    forms = [
        f"{value.name} + missing",
        f"tl.no_such_function({value.name})",
        f"{value.name}.no_such_method()",
        "tl.load()",
        f"tl.sum({value.name}, axis=0, no_such_parameter=1)",
        f"tl.sum({value.name}, 0, axis=0)",
        "tl.program_id(3)",
        f"{value.name} if {value.name} else 0" if value.size > 1 else "tl.program_id(-1)",
        f"tl.atomic_add({value.name}, 1)",
        'tl.static_assert(False, "on purpose")',
        "tl.full([4], 1)",
        f"tl.cdiv(1.5, {value.name})" if elements.is_float(value.dtype) else "tl.arange(0, 8, 9, 10)",
        f'tl.load({value.name}, cache_modifier=".zz")',
        f"(lambda x: x)({value.name})",
        f"len({value.name})",
    ]
    return program.random.choice(forms)


def wrong_memory(program):
    argument = program.array("x", "float32", elements.random_values(program.generator, "float32", (1, 16)))
    value = program.input("int32", (16,))
    base = argument.name
    forms = [
        f"tl.load({base}, boundary_check=[0])",
        f"tl.load({base} + tl.arange(0, 16), other=0.0)",
        f"tl.load({base}, mask={value.name} > 0)",
        f"tl.store({base}, {value.name})",
        f"tl.store({base} + tl.arange(0, 16), 1.0, mask={value.name})",
        f"{base} + 1.5",
        f"{base} * 2",
        f"{base} + {base}",
        f"tl.atomic_xor({base} + tl.arange(0, 16), 1.0)",
        f'tl.atomic_add({base}, 1.0, sem="sometimes")',
        f"tl.make_block_ptr({base}, shape=[16], strides=[1], offsets=[0], block_shape=[3], order=[0])",
        f"tl.make_block_ptr({base}, shape=[16], strides=[1], offsets=[0, 0], block_shape=[4], order=[0])",
        f"tl.make_tensor_descriptor({base}, shape=[4, 4], strides=[1, 4], block_shape=[4, 4])",
        f"tl.load(tl.make_tensor_descriptor({base}, shape=[16], strides=[1], block_shape=[16]))",
    ]
    return program.random.choice(forms)


KINDS = (shapes_differ, wrong_type, wrong_shape, wrong_product, wrong_name, wrong_memory)


def add(program):
    """Adds a mistake and remembers its statement."""
    expression = program.random.choice(KINDS)(program)
    name = program.fresh("wrong")
    program.add_all([f"{name} = {expression}" if program.chance(0.8) else expression], [])
    program.mistake = program.statements[-1].lines[0]


def judge(program, text, error):
    """None where the error says what it should, otherwise what is wrong with it."""
    words = str(error)
    if type(error).__name__ not in ERRORS:
        return f"a mistake must be a CompilationError, not {type(error).__name__}: {words}"
    if INTERNAL.search(words):
        return f"an error inside the compiler: {words}"
    place = PLACE.match(words)
    lines = text.split("\n")
    if not place:
        return f"the error has no place: {words}"
    if lines[int(place[2]) - 1].strip() != program.mistake:
        return f"the error is not at the mistake `{program.mistake}`: {words}"
    return None
