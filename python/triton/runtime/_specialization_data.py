"""A compiled variant as a text: what the hooks of compilations get as ``specialization_data``, and what
``kernel.preload`` compiles again in another process."""

from collections import namedtuple

from .._utils import read_json


class _Unknown:
    """A constant that has no text."""

    def __init__(self, text):
        self.text = text


def _plain(value):
    """A constant or a type of a signature as JSON has it."""
    from ..language import constexpr, dtype  # late: `import triton` does not load the language

    if hasattr(value, "_fields"):
        return {"named_tuple": [list(value._fields), [_plain(item) for item in value]]}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, constexpr):
        return {"constexpr": _plain(value.value)}
    if isinstance(value, dtype):
        return {"dtype": value.name}
    if hasattr(value, "cache_key") and hasattr(value, "__qualname__"):
        return {"jit_function": f"{value.__module__}:{value.__qualname__}"}
    return {"unknown": repr(value)}


def _revived(value):
    from ..language import constexpr, dtype

    if isinstance(value, list):
        return tuple(_revived(item) for item in value)
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "constexpr":
        return constexpr(_revived(content))
    if kind == "named_tuple":
        names, items = content
        return namedtuple("Fields", names, rename=True)(*map(_revived, items))
    if kind == "dtype":
        return dtype(content)
    if kind == "jit_function":
        import functools
        import importlib

        module, _, name = content.partition(":")
        return functools.reduce(getattr, name.split("."), importlib.import_module(module))
    return _Unknown(content)


def serialize_specialization_data(name, signature, constants, attrs, options, key, target):
    """The text for a kernel of that name. ``constants`` and ``attrs`` have index paths as keys. ``options`` is a dict
    or an object with attributes."""
    options = options if isinstance(options, dict) else vars(options)
    facts = {
        "name": name,
        "signature": {parameter: _plain(type_) for parameter, type_ in signature.items()},
        "constant_keys": _plain(list(constants)),
        "constant_vals": _plain(list(constants.values())),
        "attrs_keys": _plain(list(attrs)),
        "attrs_vals": _plain(list(attrs.values())),
        "options": {option: _plain(value) for option, value in options.items()},
        "key": key,
        "target": {"backend": target.backend, "arch": target.arch, "warp_size": target.warp_size},
    }
    import json

    return json.dumps(facts)


def deserialize_specialization_data(text):
    """The dict of facts: ``constants`` and ``attrs`` in place of their keys and values. Raises RuntimeError if a value
    had no text."""
    facts = read_json(text)
    for kind, keys in (("constants", "constant"), ("attrs", "attrs")):
        values = [_revived(value) for value in facts.pop(f"{keys}_vals")]
        facts[kind] = dict(zip(map(_revived, facts.pop(f"{keys}_keys")), values, strict=True))
    for mapping in ("signature", "options"):
        facts[mapping] = {name: _revived(value) for name, value in facts[mapping].items()}
    facts["attrs"] = {path: [list(fact) for fact in given] for path, given in facts["attrs"].items()}
    for value in [*facts["constants"].values(), *facts["options"].values()]:
        if isinstance(value, _Unknown):
            raise RuntimeError(f"`{facts['name']}` cannot be compiled from its description, which lacks {value.text}")
    return facts
