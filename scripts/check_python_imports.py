#!/usr/bin/env python3
"""Fails when modules of the Python package import one another in a circle, or a test imports another test.

Imports inside functions count, as do calls of `import_module`: they hide a circle and do not remove it. Importing a
module also runs the packages that it lies in, except for those that the importing module lies in itself, which have
begun to run before it.
"""

import ast
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent / "python"


def find_modules(root):
    """{dotted name: path} of every module of the package."""
    modules = {}
    for path in sorted((root / "triton").rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return modules


def ancestors(name):
    """The name and the packages that it lies in."""
    parts = name.split(".")
    return {".".join(parts[: count + 1]) for count in range(len(parts))}


def resolve(source, level, package):
    """The dotted name of what `from <level dots><source>` imports in the package."""
    base = package.split(".")[: len(package.split(".")) - level + 1] if level else []
    return ".".join(base + ([source] if source else []))


def names_of_from(node, package, modules):
    """The modules that `from source import members` imports."""
    source = resolve(node.module, node.level, package)
    members = {f"{source}.{alias.name}" for alias in node.names}
    # A member that has no Python text is the extension module.
    is_from_source = any(member not in modules and not member.endswith("._C") for member in members)
    return {member for member in members if member in modules} | ({source} if is_from_source else set())


def called_name(node):
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", None)


def names_of_call(call, name, package, strings):
    """The modules that `import_module` may get, as far as the file says: the one that it names; in a package that hands
    on modules of its own, as by `import_module(f".{name}", __name__)`, all that the file's strings name."""
    text, anchor = call.args[0], getattr(call.args[1], "id", None) if len(call.args) > 1 else None
    if isinstance(text, ast.Constant):
        level = len(text.value) - len(text.value.lstrip("."))
        yield resolve(text.value[level:], level, name if anchor == "__name__" else package)
    elif isinstance(text, ast.JoinedStr) and anchor == "__name__" and package == name:
        yield from (f"{package}.{submodule}" for submodule in strings)


def imported_modules(name, path, modules):
    """The modules of the package that ``name`` imports, wherever in the file."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    strings = {node.value.partition(":")[0] for node in nodes if isinstance(getattr(node, "value", None), str)}
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.update(names_of_from(node, package, modules))
        elif isinstance(node, ast.Call) and node.args and called_name(node) == "import_module":
            found.update(names_of_call(node, name, package, strings))
    reached = {module for target in found if target in modules for module in ancestors(target) - ancestors(name)}
    # What a module takes from a package that it lies in must be there already.
    return reached | {target for target in found if target in modules and target != name}


def find_circle(imports):
    """The modules of one circle in order, or None."""
    done = set()

    def visit(name, path):
        if name in path:
            return [*path[path.index(name) :], name]
        if name in done:
            return None
        for target in sorted(imports[name]):
            if circle := visit(target, [*path, name]):
                return circle
        done.add(name)
        return None

    for name in sorted(imports):
        if circle := visit(name, []):
            return circle
    return None


def tests_that_import_tests(root):
    """A line for each import of a test by a test: what both need belongs in a module that is not a test."""
    files = sorted((root / "test").rglob("*.py"))
    tests = {path.stem for path in files if path.name.startswith(("test_", "optional_"))}
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            imported = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            imported += [node.module] if isinstance(node, ast.ImportFrom) else []
            for name in imported:
                if name in tests:
                    yield f"{path.relative_to(root)}:{node.lineno}: imports the test `{name}`"


def main(root=ROOT):
    modules = find_modules(root)
    if not modules:
        print(f"there is no package below {root}", file=sys.stderr)
        return 1
    circle = find_circle({name: imported_modules(name, path, modules) for name, path in modules.items()})
    if circle:
        print(f"modules import one another in a circle: {' -> '.join(circle)}", file=sys.stderr)
        return 1
    wrong = list(tests_that_import_tests(root))
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
