"""Stages: `ttir` as the compiler makes it, then `slate`, Python with a line for each operation."""

import re
from dataclasses import dataclass

from triton._utils import digest
from triton.backends.compiler import BaseBackend

OPERATORS = {
    "arith.addi": "+",
    "arith.addf": "+",
    "arith.muli": "*",
    "arith.mulf": "*",
    "arith.cmpi slt,": "<",
    "tt.addptr": "+",
}


@dataclass(frozen=True)
class SlateOptions:
    num_warps: int = 1
    num_stages: int = 1
    num_ctas: int = 1
    debug: bool = False
    factor: int = 1  # multiplies what is stored

    def hash(self):
        return digest(str(self))


def operands_of(text):
    return [f"v_{name}" for name in re.findall(r"%(\w+)", text.split(" : ")[0])]


def line_of(operation):
    """The Python line of one operation."""
    result, rest = re.fullmatch(r"(?:%(\w+) = )?(.*)", operation).groups()
    target = f"v_{result} = " if result else ""
    values = operands_of(rest)
    for name, symbol in OPERATORS.items():
        if rest.startswith(name + " "):
            return f"{target}{values[0]} {symbol} {values[1]}"
    if match := re.match(r"arith.constant (?:dense<)?([-\w.+]+)>? :", rest):
        return target + match.group(1)
    if match := re.match(r"tt.make_range {end = (\d+) : i32, start = (\d+) : i32}", rest):
        return f"{target}arange({match.group(2)}, {match.group(1)})"
    if rest.startswith("tt.get_program_id x"):
        return f"{target}program"
    if rest.startswith("tt.splat"):
        return target + values[0]
    if rest.startswith("tt.load"):
        return f"{target}load({', '.join(values)})"
    if rest.startswith("tt.store"):
        return f"store({', '.join(values)})"
    if rest == "tt.return":
        return "return"
    raise NotImplementedError(f"the slate has no `{rest}`")


class SlateBackend(BaseBackend):
    binary_ext = "slate"

    @staticmethod
    def supports_target(target):
        return target.backend == "slate"

    def hash(self):
        return f"slate-{self.target.arch}"

    def parse_options(self, opts):
        return SlateOptions(**{name: opts[name] for name in SlateOptions.__dataclass_fields__ if name in opts})

    def pack_metadata(self, metadata):
        return (metadata.num_warps, metadata.factor)

    def get_codegen_implementation(self, options):
        return {"min_dot_size": lambda left, right: (1, 1, 1)}

    def get_module_map(self):
        return {}

    def load_dialects(self, context):
        pass

    def add_stages(self, stages, options, language):
        super().add_stages(stages, options, language)
        stages["slate"] = self.make_slate

    @staticmethod
    def make_slate(text, metadata):
        form = r"tt\.func public @(\w+)\((.*?)\) attributes {.*?} {\n(.*?)\n  }"
        name, parameters, body = re.search(form, text, re.S).groups()
        names = ", ".join(f"v_{parameter}" for parameter in re.findall(r"%(\w+): ", parameters))
        lines = [re.sub(r" loc\(.*\)$", "", line.strip()) for line in body.splitlines()]
        code = [f"def {name}(program, {names}):", *(f"    {line_of(line)}" for line in lines if line)]
        metadata["name"], metadata["shared"] = name, 0
        return "\n".join(code) + "\n"
