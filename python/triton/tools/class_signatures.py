"""Recorded classes as signatures of ahead-of-time compilation, for programs in C that read a bundle."""

import itertools

#: What a signature's numbers of warps and stages are where a launch has not said it.
_WARPS, _STAGES = 4, 3


def kernels_of_bundle(classes):
    """[(file, kernel, name in the bundle, signatures, warps, stages)] of those classes that programs in C can launch:
    functions of a file whose arguments are numbers and arrays, with no options but these. Classes of one name with
    other types, warps, stages or files have a number behind it, one that no kernel's name ends with."""
    groups = {}
    for recorded in classes:
        signature = _signature_of(recorded.facts["variant"])
        name = recorded.kernel.partition(":")[2]
        if signature is None or not name.isidentifier():
            continue
        types, text = signature
        options = recorded.facts["variant"]["options"]
        place = (
            recorded.facts["file"],
            name,
            types,
            options.get("num_warps", _WARPS),
            options.get("num_stages", _STAGES),
        )
        groups.setdefault(place, {})[text] = None
    names, taken, kernels = {name for _, name, *_ in groups}, set(), []
    for (file, name, _, warps, stages), texts in sorted(groups.items()):
        numbered = (f"{name}_{number}" for number in itertools.count(2))
        free = name if name not in taken else next(each for each in numbered if each not in names | taken)
        taken.add(free)
        kernels.append((file, name, free, list(texts), warps, stages))
    return kernels


def _signature_of(variant):
    """(the types as a text, the signature); None if C has none."""
    options = variant["options"]
    if set(options) - {"num_warps", "num_stages", "num_ctas"} or options.get("num_ctas", 1) != 1:
        return None
    constants = _by_path(variant["constant_keys"], variant["constant_vals"])
    facts = _by_path(variant["attrs_keys"], variant["attrs_vals"])
    types, items = [], []
    for index, type_ in enumerate(variant["signature"].values()):
        item = _item_of(type_, constants, facts.get((index,), ()), (index,))
        if item is None:
            return None
        types.append(item.partition(":")[0] if type_ != "constexpr" else "")
        items.append(item)
    return ", ".join(types), ", ".join(items)


def _by_path(keys, values):
    return {tuple(key) if isinstance(key, list) else (key,): value for key, value in zip(keys, values, strict=True)}


def _item_of(type_, constants, facts, path):
    if type_ == "constexpr":
        value = constants.get(path)
        return repr(value) if value is None or type(value) in (bool, int, float) else None
    if not isinstance(type_, str) or type_.startswith("tensordesc"):
        return None
    if any(name == "tt.storage" for name, _ in facts):
        return None  # for arrays that overlap, which code for C always allows
    return type_ + ":16" * (["tt.divisibility", 16] in [list(fact) for fact in facts])
