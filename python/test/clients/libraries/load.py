"""Loads the modules of a library whose own requirements need not be there, for the kernels that they define.

A module is executed statement by statement. What fails to be imported or computed is replaced by an `Absent` object,
and a kernel whose further decorators fail keeps `triton.jit` alone.
"""

import ast
import importlib
import importlib.abc
import importlib.util
import linecache
import pathlib
import sys
import warnings


class Absent:
    """Stands for what is not there: it may be called, read, iterated, compared and derived from."""

    def __init__(self, name="absent"):
        self.__dict__["_name"] = name

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Absent(f"{self._name}.{name}")

    def __call__(self, *args, **kwargs):
        # As a decorator it leaves the function as it is.
        if len(args) == 1 and not kwargs and (callable(args[0]) or hasattr(args[0], "fn")):
            return args[0]
        return Absent(f"{self._name}()")

    def __mro_entries__(self, bases):
        return ()

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0

    def __bool__(self):
        return False

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False

    def __getitem__(self, key):
        return Absent(self._name)

    def __setattr__(self, name, value):
        pass

    def __setitem__(self, key, value):
        pass

    def __contains__(self, item):
        return False

    def __instancecheck__(self, value):
        return False

    def __eq__(self, other):
        return self is other

    def __hash__(self):
        return id(self)

    def __lt__(self, other):
        return False

    def __int__(self):
        return 0

    __index__ = __int__
    __le__ = __gt__ = __ge__ = __lt__

    def __or__(self, other):
        return self

    __ror__ = __and__ = __add__ = __radd__ = __sub__ = __mul__ = __rmul__ = __truediv__ = __floordiv__ = __or__


def bound_names(statement):
    """The names that a statement would bind."""
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return [alias.asname or alias.name.split(".")[0] for alias in statement.names]
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return [node.id for target in targets if target for node in ast.walk(target) if isinstance(node, ast.Name)]


def is_jit(decorator):
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    return (function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")) == "jit"


class Execution:
    """Executes the statements of one module."""

    def __init__(self, module, path):
        self.module, self.path = module, path

    def run(self, statement):
        node = ast.Module([statement], [])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(node, self.path, "exec"), self.module.__dict__)

    def statements(self, statements):
        for statement in statements:
            self.statement(statement)

    def statement(self, statement):
        try:
            self.run(statement)
            return
        except BaseException as error:
            if isinstance(error, (KeyboardInterrupt, MemoryError)):
                raise
        if isinstance(statement, ast.Import) and len(statement.names) > 1:
            self.statements([ast.copy_location(ast.Import([alias]), statement) for alias in statement.names])
        elif isinstance(statement, ast.ImportFrom) and len(statement.names) > 1:
            for alias in statement.names:
                one = ast.ImportFrom(statement.module, [alias], statement.level)
                self.statement(ast.copy_location(one, statement))
        elif isinstance(statement, ast.Try):
            self.statements(statement.body)
        elif isinstance(statement, ast.If):
            self.statements(statement.body if self.holds(statement.test) else statement.orelse)
        elif isinstance(statement, ast.With):
            self.statements(statement.body)
        elif isinstance(statement, ast.FunctionDef) and len(statement.decorator_list) > 1:
            kept = [decorator for decorator in statement.decorator_list if is_jit(decorator)]
            if kept:
                self.without_decorators(statement, kept)
                return
        for name in bound_names(statement):
            self.module.__dict__.setdefault(name, Absent(name))

    def holds(self, test):
        try:
            return eval(compile(ast.Expression(test), self.path, "eval"), self.module.__dict__)
        except Exception:
            return True

    def without_decorators(self, statement, kept):
        statement.decorator_list = kept
        try:
            self.run(statement)
        except Exception:
            self.module.__dict__.setdefault(statement.name, Absent(statement.name))


class Loader(importlib.abc.Loader):
    def __init__(self, path):
        self.path = path

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        text = pathlib.Path(self.path).read_text(encoding="utf-8", errors="replace")
        linecache.cache.pop(self.path, None)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(text)
        except SyntaxError:
            return
        future = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
        execution = Execution(module, self.path)
        if any(alias.name == "annotations" for node in future for alias in node.names):
            run = execution.run
            execution.run = lambda statement: run_with_future(statement, execution, run)
        execution.statements(node for node in tree.body if node not in future)


def run_with_future(statement, execution, run):
    code = compile(
        ast.Module([statement], []), execution.path, "exec", flags=__import__("__future__").annotations.compiler_flag
    )
    exec(code, execution.module.__dict__)


class Finder(importlib.abc.MetaPathFinder):
    """Finds the modules of the packages below `root`, and gives them the loader above."""

    def __init__(self, root, packages):
        self.root, self.names = pathlib.Path(root), packages

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in self.names:
            return None
        place = self.root.joinpath(*name.split("."))
        if place.is_dir():
            start = place / "__init__.py"
            if start.exists():
                return importlib.util.spec_from_file_location(
                    name, start, loader=Loader(str(start)), submodule_search_locations=[str(place)]
                )
            spec = importlib.util.spec_from_loader(name, None, is_package=True)
            spec.submodule_search_locations = [str(place)]
            return spec
        file = place.with_suffix(".py")
        if file.exists():
            return importlib.util.spec_from_file_location(name, file, loader=Loader(str(file)))
        return None


def load_modules(root, packages=None, exclude=lambda path: False):
    """The modules of the packages in `root` whose text has kernels, by name, and what could not be loaded."""
    root = pathlib.Path(root)
    packages = packages or [path.name for path in root.iterdir() if path.is_dir() and path.suffix != ".dist-info"]
    sys.meta_path.insert(0, Finder(root, packages))
    sys.path.append(str(root))
    modules, failures = {}, {}
    for path in sorted(path for package in packages for path in (root / package).rglob("*.py")):
        relative = path.relative_to(root)
        text = path.read_text(encoding="utf-8", errors="replace")
        if ".jit" not in text and "@jit" not in text or "triton" not in text or exclude(relative.as_posix()):
            continue
        parts = list(relative.with_suffix("").parts)
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        try:
            modules[name] = importlib.import_module(name)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            failures[name] = f"{type(error).__name__}: {error}"
    return modules, failures
