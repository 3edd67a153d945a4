"""The kernels of zero_jit.py: what a server of language models launches for each token. They are also Triton's own."""

import triton
import triton.language as tl


@triton.jit
def rms_norm(x, weight, out, stride, columns, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    value = tl.load(x + row * stride + i, mask=i < columns, other=0.0)
    scale = 1.0 / tl.sqrt(tl.sum(value * value, axis=0) / columns + epsilon)
    tl.store(out + row * columns + i, value * scale * tl.load(weight + i, mask=i < columns), mask=i < columns)


@triton.jit
def rotate(x, positions, out, heads, half, BLOCK: tl.constexpr):
    """Rotary embedding of rows of ``heads`` heads, each of which has two halves."""
    row, head = tl.program_id(0), tl.program_id(1)
    i = tl.arange(0, BLOCK)
    inside = i < half
    angle = tl.load(positions + row).to(tl.float32) * tl.exp2(-13.0 * i.to(tl.float32) / half)
    begin = (row * heads + head) * 2 * half
    left = tl.load(x + begin + i, mask=inside, other=0.0)
    right = tl.load(x + begin + half + i, mask=inside, other=0.0)
    tl.store(out + begin + i, left * tl.cos(angle) - right * tl.sin(angle), mask=inside)
    tl.store(out + begin + half + i, right * tl.cos(angle) + left * tl.sin(angle), mask=inside)


@triton.jit
def attend(query, keys, values, pages, lengths, out, heads, page_count, DEPTH: tl.constexpr, PAGE: tl.constexpr):
    """One new token of each sequence against those in its pages."""
    row, head = tl.program_id(0), tl.program_id(1)
    d, t = tl.arange(0, DEPTH), tl.arange(0, PAGE)
    asked = tl.load(query + (row * heads + head) * DEPTH + d)
    length = tl.load(lengths + row)
    most, total = -float("inf"), 0.0
    mixed = tl.zeros((DEPTH,), tl.float32)
    for number in range(0, (length + PAGE - 1) // PAGE):
        page = tl.load(pages + row * page_count + number)
        place = ((page * PAGE + t[:, None]) * heads + head) * DEPTH + d[None, :]
        score = tl.sum(tl.load(keys + place) * asked[None, :], axis=1)
        score = tl.where(number * PAGE + t < length, score, -float("inf"))
        higher = tl.maximum(most, tl.max(score, axis=0))
        weight, kept = tl.exp(score - higher), tl.exp(most - higher)
        mixed = mixed * kept + tl.sum(weight[:, None] * tl.load(values + place), axis=0)
        total = total * kept + tl.sum(weight, axis=0)
        most = higher
    tl.store(out + (row * heads + head) * DEPTH + d, mixed / total)


@triton.jit
def gate(scores, out, stride, experts, BLOCK: tl.constexpr):
    """The probabilities of a row's experts."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    value = tl.load(scores + row * stride + i, mask=i < experts, other=-float("inf"))
    weight = tl.exp(value - tl.max(value, axis=0))
    tl.store(out + row * experts + i, weight / tl.sum(weight, axis=0), mask=i < experts)


@triton.jit
def sample(logits, out, stride, vocabulary, temperature, BLOCK: tl.constexpr):
    """The token with the largest logit; ``temperature`` does not change which one that is."""
    row = tl.program_id(0)
    best, token = -float("inf"), 0
    for start in range(0, vocabulary, BLOCK):
        i = start + tl.arange(0, BLOCK)
        value = tl.load(logits + row * stride + i, mask=i < vocabulary, other=-float("inf")) / temperature
        highest, place = tl.max(value, axis=0), tl.argmax(value, axis=0)
        token = tl.where(highest > best, start + place, token)
        best = tl.maximum(best, highest)
    tl.store(out + row, token)


@triton.jit
def nothing(out, count, BLOCK: tl.constexpr):
    """Stores nothing, for any count that is not negative: what is left of its launch is the host's part."""
    i = tl.arange(0, BLOCK)
    tl.store(out + i, 0.0, mask=i > count + BLOCK)
