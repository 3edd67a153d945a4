#!/usr/bin/env python3
"""Fails when modules of the Python package import one another in a circle, or a test imports another test.

Imports inside functions count: they hide a circle and do not remove it. Importing a module also runs the packages that
it lies in, except for those that the importing module lies in itself, which have begun to run before it.
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


def imported_modules(name, path, modules):
    """The modules of the package that ``name`` imports, wherever the statement stands."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            source = ".".join(base + ([node.module] if node.module else []))
            members = {f"{source}.{alias.name}" for alias in node.names}
            found.update(member for member in members if member in modules)
            # A member that has no Python text is the extension module.
            if any(member not in modules and not member.endswith("._C") for member in members):
                found.add(source)
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
    """A line for each import of a test by a test: what both need belongs in a module that is no test."""
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
