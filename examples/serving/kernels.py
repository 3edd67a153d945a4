"""Kernels of a transformer's forward pass. The tokens of all sequences of a batch lie below each other as rows of one
matrix, so that sequences of different lengths need no padding. (Softmax is that of examples/kernels.)"""

import triton
import triton.language as tl


@triton.jit
def embed(tokens, starts, token_rows, position_rows, out, sequences, longest, columns, BLOCK: tl.constexpr):
    """For each token its row plus that of its place in its sequence. A program has one place of one sequence, and
    sequence i has the tokens from starts[i] to before starts[i + 1]."""
    position = tl.program_id(0)
    row = tl.load(starts + tl.program_id(1)) + position
    if row >= tl.load(starts + tl.program_id(1) + 1):
        return
    column = tl.arange(0, BLOCK)
    is_inside = column < columns
    token = tl.load(token_rows + tl.load(tokens + row) * columns + column, mask=is_inside, other=0.0)
    place = tl.load(position_rows + position * columns + column, mask=is_inside, other=0.0)
    tl.store(out + row * columns + column, token + place, mask=is_inside)


@triton.jit
def gelu(x):
    """The approximation by tanh, whose half sum with 1 is a sigmoid."""
    return x * tl.sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x))


@triton.jit
def linear(
    x,
    weight,
    bias,
    residual,
    out,
    rows,
    columns,
    inner,
    ACTIVATION: tl.constexpr,
    PRECISION: tl.constexpr,
    BLOCK_ROWS: tl.constexpr,
    BLOCK_COLUMNS: tl.constexpr,
    BLOCK_INNER: tl.constexpr,
):
    """out = activation(x @ weight + bias) + residual, for columns and an inner size that blocks divide."""
    row_blocks = tl.cdiv(rows, BLOCK_ROWS)
    # Programs that run behind each other share a block of the weights, the larger operand.
    row = tl.program_id(0) % row_blocks * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    column = tl.program_id(0) // row_blocks * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    depth = tl.arange(0, BLOCK_INNER)
    is_inside = row[:, None] < rows
    total = tl.zeros((BLOCK_ROWS, BLOCK_COLUMNS), dtype=tl.float32)
    for start in range(0, inner, BLOCK_INNER):
        a = tl.load(x + row[:, None] * inner + (start + depth)[None, :], mask=is_inside, other=0.0)
        b = tl.load(weight + (start + depth)[:, None] * columns + column[None, :])
        total = tl.dot(a, b, total, input_precision=PRECISION)
    total += tl.load(bias + column)[None, :]
    if ACTIVATION == "gelu":
        total = gelu(total)
    position = row[:, None] * columns + column[None, :]
    if residual is not None:
        total += tl.load(residual + position, mask=is_inside, other=0.0)
    tl.store(out + position, total, mask=is_inside)


@triton.jit
def layer_norm(x, starts, weight, bias, out, rows, columns, epsilon, BLOCK: tl.constexpr):
    """Normalizes each row, or with `starts` the last row of each sequence. A program keeps a whole row: BLOCK is at
    least the number of columns."""
    column = tl.arange(0, BLOCK)
    is_inside = column < columns
    row = tl.program_id(0)
    source = row
    if starts is not None:
        source = tl.load(starts + row + 1) - 1
    value = tl.load(x + source * columns + column, mask=is_inside, other=0.0)
    mean = tl.sum(value, axis=0) / columns
    centred = tl.where(is_inside, value - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / columns + epsilon)
    w = tl.load(weight + column, mask=is_inside, other=0.0)
    b = tl.load(bias + column, mask=is_inside, other=0.0)
    tl.store(out + row * columns + column, centred * scale * w + b, mask=is_inside)


@triton.jit
def attention(
    qkv,
    out,
    starts,
    sequences,
    longest,
    heads,
    scale,
    PRECISION: tl.constexpr,
    HEAD_SIZE: tl.constexpr,
    BLOCK_QUERIES: tl.constexpr,
    BLOCK_KEYS: tl.constexpr,
):
    """Causal attention. A row of `qkv` holds the queries of all heads, then the keys, then the values; sequence i has
    the rows from starts[i] to before starts[i + 1]. The softmax is taken block by block of the keys."""
    first = tl.program_id(0) * BLOCK_QUERIES
    head = tl.program_id(1)
    start = tl.load(starts + tl.program_id(2))
    length = tl.load(starts + tl.program_id(2) + 1) - start
    if first >= length:
        return
    width = heads * HEAD_SIZE
    element = head * HEAD_SIZE + tl.arange(0, HEAD_SIZE)
    query = first + tl.arange(0, BLOCK_QUERIES)
    is_query = query[:, None] < length
    q = tl.load(qkv + (start + query)[:, None] * (3 * width) + element[None, :], mask=is_query, other=0.0) * scale
    largest = tl.full([BLOCK_QUERIES], -float("inf"), tl.float32)
    denominator = tl.zeros([BLOCK_QUERIES], tl.float32)
    total = tl.zeros([BLOCK_QUERIES, HEAD_SIZE], tl.float32)
    for block in range(0, min(first + BLOCK_QUERIES, length), BLOCK_KEYS):
        key = block + tl.arange(0, BLOCK_KEYS)
        is_key = key[:, None] < length
        rows = qkv + (start + key)[:, None] * (3 * width) + element[None, :]
        k = tl.load(rows + width, mask=is_key, other=0.0)
        v = tl.load(rows + 2 * width, mask=is_key, other=0.0)
        products = tl.dot(q, tl.trans(k), input_precision=PRECISION)
        # A query also sees its own key, so that no row of scores is empty; rows behind the sequence are not stored.
        scores = tl.where(query[:, None] >= key[None, :], products, -float("inf"))
        new_largest = tl.maximum(largest, tl.max(scores, axis=1))
        weights = tl.exp(scores - new_largest[:, None])
        shrink = tl.exp(largest - new_largest)
        denominator = denominator * shrink + tl.sum(weights, axis=1)
        total = tl.dot(weights, v, total * shrink[:, None], input_precision=PRECISION)
        largest = new_largest
    tl.store(out + (start + query)[:, None] * width + element[None, :], total / denominator[:, None], mask=is_query)
