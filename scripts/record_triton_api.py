#!/usr/bin/env python3
"""Writes the public interface of an installed Triton to a table of names, parameters and defaults.

    PYTHON scripts/record_triton_api.py python/test/package/triton_3_9_api.json

PYTHON is an interpreter with the released package of Triton, not with this one. test_api_table.py beside the table
compares it with this package.
"""

import dataclasses
import enum
import importlib
import inspect
import json
import pkgutil
import re
import sys
import types

import triton

# Modules without names of their own for programs: other languages, the profiler, other vendors, and what only runs
# inside of Triton's own sources.
LEFT_OUT = (
    "triton._C",
    "triton._compile_warmup_pool",
    "triton._internal_testing",
    "triton._test_runner",
    "triton.backends.amd",
    "triton.compiler.code_generator",
    "triton.compiler.make_launcher",
    "triton.experimental",
    "triton.instrumentation",
    "triton.language.extra.hip",
    "triton.language.semantic",
    "triton.plugins",
    "triton.profiler",
    "triton.tools.extra",
    "triton.tools.gsan",
    "triton.tools.link",
    "triton.tools.triton_to_gluon_translator",
)
# Names of modules that are steps of their own work, not for others: type variables, texts of warnings, loop variables.
INTERNAL = {
    "triton._filecheck": {"triton_dir"},
    "triton._utils": {"k", "v"},
    "triton.backends": {"T"},
    "triton.backends.nvidia.driver": {"dirname", "include_dirs", "libdevice_dir", "libraries"},
    "triton.compiler.compiler": {
        "arg_type_pattern",
        "prototype_pattern",
        "ptx_arg_type_pattern",
        "ptx_prototype_pattern",
    },
    "triton.knobs": {"ClassType", "GetType", "SetType", "amd", "amd_knobs", "proton", "proton_knobs"},
    "triton.language.core": {"dataclass_transform"},
    "triton._compile_warmup": {
        "pytest_addoption",
        "pytest_collection_modifyitems",
        "pytest_runtest_call",
        "pytest_xdist_setupnodes",
    },
    "triton.language.extra": {"is_pkg", "module_name", "modules"},
    "triton.runtime.interpreter": {
        "ASTTransformer",
        "ExtraFunctions",
        "FunctionRewriter",
        "ReduceOps",
        "ReduceScanOpInterface",
        "ScanOps",
        "interpreter_builder",
    },
    "triton.tools.compile": {"desc"},
}
# Classes whose methods are operations of Triton's own IR.
BUILDERS = {"InterpreterBuilder"}
ANYWHERE_INTERNAL = {"T", "P", "R", "U", "F", "TYPE_CHECKING", "TensorTy"}
HIDDEN_PARAMETERS = ("_semantic", "_generator", "_builder")


def describe_default(value):
    """A literal, or a text in angle brackets that does not depend on the process."""
    if isinstance(value, (bool, int, float, str, type(None), tuple, list, dict)):
        return repr(value)
    if type(value).__name__ == "constexpr":
        return describe_default(value.value)
    if isinstance(value, (type, types.FunctionType)):
        return repr(f"<{value.__qualname__}>")
    if value is getattr(dataclasses, "_HAS_DEFAULT_FACTORY", value):
        return "'<a new object>'"
    return repr("<" + re.sub(r" at 0x[0-9a-f]+", "", repr(value)).strip("<>") + ">")


