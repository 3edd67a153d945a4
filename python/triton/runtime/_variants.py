"""How two variants of a kernel differ, in words, and where in a program a launch stands."""

import functools
import os
import sys
import weakref

from .. import _C, knobs

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_ABSENT = "not given"

#: The kernels that have variants.
with_variants = weakref.WeakSet()

#: What facts of arguments are called; the value follows where the name ends with a blank.
_FACTS = {
    "tt.divisibility": "divisible by ",
    "tt.pointer_range": "in memory of less than 2 GiB",
    "tt.nonnegative": "not negative",
    "tt.storage": "in the memory with the number ",
}


def variant_key(src, options):
    """A text that two variants of a kernel share only if they are the same, and `tells_constants_apart`."""
    return f"{src._text()}{settings_key(options)}"


def settings_key(options):
    """What of `variant_key` does not come from the source."""
    key = f"{sorted(options.items(), key=str) if options else []}"
    if knobs.runtime.debug:
        key += "-debug"
    scopes, pipeline = _C.profiler.instrumentation(), knobs.runtime.pipeline
    if scopes:
        key += f"-scopes {scopes}"
    return f"{key}-stages {pipeline}" if pipeline else key


def tells_constants_apart(src):
    """Whether `variant_key` does so. Functions that a program has made by one definition have one text, and so have all
    functions of the language."""
    return not any(map(_opaque_parts, src.constants.values()))


def identity_key(key, src):
    """The source's `variant_key` with the constants that it does not distinguish: equal ones are the same, such as two
    layouts, and functions only if they are one. It holds as long as the source lives."""
    opaque = tuple(identity for value in src.constants.values() for identity in _identities(value))
    return key, opaque


def _identities(value):
    return [_identity_of(part) for part in _opaque_parts(value)]


def _identity_of(part):
    """Where values have no hash, addresses distinguish them. The launcher makes a class anew for each named
    tuple, with the name and the fields of the program's own."""
    if isinstance(part, tuple):
        return type(part).__name__, getattr(part, "_fields", None), tuple(map(_identity_of, part))
    try:
        hash(part)
    except TypeError:
        return type(part), id(part)
    return type(part), part


@functools.cache
def _types_of_language():
    from ..language import constexpr, dtype  # late: `import triton` does not load the language

    return constexpr, dtype


_PLAIN = frozenset({bool, int, float, type(None)})


def _opaque_parts(value):
    """What a constant consists of that a text does not distinguish."""
    if type(value) in _PLAIN:
        return []
    constexpr, dtype = _types_of_language()
    if type(value) is tuple:
        return [part for each in value for part in _opaque_parts(each)]
    if type(value) is constexpr:
        return _opaque_parts(value.value)
    is_plain = type(value) is dtype or type(value) is str and value != "<builtin>"
    return [] if is_plain else [value]


def has_same_constants(compiled, src):
    """Whether a variant with the source's key has its constants."""
    theirs = getattr(getattr(compiled, "src", None), "constants", {})
    for path, value in src.constants.items():
        if not _is_same(value, theirs.get(path)):
            return False
    return True


def _is_same(value, other):
    """For two constants with one text."""
    if type(value) in _PLAIN and type(value) is type(other):
        return True
    if type(value) is type(other) is tuple:
        return all(map(_is_same, value, other))
    return _identities(value) == _identities(other)


def place_of_launch():
    """(file, line) of the innermost call outside this package."""
    frame = sys._getframe(1)
    while frame.f_back and _is_of_package(frame.f_code.co_filename):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


@functools.cache
def _is_of_package(path):
    return path.startswith(_PACKAGE) or os.path.abspath(path).startswith(_PACKAGE)


def nearest(wanted, known):
    """{name: (what it is here, what it is there)} for that of the variants ``known`` with the fewest differences; None
    if there are no variants. A variant is a source with its options."""
    if not known:
        return None
    here = facts_of(*wanted)
    return min((_differences(here, facts_of(*each)) for each in known), key=len)


def facts_of(src, options):
    """{parameter or option: what the code of the variant knows of it}."""
    names = list(src.signature)
    facts = {name: [str(type_)] * (str(type_) != "constexpr") for name, type_ in src.signature.items()}
    for path, value in src.constants.items():
        facts.setdefault(_name_of(names, path), []).append(f"{value!r}")
    for path, attributes in src.attrs.items():
        facts.setdefault(_name_of(names, path), []).extend(_fact_text(key, value) for key, value in attributes)
    facts.update({name: [repr(value)] for name, value in options.items()})
    return {name: ", ".join(texts) for name, texts in facts.items()}


def _fact_text(key, value):
    text = _FACTS.get(key, f"{key} ")
    return f"{text}{value}" if text.endswith(" ") else text


def _name_of(names, path):
    return names[path[0]] + "".join(f"[{index}]" for index in path[1:])


def _differences(facts, others):
    names = [*facts, *(name for name in others if name not in facts)]
    pairs = {name: (facts.get(name, _ABSENT), others.get(name, _ABSENT)) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def differences_text(differences, values):
    """The differences as a clause; ``values`` are the arguments of the launch by name."""
    return "; ".join(
        f"`{name}`{_value_text(values.get(name), here)} is {here}, there {there}"
        for name, (here, there) in differences.items()
    )


def _value_text(value, shown):
    """The value of a number, unless ``shown`` is it."""
    is_number = type(value) in (int, float) or type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0
    return f" = {value}" if is_number and str(value) != shown else ""


def reason_of(differences, signature):
    """The one word of `triton.monitor` for these differences."""
    if differences is None:
        return "first"
    if not differences:
        return "settings"
    for name, (here, there) in differences.items():
        if name.partition("[")[0] not in signature:
            return "option"
        if "memory with the number" in here + there:
            return "memory"
        ours, theirs = here.partition(", ")[0], there.partition(", ")[0]
        if ours != theirs:
            is_value = signature[name.partition("[")[0]] == "constexpr" or _is_literal(theirs)
            return "value" if is_value else "type"
    return "divisibility"


def _is_literal(text):
    return not text.startswith("*") and (text[:1] in "-'\"" or text[:1].isdigit() or text in ("True", "False", "None"))
