"""Kernels of the suite under changes that must not change what they store.

    python python/test/whole_kernels/metamorphic.py --device sim:cuda:90 --count 2000 --seed 7

The kernels are those that the tests of MODULES launch, with the arguments of these launches, and those of
`random_kernels`. A variant is a kernel with one to three CHANGES of its text or of its launch. Which statements a
change is for follows from the seed and the statement alone, so that a shorter kernel is changed in the same way: a
variant that differs or fails is handed to scripts/reduce_kernel.py. Variants that the compiler refuses with an error
for the user, such as a shape that is no constant any more, are counted. The exit status is 1 when a variant differs or
fails.
"""

import argparse
import ast
import collections
import contextlib
import copy
import importlib
import inspect
import pathlib
import pickle
import random
import re
import subprocess
import sys
import tempfile
import textwrap
import zlib

import numpy as np
from random_driver import Device, load

HERE = pathlib.Path(__file__).resolve().parent
MODULES = ["test_normalizations", "test_indexing", "test_attention", "test_matmul"]
OPAQUE = 12345  #: what the argument `metamorphic_one` never is
HELPERS = """
@triton.jit
def metamorphic_same(x):
    return x


@triton.jit(noinline=True)
def metamorphic_apart(x):
    return x


@triton.jit
def metamorphic_wide(x):
    if x.dtype == tl.float32:
        return x.to(tl.float64).to(tl.float32)
    elif x.dtype == tl.float16 or x.dtype == tl.bfloat16:
        return x.to(tl.float32).to(x.dtype)
    elif x.dtype == tl.int32 or x.dtype == tl.int16 or x.dtype == tl.int8:
        return x.to(tl.int64).to(x.dtype)
    else:
        return x
"""


class Launch:
    """A kernel's text and one launch of it, with arguments of its own."""

    def __init__(self, module, name, text, grid, args, kwargs):
        self.module, self.name, self.text = module, name, text
        self.grid, self.args, self.kwargs = grid, args, kwargs

    def arguments(self):
        return [value.copy(order="K") if isinstance(value, np.ndarray) else value for value in self.args]

    @property
    def is_exact(self):
        """Whether no sum depends on which thread holds which element."""
        return not re.search(r"sum|dot|scan|reduce|atomic_add|mean|softmax|log", self.text)


# Changes of the text


