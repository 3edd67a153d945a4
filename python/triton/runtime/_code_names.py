"""What the code of a Python function reads from outside, and where the function begins in its text."""


def names_of_code(fn):
    """The names that the code of a function, and of the functions inside it, reads from outside."""
    import dis

    reading = {
        "LOAD_GLOBAL",
        "LOAD_NAME",
        "LOAD_DEREF",
        "LOAD_CLASSDEREF",
        "LOAD_FROM_DICT_OR_GLOBALS",
        "LOAD_FROM_DICT_OR_DEREF",
    }
    names, codes = set(), [fn.__code__]
    while codes:
        code = codes.pop()
        names.update(item.argval for item in dis.get_instructions(code) if item.opname in reading)
        codes.extend(constant for constant in code.co_consts if hasattr(constant, "co_code"))
    return names


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
