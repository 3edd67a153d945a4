"""Says to tritonc what names denote that kernels read and no text shows, such as a function that a module chooses as it
is imported. `tritonc explore` and `tritonc explain` start `python -m triton.tools.kernel_names FILE`; `kernel.explore`
answers in the program itself. Kernels in Gluon ask for layouts, too (kernel_objects.py).

A question about a name is a line of JSON with the `file` and the `name`, an answer is one with what HostValue
(src/frontend/ModuleLoader.h) has, and the value in one member that is named after its kind.
"""

import functools
import importlib.util
import json
import os
import socket
import sys
import threading
from pathlib import Path
from types import ModuleType

from .. import _function_classes
from ..language.constants import constexpr
from .kernel_objects import Objects, describe_plain, is_constant


def function_of(value):
    """The JITFunction in a kernel, below its autotuner and heuristics; None for anything else."""
    while not isinstance(value, _function_classes.JITFunction):
        value = vars(value).get("fn") if hasattr(value, "__dict__") else None
        if value is None:
            return None
    return value


def _describe_plain(value):
    """The description of a number, a text, None, a type or a tuple of these; None for anything else."""
    if not isinstance(value, tuple):
        return describe_plain(value)
    elements = [_describe_plain(getattr(item, "value", item)) for item in value]
    named = {"type": type(value).__name__, "fields": list(value._fields)} if hasattr(value, "_fields") else {}
    return None if None in elements else {"tuple": elements, **named}


def _describe_other(value, place_of):
    if function := function_of(value):
        file, line = place_of(function)
        return {"file": file, "function": function.__name__, "line": line}
    if isinstance(value, ModuleType):
        name, file = value.__name__, getattr(value, "__file__", None)
        return {"member": name} if name.partition(".")[0] in ("triton", "math") or not file else {"file": file}
    module, name = getattr(value, "__module__", None) or "", getattr(value, "__name__", None)
    if name and module.partition(".")[0] in ("triton", "math"):
        return {"member": f"{module}.{name}"}
    if isinstance(value, _function_classes.ConstexprFunction):
        return {"description": "a function that Python runs at compile time; `kernel.explain` in Python knows it"}
    return {"description": f"of the type `{type(value).__name__}`"}


def describe(value, place_of, objects):
    """The answer about a value; ``place_of`` gives the file of a JITFunction and the line of its `def`."""
    is_constexpr = isinstance(value, constexpr)
    value = value.value if is_constexpr else value
    if is_constant(value) and not isinstance(value, type):
        return objects.describe(value)
    plain = _describe_plain(value)
    return {**plain, "constexpr": is_constexpr} if plain else _describe_other(value, place_of)


def _package_of(path):
    """(folder that Python looks for the module in, dotted name) of a file."""
    folder, parts = path.parent, [] if path.stem == "__init__" else [path.stem]
    while (folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    return str(folder), ".".join(parts)


#: Another thread would find a module that is only half executed. Modules that are executed may ask for others.
_importing = threading.RLock()


def module_of_file(path):
    """The module that a file has become, which is imported now if that is not done."""
    path = os.path.realpath(path)
    with _importing:
        files = [(module, getattr(module, "__file__", None)) for module in list(sys.modules.values())]
        for follow in str, _real_path:  # Links take system calls.
            if module := next((module for module, own in files if own and follow(own) == path), None):
                return module
        return _import_file(Path(path))


#: Many classes have few files, and a process has hundreds of modules.
_real_path = functools.lru_cache(4096)(os.path.realpath)


def _import_file(path):
    """As a program that lies beside it would."""
    folder, name = _package_of(path)
    sys.path.insert(0, folder)
    if "." in name or path.stem == "__init__":
        return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    registered = sys.modules.setdefault(name, module)  # for what is pickled or asks for its own module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        if registered is module:
            del sys.modules[name]
        raise
    return module


def place_in_file(function):
    return function.def_file_name, function.def_file_line_number


class Names:
    """Answers questions about the files whose global names are in ``scopes``, and those of imported modules. A file of
    neither is imported."""

    def __init__(self, scopes=None, place_of=place_in_file):
        self._scopes = {os.path.realpath(file): scope for file, scope in (scopes or {}).items()}
        self._place_of = place_of
        self._failures, self._objects = {}, Objects()

    def add(self, file, scope):
        self._scopes[os.path.realpath(file)] = scope

    def _scope(self, file):
        path = os.path.realpath(file)
        if path not in self._scopes:
            self._scopes[path] = vars(module_of_file(path))
        return self._scopes[path]

    def _answer(self, file, name):
        if file in self._failures:
            return self._failures[file]
        try:
            scope = self._scope(file)
        except BaseException as error:  # SystemExit, too: it is a program's own file
            self._failures[file] = {
                "description": f"a value that only Python can compute; {sys.executable} does not import the file: "
                f"{type(error).__name__}: {error} (name a Python that does by `--python`)"
            }
            return self._failures[file]
        if name not in scope:
            return {"description": "a name that the file does not define once it is imported"}
        return describe(scope[name], self._place_of, self._objects)

    def answer(self, line):
        question = json.loads(line)
        try:
            is_name = "file" in question
            answer = self._answer(question["file"], question["name"]) if is_name else self._objects.answer(question)
        except Exception as error:
            answer = {"description": f"a value that Python fails to describe: {type(error).__name__}: {error}"}
        return json.dumps(answer) + "\n"

    def serve(self, connection):
        """Answers until the other end closes the connection."""
        with connection, connection.makefile("r", encoding="utf-8") as questions:
            for line in questions:
                connection.sendall(self.answer(line).encode())


def main():
    connection = socket.socket(fileno=os.dup(0))
    os.dup2(2, 1)  # what the imported file prints is not an answer
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    sys.argv = sys.argv[1:]
    Names().serve(connection)


if __name__ == "__main__":
    main()
