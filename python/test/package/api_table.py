"""Compares this package with the table of Triton's public interface, triton_3_9_api.json."""

import ast
import functools
import importlib
import inspect
import json
import types
from pathlib import Path

TABLE = Path(__file__).parent / "triton_3_9_api.json"
HIDDEN_PARAMETERS = ("_semantic", "_generator", "_builder")
MISSING = object()


@functools.cache
def table():
    return json.loads(TABLE.read_text())


def expected_parameters(signature):
    """{name: (kind, default)} of the text of a signature."""
    arguments = ast.parse(f"def f{signature}: pass").body[0].args
    result = {}
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [MISSING] * (len(positional) - len(arguments.defaults)) + arguments.defaults
    for argument, default in zip(positional, defaults, strict=True):
        result[argument.arg] = ("positional", default)
    if arguments.vararg:
        result[arguments.vararg.arg] = ("*", MISSING)
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        result[argument.arg] = ("keyword", MISSING if default is None else default)
    if arguments.kwarg:
        result[arguments.kwarg.arg] = ("**", MISSING)
    return {
        name: (kind, default if default is MISSING else ast.literal_eval(default))
        for name, (kind, default) in result.items()
    }


def own_parameters(function):
    """The same of one of our functions; None where Python does not know them."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    kinds = {
        inspect.Parameter.POSITIONAL_ONLY: "positional",
        inspect.Parameter.POSITIONAL_OR_KEYWORD: "positional",
        inspect.Parameter.VAR_POSITIONAL: "*",
        inspect.Parameter.KEYWORD_ONLY: "keyword",
        inspect.Parameter.VAR_KEYWORD: "**",
    }
    return {
        name: (kinds[parameter.kind], MISSING if parameter.default is parameter.empty else parameter.default)
        for name, parameter in signature.parameters.items()
        if name not in HIDDEN_PARAMETERS
    }


def same_default(expected, own):
    """A parameter that Triton demands may have a default here."""
    if expected is MISSING or own is MISSING:
        return expected is MISSING
    if isinstance(expected, str) and expected.startswith("<"):
        return True
    return expected == getattr(own, "value", own)


def signature_problem(expected_text, function):
    """What is different in the parameters, or None. Ours may have more of them at the end, if they have defaults."""
    expected, own = expected_parameters(expected_text), own_parameters(function)
    if own is None:
        return None
    if (
        expected and "self" in own and "self" not in expected
    ):  # methods that are the library's functions name their object otherwise
        own = {next(iter(expected)) if name == "self" else name: facts for name, facts in own.items()}
    order = [name for name, (kind, _) in own.items() if kind == "positional"]
    for index, (name, (kind, default)) in enumerate(expected.items()):
        if kind in ("*", "**"):
            if kind not in {kind for kind, _ in own.values()}:
                return f"takes no {kind}{name}"
            continue
        if name not in own:
            return f"has no parameter `{name}`"
        own_kind, own_default = own[name]
        if kind == "positional" and (own_kind != "positional" or order.index(name) != index):
            return f"parameter `{name}` is at another place"
        if not same_default(default, own_default):
            shown = ["nothing" if value is MISSING else repr(value) for value in (default, own_default)]
            return f"the default of `{name}` is {shown[1]}, in Triton {shown[0]}"
    for name, (kind, default) in own.items():
        if name not in expected and kind in ("positional", "keyword") and default is MISSING:
            return f"needs the further parameter `{name}`"
    return None


def class_problems(path, facts, cls):
    if not inspect.isclass(cls):
        yield path, "is no class"
        return
    if facts["class"] and (problem := signature_problem(facts["class"], cls)):
        yield f"{path}()", problem
    fields = set(getattr(cls, "__dataclass_fields__", ())) | set(getattr(cls, "_fields", ()))
    for name, member in facts["members"].items():
        if not hasattr(cls, name) and name not in fields | set(getattr(cls, "__annotations__", ())):
            yield f"{path}.{name}", "is missing"
        elif member.startswith("("):
            own = getattr(cls, name)
            if callable(own) and (problem := signature_problem(member, getattr(own, "fn", own))):
                yield f"{path}.{name}()", problem


def knob_problems(path, knobs, group):
    for name, default in knobs.items():
        if not hasattr(type(group), name) and not hasattr(group, name):
            yield f"{path}.{name}", "is missing"
        elif default.startswith("'<"):
            continue
        elif not same_default(ast.literal_eval(default), getattr(group, name)):
            yield f"{path}.{name}", f"is {getattr(group, name)!r}, in Triton {default}"


def name_problems(path, facts, value):
    if facts == "module":
        if not isinstance(value, types.ModuleType):
            yield path, "is no module"
    elif "alias" in facts:
        module, _, name = facts["alias"].rpartition(".")
        home = getattr(importlib.import_module(module), name, MISSING)
        if home is not MISSING and home is not value:
            yield path, f"is another object than {facts['alias']}"
    elif "class" in facts:
        yield from class_problems(path, facts, value)
    elif "function" in facts:
        if not callable(value):
            yield path, "is no function"
        elif facts["function"] and (problem := signature_problem(facts["function"], getattr(value, "fn", value))):
            yield f"{path}()", problem
    elif "knobs" in facts:
        yield from knob_problems(path, facts["knobs"], value)


def problems(of=None):
    """(name, what is different) of everything that is not as in the table, or in another one. `name()` stands for the
    parameters."""
    for module_name, names in (of or table()).items():
        if module_name == "version":
            continue
        try:
            module = importlib.import_module(module_name)
        except ImportError:
            yield module_name, "is missing"
            continue
        for name, facts in names.items():
            value = getattr(module, name, MISSING)
            if value is MISSING and facts == "module":
                try:
                    value = importlib.import_module(f"{module_name}.{name}")
                except ImportError:
                    pass
            if value is MISSING:
                yield f"{module_name}.{name}", "is missing"
            else:
                facts = {} if facts == "value" else facts
                yield from name_problems(f"{module_name}.{name}", facts, value)


if __name__ == "__main__":
    for name, difference in problems():
        print(f"{name}: {difference}")
