#!/usr/bin/env python3
"""Fails when Python code of the project imports a module that no named requirement installs: another package may have
brought it along by chance. With the argument --modules: prints the modules of other projects that are imported."""

import ast
import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "python/requirements.txt"
# Parties that the package works with, where a program brings them: imported only where they are there already, or by
# the tests of scripts/run_optional_tests.sh; and what `make wheel` installs for itself.
OPTIONAL = {
    "cupy", "dask", "deflate", "fla", "liger_kernel", "marionette_driver", "matplotlib", "opentelemetry", "pandas",
    "redis", "selenium", "torch",
}  # fmt: skip


def sources():
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True)
    # Kernels that the frontend's tests parse are not Python modules.
    names = [
        name for name in listed.stdout.split() if not name.startswith(("src/frontend/test/", "src/frontend/prelude"))
    ]
    return [ROOT / name for name in names if (ROOT / name).exists()]


def imported_modules(paths):
    """Module and the first place that imports it, without the standard library's and the project's own."""
    own = {path.stem for path in paths} | {path.parent.name for path in paths}
    found = {}
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module]
            for name in names:
                module = name.partition(".")[0]
                if module not in own and module not in sys.stdlib_module_names:
                    found.setdefault(module, f"{path.relative_to(ROOT)}:{node.lineno}")
    return found


def normalized(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def main():
    modules = imported_modules(sources())
    if "--modules" in sys.argv:
        print("\n".join(sorted(modules)))
        return 0
    named = {normalized(re.match(r"[\w.-]+", line).group()) for line in REQUIREMENTS.read_text().splitlines() if line}
    distributions = packages_distributions()
    problems = [
        f"{place}: `{module}` belongs to no package of python/requirements.txt"
        for module, place in sorted(modules.items())
        if module not in OPTIONAL and not named & {normalized(name) for name in distributions.get(module, [module])}
    ]
    print("\n".join(problems), end="\n" if problems else "", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
