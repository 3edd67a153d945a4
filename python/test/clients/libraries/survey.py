"""Which kernels of a library compile, without running the library.

    python survey.py search ROOT RESULTS        signatures that Triton itself accepts for cuda:90
    python survey.py compile ROOT RESULTS OUT   what becomes of them here, for each target

ROOT is a folder with the library's packages. `triton` is the package that PYTHONPATH names: Triton's own for `search`,
Nereid's for `compile`. RESULTS and OUT have one JSON object a line. Where several releases of Triton are installed,
`TRITON_BACKENDS_IN_TREE=1` makes Triton's own take the backends that come with it.
"""

import argparse
import ast
import hashlib
import inspect
import json
import pathlib
import random
import re
import resource
import sys
import time

import load
import triton
import triton.language as tl
from guess import Constant, Guess, Launches, Uses
from pool import Pool
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

TARGETS = {
    "cpu": GPUTarget("cpu", 0, 0),
    "cuda:80": GPUTarget("cuda", 80, 32),
    "cuda:90": GPUTarget("cuda", 90, 32),
    "cuda:100": GPUTarget("cuda", 100, 32),
    "gfx942": GPUTarget("hip", "gfx942", 64),
    "gfx1100": GPUTarget("hip", "gfx1100", 32),
}


def unwrap(value):
    """(the function of `triton.jit`, the tuning's configurations) of what a decorated kernel is."""
    configurations = []
    while value is not None and type(value).__name__ != "JITFunction":
        members = getattr(value, "__dict__", {})
        configurations = configurations or list(members.get("configs") or [])
        value = members.get("fn")
    return value, configurations


def returns_value(tree):
    return any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(tree))


def processor_time():
    """Seconds of this process and of the assemblers that it ran."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


class Kernel:
    def __init__(self, module, name, jit, configurations):
        self.module, self.name, self.jit, self.configurations = module, name, jit, configurations
        text = "".join(inspect.getsourcelines(jit.fn)[0])
        self.digest = hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def key(self):
        return f"{self.module}:{self.name}"


def find_kernels(modules):
    """The kernels of the modules: jit functions that return nothing and that no other jit function calls."""
    kernels, called = {}, set()
    for module_name, module in modules.items():
        for name, value in list(vars(module).items()):
            jit, configurations = unwrap(value) if not isinstance(value, (type, load.Absent)) else (None, [])
            if jit is None or jit.fn.__module__ != module_name:
                continue
            uses = Uses.of(jit)
            if uses is None:
                continue
            for node in ast.walk(uses.tree):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    callee, _ = unwrap(uses.globals.get(node.func.id))
                    if callee is not None and callee is not jit:
                        called.add(id(callee))
            if not returns_value(uses.tree) and id(jit) not in kernels:
                kernels[id(jit)] = Kernel(module_name, name, jit, configurations)
    return [kernel for number, kernel in kernels.items() if number not in called]


def encode(value):
    return {"dtype": value.name} if isinstance(value, tl.dtype) else {"value": value}


DTYPES = {value.name: value for value in vars(tl).values() if isinstance(value, tl.dtype)}


def decode(value):
    return DTYPES[value["dtype"]] if "dtype" in value else value["value"]


def as_plain(value):
    return getattr(value, "value", value) if type(value).__name__ == "constexpr" else value


class Variant:
    """A kernel's types, constants and options, as JSON has them."""

    def __init__(self, jit, chosen, options):
        self.signature, self.constants, self.attributes = {}, {}, {}
        self.options = options
        for index, parameter in enumerate(jit.params):
            value = chosen[parameter.name]
            if isinstance(value, Constant):
                self.signature[parameter.name] = "constexpr"
                self.constants[parameter.name] = as_plain(value.value)
                continue
            # The block of a descriptor may name constants.
            numbers = {name: choice.value if isinstance(choice, Constant) else 64 for name, choice in chosen.items()}
            value = value.format(**numbers)
            self.signature[parameter.name] = value
            if value.startswith("*") or re.search("stride", parameter.name, re.IGNORECASE) and value == "i32":
                self.attributes[index] = 16

    def json(self):
        constants = {name: encode(value) for name, value in self.constants.items()}
        json.dumps(constants)
        return {
            "signature": self.signature,
            "constants": constants,
            "attributes": {str(index): number for index, number in self.attributes.items()},
            "options": self.options,
        }


def source_of(jit, variant):
    constants = {name: decode(value) for name, value in variant["constants"].items()}
    attributes = {(int(index),): [["tt.divisibility", value]] for index, value in variant["attributes"].items()}
    return ASTSource(jit, dict(variant["signature"]), constants, attributes)


