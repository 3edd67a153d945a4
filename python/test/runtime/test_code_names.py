"""The names that code reads from outside, against what Python itself says of the instructions."""

import dis

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.runtime._code_names import names_of_code

one, two, three = 1, 2, 3


def _globals_alone(x):
    x.two = one + x.three
    return [three for _ in range(x)]


def _with_cells():
    inner_value, two = 1, 2

    def inner():
        class Local:
            value = one + inner_value

            def method(self):
                return two, Local

        return Local, lambda: inner_value

    return inner


def _with_many_names():
    """Whose numbers do not fit into a byte."""
    lines = [f"    x.attribute_{number} = global_{number}" for number in range(400)]
    scope = {}
    exec("def many(x):\n" + "\n".join(lines), scope)
    return scope["many"]


def _by_description(fn):
    reading = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF"}
    reading |= {"LOAD_FROM_DICT_OR_GLOBALS", "LOAD_FROM_DICT_OR_DEREF"}
    names, codes = set(), [fn.__code__]
    while codes:
        code = codes.pop()
        names.update(each.argval for each in dis.get_instructions(code) if each.opname in reading)
        codes.extend(constant for constant in code.co_consts if hasattr(constant, "co_code"))
    return names


@pytest.mark.parametrize("fn", [_globals_alone, _with_cells, _with_cells(), _with_many_names(), _by_description])
def test_names_are_those_of_the_description(fn):
    assert names_of_code(fn) == _by_description(fn) != set()


def test_attributes_are_no_names():
    assert names_of_code(_globals_alone) == {"one", "three", "range"}
    assert names_of_code(_with_many_names()) == {f"global_{number}" for number in range(400)}


def test_an_error_of_the_search_ends_the_compilation(monkeypatch):
    """A kernel's key would lack the names otherwise."""

    def fail():
        raise MemoryError("no names")

    @triton.jit
    def kernel(x):
        tl.store(x, three)

    with monkeypatch.context() as patch:
        patch.setattr(triton.JITFunction, "_find_outside_names", lambda self: fail)
        with pytest.raises(MemoryError, match="no names"):
            kernel.warmup(np.zeros(1, np.int32), grid=(1,))
