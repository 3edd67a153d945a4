"""The names of Gluon in Triton 3.9, which names.json lists with their parameters. A module shows those that are not
here as objects that can be named, and that say when they are called that they are missing."""

import ast
import functools
import importlib
import inspect
import json
from pathlib import Path
from typing import TypeVar

from ...errors import TritonError

PACKAGE = __package__
LANGUAGE = f"{PACKAGE}.language"

#: The start of a module's name below the language, and whose unit its functions are for.
UNITS = {
    "nvidia.ampere": "NVIDIA's GPUs from compute capability 8.0 on",
    "nvidia.hopper": "NVIDIA's GPUs from compute capability 9.0 on",
    "nvidia.blackwell": "NVIDIA's GPUs from compute capability 10.0 on",
    "nvidia.rubin": "NVIDIA's GPUs of compute capability 10.7",
    "amd.cdna3": "AMD's CDNA 3 and 4, gfx942 and gfx950",
    "amd.cdna4": "AMD's CDNA 4, gfx950",
    "amd.cdna5": "AMD's gfx1250",
    "amd.gfx1250": "AMD's gfx1250",
    "amd.rdna3": "AMD's RDNA 3, gfx11",
    "amd.rdna4": "AMD's RDNA 4, gfx12",
    "amd": "AMD's GPUs",
}

#: {name of a function that releases before 3.9 had: its name now}. A call of one says so.
SUCCESSORS = {
    "async_copy_global_to_shared": "async_load",
    "async_copy_global_to_shared_im2col": "async_load_im2col",
    "async_copy_shared_to_global": "async_store",
}


@functools.cache
def table():
    """{module: {name: what it is}}: "module", "value", {"alias": another name}, {"function": parameters}, or
    {"class": parameters, "members": {name: parameters or what it is}}."""
    facts = json.loads((Path(__file__).parent / "names.json").read_text())
    return {module: names for module, names in facts.items() if module != "version"}


def _unit(module):
    """Whose unit the functions of the module are for; "" if all GPUs have it."""
    below = module.removeprefix(LANGUAGE).removeprefix(".")
    return next((unit for start, unit in UNITS.items() if below == start or below.startswith(start + ".")), "")


def _shown(module, name):
    """The name as users write it."""
    if not module.startswith(LANGUAGE):
        return f"{module.replace(PACKAGE, 'gluon')}.{name}"
    kept = [part for part in module.removeprefix(LANGUAGE).split(".") if part and not part.startswith("_")]
    return ".".join(["ttgl", *kept, name])


def _signature(text):
    """The parameters that a text lists, as of a function of Python."""
    arguments = ast.parse(f"def f{text}: pass").body[0].args
    listed, empty = [], inspect.Parameter.empty
    defaults = [None] * (len(arguments.args) - len(arguments.defaults)) + arguments.defaults

    def add(argument, kind, default):
        value = empty if default is None else ast.literal_eval(default)
        listed.append(inspect.Parameter(argument.arg, kind, default=value))

    for argument, default in zip(arguments.args, defaults, strict=True):
        add(argument, inspect.Parameter.POSITIONAL_OR_KEYWORD, default)
    if arguments.vararg:
        add(arguments.vararg, inspect.Parameter.VAR_POSITIONAL, None)
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        add(argument, inspect.Parameter.KEYWORD_ONLY, default)
    if arguments.kwarg:
        add(arguments.kwarg, inspect.Parameter.VAR_KEYWORD, None)
    return inspect.Signature(listed)


def _refusal(shown, unit, successor):
    if successor:
        return RuntimeError(f"`{shown}` does not exist any more; its name is `{successor}` since Triton 3.9")
    return TritonError(f"`{shown}` is not implemented yet" + (f"; it is for {unit}" if unit else ""))


def _described(module, name):
    """(the name that users write, whose unit it is for, the function that took its place; "" for none)."""
    successor = SUCCESSORS.get(name)
    return _shown(module, name), _unit(module), _shown(module, successor) if successor else ""


def _missing_function(module, name, parameters):
    described = _described(module, name)

    def call(*args, **kwargs):
        raise _refusal(*described)

    call.__name__, call.__qualname__, call.__module__ = name, name, module
    call.__signature__ = _signature(parameters)
    call.__triton_missing__ = described
    return call


class _MissingClass(type):
    """A class by name: annotations and `isinstance` may name it, and no object of it can be made."""

    def __call__(cls, *args, **arguments):
        raise _refusal(*cls.__triton_missing__)


def _missing_members(module, name, members):
    return {
        member: _missing_function(module, f"{name}.{member}", text) if text.startswith("(") else property()
        for member, text in members.items()
    }


def _missing_class(module, name, facts):
    own = {"__module__": module, "__triton_missing__": _described(module, name)}
    if facts["class"]:
        own["__signature__"] = _signature(facts["class"])
    return _MissingClass(name, (), {**_missing_members(module, name, facts["members"]), **own})


def _missing(module, name):
    facts = table()[module][name]
    package = importlib.import_module(LANGUAGE)
    if module == f"{LANGUAGE}._core" and name in vars(package):
        return getattr(package, name)  # written in Python, in a module of its own
    if facts == "value":
        return TypeVar(name)  # of annotations in Triton's own sources; other values are the language's
    if "alias" in facts:
        home, _, original = facts["alias"].rpartition(".")
        return getattr(importlib.import_module(home), original)
    if "class" in facts:
        return _missing_class(module, name, facts)
    return _missing_function(module, name, facts["function"])


def is_missing(value):
    """Whether it stands for a name that is not here yet. In Triton, too, names of earlier releases only say so."""
    return hasattr(value, "__triton_missing__") and not value.__triton_missing__[2]


def _complete_class(cls, module, name, members):
    known = set(getattr(cls, "__dataclass_fields__", ()))
    for member, value in _missing_members(module, name, members).items():
        if member not in known and not hasattr(cls, member):
            setattr(cls, member, value)


def complete(module, shared=None):
    """`__getattr__` and `__dir__` of a module that lacks names of the table. What the module `shared` has under the
    same name with the same parameters is the same object; others are missing."""
    own = importlib.import_module(module)
    for name, facts in table()[module].items():
        if name in vars(own) and "class" in facts:
            _complete_class(vars(own)[name], module, name, facts["members"])

    def is_shared(name):
        if shared is None:
            return False
        known = table().get(shared.__name__)
        return hasattr(shared, name) if known is None else known.get(name) == table()[module][name]

    def find(name):
        listed = table()[module]
        if name == "__all__":
            return [listed_name for listed_name in listed if not listed_name.startswith("_")]
        if name not in listed:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return vars(own).setdefault(name, getattr(shared, name) if is_shared(name) else _missing(module, name))

    return find, lambda: sorted({*vars(own), *table()[module]})
