"""What the code of a Python function reads from outside, and where the function begins in its text."""

import functools
import sys
from types import CodeType

_HAS_FLAG_IN_GLOBALS = sys.version_info >= (3, 11)  # the lowest bit of LOAD_GLOBAL's number says something else


def names_of_code(fn, more=()):
    """The names that the code of a function, and of the functions inside it, reads from outside, and ``more``."""
    names, codes = set(more), [fn.__code__]
    while codes:
        code = codes.pop()
        names.update(_names_read_by(code))
        codes.extend(constant for constant in code.co_consts if isinstance(constant, CodeType))
    return names


@functools.cache
def _readers():
    """{number of an instruction: what finds the name in a code object by the instruction's number}."""
    from opcode import opmap

    def of_global(code, number):
        return code.co_names[number >> 1 if _HAS_FLAG_IN_GLOBALS else number]

    def of_name(code, number):
        return code.co_names[number]

    def of_cell(code, number):
        if _HAS_FLAG_IN_GLOBALS:
            return code._varname_from_oparg(number)
        return (code.co_cellvars + code.co_freevars)[number]

    readers = {"LOAD_GLOBAL": of_global}
    readers.update(dict.fromkeys(("LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"), of_name))
    readers.update(dict.fromkeys(("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"), of_cell))
    return {opmap[name]: reader for name, reader in readers.items() if name in opmap}, opmap["EXTENDED_ARG"]


def _names_read_by(code):
    """Searches the bytes itself: `dis` describes each instruction, which takes much longer than a launch may."""
    readers, extended_argument = _readers()
    instructions, numbers = code.co_code[::2], code.co_code[1::2]
    for instruction, reader in readers.items():
        place = instructions.find(instruction)
        while place >= 0:
            yield reader(code, _number_at(place, instructions, numbers, extended_argument))
            place = instructions.find(instruction, place + 1)


def _number_at(place, instructions, numbers, extended_argument):
    """The number of an instruction, whose higher bytes are those of the extensions before it."""
    number, shift = numbers[place], 8
    while place > 0 and instructions[place - 1] == extended_argument:
        place -= 1
        number |= numbers[place] << shift
        shift += 8
    return number


def convert_to_tuple_if_list(item):
    """Lists, also nested ones, as tuples."""
    return tuple(map(convert_to_tuple_if_list, item)) if isinstance(item, list) else item


def get_def_line_number(raw_src, starting_line_number):
    """The line of ``def`` among the lines of a function's text, the first of which has the given number."""
    definitions = (number for number, line in enumerate(raw_src) if line.lstrip().startswith("def "))
    return starting_line_number + next(definitions, 0)


def get_def_col_number(raw_src_str):
    """The column of ``def``, counted from 1."""
    definitions = (line.index("def ") for line in raw_src_str.splitlines() if line.lstrip().startswith("def "))
    return next(definitions, 0) + 1