def is_plain(statement):
    """An assignment to a name of what has no effect."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return False
    calls = [node for node in ast.walk(statement.value) if isinstance(node, ast.Call)]
    known = all(isinstance(call.func, ast.Attribute) for call in calls)
    computes = calls or any(isinstance(node, ast.BinOp) for node in ast.walk(statement.value))
    return computes and known and not re.search(r"atomic|store|print|barrier|asm|assert", ast.unparse(statement))


def statements(text):
    return ast.parse(text).body


def dead_branch(statement):
    if is_plain(statement):
        return [statement, ast.If(statements(f"metamorphic_one == {OPAQUE}")[0].value, [copy.deepcopy(statement)], [])]


def repeated(statement):
    """The work is done twice where it gives the same again."""
    if is_plain(statement) and statement.targets[0].id not in names_in(statement.value):
        return [statement, ast.If(statements(f"metamorphic_one != {OPAQUE}")[0].value, [copy.deepcopy(statement)], [])]


def through(helper, is_fit=is_plain):
    def change(statement):
        if is_fit(statement):
            statement.value = ast.Call(ast.Name(helper, ast.Load()), [statement.value], [])
            return [statement]

    return change


def is_index(statement):
    """A scalar: functions that are not inlined take no blocks."""
    text = ast.unparse(statement)
    return is_plain(statement) and "program_id" in text and "arange" not in text


def split_loop(statement):
    """Two loops after each other, the first of which does half of the iterations."""
    if not isinstance(statement, ast.For) or statement.orelse or not isinstance(statement.iter, ast.Call):
        return None
    if ast.unparse(statement.iter.func) not in ("range", "tl.range"):
        return None
    if any(isinstance(node, (ast.Break, ast.Return)) for node in ast.walk(statement)):
        return None
    texts = [ast.unparse(value) for value in statement.iter.args]
    begin, end, step = (["0", *texts, "1"] if len(texts) == 1 else [*texts, "1"])[:3]
    if step.startswith("-"):
        return None
    name = f"metamorphic_{zlib.crc32(ast.unparse(statement).encode()) % 10000}"
    bounds = f"{name}_a = {begin}\n{name}_b = {end}\n{name}_c = {step}\n"
    middle = f"{name}_m = {name}_a + max(({name}_b - {name}_a) // {name}_c // 2, 0) * {name}_c"
    loops = [copy.deepcopy(statement), copy.deepcopy(statement)]
    for loop, limits in zip(loops, (f"{name}_a, {name}_m", f"{name}_m, {name}_b"), strict=True):
        loop.iter.args = statements(f"f({limits}, {name}_c)")[0].value.args
    return [*statements(bounds + middle), *loops]


def wide_index(statement):
    """Indices of 64 bits."""

    class Widen(ast.NodeTransformer):
        def visit_Call(self, node):
            self.generic_visit(node)
            if ast.unparse(node.func) in ("tl.arange", "tl.program_id"):
                return statements(f"{ast.unparse(node)}.to(tl.int64)")[0].value
            return node

    if isinstance(statement, ast.Assign):
        widened = Widen().visit(copy.deepcopy(statement))
        return [widened] if ast.unparse(widened) != ast.unparse(statement) else None


def names_in(node):
    return {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}


# Changes of a parameter or of the launch: these take the function, its arguments by name, and a source of chances.


def constant_argument(function, values, chance):
    """An integer argument becomes a constant of the compilation."""
    found = [p for p in function.args.args if p.annotation is None and type(values.get(p.arg)) is int]
    return annotate(found, chance, ast.parse("tl.constexpr", mode="eval").body)


def runtime_argument(function, values, chance):
    """A constant that is no shape becomes an argument."""
    found = [p for p in function.args.args if p.annotation is not None and type(values.get(p.arg)) is int]
    text = ast.unparse(function)
    found = [p for p in found if not re.search(rf"(arange|zeros|full|BLOCK)\b[^\n]*\b{p.arg}\b", text)]
    return annotate(found, chance, None)


def annotate(found, chance, annotation):
    if not found:
        return False
    chance.choice(found).annotation = annotation
    return True


def unspecialized(function, _values, _chance):
    """Nothing is known of the arguments."""
    names = [p.arg for p in function.args.args if p.annotation is None]
    function.decorator_list = [ast.parse(f"triton.jit(do_not_specialize={names})", mode="eval").body]
    return True


STATEMENTS = {
    "dead branch": dead_branch,
    "repeated": repeated,
    "helper": through("metamorphic_same"),
    "function": through("metamorphic_apart", is_index),
    "wide type": through("metamorphic_wide"),
    "split loop": split_loop,
    "wide index": wide_index,
}
PARAMETERS = {"constant": constant_argument, "argument": runtime_argument, "unspecialized": unspecialized}
OPTIONS = {"warps": ("num_warps", [1, 2, 4, 8]), "stages": ("num_stages", [1, 2, 3, 4])}
CHANGES = [*STATEMENTS, *PARAMETERS, *OPTIONS]


class Rewriter:
    """Applies one change to the statements that the seed chooses."""

    def __init__(self, change, seed):
        self.change, self.seed, self.count = change, seed, 0

    def rewrite(self, body):
        result = []
        for statement in body:
            text = ast.unparse(statement)
            for field in ("body", "orelse"):
                if isinstance(statement, (ast.If, ast.For, ast.While)):
                    setattr(statement, field, self.rewrite(getattr(statement, field)))
            chosen = zlib.crc32(f"{self.seed} {self.change} {text}".encode()) % 2 == 0
            changed = STATEMENTS[self.change](statement) if chosen else None
            self.count += changed is not None
            result += changed or [statement]
        return result


def vary(launch, changes, seed):
    """The text of the variant, its options, and the changes that applied."""
    (function,) = statements(launch.text)
    options, done, chance = {}, [], random.Random(seed)
    values = dict(zip((p.arg for p in function.args.args), launch.args, strict=False)) | launch.kwargs
    for change in changes:
        if change in STATEMENTS:
            rewriter = Rewriter(change, seed)
            function.body = rewriter.rewrite(function.body)
            applied = rewriter.count > 0
        elif change in PARAMETERS:
            applied = PARAMETERS[change](function, values, chance)
        else:
            name, choices = OPTIONS[change]
            options[name] = chance.choice([value for value in choices if value != launch.kwargs.get(name)])
            applied = True
        if applied:
            done.append(change)
    function.args.args.insert(0, ast.arg("metamorphic_one"))
    return ast.unparse(ast.fix_missing_locations(function)), options, done


# Launches


def header(module):
    """What a kernel of a test finds around it, names with an underscore among it."""
    lines = ["import sys", f"sys.path.insert(0, {str(HERE)!r})"]
    if module:
        known = f"{{name: value for name, value in vars({module}).items() if name[:2] != '__'}}"
        lines += [f"import {module}", f"globals().update({known})"]
    return "\n".join([*lines, "import triton", "import triton.language as tl", ""])


def run(kernel, launch, arguments, options, first=()):
    kernel[launch.grid](*first, *arguments, **launch.kwargs | {"enable_fp_fusion": False} | options)
    return [value for value in arguments if isinstance(value, np.ndarray)]


def difference(launch, changes, stored, expected):
    """Where the first difference is; none: the variant stores what the kernel stores."""
    is_exact = launch.is_exact or not (set(changes) - {"stages"})
    for index, (array, reference) in enumerate(zip(stored, expected, strict=True)):
        if is_exact or array.dtype.kind not in "fV":
            same = (array == reference) | ((array != array) & (reference != reference))
        else:
            tolerance = 1e-2 if array.dtype.itemsize < 4 else 1e-3
            a, b = array.astype(np.float64), reference.astype(np.float64)
            largest = np.max(np.abs(b), initial=1, where=np.isfinite(b))
            same = np.isclose(a, b, rtol=tolerance, atol=tolerance * largest, equal_nan=True)
        if not same.all():
            place = tuple(int(axis[0]) for axis in np.nonzero(~same))
            return f"differs in array {index} at {place}: {array[place]}, not {reference[place]}"
    return None


class Outcome:
    def __init__(self, kind, note=""):
        self.kind, self.note = kind, note


def try_variant(launch, changes, seed, folder, launcher=lambda kernel: kernel):
    """What becomes of a variant: right, refused, unchanged, wrong or failed."""
    import triton

    text, options, done = vary(launch, changes, seed)
    if not done:
        return Outcome("unchanged")
    kernel_text = header(launch.module)
    original = load(folder, "original", f"{kernel_text}\n\n@triton.jit\n{launch.text}\n")
    decorator = "" if text.startswith("@") else "@triton.jit\n"
    variant = load(folder, "variant", f"{kernel_text}{HELPERS}\n\n{decorator}{text}\n")
    expected = run(launcher(getattr(original, launch.name)), launch, launch.arguments(), {})
    try:
        kernel = launcher(getattr(variant, launch.name))
        stored = run(kernel, launch, launch.arguments(), options, first=(1,))
    except triton.CompilationError as error:
        if "internal compiler error" not in str(error):
            return Outcome("refused", f"{done}: {error}")
        return Outcome("failed", str(error))
    except Exception as error:
        return Outcome("failed", f"{type(error).__name__}: {error}")
    wrong = difference(launch, done, stored, expected)
    return Outcome("wrong", f"{launch.name} with {done}: {wrong}") if wrong else Outcome("right")


@contextlib.contextmanager
def recorded():
    """Collects the launches of kernels whose arguments are plain arrays and numbers."""
    from triton.runtime.jit import JITFunction

    launches = []
    replaced = JITFunction.__dict__.get("run")
    original = JITFunction.run

    def run(kernel, *args, grid, **kwargs):
        # What a launch adds of its own accord is no argument.
        own = {name: value for name, value in kwargs.items() if name != "warmup"}
        if (launch := record(kernel, args, grid, own)) is not None:
            launches.append(launch)
        return original(kernel, *args, grid=grid, **kwargs)

    JITFunction.run = run
    try:
        yield launches
    finally:
        if replaced is None:
            del JITFunction.run
        else:
            JITFunction.run = replaced


def record(kernel, args, grid, kwargs):
    plain = (np.ndarray, np.generic, int, float, str, type(None))
    arrays = [value for value in args if isinstance(value, np.ndarray)]
    if not all(isinstance(value, plain) for value in [*args, *kwargs.values()]):
        return None
    if any(isinstance(value, np.ndarray) for value in kwargs.values()):
        return None
    if any(array.copy(order="K").strides != array.strides for array in arrays):
        return None
    if any(np.shares_memory(a, b) for index, a in enumerate(arrays) for b in arrays[:index]):
        return None
    function = kernel.fn
    (tree,) = statements(textwrap.dedent(inspect.getsource(function)))
    tree.decorator_list = []
    names = [parameter.arg for parameter in tree.args.args]
    if callable(grid):
        grid = grid(dict(zip(names, args, strict=False)) | kwargs)
    arguments = [value.copy(order="K") if isinstance(value, np.ndarray) else value for value in args]
    module = function.__module__ if function.__module__ in MODULES else None
    return Launch(module, function.__name__, ast.unparse(tree), grid, arguments, dict(kwargs))


class Suite:
    """The launches of the suite's tests and of random kernels, made when they are first asked for."""

    def __init__(self, folder, device=None):
        self.folder, self.device, self.known = folder, device, {}
        self.tests = []
        for name in MODULES:
            module = importlib.import_module(name)
            self.tests += [
                (function, values)
                for function in vars(module).values()
                if inspect.isfunction(function) and function.__name__.startswith("test_")
                for values in [self.parameters(function)]
            ]

    @staticmethod
    def parameters(function):
        """The first values of each parameter."""
        values = {}
        for mark in getattr(function, "pytestmark", []):
            names = [name.strip() for name in mark.args[0].split(",")]
            first = mark.args[1][0]
            values |= dict(zip(names, first if len(names) > 1 else [first], strict=True))
        return values

    def launches(self, chance):
        """Those of a test or of a random kernel."""
        index = chance.randrange(len(self.tests) * 2)
        key = index if index < len(self.tests) else f"random {chance.randrange(10**6)}"
        if key not in self.known:
            with recorded() as launches:
                self.launch_random(int(key.split()[1])) if isinstance(key, str) else self.launch_test(index)
            self.known[key] = list({launch.text: launch for launch in launches}.values())
        return self.known[key]

    def launch_test(self, index):
        function, values = self.tests[index]
        fixtures = {"rng": np.random.default_rng(0), "device": self.device}
        wanted = inspect.signature(function).parameters
        function(**values, **{name: value for name, value in fixtures.items() if name in wanted})

    def launch_random(self, seed):
        from random_kernels import FIRST_RICH, RandomKernel

        program = RandomKernel(FIRST_RICH + seed, barriers=True)
        module = load(self.folder, f"random_{seed}", program.source())
        rng = np.random.default_rng(seed)
        arrays = [rng.random((program.size, program.size), dtype=np.float32) for _ in range(3)]
        arrays.append(np.zeros((3, program.size, program.size), np.float32))
        module.kernel[(1,)](*arrays, 1, program.columns, program.rows, SIZE=program.size, **program.options)


