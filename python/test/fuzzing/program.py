"""A random kernel, its arguments, and what NumPy says that it stores."""

import random
import re

import numpy as np

from . import elements
from .guarded import guarded

HEADER = "import triton\nimport triton.language as tl\n\n"


class Value:
    """A name of the kernel and what it is in each program: `data` has a row for each of them.

    A loose value is compared without the sign of its zeros; one with a tolerance, within it. Neither is used again.
    """

    def __init__(self, name, dtype, data, loose=False, tolerance=None):
        self.name, self.dtype, self.data = name, dtype, data
        self.loose, self.tolerance = loose, tolerance

    @property
    def shape(self):
        return self.data.shape[1:]

    @property
    def rank(self):
        return self.data.ndim - 1

    @property
    def size(self):
        return int(np.prod(self.shape))

    @property
    def is_usable(self):
        return not self.loose and self.tolerance is None


class Statement:
    def __init__(self, lines, defines, needs):
        self.lines, self.defines, self.needs = lines, defines, needs


class Argument:
    """`stored` is what is passed: an array as it lies in memory, `shift` elements after 16 bytes, or a number.
    `expected` is a Value for what the kernel writes, and None for what it only reads."""

    def __init__(self, name, dtype, stored, expected=None, is_constant=False, shift=0, is_aligned=False):
        self.name, self.dtype, self.stored, self.expected = name, dtype, stored, expected
        self.is_constant, self.shift, self.is_aligned = is_constant, shift, is_aligned
        self.descriptor = None  # what makes one of the array, when it is passed so

    def copy(self, moved=0, is_guarded=False):
        """What a launch may change, so many elements further from a multiple of 16 bytes where that is allowed, or
        just before memory that must not be touched."""
        if not isinstance(self.stored, np.ndarray):
            return self.stored
        if is_guarded and not (self.is_aligned and self.stored.nbytes % 16):
            return guarded(self.stored)
        shift = self.shift + (0 if self.is_aligned else moved)
        room = np.empty(self.stored.size + shift, self.stored.dtype)[shift:]
        room[:] = self.stored
        return room


