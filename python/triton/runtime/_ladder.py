"""Which variants of a kernel stand in for classes that nobody has compiled, and which classes they serve.

At most four are made beside a class, the most special one first. What a class is likely to share with it is known to
the first: arrays begin where its arrays do, and integers are multiples of 16, but for those where it would make no
access of memory narrower if they were none, mostly numbers of rows, programs or steps. The second knows the arrays
alone, the third no more than which numbers are 1, and the fourth nothing. A number that is 1, mostly a stride, is known
to be so only where accesses would be narrower otherwise."""

import weakref

from .. import _C
from ..compiler import compiler
from ..errors import TritonError

_DIVISIBLE, _STORAGE = ["tt.divisibility", 16], ["tt.storage", 0]
_families, _texts = weakref.WeakKeyDictionary(), weakref.WeakKeyDictionary()
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
    if src not in _texts:
        _texts[src] = src._text()
    return _texts[src]


def family_of(src):
    """What a class has in common with all variants that may serve it."""
    if src not in _families:
        leaves = []
        for path, type_ in _leaves(src):
            if type_ == "constexpr" and _is_one(src.fn, src, path):
                type_ = _type_of_ones(src.fn, path)
            leaves.append((path, type_, repr(src.constants.get(path)) if type_ == "constexpr" else None))
        _families[src] = _shape_of(src), tuple(leaves)
    return _families[src]


def serves(generic, src):
    """Whether launches of the class ``src`` may run on the variant: all that it knows holds of them. Arrays that
    overlap are known only to some launches; of the others the variant's launch compares them."""
    ours, theirs = dict(_leaves(generic)), dict(_leaves(src))
    if _shape_of(generic) != _shape_of(src) or _overlaps(src) and not may_overlap(generic):
        return False
    for path, type_ in ours.items():
        if type_ != theirs[path] and not (_is_one(src.fn, src, path) and type_ == _type_of_ones(src.fn, path)):
            return False
        if type_ == "constexpr" and repr(generic.constants.get(path)) != repr(src.constants.get(path)):
            return False
    known = {path: _without(facts, "tt.storage") for path, facts in src.attrs.items()}
    return all(
        fact in known.get(path, ()) for path, facts in generic.attrs.items() for fact in _without(facts, "tt.storage")
    )


def names_of_ones(generic, src):
    """The arguments of the variant that are 1 in the class, whose own variant has no arguments for them."""
    names, theirs = list(src.signature), dict(_leaves(src))
    ones = [path for path, type_ in _leaves(generic) if type_ != theirs[path]]
    return [".".join([names[path[0]], *map(str, path[1:])]) for path in ones]


def best_first(candidates, src):
    """Those of the candidates, which have a ``src``, that serve the class; what knows the most comes first."""
    serving = [each for each in candidates if serves(each.src, src)]
    return sorted(serving, key=lambda each: number_of_facts(each.src), reverse=True)


def may_overlap(src):
    """Whether the variant runs for arrays in any memory."""
    return not any(str(type_).startswith(("*", "tensordesc")) for _, type_ in _leaves(src)) or (
        _overlaps(src) and all(fact == _STORAGE for fact in _storages(src))
    )


def number_of_facts(src):
    ones = sum(type(value) is int and value == 1 for value in src.constants.values())
    return ones + sum(len(_without(facts, "tt.storage")) for facts in src.attrs.values()) + (not may_overlap(src))


def _storages(src):
    return [fact for facts in src.attrs.values() for fact in facts if fact[0] == "tt.storage"]


_overlaps = _storages


def _shape_of(src):
    """Which arguments are tuples, of how many elements and of which fields."""

    def shape(type_):
        return tuple(map(shape, type_)) if isinstance(type_, tuple) else None

    return shape(tuple(src.signature.values())), src._fields_of_tuples


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
        if type_.startswith(("*", "tensordesc"))
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