def variants(suite, seeds):
    """A launch and changes for each seed."""
    for seed in seeds:
        chance = random.Random(f"metamorphic {seed}")
        launches = suite.launches(chance)
        changes = chance.sample(CHANGES, chance.randrange(1, 4))
        if launches:
            yield seed, chance.choice(launches), changes


# Failures


def narrowed(launch, changes, seed, folder, kind, launcher=lambda kernel: kernel):
    """One change that is enough, or all of them."""
    for change in changes:
        if try_variant(launch, [change], seed, folder, launcher).kind == kind:
            return [change]
    return changes


def reduce_failure(launch, changes, seed, outcome, device, folder):
    """The path of the kernel that scripts/reduce_kernel.py leaves, a program that still fails in the same way."""
    folder = pathlib.Path(folder)
    data = folder / f"launch_{seed}.pickle"
    data.write_bytes(pickle.dumps(launch))
    body = launch.text.split("\n")
    body[0] += "  # keep"
    lines = [f"{line}  # keep" for line in header(launch.module).splitlines() + ["@triton.jit"]] + body
    lines += [
        "import metamorphic  # keep",
        f"metamorphic.again(__file__, {str(data)!r}, {changes}, {seed}, {device!r})  # keep",
    ]
    path = folder / f"metamorphic_{seed}.py"
    path.write_text("\n".join(lines) + "\n")
    expected = "metamorphic: wrong" if outcome.kind == "wrong" else "metamorphic: failed"
    script = HERE.parents[2] / "scripts/reduce_kernel.py"
    subprocess.run([sys.executable, script, path, "--expect", expected, "--", sys.executable, "{}"], check=False)
    reduced = path.with_suffix(".reduced.py")
    return reduced if reduced.exists() else path