def describe_signature(function):
    """The parameters as in a definition, or "" where Python does not know them."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ""
    texts, star_seen = [], False
    for parameter in parameters:
        if parameter.name in HIDDEN_PARAMETERS:
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not star_seen:
            texts.append("*")
            star_seen = True
        star_seen |= parameter.kind is parameter.VAR_POSITIONAL
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        default = ""
        if parameter.default is not inspect.Parameter.empty:
            default = "=" + describe_default(parameter.default)
        texts.append(f"{stars}{parameter.name}{default}")
    return f"({', '.join(texts)})"


def is_function(value):
    return isinstance(value, (types.FunctionType, types.BuiltinFunctionType)) or type(value).__name__ in (
        "JITFunction",
        "ConstexprFunction",
        "nb_func",
        "nb_method",
    )


def describe_member(owner, name):
    """The signature of a method; of others what they are."""
    value = inspect.getattr_static(owner, name)
    if isinstance(value, property) or type(value).__name__ in ("cached_property", "nb_property", "getset_descriptor"):
        return "property"
    if isinstance(value, (staticmethod, classmethod)) or is_function(value):
        value = getattr(owner, name)
        return describe_signature(getattr(value, "fn", value)) or "method"
    return "value"


def describe_class(cls, listed):
    """What the class adds to its bases that are listed themselves."""
    members = {}
    for base in cls.__mro__:
        if base.__module__.startswith("triton") and (base is cls or id(base) not in listed):
            for name in vars(base) if cls.__name__ not in BUILDERS else ():
                if not name.startswith("_") and name not in members:
                    members[name] = describe_member(cls, name)
    if dataclasses.is_dataclass(cls):
        members.update({field.name: "field" for field in dataclasses.fields(cls)})
    has_own = "__init__" in {name for base in cls.__mro__[:-1] for name in vars(base)}
    is_enumeration = issubclass(cls, enum.Enum)
    return {
        "class": describe_signature(cls) if has_own and not is_enumeration else "",
        "members": dict(sorted(members.items())),
    }


def describe(value, listed):
    if inspect.isclass(value):
        return describe_class(value, listed)
    if is_function(value):
        return {"function": describe_signature(getattr(value, "fn", value))}
    if type(value).__module__ == "triton.knobs" and hasattr(value, "knobs"):
        return {"knobs": {name: describe_knob(knob) for name, knob in sorted(value.knobs.items())}}
    return "value"


def describe_knob(value):
    """The default without paths, which depend on the machine."""
    if type(value).__name__ == "NvidiaTool":
        return "'<NvidiaTool>'"
    return "'<path>'" if isinstance(value, str) and value.startswith("/") else describe_default(value)


def is_ours(module, name, value):
    """Whether programs look for the name here: it is defined in the package, and not a helper that came by import."""
    if name in ANYWHERE_INTERNAL or name in INTERNAL.get(module.__name__, ()):
        return False
    if isinstance(value, types.ModuleType):
        return value.__name__ == f"{module.__name__}.{name}" and not value.__name__.startswith(LEFT_OUT)
    if name in getattr(module, "__all__", ()):
        return True
    origin = getattr(value, "__module__", None)
    if origin is None or not isinstance(origin, str):
        return (
            not isinstance(value, (types.BuiltinFunctionType, type)) and module.__name__ != "triton.compiler.compiler"
        )
    if module.__name__ in ("triton", "triton.compiler", "triton.language", "triton.runtime", "triton.tools"):
        return origin.startswith("triton")
    return origin == module.__name__ or (type(value).__module__ == module.__name__)


def main():
    modules = {"triton": triton}
    for found in pkgutil.walk_packages(triton.__path__, "triton."):
        if not found.name.startswith(LEFT_OUT):
            modules[found.name] = importlib.import_module(found.name)
    table, homes = {}, {}
    for module_name, module in sorted(modules.items()):
        names = {
            name
            for name in (*dir(module), *getattr(module, "__all__", ()))
            if not name.startswith("_") and hasattr(module, name)
        }
        table[module_name] = {
            name: getattr(module, name) for name in sorted(names) if is_ours(module, name, getattr(module, name))
        }
        for name, value in table[module_name].items():
            if getattr(value, "__module__", None) == module_name and callable(value):
                homes[id(value)] = f"{module_name}.{name}"
    write(table, homes)


def write(table, homes):
    """A line for each name. What another module defines is an alias of it."""
    lines = [f'"version": {json.dumps(triton.__version__)}']
    for module_name, names in table.items():
        rows = []
        for name, value in names.items():
            home = homes.get(id(value), f"{module_name}.{name}")
            if isinstance(value, types.ModuleType):
                facts = "module"
            elif home != f"{module_name}.{name}":
                facts = {"alias": home}
            else:
                facts = describe(value, homes)
            rows.append(f"  {json.dumps(name)}: {json.dumps(facts)}")
        lines.append(f"{json.dumps(module_name)}: {{\n" + ",\n".join(rows) + "\n }")
    with open(sys.argv[1], "w") as file:
        file.write("{\n " + ",\n ".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