class Search:
    """Looks for alternatives that Triton accepts: those of the statement at fault are changed first."""

    def __init__(self, kernel, guess, options, deadline, attempts):
        from triton._C.libtriton import ir
        from triton.compiler.compiler import make_backend

        self.ir, self.kernel, self.guess, self.options = ir, kernel, guess, options
        self.deadline, self.attempts = deadline, attempts
        self.backend = make_backend(TARGETS["cuda:90"])
        self.error = None

    def try_(self, places):
        """None when the kernel becomes TTIR, or (line in the kernel, message)."""
        self.attempts -= 1
        variant = self.variant(places)
        try:
            source = source_of(self.kernel.jit, variant.json())
            options = self.backend.parse_options({**self.options, **source.parse_options()})
            context = self.ir.context()
            self.ir.load_dialects(context)
            self.backend.load_dialects(context)
            source.make_ir(
                TARGETS["cuda:90"],
                options,
                self.backend.get_codegen_implementation(options),
                self.backend.get_module_map(),
                context,
            )
            return None
        except Exception as error:
            line = getattr(getattr(error, "node", None), "lineno", 0) or 0
            cause = error
            while cause.__cause__ is not None:
                cause = cause.__cause__
            text = str(getattr(cause, "error_message", None) or cause)
            return line, f"{type(error).__name__}: {text}"[:500]

    def variant(self, places):
        chosen = {name: choices[places[name]] for name, choices in self.guess.alternatives.items()}
        return Variant(self.kernel.jit, chosen, self.options)

    def run(self):
        places = dict.fromkeys(self.guess.alternatives, 0)
        failure = self.try_(places)
        while failure is not None and self.attempts > 0 and time.process_time() < self.deadline:
            better = self.improve(places, failure)
            if better is None:
                break
            places, failure = better
        self.error = failure
        return self.variant(places) if failure is None else None

    def improve(self, places, failure):
        line, message = failure
        # Lines of the tree count from the first decorator, those of errors from `def`.
        tree = self.guess.uses.tree
        near = self.guess.uses.parameters_near(line + tree.lineno - 1) if line else list(places)
        near = near or list(places)
        changes = []
        for name in near[:12]:
            for place in range(len(self.guess.alternatives[name])):
                if place != places[name]:
                    changes.append((place + near.index(name), name, place))
        for _, name, place in sorted(changes)[:40]:
            if self.attempts <= 0 or time.process_time() > self.deadline:
                return None
            other = {**places, name: place}
            result = self.try_(other)
            if result is None or result[0] > line:
                return other, result
        # Two at a time.
        generator = random.Random(1)
        while self.attempts > 0 and time.process_time() < self.deadline and len(near) > 1:
            other = dict(places)
            for name in generator.sample(near[:8], 2):
                other[name] = generator.randrange(min(5, len(self.guess.alternatives[name])))
            result = self.try_(other)
            if result is None or result[0] > line:
                return other, result
        return None


# The types of elements, and whether switches among the constants are on.
MODES = [("fp16", False), ("bf16", True), ("fp32", True)]


