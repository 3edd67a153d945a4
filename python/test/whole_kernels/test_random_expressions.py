"""Random integer expressions over tiles, compared exactly with NumPy: whatever the compiler groups into loops, keeps in
buffers or computes along the way, the result is the same."""

import importlib.util
import random

import numpy as np
import pytest
from fuzzing.guarded import guarded

UNARY = {
    "-{0}": lambda a: -a,
    "~{0}": lambda a: ~a,
    "tl.abs({0})": np.abs,
    "({0} << 3)": lambda a: a << 3,
    "({0} >> 2)": lambda a: a >> 2,
}
BINARY = {
    "({0} + {1})": np.add,
    "({0} - {1})": np.subtract,
    "({0} * {1})": np.multiply,
    "({0} & {1})": np.bitwise_and,
    "({0} | {1})": np.bitwise_or,
    "({0} ^ {1})": np.bitwise_xor,
    "tl.minimum({0}, {1})": np.minimum,
    "tl.maximum({0}, {1})": np.maximum,
}
COMPARISONS = {"<": np.less, ">=": np.greater_equal, "==": np.equal}
REDUCTIONS = {
    "tl.sum": lambda a, axis: a.sum(axis=axis, dtype=np.int32),
    "tl.max": np.max,
    "tl.min": np.min,
    "tl.xor_sum": np.bitwise_xor.reduce,
}


class Program:
    """A kernel's statements and, step by step, the values that they must have."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        rng = np.random.default_rng(seed)
        self.rows, self.columns = (2 ** self.random.randint(0, 5) for _ in range(2))
        self.shape = (self.rows, self.columns)
        self.limit = self.random.randint(1, self.rows * self.columns)
        self.tile, self.row, self.column = (
            rng.integers(-1000, 1000, shape).astype(np.int32) for shape in (self.shape, self.columns, self.rows)
        )
        # name → value; rank 1 values carry the axis that they lack
        self.values = {
            "tile": self.tile,
            "row[None, :]": self.row[None, :],
            "column[:, None]": self.column[:, None],
            "(r[:, None] * 3)": (np.arange(self.rows, dtype=np.int32) * 3)[:, None],
        }
        self.lines = []
        for number in range(self.random.randint(3, 12)):
            text, value = self.random.choice([self.unary, self.binary, self.binary, self.select, self.reduction])()
            self.lines.append(f"v{number} = {text}")
            self.values[f"v{number}"] = value
        self.result = np.broadcast_to(self.values[f"v{len(self.lines) - 1}"] + self.tile, self.shape)

    def operand(self):
        return self.random.choice(list(self.values.items()))

    def unary(self):
        text, function = self.random.choice(list(UNARY.items()))
        name, value = self.operand()
        return text.format(name), function(value)

    def binary(self):
        text, function = self.random.choice(list(BINARY.items()))
        (a, x), (b, y) = self.operand(), self.operand()
        return text.format(a, b), function(x, y)

    def select(self):
        symbol, function = self.random.choice(list(COMPARISONS.items()))
        (a, x), (b, y), (c, z) = self.operand(), self.operand(), self.operand()
        return f"tl.where({a} {symbol} {b}, {c}, {a})", np.where(function(x, y), z, x)

    def reduction(self):
        name, function = self.random.choice(list(REDUCTIONS.items()))
        operand, value = self.operand()
        axis = self.random.randint(0, 1)
        return f"{name}({operand}, axis={axis}, keep_dims=True)", np.expand_dims(function(value, axis=axis), axis)

    def source(self):
        body = "\n".join("    " + line for line in self.lines)
        return f"""import triton
import triton.language as tl


@triton.jit
def kernel(tile_ptr, row_ptr, column_ptr, out_ptr, limit, R: tl.constexpr, C: tl.constexpr):
    r, c = tl.arange(0, R), tl.arange(0, C)
    place = r[:, None] * C + c[None, :]
    tile = tl.load(tile_ptr + place)
    row, column = tl.load(row_ptr + c), tl.load(column_ptr + r)
{body}
    tl.store(out_ptr + place, v{len(self.lines) - 1} + tile, mask=place < limit)
"""


@pytest.mark.parametrize("seed", range(60))
def test_random_expression(device, tmp_path, seed):
    with np.errstate(over="ignore"):
        program = Program(seed)
    path = tmp_path / "kernel.py"
    path.write_text(program.source())
    spec = importlib.util.spec_from_file_location(f"random_expression_{seed}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    out = guarded(np.full(program.limit, 0x5A5A5A5A, np.int32))
    module.kernel[(1,)](
        guarded(program.tile),
        guarded(program.row),
        guarded(program.column),
        out,
        program.limit,
        R=program.rows,
        C=program.columns,
    )
    np.testing.assert_array_equal(out, program.result.ravel()[: program.limit], err_msg=program.source())