def again(path, data, changes, seed, device):
    """Tells what becomes of the variant of the kernel in the program at `path`."""
    launch = pickle.loads(pathlib.Path(data).read_bytes())
    text = pathlib.Path(path).read_text()
    launch.text = next(ast.unparse(node) for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
    launch.text = launch.text.removeprefix("@triton.jit\n")
    with tempfile.TemporaryDirectory(prefix="metamorphic-") as folder:
        outcome = try_variant(launch, changes, seed, folder, Device(device).launcher)
    print(f"metamorphic: {outcome.kind}: {outcome.note}")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", help="cpu, cuda or sim:TARGET, such as sim:cuda:90 (default: cpu)")
    parser.add_argument("--count", type=int, default=200, help="variants (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="the first variant's seed; the others follow")
    parser.add_argument("--keep", default="build/metamorphic", help="where failing kernels go (default: %(default)s)")
    parser.add_argument("--refused", action="store_true", help="also print what was refused, and why")
    options = parser.parse_args(arguments)
    device = Device(options.device)
    keep = pathlib.Path(options.keep).resolve()
    keep.mkdir(parents=True, exist_ok=True)
    counts = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="metamorphic-") as folder:
        suite = Suite(folder, argparse.Namespace(name=options.device))
        for seed, launch, changes in variants(suite, range(options.seed, options.seed + options.count)):
            outcome = try_variant(launch, changes, seed, folder, device.launcher)
            counts[outcome.kind] += 1
            if outcome.kind in ("wrong", "failed"):
                print(f"--- seed {seed}: {outcome.kind}: {outcome.note}", flush=True)
                changes = narrowed(launch, changes, seed, folder, outcome.kind, device.launcher)
                print(reduce_failure(launch, changes, seed, outcome, options.device, keep), flush=True)
            elif options.refused and outcome.kind == "refused":
                print(f"--- seed {seed}: refused: {outcome.note}", flush=True)
    print(f"{options.device}: " + ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))
    return 1 if counts["wrong"] or counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
