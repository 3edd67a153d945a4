"""Attention of one new token in Gluon, as servers on AMD's GPUs compute it: caches in pages whose vectors lie apart,
parts of a sequence by programs of their own, copies ahead, windows."""

import numpy as np
import pytest
import triton.language as tl
from gluon_units import multiply
from triton.backends.amd.driver import SimulatedHIPDriver
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd import AMDMFMALayout, AMDWMMALayout, cdna3, cdna4, gfx1250
from triton.runtime import driver

#: (layout of sums, k_width) by architecture
UNITS = {
    "gfx942": (AMDMFMALayout(3, [16, 16, 16], True, [1, 4], tiles_per_warp=[1, 2]), 4),
    "gfx950": (AMDMFMALayout(4, [16, 16, 32], True, [1, 4]), 8),
    "gfx1250": (AMDWMMALayout(3, True, [[1, 0], [2, 0]], [], [16, 16, 32]), 8),
}


@pytest.fixture
def simulated():
    def start(arch):
        driver.set_active(SimulatedHIPDriver(arch))
        return UNITS[arch]

    yield start
    driver.set_active_to_cpu()


def attention(q, k, v, scale, sink=None):
    scores = q.astype(np.float32) @ k.astype(np.float32).T * scale
    if sink is not None:
        scores = np.concatenate([scores, sink[:, None]], 1)
        v = np.concatenate([v, np.zeros_like(v[:1])])
    weights = np.exp(scores - scores.max(1, keepdims=True))
    return weights / weights.sum(1, keepdims=True) @ v.astype(np.float32)


@gluon.jit
def along(layout: gl.constexpr, dim: gl.constexpr):
    """The layout of indices along a dimension of four."""
    first: gl.constexpr = 3 if dim != 3 else 2
    second: gl.constexpr = 2 if dim < 2 else 1
    third: gl.constexpr = 1 if dim == 0 else 0
    return gl.SliceLayout(third, gl.SliceLayout(second, gl.SliceLayout(first, layout)))