class Program:
    def __init__(self, seed, device=None):
        self.seed = seed
        self.device = device
        self.random = random.Random(f"fuzzing {seed}")
        self.generator = np.random.default_rng(abs(seed))
        self.arguments, self.statements, self.values = [], [], []
        self.helpers = {}
        self.count = 0
        self.grid = self.random.choice([(1,), (1,), (1,), (2,), (3,), (2, 2), (1, 2), (3, 1, 2), (1, 1, 2)])
        self.programs = int(np.prod(self.grid))
        #: Elements of one value in all programs together.
        self.most = 16384 if self.chance(0.03) else 4096
        self.options = self._options()
        self.fuses = self.options["enable_fp_fusion"]
        self.define_program()

    def _options(self):
        options = {"num_warps": self.random.choice([1, 2, 4, 4, 8]), "num_stages": self.random.randint(1, 5)}
        options["enable_fp_fusion"] = self.random.random() < 0.2
        if self.random.random() < 0.05:
            options["maxnreg"] = self.random.choice([64, 128, 255])
        return options

    def define_program(self):
        index = "tl.program_id(0)"
        if len(self.grid) > 1:
            index += " + tl.program_id(1) * tl.num_programs(0)"
        if len(self.grid) > 2:
            index += " + tl.program_id(2) * (tl.num_programs(0) * tl.num_programs(1))"
        self.add(f"{index}", "int32", np.arange(self.programs, dtype=np.int32), name="pid")

    # Names

    def fresh(self, prefix="v"):
        self.count += 1
        return f"{prefix}{self.count}"

    def chance(self, likelihood):
        return self.random.random() < likelihood

    def helper(self, prefix, text, is_inlined=True):
        """A function of the module; `NAME` in its text stands for the name that it gets."""
        name = self.fresh(prefix)
        decorator = "@triton.jit\n" if is_inlined else "@triton.jit(noinline=True)\n"
        self.helpers[name] = decorator + text.replace("NAME", name)
        return name

    # Statements

    def add(self, expression, dtype, data, name=None, loose=False, tolerance=None, before=()):
        name = name or self.fresh()
        data = np.asarray(data)
        if data.dtype != elements.model_type(dtype):
            raise AssertionError(f"the model of `{expression}` is {data.dtype}, not {dtype}")
        lines = [*before, f"{name} = {expression}"]
        if self.chance(0.1):
            lines.append(f"tl.static_assert({name}.dtype == tl.{dtype})")
        return self.add_all(lines, [Value(name, dtype, data, loose, tolerance)])[0]

    def add_all(self, lines, values):
        """A statement of lines that define the values."""
        words = set(re.findall(r"[A-Za-z_]\w*", "\n".join(lines)))
        self.statements.append(Statement(lines, [value.name for value in values], words))
        self.values += values
        return values

    def pick(self, test=lambda value: True, likelihood=0.85, fallback=None):
        """A value that there is, preferably of late, or a new one from `fallback`."""
        fit = [value for value in self.values[-30:] if value.name != "pid" and value.is_usable and test(value)]
        if fit and self.chance(likelihood):
            return self.random.choice(fit)
        return fallback() if fallback else self._input_for(test)

    def _input_for(self, test):
        """A new block or scalar that passes the test, which asks for a type, a shape or a size."""
        for _ in range(30):
            dtype, shape = self.dtype(), self.shape()
            if test(Value("", dtype, np.empty((self.programs, *shape), elements.model_type(dtype)))):
                break
        return self.input(dtype, shape)

    # Shapes and inputs

    def shape(self, ranks=(1, 1, 1, 2, 2, 2, 3, 4), least=1):
        most = min(self.most // self.programs, self.random.choice([16, 64, 256, 1024, 4096]))
        rank = self.random.choice(ranks)
        if rank == 0:
            return ()
        dims = [least] * rank
        for _ in range(40):
            axis = self.random.randrange(rank)
            if dims[axis] * 2 <= 256 and int(np.prod(dims)) * 2 <= most and self.chance(0.7):
                dims[axis] *= 2
        return tuple(dims)

    def offsets(self, shape):
        """An expression for the place of each element of a dense block."""
        count = int(np.prod(shape)) if shape else 1
        if not shape:
            return "0"
        if len(shape) == 1:
            return f"tl.arange(0, {count})"
        if self.chance(0.3):
            return f"tl.reshape(tl.arange(0, {count}), {list(shape)})"
        terms = []
        for axis, length in enumerate(shape):
            index = ", ".join(":" if other == axis else "None" for other in range(len(shape)))
            terms.append(f"tl.arange(0, {length})[{index}] * {int(np.prod(shape[axis + 1 :]))}")
        return " + ".join(terms)

    def dtype(self, *kinds):
        names = {
            "int": elements.INTEGERS,
            "bool": ("int1",),
            "float": elements.FLOATS,
            "narrow": tuple(name for name in elements.NARROW if self.knows(name)),
        }
        kinds = kinds or ("int",) * 6 + ("float",) * 4 + ("bool",) * 2 + ("narrow",)
        return self.random.choice(names[self.random.choice([kind for kind in kinds if names[kind]])])

    def knows(self, dtype):
        return dtype != "float8e4nv" or self.device is None or self.device.knows(dtype)

    def input(self, dtype=None, shape=None, style=None, data=None):
        """A block, or a scalar, that the kernel loads: each program its own."""
        dtype = dtype or self.dtype()
        shape = self.shape() if shape is None else shape
        if data is None:
            data = elements.random_values(self.generator, dtype, (self.programs, *shape), style)
        argument = self.array("x", dtype, data)
        hint = self.hint(["", ".ca", ".cg", ".cv"]) + (", volatile=True" if self.chance(0.03) else "")
        return self.add(f"tl.load({self.pointers(argument.name, shape)}{hint})", dtype, data)

    def hint(self, modifiers):
        """Words about caches, which change nothing."""
        if self.chance(0.9):
            return ""
        policy = self.random.choice(["", "evict_first", "evict_last"])
        return f', cache_modifier="{self.random.choice(modifiers)}", eviction_policy="{policy}"'

    def scalar(self, dtype=None, style=None):
        return self.input(dtype or self.dtype(), (), style)

    def pointers(self, name, shape):
        count = int(np.prod(shape)) if shape else 1
        return f"{name} + {self.start(count)}{self.offsets(shape)}"

    def start(self, size):
        """The text of where a program's part begins, in an array with so many elements for each program."""
        return f"pid * {size} + " if self.programs > 1 else ""

    def array(self, prefix, dtype, data, expected=None, is_aligned=False):
        """An array of the host. `is_aligned` where the language asks for 16 bytes."""
        stored = np.ascontiguousarray(elements.encode(data, dtype)).reshape(-1)
        shift = self.random.randint(1, 3) if not is_aligned and self.chance(0.1) else 0
        argument = Argument(self.fresh(prefix), dtype, stored, expected, shift=shift, is_aligned=is_aligned)
        self.arguments.append(argument)
        return argument

    def number(self, value, dtype=None):
        """The name of an argument that is this number, in one of the forms that a launch takes."""
        from .arguments import forms

        is_constant = self.chance(0.2)
        stored = value if is_constant else self.random.choice(forms(value))
        argument = Argument(self.fresh("n"), dtype, stored, is_constant=is_constant)
        self.arguments.append(argument)
        return argument.name

    # Outputs

    def store(self, value):
        """Stores the value in an array of its own."""
        argument = self.output(value)
        pointers = self.pointers(argument.name, value.shape)
        self.add_all([f"tl.store({pointers}, {value.name}{self.hint(['', '.wb', '.cg', '.cs', '.wt'])})"], [])

    def output(self, value, before=None, is_aligned=False):
        """An array that is to become the value; `before` is what it holds at first, instead of a pattern."""
        storage = elements.storage_type(value.dtype)
        if before is None:
            pattern = np.frombuffer(b"\x5a" * (value.data.size * storage.itemsize), storage)
            before = ~value.data if value.dtype == "int1" else elements.decode(pattern, value.dtype)
        return self.array("out", value.dtype, before, value, is_aligned)

    def outputs(self):
        return [argument for argument in self.arguments if argument.expected is not None]

    # Text

    def source(self, outputs=None, name="kernel"):
        """The module's text; with `outputs`, only what these need. Statements that write nothing of them go."""
        kept = self.statements
        if outputs is not None:
            wanted, kept = set(outputs), []
            for statement in reversed(self.statements):
                if wanted & set(statement.defines) or wanted & statement.needs & set(outputs):
                    kept.insert(0, statement)
                    wanted |= statement.needs
        lines = [line for statement in kept for line in statement.lines] or ["pass"]
        body = "".join(f"    {line}\n" for line in lines)
        helpers = self._needed_helpers(body)
        parameters = [argument for argument in self.arguments if outputs is None or self._mentions(body, argument.name)]
        self.passed = [argument.name for argument in parameters]
        names = [f"{each.name}: tl.constexpr" if each.is_constant else each.name for each in parameters]
        return f"{HEADER}{helpers}@triton.jit\ndef {name}({', '.join(names)}):\n{body}"

    @staticmethod
    def _mentions(text, name):
        return re.search(rf"\b{name}\b", text) is not None

    def _needed_helpers(self, body):
        needed, text = [], body
        for name in reversed(self.helpers):
            if self._mentions(text, name):
                needed.insert(0, self.helpers[name])
                text += self.helpers[name]
        return "".join(f"{helper}\n\n" for helper in needed)
