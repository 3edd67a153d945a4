"""What the code of a Python function reads from outside."""


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
