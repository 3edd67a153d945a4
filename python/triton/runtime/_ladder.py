"""Which variants of a kernel stand in for classes that nobody has compiled, and which classes they serve.

At most four are made beside a class, the most special one first. What a class is likely to share with it is known to
the first: arrays begin where its arrays do, and integers are multiples of 16, but for those where it would make no
access of memory narrower if they were none, mostly numbers of rows, programs or steps. The second knows the arrays
alone, the third no more than which numbers are 1, and the fourth nothing. A number that is 1, mostly a stride, is known
to be so only where accesses would be narrower otherwise."""

from collections import namedtuple

from .. import _C
from ..compiler import compiler
from ..errors import TritonError

_DIVISIBLE, _STORAGE = ["tt.divisibility", 16], ["tt.storage", 0]
_ARRAYS = "*", "tensordesc"
_WIDE_INTEGERS = "i32", "i64", "u32", "u64"


def sources_beside(kernel, src, options, target):
    """The sources of these variants, of the same types, constants and options as the class."""
    leaves = dict(_leaves(src))
    ones = [path for path, type_ in leaves.items() if type_ == "constexpr" and _is_one(kernel, src, path)]
    integers = [path for path, type_ in leaves.items() if type_ in _WIDE_INTEGERS and not _is_fixed(kernel, path)]
    others = {path: facts for path, facts in src.attrs.items() if path not in integers}
    ranges = {path: _without(facts, "tt.divisibility") for path, facts in src.attrs.items() if path in integers}
    likely = _joined(others, ranges, {path: [_DIVISIBLE] for path in integers})
    likely, loose = _without_idle_facts(kernel, src, likely, ranges, integers, ones, (options, target))
    arrays = _joined(others, ranges)
    sources = [
        _source(kernel, src, likely, loose),
        _source(kernel, src, arrays, loose),
        _source(kernel, src, _in_one_storage(leaves), loose),
        _source(kernel, src, _in_one_storage(leaves), ones),
    ]
    return list({text_of(source): source for source in sources}.values())


def last_sources(kernel, src):
    """The sources of the last two, which follow from the class alone."""
    leaves = dict(_leaves(src))
    ones = [path for path, type_ in leaves.items() if type_ == "constexpr" and _is_one(kernel, src, path)]
    return [_source(kernel, src, _in_one_storage(leaves), unknown) for unknown in ([], ones)]


def _without_idle_facts(kernel, src, attributes, ranges, integers, ones, settings):
    """(the attributes, the paths of numbers that may be others than 1): without what makes no access wider, beside all
    that is left. Where the kernel cannot be compiled without a fact, the fact matters as well."""
    loose = []

    def widths(attributes, loose):
        return _access_bytes(_source(kernel, src, attributes, loose), *settings)

    most = widths(attributes, loose)
    if most is None:
        return attributes, loose
    for path in ones:
        if widths(attributes, [*loose, path]) == most:
            loose.append(path)
    for path in integers:
        less = {**attributes, path: ranges.get(path, [])}
        if widths(less, loose) == most:
            attributes = less
    return attributes, loose


def text_of(src):
    return facts_of(src).text


def family_of(src):
    """What a class has in common with all variants that may serve it."""
    return facts_of(src).family


#: What is asked of a source again and again: its text and family, the paths of the numbers that are 1, what is known of
#: values and addresses, whether that includes which arrays overlap, and how much the source knows in all.
_Facts = namedtuple("_Facts", ["text", "family", "ones", "known", "overlaps", "may_overlap", "number"])


def facts_of(src):
    """The source's facts, which it keeps, since a launch that finds no variant of its own compares those of many."""
    facts = src.__dict__.get("_known_facts")
    if facts is None:
        facts = src._known_facts = _find_facts(src)
    return facts


def _find_facts(src):
    leaves, ones, have_arrays = [], [], False
    for path, type_ in _leaves(src):
        have_arrays = have_arrays or type_.startswith(_ARRAYS)
        if type_ == "constexpr" and _is_one(src.fn, src, path):
            ones.append(path)
            type_ = _type_of_ones(src.fn, path)
        leaves.append((path, type_, repr(src.constants.get(path)) if type_ == "constexpr" else None))
    known = {(path, *fact) for path, facts in src.attrs.items() for fact in facts if fact[0] != "tt.storage"}
    storages = [fact for facts in src.attrs.values() for fact in facts if fact[0] == "tt.storage"]
    may_overlap = not have_arrays or (bool(storages) and all(fact == _STORAGE for fact in storages))
    number = len(ones) + len(known) + (not may_overlap)  # those of one family have the other constants in common
    family = _shape_of(src), tuple(leaves)
    return _Facts(src._text(), family, frozenset(ones), known, bool(storages), may_overlap, number)


