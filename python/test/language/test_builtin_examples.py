"""The examples of docs/builtins.md run, and their comments are right."""

import ast
import importlib.util
import io
import re
import tokenize
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "src/frontend/lowering/builtins/Examples.txt"
REFERENCE = ROOT / "docs/builtins.md"
#: Those of Gluon are in docs/gluon.md; those of AMD's GPUs alone do not run on the processor.
WITHOUT = re.compile(r"ttgl\.|tl\.extra\.hip\.")
#: Lines of each kernel before an example, as the head of docs/builtins.md says, and the numbers of one value.
SETUP = "x = tl.arange(0, 4).to(tl.float32) + 1\ni = tl.arange(0, 4)\nm = tl.reshape(i, [2, 2])\n"
ROOM = 64

HEAD = """import triton
import triton.language as tl


@triton.jit
def add(a, b):
    return a + b


@triton.aggregate
class Pair:
    first: tl.tensor
    second: tl.tensor
"""


def examples():
    """The functions and kernel lines of each: what stands outside of the kernel, and in it."""
    parts = re.split(r"^== (.*)\n", EXAMPLES.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    split = [text.split("\n\n") if text.startswith("@") else ("", text) for text in parts[1::2]]
    return dict(zip(parts[::2], split, strict=True))


def sections():
    """The functions of each section of the document that need an example."""
    found, section = {}, None
    for line in REFERENCE.read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r"## (.*)", line):
            section = heading[1]
        elif (function := re.fullmatch(r"### `(.*)`", line)) and section != "Gluon" and not WITHOUT.match(function[1]):
            found.setdefault(section, []).append(function[1])
    return found


def values_of(example):
    """The kernel's lines, each with the value that its comment says, or None."""
    comments = {}
    for token in tokenize.generate_tokens(io.StringIO(example).readline):
        if token.type == tokenize.COMMENT:
            try:
                comments[token.start[0]] = (ast.literal_eval(token.string[1:].strip()), token.start[1])
            except (SyntaxError, ValueError):
                continue  # words
    for number, line in enumerate(example.splitlines(), 1):
        value, column = comments.get(number, (None, len(line)))
        yield line[:column].rstrip(), value


def kernel_of(names, texts):
    """The text of a kernel that stores each value, and these values."""
    lines, expected = [], []

    def keep(expression, value):
        at = f"results + {ROOM * len(expected)}"
        shape = np.shape(value)
        if shape:
            size = int(np.prod(shape))
            lines.append(f"tl.store({at} + tl.arange(0, {size}), tl.reshape({expression}, [{size}]).to(tl.float64))")
        else:
            lines.append(f"tl.store({at}, tl.cast({expression}, tl.float64))")
        expected.append((value, expression))

    for number, name in enumerate(names):
        lines += [*SETUP.splitlines(), f"p = floats + {16 * number}", f"q = integers + {16 * number}"]
        for line, value in values_of(texts[name][1]):
            target, equals, rest = line.partition(" = ")
            is_assignment = bool(equals) and target.isidentifier()
            if value is None or is_assignment:
                lines.append(line)
            if value is not None:
                keep(target if is_assignment else line, value)
    return "\n".join("    " + line for line in lines), expected


def test_each_function_has_an_example():
    needed = [name for names in sections().values() for name in names]
    assert sorted(set(needed) ^ set(examples())) == []


@pytest.mark.parametrize("section", sections())
def test_examples(section, tmp_path):
    names, texts = sections()[section], examples()
    body, expected = kernel_of(names, texts)
    path = tmp_path / "example_kernels.py"
    outside = "\n\n".join(texts[name][0] for name in names)
    path.write_text(
        f"{HEAD}\n\n{outside}\n\n@triton.jit\ndef examples(floats, integers, results):\n{body}\n", encoding="utf-8"
    )
    spec = importlib.util.spec_from_file_location("example_kernels", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    floats = np.tile(np.arange(16, dtype=np.float32), len(names))
    integers = np.zeros(16 * len(names), dtype=np.int32)
    results = np.zeros(ROOM * max(1, len(expected)))
    module.examples[(1,)](floats, integers, results, debug=True)
    for (value, expression), found in zip(expected, results.reshape(-1, ROOM), strict=False):
        wanted = np.asarray(value, dtype=np.float64)
        np.testing.assert_allclose(
            found[: wanted.size].reshape(wanted.shape), wanted, rtol=1e-4, atol=1e-6, err_msg=expression
        )
