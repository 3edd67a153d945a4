"""Steps: functions of the module with constants, defaults, tuples, recursion and early returns, and what runs once more
on scalars: map_elementwise and inline assembly."""

import numpy as np

from .control import INTEGER_TYPES, Body, evaluate
from .elements import BITS
from .elementwise import partner
from .program import Value


def _evaluate(text, environment, dtype):
    return evaluate(text, environment).astype(dtype)


def _pair(program):
    dtype = program.random.choice(INTEGER_TYPES)
    shape = () if program.chance(0.25) else program.shape((1, 1, 2, 3))
    return dtype, program.input(dtype, shape), program.input(dtype, shape)


def called(program):
    """A function with a constant, a default and a tuple as result, which calls another one."""
    dtype, x, y = _pair(program)
    body = Body(program, dtype, ["x", "y"])
    inner, outer = body.update("x"), Body(program, dtype, ["x", "z"]).update("z")
    low = program.helper("inner", f"def NAME(x, y):\n    return {inner}")
    is_swapped, times = program.chance(0.5), program.random.choice([0, 1, 2, 3])
    default = program.random.choice([1, 5])
    text = (
        f"def NAME(x, y, flag: tl.constexpr, times: tl.constexpr = {default}):\n"
        f"    z = {low}(y, x) if flag else {low}(x, y)\n"
        f"    for _ in tl.static_range(times):\n        z = {outer}\n"
        "    return z, x\n"
    )
    function = program.helper("outer", text)
    uses_default = program.chance(0.4)
    call = program.random.choice(
        [f"{function}({x.name}, {y.name}, {is_swapped}", f"{function}({x.name}, y={y.name}, flag={is_swapped}"]
    )
    call += ")" if uses_default else f", times={times})"
    numbers = {"x": y.data, "y": x.data} if is_swapped else {"x": x.data, "y": y.data}
    z = _evaluate(inner, numbers, x.data.dtype)
    for _ in range(default if uses_default else times):
        z = _evaluate(outer, {"x": x.data, "z": z}, x.data.dtype)
    results = [Value(program.fresh(), dtype, z), Value(program.fresh(), dtype, x.data)]
    program.add_all([f"{results[0].name}, {results[1].name} = {call}"], results)


def recursive(program):
    """A function that calls itself with a smaller constant."""
    dtype, x, y = _pair(program)
    step = Body(program, dtype, ["x", "y"]).update("x")
    text = (
        "def NAME(x, y, depth: tl.constexpr):\n    if depth == 0:\n        return x\n    else:\n"
        f"        return NAME({step}, y, depth - 1)\n"
    )
    function = program.helper("recursive", text)
    depth = program.random.choice([0, 1, 3, 5])
    data = x.data
    for _ in range(depth):
        data = _evaluate(step, {"x": data, "y": y.data}, x.data.dtype)
    program.add(f"{function}({x.name}, {y.name}, {depth})", dtype, data)


def early(program):
    """Early returns that depend on data, also of a function that is not inlined."""
    dtype = program.random.choice(INTEGER_TYPES)
    x, y = program.input(dtype, ()), program.input(dtype, ())
    body = Body(program, dtype, ["x", "y"])
    tests = [body.condition() for _ in range(program.random.randint(1, 3))]
    texts = [body.update("x") for _ in range(len(tests) + 1)]
    lines = ["def NAME(x, y):"]
    for test, text in zip(tests, texts[:-1], strict=True):
        lines += [f"    if {test}:", f"        return {text}"]
    lines.append(f"    return {texts[-1]}")
    function = program.helper("early", "\n".join(lines) + "\n", program.chance(0.7))
    environment = {"x": x.data, "y": y.data}
    data, open_ = _evaluate(texts[-1], environment, x.data.dtype), np.ones(program.programs, bool)
    for test, text in zip(tests, texts[:-1], strict=True):
        holds = open_ & np.broadcast_to(evaluate(test, environment), open_.shape)
        data = np.where(holds, _evaluate(text, environment, x.data.dtype), data)
        open_ = open_ & ~holds
    program.add(f"{function}({x.name}, {y.name})", dtype, data)


def mapped(program):
    """map_elementwise, with real branches on each element."""
    dtype, x, y = _pair(program)
    if x.rank == 0:
        return
    body = Body(program, dtype, ["x", "y"])
    test, one, other = body.condition(), body.update("x"), body.update("x")
    text = f"def NAME(x, y):\n    result = {other}\n    if {test}:\n        result = {one}\n    return result\n"
    function = program.helper("mapped", text)
    environment = {"x": x.data, "y": y.data}
    holds = evaluate(test, environment)
    data = np.where(holds, _evaluate(one, environment, x.data.dtype), _evaluate(other, environment, x.data.dtype))
    program.add(f"tl.map_elementwise({function}, {x.name}, {y.name})", dtype, data)


def passed_on(program):
    """A function that another one gets as an argument, and tuples that a loop carries."""
    dtype, x, y = _pair(program)
    inner = Body(program, dtype, ["x", "y"]).update("x")
    function = program.helper("applied", f"def NAME(x, y):\n    return {inner}\n")
    other = program.helper("applies", "def NAME(function: tl.constexpr, x, y):\n    return function(y, x)\n")
    count = program.random.choice([1, 2, 3])
    name, index = program.fresh("pair"), program.fresh("i")
    one, two = x.data, y.data
    for _ in range(count):
        one, two = two, _evaluate(inner, {"x": two, "y": one}, x.data.dtype)
    lines = [f"{name} = ({x.name}, {y.name})"]
    lines += [f"for {index} in {program.random.choice(['range', 'tl.static_range'])}({count}):"]
    lines += [f"    {name} = ({name}[1], {other}({function}, {name}[0], {name}[1]))"]
    results = [Value(program.fresh(), dtype, one), Value(program.fresh(), dtype, two)]
    program.add_all([*lines, f"{results[0].name}, {results[1].name} = {name}"], results)


def assembly(program):
    """PTX that only computes, which every target takes, on a word or packed elements."""
    if program.device is not None and program.device.name == "interpret":
        return
    dtype = program.random.choice(["int32", "uint32", "int64"])
    x = program.pick(lambda each: each.dtype == dtype and each.rank, 0.5, lambda: program.input(dtype))
    y = partner(program, x, dtype=dtype)
    from .elementwise import aligned

    one, other = aligned(x.data, y.data)
    bits, register = BITS[dtype], "r" if BITS[dtype] == 32 else "l"
    forms = {
        f"add.s{bits}": one + other,
        f"sub.s{bits}": one - other,
        f"xor.b{bits}": one ^ other,
        f"and.b{bits}": one & other,
        f"mul.lo.s{bits}": one * other,
    }
    name = program.random.choice(list(forms))
    asm, constraints = f"{name} $0, $1, $2;", f"={register},{register},{register}"
    words = f"[{x.name}, {y.name}], dtype=tl.{dtype}, is_pure={program.chance(0.5)}, pack=1"
    program.add(f'tl.inline_asm_elementwise("{asm}", "{constraints}", {words})', dtype, forms[name])


STEPS = [(4, called), (2, passed_on), (2, recursive), (3, early), (2, mapped), (1, assembly)]