def serves(generic, src):
    """Whether launches of the class ``src`` may run on the variant: all that it knows holds of them. Arrays that
    overlap are known only to some launches; of the others the variant's launch compares them."""
    return _hold(facts_of(generic), facts_of(src))


def _hold(ours, theirs):
    if ours.family != theirs.family or theirs.overlaps and not ours.may_overlap:
        return False
    return ours.ones <= theirs.ones and ours.known <= theirs.known


def names_of_ones(generic, src):
    """The arguments of the variant that are 1 in the class, whose own variant has no arguments for them."""
    names = list(src.signature)
    ones = sorted(facts_of(src).ones - facts_of(generic).ones)
    return [".".join([names[path[0]], *map(str, path[1:])]) for path in ones]


def best_first(candidates, src):
    """Those of the candidates, which have a ``src``, that serve the class; what knows the most comes first."""
    theirs = facts_of(src)
    serving = [each for each in candidates if _hold(facts_of(each.src), theirs)]
    return sorted(serving, key=lambda each: facts_of(each.src).number, reverse=True)


def may_overlap(src):
    """Whether the variant runs for arrays in any memory."""
    return facts_of(src).may_overlap


def _shape_of(src):
    """Which arguments are tuples, of how many elements and of which fields."""

    def shape(type_):
        return tuple(map(shape, type_)) if isinstance(type_, tuple) else None

    tuples = tuple((name, shape(type_)) for name, type_ in src.signature.items() if isinstance(type_, tuple))
    return tuples, tuple(sorted(src._fields_of_tuples.items())) if tuples else ()


def _leaves(src):
    """(path, type) of each argument, and of the elements of tuples."""
    for number, type_ in enumerate(src.signature.values()):
        yield from _leaves_of((number,), type_)


def _leaves_of(path, type_):
    if isinstance(type_, tuple):
        for index, item in enumerate(type_):
            yield from _leaves_of((*path, index), item)
    else:
        yield path, str(type_)


def _is_one(kernel, src, path):
    """Whether an argument is a constant only because it is 1."""
    value = src.constants.get(path)
    return not kernel.params[path[0]].is_constexpr and type(value) is int and value == 1


def _type_of_ones(kernel, path):
    """The type that the number would have if it were another one of its size."""
    return (kernel.params[path[0]].annotation_type if len(path) == 1 else "") or "i32"


def _is_fixed(kernel, path):
    """Whether nothing about the integer selects a variant."""
    parameter = kernel.params[path[0]]
    return len(path) == 1 and (parameter.do_not_specialize or parameter.do_not_specialize_on_alignment)


def _without(facts, name):
    return [fact for fact in facts if fact[0] != name]


def _joined(*attributes):
    joined = {}
    for each in attributes:
        for path, facts in each.items():
            joined.setdefault(path, []).extend(fact for fact in facts if fact not in joined.get(path, ()))
    return joined


def _in_one_storage(leaves):
    """All arrays may lie in one memory."""
    return {
        (*path, 0) if type_.startswith("tensordesc") else path: [_STORAGE]
        for path, type_ in leaves.items()
        if type_.startswith(_ARRAYS)
    }


def _source(kernel, src, attributes, unknown):
    """The source with these facts alone, where the numbers at the paths ``unknown`` may be others than 1."""
    named = src._signature_with_fields
    signature = {
        parameter.name: _typed(named[parameter.name], (number,), unknown, parameter.annotation_type)
        for number, parameter in enumerate(kernel.params)
    }
    constants = {path: value for path, value in src.constants.items() if path not in unknown}
    facts = {path: sorted(each) for path, each in sorted(attributes.items()) if each}
    return compiler.ASTSource._for_launches(kernel, signature, constants, facts)


def _typed(type_, path, unknown, own_type=""):
    if isinstance(type_, tuple):
        items = [_typed(item, (*path, index), unknown) for index, item in enumerate(type_)]
        return type(type_)(*items) if hasattr(type_, "_fields") else tuple(items)
    return (own_type or "i32") if path in unknown else type_


def _access_bytes(src, options, target):
    """What accesses of the kernel may move at once; None if it cannot be compiled so, or not by us."""
    if not _C.has_backend(target.backend):
        return None
    try:
        return compiler.access_bytes(target, src, dict(options))
    except (TritonError, RuntimeError):
        return None
