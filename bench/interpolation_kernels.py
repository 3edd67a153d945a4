"""The tuned kernels of interpolation.py, and launches of them. The time of a launch depends on the key's sizes."""

import torch
import triton
import triton.language as tl


def _product_configurations():
    shapes = [(128, 256, 64, 8, 3), (256, 128, 64, 8, 3), (128, 128, 64, 4, 3), (128, 128, 64, 8, 4)]
    shapes += [(128, 64, 64, 4, 4), (64, 128, 64, 4, 4), (64, 64, 64, 4, 4), (64, 256, 64, 8, 3), (128, 32, 64, 4, 4)]
    shapes += [(64, 32, 64, 2, 5), (32, 64, 64, 2, 5), (128, 128, 32, 4, 4), (128, 256, 32, 8, 4), (64, 64, 128, 4, 3)]
    return [
        triton.Config({"ROWS": rows, "COLUMNS": columns, "INNER": inner}, num_warps=warps, num_stages=stages)
        for rows, columns, inner, warps, stages in shapes
    ]


@triton.autotune(_product_configurations(), key=["m", "n", "k"])
@triton.jit
def product(a, b, out, m, n, k, ROWS: tl.constexpr, COLUMNS: tl.constexpr, INNER: tl.constexpr):
    row_blocks, column_blocks = tl.cdiv(m, ROWS), tl.cdiv(n, COLUMNS)
    group = tl.program_id(0) // (8 * column_blocks)
    in_group = tl.minimum(row_blocks - group * 8, 8)
    row_block = group * 8 + tl.program_id(0) % (8 * column_blocks) % in_group
    column_block = tl.program_id(0) % (8 * column_blocks) // in_group
    row = row_block * ROWS + tl.arange(0, ROWS)
    column = column_block * COLUMNS + tl.arange(0, COLUMNS)
    inner = tl.arange(0, INNER)
    left = a + (row % m)[:, None] * k + inner[None, :]
    right = b + inner[:, None] * n + (column % n)[None, :]
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for start in range(0, k, INNER):
        x = tl.load(left, mask=inner[None, :] < k - start, other=0.0)
        y = tl.load(right, mask=inner[:, None] < k - start, other=0.0)
        total = tl.dot(x, y, total)
        left += INNER
        right += INNER * n
    place = out + row[:, None] * n + column[None, :]
    tl.store(place, total.to(tl.float16), mask=(row < m)[:, None] & (column < n)[None, :])


def _row_configurations():
    return [
        triton.Config({"BLOCK": block}, num_warps=warps)
        for block, warps in [(256, 1), (256, 2), (512, 2), (512, 4), (1024, 2), (1024, 4), (1024, 8)]
        + [(2048, 4), (2048, 8), (4096, 4), (4096, 8), (4096, 16), (8192, 8), (8192, 16), (16384, 16), (16384, 32)]
    ]


@triton.autotune(_row_configurations(), key=["rows", "columns"])
@triton.jit
def softmax(x, out, rows, columns, BLOCK: tl.constexpr):
    """In two passes over a row, of which each takes it in blocks."""
    row = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, BLOCK)
    most = tl.full((BLOCK,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        value = tl.load(x + row * columns + start + i, mask=start + i < columns, other=-65504.0).to(tl.float32)
        higher = tl.maximum(most, value)
        total = total * tl.exp(most - higher) + tl.where(start + i < columns, tl.exp(value - higher), 0.0)
        most = higher
    highest = tl.max(most, axis=0)
    scale = 1 / tl.sum(total * tl.exp(most - highest), axis=0)
    for start in range(0, columns, BLOCK):
        value = tl.load(x + row * columns + start + i, mask=start + i < columns, other=0.0).to(tl.float32)
        weight = tl.exp(value - highest) * scale
        tl.store(out + row * columns + start + i, weight.to(tl.float16), mask=start + i < columns)


@triton.autotune(_row_configurations(), key=["rows", "columns"])
@triton.jit
def layer_norm(x, weight, bias, out, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, BLOCK)
    total, squares = tl.zeros((BLOCK,), tl.float32), tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        value = tl.load(x + row * columns + start + i, mask=start + i < columns, other=0.0).to(tl.float32)
        total += value
        squares += value * value
    mean = tl.sum(total, axis=0) / columns
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns - mean * mean + 1e-5)
    for start in range(0, columns, BLOCK):
        inside = start + i < columns
        value = tl.load(x + row * columns + start + i, mask=inside, other=0.0).to(tl.float32)
        w = tl.load(weight + start + i, mask=inside).to(tl.float32)
        b = tl.load(bias + start + i, mask=inside).to(tl.float32)
        tl.store(out + row * columns + start + i, ((value - mean) * scale * w + b).to(tl.float16), mask=inside)


TUNED = {"product": product, "softmax": softmax, "layer_norm": layer_norm}
ARRAYS = {"product": 3, "softmax": 2, "layer_norm": 4}


def _random(*shape):
    return torch.randn(shape, device=triton.runtime.driver.active.get_active_torch_device(), dtype=torch.float16)


def grid_of(name, sizes):
    if name == "product":
        m, n, _ = sizes
        return lambda meta: (triton.cdiv(m, meta["ROWS"]) * triton.cdiv(n, meta["COLUMNS"]),)
    return (sizes[0],)


def launch_of(name, sizes):
    """A function that launches a kernel, the tuned one or that within, for the sizes; it compares its first result."""
    if name == "product":
        m, n, k = sizes
        a, b, out = _random(m, k), _random(k, n), _random(m, n)
        arguments = (a, b, out, m, n, k)
        expected = lambda: a @ b
    else:
        rows, columns = sizes
        x, out = _random(rows, columns), _random(rows, columns)
        weight, bias = _random(columns), _random(columns)
        arguments = (x, out, rows, columns) if name == "softmax" else (x, weight, bias, out, rows, columns)
        norm = lambda: torch.nn.functional.layer_norm(x, (columns,), weight, bias)
        expected = (lambda: torch.softmax(x, dim=1)) if name == "softmax" else norm
    grid, unchecked = grid_of(name, sizes), [name]

    def launch(kernel, **options):
        kernel[grid](*arguments, **options)
        if unchecked:
            unchecked.clear()
            torch.testing.assert_close(out, expected(), rtol=2e-2, atol=2e-2 * max(1.0, float(out.abs().max())))

    return launch
