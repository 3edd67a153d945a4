"""`python -m triton.compatibility PROGRAM.py`: runs a program and lists what of Triton it used that is different here.

The report goes to standard error, or into the file that `--output` names. The exit status is the program's own where
that is not 0, else 3 if the list is not empty.
"""

import argparse
import functools
import importlib.util
import json
import os
import sys
import types
import warnings

from . import _differences
from ._help import HelpFormatter
from ._programs import run_program

#: The exit status when the program ended well and something is different.
DIFFERENT = 3

_PACKAGE = __package__
_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep
_TITLES = {
    "setting": "settings and variables without effect",
    "option": "options without effect",
    "attribute": "names that are not here; programs also ask for what other releases of Triton have",
    "refused": "kernels that are refused",
}


class Findings:
    """What was found: {(kind, name): {"message", "place", "count"}}."""

    def __init__(self):
        self._found = {}

    def add(self, kind, name, message, place=None):
        entry = self._found.setdefault((kind, name), {"message": message, "place": place, "count": 0})
        entry["count"] += 1

    def listed(self):
        found = dict(self._found)
        for (kind, name), message in _differences.given.items():
            found[kind, name] = {"message": message, "place": None, "count": 1}
        order = list(_TITLES)
        return [
            {"kind": kind, "name": name, **entry}
            for (kind, name), entry in sorted(found.items(), key=lambda item: (order.index(item[0][0]), item[0][1]))
        ]


def _place_outside():
    """File and line of the innermost caller that belongs neither to this package nor to the import system; None where
    that does not call for a program, but the package itself that asks."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.startswith("<frozen importlib"):
        frame = frame.f_back
    if frame is None or frame.f_code.co_filename.startswith(_FOLDER):
        return None
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _is_module(name):
    """Whether there is such a module: `from package import module` asks for the name first."""
    try:
        return importlib.util.find_spec(name) is not None
    except ImportError:
        return False


def _watch_names(findings):
    """Notes names of the package's modules that a program asks for in vain."""

    def watch(module):
        own = vars(module).get("__getattr__")

        def missing(name):
            try:
                if own is not None:
                    return own(name)
                raise AttributeError(f"module `{module.__name__}` has no attribute `{name}`")
            except AttributeError:
                place, full_name = _place_outside(), f"{module.__name__}.{name}"
                if place is not None and not name.startswith("__") and not _is_module(full_name):
                    findings.add("attribute", full_name, f"`{full_name}` is not here", place)
                raise

        if not getattr(own, "_watches", False):
            missing._watches = True
            vars(module)["__getattr__"] = missing

    class Finder:
        """The last finder: a module of the package that it is asked for does not exist."""

        @staticmethod
        def find_spec(name, path=None, target=None):
            place = _place_outside()
            if place is not None and name.startswith(f"{_PACKAGE}."):
                findings.add("attribute", name, f"the module `{name}` is not here", place)

    class Watcher:
        """The first finder: what was imported since is watched, too."""

        @staticmethod
        def find_spec(name, path=None, target=None):
            for module_name, module in list(sys.modules.items()):
                is_own = module_name == _PACKAGE or module_name.startswith(f"{_PACKAGE}.")
                if is_own and isinstance(module, types.ModuleType):
                    watch(module)

    Watcher.find_spec("")
    sys.meta_path.insert(0, Watcher)
    sys.meta_path.append(Finder)


def _watch_compilations(findings):
    """Notes kernels that the compiler refuses, also where the program goes on."""
    from .compiler import compiler
    from .compiler.errors import CompilationError, CompileTimeAssertionFailure

    ours = compiler.compile

    @functools.wraps(ours)
    def compile(src, *args, **kwargs):
        try:
            return ours(src, *args, **kwargs)
        except CompileTimeAssertionFailure:  # the kernel's own
            raise
        except (CompilationError, KeyError, ValueError, RuntimeError) as error:
            text = str(error.args[0] if isinstance(error, KeyError) and error.args else error)
            first = text.splitlines()[0] if text else type(error).__name__
            findings.add("refused", f"{getattr(src, 'name', src)}: {first}", text)
            raise

    for module in (compiler, sys.modules[f"{_PACKAGE}.compiler"], sys.modules[_PACKAGE]):
        module.compile = compile


def _text(found):
    if not found:
        return "triton.compatibility: nothing that the program used is different here\n"
    lines = [f"triton.compatibility: {len(found)} differences"]
    for kind, title in _TITLES.items():
        entries = [entry for entry in found if entry["kind"] == kind]
        if entries:
            lines += ["", f"{title}:"]
        for entry in entries:
            first, *rest = entry["message"].splitlines()
            place = f"  ({entry['place']})" if entry["place"] else ""
            lines += [f"- {first}{place}", *(f"  {line}" for line in rest)]
    return "\n".join(lines) + "\n"


def _report(findings, options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _differences.tell_of_settings(*_differences.SETTINGS)  # also those that nothing has looked at
    found = findings.listed()
    text = (
        json.dumps({"program": options.target, "differences": found}, indent=2) + "\n" if options.json else _text(found)
    )
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        sys.stdout.flush()
        sys.stderr.write(text)
    return found


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="python -m triton.compatibility",
        description="Run a program and list what of Triton it used that is different here.",
        usage="python -m triton.compatibility [options] (PROGRAM.py | pytest) [arguments]",
        formatter_class=HelpFormatter,
        epilog="examples:\n  python -m triton.compatibility add.py\n  python -m triton.compatibility pytest tests\n\n"
        f"The exit status is the program's own where that is not 0, else {DIFFERENT} if something is different.",
    )
    parser.add_argument("--json", action="store_true", help="the report as JSON")
    parser.add_argument("--output", metavar="FILE", help="where the report goes; by default to standard error")
    parser.add_argument("target", metavar="PROGRAM.py | pytest")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    if options.target != "pytest" and not os.path.isfile(options.target):
        parser.error(f"there is no file `{options.target}`; give a Python program, or `pytest`")
    findings = Findings()
    _watch_names(findings)
    _watch_compilations(findings)
    status = 1
    try:
        status = run_program(options.target, options.arguments)
    except SystemExit as end:
        status = end.code
        raise
    finally:
        found = _report(findings, options)
        if found and not status:
            sys.exit(DIFFERENT)
    sys.exit(status)


if __name__ == "__main__":
    main()