@gluon.jit
def part_of_sequence(
    out, peaks, sums, q, keys, values, pages, lengths, scale, UNIT: gl.constexpr, WIDTH: gl.constexpr,
    GROUP: gl.constexpr, ROWS: gl.constexpr, D: gl.constexpr, PAGE: gl.constexpr, PART: gl.constexpr,
):  # fmt: skip
    """Keys are [pages, heads, D / 8, PAGE, 8], values [pages, heads, D, PAGE]."""
    sequence, head, part = gl.program_id(0), gl.program_id(1), gl.program_id(2)
    length = gl.load(lengths + sequence)
    begin = part * PART
    if begin >= length:
        return
    COUNT: gl.constexpr = PART // PAGE
    heads = gl.num_programs(1)
    vectors: gl.constexpr = gl.DistributedLinearLayout(
        reg_bases=((0, 0, 0, 1), (0, 0, 0, 2), (0, 0, 0, 4), (0, 4, 0, 0), (4, 0, 0, 0)),
        lane_bases=((0, 0, 1, 0), (0, 0, 2, 0), (0, 0, 4, 0), (0, 0, 8, 0), (0, 1, 0, 0), (0, 2, 0, 0)),
        warp_bases=((1, 0, 0, 0), (2, 0, 0, 0)),
        block_bases=[],
        shape=[COUNT, D // 8, PAGE, 8],
    )
    left: gl.constexpr = gl.DotOperandLayout(operand_index=0, parent=UNIT, k_width=WIDTH)
    right: gl.constexpr = gl.DotOperandLayout(operand_index=1, parent=UNIT, k_width=WIDTH)
    rows = gl.arange(0, ROWS, layout=gl.SliceLayout(1, UNIT))
    columns = gl.arange(0, D, layout=gl.SliceLayout(0, left))
    own = gl.arange(0, ROWS, layout=gl.SliceLayout(1, left))[:, None]
    q_offsets = ((sequence * heads + head) * GROUP + own) * D + columns[None, :]
    query = cdna3.buffer_load(ptr=q, offsets=q_offsets, mask=own < GROUP, other=0.0)

    numbers = gl.arange(0, COUNT, layout=along(vectors, 0))
    used = gl.cdiv(gl.minimum(begin + PART, length) - begin, PAGE)
    listed = gl.load(pages + sequence * 16 + part * COUNT + gl.where(numbers < used, numbers, 0))
    offsets = (listed * heads + head)[:, None, None, None] * (D * PAGE)
    offsets += gl.arange(0, D // 8, layout=along(vectors, 1))[None, :, None, None] * (PAGE * 8)
    offsets += gl.arange(0, PAGE, layout=along(vectors, 2))[None, None, :, None] * 8
    offsets += gl.arange(0, 8, layout=along(vectors, 3))[None, None, None, :]
    key = gl.reshape(gl.permute(cdna3.buffer_load(keys, offsets), [1, 3, 0, 2]), [D, PART])
    acc = gl.zeros((ROWS, PART), dtype=gl.float32, layout=UNIT)
    scores = multiply(query, gl.convert_layout(key, layout=right), acc) * scale
    place = begin + gl.arange(0, PART, layout=gl.SliceLayout(0, UNIT))
    scores = tl.where(place[None, :] < length, scores, float("-inf"))
    peak = gl.max(scores, axis=1)
    weights = tl.math.exp2((scores - peak[:, None]) * 1.4426950408889634)

    blocked: gl.constexpr = gl.BlockedLayout([1, 1, 8], [4, 16, 1], [1, 4, 1], [2, 1, 0])
    listed = gl.convert_layout(listed, layout=gl.SliceLayout(1, gl.SliceLayout(2, blocked)))
    offsets = (listed * heads + head)[:, None, None] * (D * PAGE)
    offsets += gl.arange(0, D, layout=gl.SliceLayout(0, gl.SliceLayout(2, blocked)))[None, :, None] * PAGE
    offsets += gl.arange(0, PAGE, layout=gl.SliceLayout(0, gl.SliceLayout(1, blocked)))[None, None, :]
    value = cdna3.buffer_load(values, offsets, cache=".cg")
    value = gl.convert_layout(gl.reshape(gl.permute(value, [0, 2, 1]), [PART, D]), right)
    weights_left = gl.convert_layout(weights.to(value.dtype), left)
    acc = multiply(weights_left, value, gl.zeros((ROWS, D), dtype=gl.float32, layout=UNIT))
    at = (((sequence * heads + head) * gl.num_programs(2)) + part) * GROUP + rows
    cdna3.buffer_store(peak, peaks, at, mask=rows < GROUP)
    cdna3.buffer_store(gl.sum(weights, axis=1), sums, at, mask=rows < GROUP)
    columns = gl.arange(0, D, layout=gl.SliceLayout(0, UNIT))
    cdna3.buffer_store(acc, ptr=out, offsets=at[:, None] * D + columns[None, :], mask=(rows < GROUP)[:, None])


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_parts_of_sequences(simulated, arch):
    unit, width = simulated(arch)
    generator = np.random.default_rng(0)
    heads, group, D, page, part = 2, 5, 64, 16, 128
    lengths = np.array([200, 77], np.int32)
    q = generator.standard_normal((2, heads, group, D)).astype(np.float16)
    k, v = (generator.standard_normal((24, heads, page, D)).astype(np.float16) for _ in range(2))
    pages = np.stack([generator.permutation(24)[:16] for _ in range(2)]).astype(np.int32)
    out = np.zeros((2, heads, 2, group, D), np.float32)
    peaks, sums = np.full((2, heads, 2, group), -np.inf, np.float32), np.zeros((2, heads, 2, group), np.float32)
    keys = np.ascontiguousarray(k.reshape(24, heads, page, D // 8, 8).transpose(0, 1, 3, 2, 4))
    values = np.ascontiguousarray(v.transpose(0, 1, 3, 2))
    arguments = (out, peaks, sums, q, keys, values, pages, lengths)
    part_of_sequence[(2, heads, 2)](*arguments, 0.125, unit, width, group, 16, D, page, part)
    shares = np.exp(peaks - peaks.max(2, keepdims=True))
    found = (out * shares[..., None]).sum(2) / (sums * shares).sum(2)[..., None]
    for sequence, length in enumerate(lengths):
        for head in range(heads):
            own = [x[pages[sequence], head].reshape(-1, D)[:length] for x in (k, v)]
            np.testing.assert_allclose(found[sequence, head], attention(q[sequence, head], *own, 0.125), atol=5e-3)


@gluon.jit
def latent(
    out, logs, q, cache, tokens, lengths, scale, UNIT: gl.constexpr, WIDTH: gl.constexpr, LANES: gl.constexpr,
    H: gl.constexpr, D: gl.constexpr, R: gl.constexpr, B: gl.constexpr,
):  # fmt: skip
    """A row of the cache is a key of which the first part is the value, too; copies are one block ahead."""
    sequence = gl.program_id(0)
    length = gl.load(lengths + sequence)
    blocked: gl.constexpr = gl.BlockedLayout([1, 8], [LANES // 8, 8], [4, 1], [1, 0])
    padded: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[512, 16]], [B, D], [1, 0])
    ring = gl.allocate_shared_memory(cache.type.element_ty, [2, B, D], padded)
    turned = gl.allocate_shared_memory(cache.type.element_ty, [2, B, R], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
    left: gl.constexpr = gl.DotOperandLayout(0, UNIT, WIDTH)
    right: gl.constexpr = gl.DotOperandLayout(1, UNIT, WIDTH)
    first = gl.arange(0, D, layout=gl.SliceLayout(0, blocked))[None, :]
    second = D + gl.arange(0, R, layout=gl.SliceLayout(0, blocked))[None, :]
    at = (sequence * H + gl.arange(0, H, layout=gl.SliceLayout(1, blocked)))[:, None] * (D + R)
    query = gl.convert_layout(cdna4.buffer_load(q, at + first), left)
    query_turned = gl.convert_layout(cdna4.buffer_load(q, at + second), left)
    rows = gl.arange(0, B, layout=gl.SliceLayout(1, blocked))
    peak = gl.full([H], -float("inf"), dtype=gl.float32, layout=gl.SliceLayout(1, UNIT))
    total = gl.zeros([H], gl.float32, gl.SliceLayout(1, UNIT))
    acc = gl.zeros([H, D], gl.float32, UNIT)
    for step in range(-1, gl.cdiv(length, B)):
        ahead = (step + 1) * B + rows
        token = gl.load(tokens + sequence * 256 + ahead, mask=ahead < length, other=0)[:, None] * (D + R)
        slot = (step + 1) % 2
        mask = (ahead < length)[:, None]
        cdna4.async_copy.buffer_load_to_shared(ring.index(slot), cache, token + first, mask=mask)
        cdna4.async_copy.buffer_load_to_shared(turned.index(slot), cache, token + second, mask=mask)
        cdna4.async_copy.commit_group()
        if step >= 0:
            cdna4.async_copy.wait_group(1)
            block = ring.index(step % 2)
            key = cdna4.async_copy.load_shared_relaxed(block.permute([1, 0]), right)
            key_turned = cdna4.async_copy.load_shared_relaxed(turned.index(step % 2).permute([1, 0]), right)
            scores = multiply(query, key, gl.zeros([H, B], gl.float32, UNIT))
            scores = multiply(query_turned, key_turned, scores) * scale
            place = step * B + gl.arange(0, B, layout=gl.SliceLayout(0, UNIT))
            scores = gl.where(place[None, :] < length, scores, float("-inf"))
            highest = gl.maximum(peak, gl.max(scores, axis=1))
            weights, factor = gl.exp(scores - highest[:, None]), gl.exp(peak - highest)
            total = total * factor + gl.sum(weights, axis=1)
            value = cdna4.async_copy.load_shared_relaxed(block, right)
            acc = multiply(gl.convert_layout(weights.to(value.dtype), left), value, acc * factor[:, None])
            peak = highest
    cdna4.async_copy.wait_group(0)
    own = sequence * H + gl.arange(0, H, layout=gl.SliceLayout(1, UNIT))
    columns = gl.arange(0, D, layout=gl.SliceLayout(0, UNIT))
    cdna4.buffer_store((acc / total[:, None]).to(out.type.element_ty), out, own[:, None] * D + columns[None, :])
    gl.store(logs + own, peak + gl.log(total))


@pytest.mark.parametrize("arch", UNITS)
def test_latent_attention_with_copies_ahead(simulated, arch):
    unit, width = simulated(arch)
    generator = np.random.default_rng(0)
    H, D, R = 64, 128, 64
    q, cache = (generator.standard_normal(shape).astype(np.float16) for shape in ((2, H, D + R), (200, D + R)))
    lengths = np.array([100, 130], np.int32)
    tokens = generator.integers(0, 200, (2, 256)).astype(np.int32)
    out, logs = np.zeros((2, H, D), np.float32), np.zeros((2, H), np.float32)
    lanes = 32 if arch == "gfx1250" else 64
    latent[(2,)](out, logs, q, cache, tokens, lengths, 0.07, unit, width, lanes, H, D, R, 64)
    for sequence, length in enumerate(lengths):
        keys = cache[tokens[sequence, :length]]
        np.testing.assert_allclose(out[sequence], attention(q[sequence], keys, keys[:, :D], 0.07), atol=5e-3)
        scores = q[sequence].astype(np.float32) @ keys.astype(np.float32).T * 0.07
        np.testing.assert_allclose(logs[sequence], np.log(np.exp(scores).sum(1)), rtol=1e-3)


@gluon.jit
def windowed(
    out, q, keys, values, sinks, pages, lengths, scale, count, UNIT: gl.constexpr,
    H: gl.constexpr, GROUP: gl.constexpr, D: gl.constexpr, PAGE: gl.constexpr, ROWS: gl.constexpr, WINDOW: gl.constexpr,
):  # fmt: skip
    """Pages come through descriptors, one ahead; each head has a weight that belongs to no token."""
    tdm: gl.constexpr = gfx1250.tdm
    head, sequence = gl.program_id(0), gl.program_id(1)
    blocked: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    shared: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[D, 8]], [PAGE, D], [1, 0])
    rows = gl.arange(0, ROWS, layout=gl.SliceLayout(1, blocked))[:, None]
    columns = gl.arange(0, D, layout=gl.SliceLayout(0, blocked))[None, :]
    own = (sequence * H + head) * GROUP
    query = gfx1250.buffer_load(ptr=q, offsets=(own + rows) * D + columns, mask=rows < GROUP, other=0.0)
    query = gl.convert_layout(query, gl.DotOperandLayout(0, UNIT, 8))
    length = gl.load(lengths + sequence)
    shape, strides = (count * PAGE, H * D), (H * D, 1)
    k_desc = tdm.make_tensor_descriptor(keys, shape=shape, strides=strides, block_shape=(PAGE, D), layout=shared)
    v_desc = tdm.make_tensor_descriptor(values, shape=shape, strides=strides, block_shape=(PAGE, D), layout=shared)
    k_ring = gl.allocate_shared_memory(keys.type.element_ty, [2, PAGE, D], shared)
    v_ring = gl.allocate_shared_memory(values.type.element_ty, [2, PAGE, D], shared)
    row = gl.arange(0, ROWS, layout=gl.SliceLayout(1, UNIT))
    log2e: gl.constexpr = 1.4426950408889634
    peak = gl.load(sinks + head * GROUP + row % GROUP) * log2e
    total = gl.full([ROWS], 1.0, dtype=gl.float32, layout=gl.SliceLayout(1, UNIT))
    acc = gl.zeros([ROWS, D], dtype=gl.float32, layout=UNIT)
    first = gl.maximum(length - WINDOW, 0) // PAGE if WINDOW > 0 else 0
    last = gl.cdiv(length, PAGE)
    for step in range(first - 1, last):
        page = gl.load(pages + sequence * 8 + gl.minimum(step + 1, last - 1)) * PAGE
        tdm.async_load(k_desc, [page, head * D], k_ring.index((step + 1) % 2))
        tdm.async_load(v_desc, [page, head * D], v_ring.index((step + 1) % 2))
        if step >= first:
            tdm.async_wait(2)
            key = k_ring.index(step % 2).permute((1, 0)).load(gl.DotOperandLayout(1, UNIT, 8))
            value = v_ring.index(step % 2).load(gl.DotOperandLayout(1, UNIT, 8))
            scores = gfx1250.wmma(query, key, gl.zeros([ROWS, PAGE], gl.float32, UNIT)) * (scale * log2e)
            place = step * PAGE + gl.arange(0, PAGE, layout=gl.SliceLayout(0, UNIT))
            mask = place < length
            if WINDOW > 0:
                mask = mask & (length - place <= WINDOW)
            scores = gl.where(mask[None, :], scores, float("-inf"))
            highest = gl.maximum(peak, gl.max(scores, axis=1))
            weights, factor = gl.exp2(scores - highest[:, None]), gl.exp2(peak - highest)
            total = total * factor + gl.sum(weights, 1)
            weights = gl.convert_layout(weights.to(value.dtype), gl.DotOperandLayout(0, UNIT, 8))
            acc = gfx1250.wmma(weights, value, acc * factor[:, None])
            peak = highest
    tdm.async_wait(0)
    columns = gl.arange(0, D, layout=gl.SliceLayout(0, UNIT))[None, :]
    result = acc * (1.0 / total)[:, None]
    gfx1250.buffer_store(result, ptr=out, offsets=(own + row)[:, None] * D + columns, mask=(row < GROUP)[:, None])


@pytest.mark.parametrize("window", [0, 70])
def test_windows_of_pages(simulated, window):
    unit, _ = simulated("gfx1250")
    generator = np.random.default_rng(0)
    H, G, D, page = 2, 8, 64, 32
    lengths = np.array([150, 77], np.int32)
    q = generator.standard_normal((2, H, G, D)).astype(np.float16)
    k, v = (generator.standard_normal((20, page, H, D)).astype(np.float16) for _ in range(2))
    sinks = generator.standard_normal((H, G)).astype(np.float32)
    pages = np.stack([generator.permutation(20)[:8] for _ in range(2)]).astype(np.int32)
    out = np.zeros((2, H, G, D), np.float32)
    windowed[(H, 2)](out, q, k, v, sinks, pages, lengths, 0.125, 20, unit, H, G, D, page, 64, window)
    for sequence, length in enumerate(lengths):
        for head in range(H):
            first = max(length - window, 0) if window else 0
            own = [x[pages[sequence]].reshape(-1, H, D)[first:length, head] for x in (k, v)]
            expected = attention(q[sequence, head], *own, 0.125, sinks[head])
            np.testing.assert_allclose(out[sequence, head], expected, atol=5e-3)