def search_kernel(kernel, launches, arguments, report):
    jit = kernel.jit
    hints = launches.hints(kernel.name, [parameter.name for parameter in jit.params])
    report({"found": True})
    seen = set()
    end = time.process_time() + 9
    for number in arguments.modes:
        element, switches = MODES[number]
        names = {parameter.name for parameter in jit.params}
        options, tuned = {"num_warps": 4}, {}
        if kernel.configurations:
            configuration = kernel.configurations[(0, -1, len(kernel.configurations) // 2)[number]]
            tuned = {name: value for name, value in configuration.kwargs.items() if name in names}
            options["num_warps"] = configuration.num_warps
            options["num_stages"] = configuration.num_stages
        guess = Guess(jit, hints, tuned, element, switches)
        deadline = min(end, time.process_time() + 5)
        attempts = 40 if number == arguments.modes[0] else 8
        search = Search(kernel, guess, options, deadline, attempts)
        variant = search.run()
        if variant is None:
            report({"mode": number, "error": list(search.error)})
            continue
        data = variant.json()
        text = json.dumps(data, sort_keys=True)
        if text in seen:
            continue
        seen.add(text)
        start = processor_time()
        if not arguments.complete:
            report({"mode": number, "variant": data, "accepted": True})
            continue
        try:
            triton.compile(source_of(jit, data), target=TARGETS["cuda:90"], options=options)
        except Exception as error:
            report({"mode": number, "variant": data, "accepted": False, "error": [0, str(error)[-500:]]})
            continue
        report({"mode": number, "variant": data, "accepted": True, "seconds": round(processor_time() - start, 2)})


def read_launches(root, packages):
    launches = Launches()
    folders = [pathlib.Path(root, package) for package in packages or [""]]
    for path in (path for folder in folders for path in folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8", errors="replace")
        if "](" in text and ("triton" in text or "kernel" in text):
            try:
                launches.read(ast.parse(text))
            except (SyntaxError, ValueError):
                pass
    return launches


def set_driver():
    """Without a GPU Triton has no active driver, which tuned kernels ask for when they are made."""
    if hasattr(triton, "_C") and not hasattr(triton._C, "JITFunctionBase"):
        from triton.backends.driver import DriverBase
        from triton.runtime.driver import driver

        class AbsentGpu(DriverBase):
            def __init__(self):
                self.utils = None

            @classmethod
            def is_active(cls):
                return True

            def get_current_target(self):
                return TARGETS["cuda:90"]

            def get_current_device(self):
                return 0

            def get_active_torch_device(self):
                return "cpu"

            def map_python_to_cpp_type(self, type):
                return type

            def get_benchmarker(self):
                return lambda call, quantiles: [1.0]

        driver.set_active(AbsentGpu())


def load_library(arguments):
    set_driver()
    pattern = re.compile(arguments.exclude) if arguments.exclude else None
    modules, failures = load.load_modules(
        arguments.root, arguments.packages, lambda path: bool(pattern and pattern.search(path))
    )
    for name, failure in failures.items():
        print(f"not loaded: {name}: {failure}", file=sys.stderr)
    return find_kernels(modules)


def search(arguments):
    kernels = load_library(arguments)
    launches = read_launches(arguments.root, arguments.packages)
    known = set()
    for path in arguments.known or []:
        known.update(json.loads(line)["digest"] for line in open(path))
    chosen = [kernel for kernel in kernels if kernel.digest not in known]
    if arguments.limit and len(chosen) > arguments.limit:
        chosen = random.Random(1).sample(chosen, arguments.limit)
    print(f"{len(kernels)} kernels, {len(chosen)} to search", flush=True)
    work = lambda kernel, report: search_kernel(kernel, launches, arguments, report)
    with open(arguments.results, "w") as file:
        for kernel, lines, end in Pool(arguments.jobs, arguments.seconds).run(chosen, work):
            entry = {"kernel": kernel.key, "digest": kernel.digest, "end": end, "tries": lines}
            print(json.dumps(entry), file=file, flush=True)


def compile_variant(task, report):
    kernel, variant, target = task
    start = processor_time()
    try:
        source = source_of(kernel.jit, variant)
        if target == "ttir":
            from triton.compiler.compiler import make_backend

            backend = make_backend(TARGETS["cuda:90"])
            source.make_ir(TARGETS["cuda:90"], backend.parse_options(dict(variant["options"])))
        else:
            # Tuning for NVIDIA's GPUs asks for more warps than fit where a warp has 64 threads.
            options = dict(variant["options"])
            options["num_warps"] = min(options["num_warps"], 1024 // (TARGETS[target].warp_size or 32))
            triton.compile(source, target=TARGETS[target], options=options)
        report({"ok": True, "seconds": round(processor_time() - start, 2)})
    except Exception as error:
        report({"ok": False, "error": f"{type(error).__name__}: {error}"[:3000]})


def compile_(arguments):
    kernels = {kernel.key: kernel for kernel in load_library(arguments)}
    tasks = []
    only = re.compile(arguments.only) if arguments.only else None
    for line in open(arguments.results):
        entry = json.loads(line)
        if only and not only.search(entry["kernel"]):
            continue
        for attempt in entry["tries"]:
            if attempt.get("accepted"):
                if entry["kernel"] not in kernels:
                    print(f"missing: {entry['kernel']}", file=sys.stderr)
                    break
                for target in arguments.targets.split(","):
                    tasks.append((kernels[entry["kernel"]], attempt["variant"], target))
    with open(arguments.out, "w") as file:
        pool = Pool(arguments.jobs, arguments.seconds)
        for (kernel, variant, target), lines, end in pool.run(tasks, compile_variant):
            result = lines[-1] if lines else {"ok": False, "error": end}
            entry = {"kernel": kernel.key, "target": target, "variant": variant, "end": end, **result}
            print(json.dumps(entry), file=file, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True)
    for function, name in ((search, "search"), (compile_, "compile")):
        command = commands.add_parser(name)
        command.set_defaults(function=function)
        command.add_argument("root", type=lambda text: str(pathlib.Path(text).resolve()))
        command.add_argument("results")
        command.add_argument("--packages", nargs="*", help="of those in ROOT, all by default")
        command.add_argument("--exclude", help="a regular expression for paths of modules to leave out")
        command.add_argument("--seconds", type=int, default=60, help="processor time of a kernel, or of a compilation")
        command.add_argument("--jobs", type=int, default=2)
    commands.choices["search"].add_argument("--known", nargs="*", help="results whose kernels are left out")
    commands.choices["search"].add_argument("--complete", action="store_true", help="compile beyond TTIR")
    commands.choices["search"].add_argument("--limit", type=int)
    commands.choices["search"].add_argument(
        "--modes", type=int, nargs="*", default=list(range(len(MODES))), help="numbers of MODES: a variant for each"
    )
    commands.choices["compile"].add_argument("out")
    commands.choices["compile"].add_argument("--targets", default=",".join(TARGETS))
    commands.choices["compile"].add_argument("--only", help="a regular expression for names of kernels")
    arguments = parser.parse_args()
    arguments.function(arguments)


if __name__ == "__main__":
    main()
