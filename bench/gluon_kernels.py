"""A product of matrices and attention for Hopper in Gluon: every copy, barrier and group of warps is placed here.

They use only what Triton 3.9 has as well, so that gluon_products.py can time both compilers with the same source.
"""

import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared,
    mbarrier,
    tma,
    warpgroup_mma,
    warpgroup_mma_wait,
)
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor


@gluon.jit
def _next(slot, phase, SLOTS: ttgl.constexpr):
    """The slot of a ring after this one, and the parity of its phase."""
    following = slot + 1
    wraps = following == SLOTS
    return ttgl.where(wraps, 0, following), ttgl.where(wraps, phase ^ 1, phase)


@gluon.jit
def _init_barriers(bars, SLOTS: ttgl.constexpr, COUNT: ttgl.constexpr):
    for slot in ttgl.static_range(SLOTS):
        mbarrier.init(bars.index(slot), count=COUNT)


# ------------------------------------------------------------------------------------------------------------------
# A product of matrices: one warp loads blocks, all others multiply, and programs go on from tile to tile
# ------------------------------------------------------------------------------------------------------------------


@gluon.jit
def _place(tile, tiles_m, tiles_n, GROUP: ttgl.constexpr):
    """The row and column of a tile: `GROUP` rows of tiles share the columns of B that are in the cache."""
    in_group = GROUP * tiles_n
    first = tile // in_group * GROUP
    rows = min(tiles_m - first, GROUP)
    return first + tile % in_group % rows, tile % in_group // rows


@gluon.jit
def _load_tiles(
    a, b, a_ring, b_ring, full, free, tiles_m, tiles_n, steps, SLOTS: ttgl.constexpr, GROUP: ttgl.constexpr
):
    slot = 0
    phase = 1
    for tile in range(ttgl.program_id(0), tiles_m * tiles_n, ttgl.num_programs(0)):
        row, column = _place(tile, tiles_m, tiles_n, GROUP)
        for k in range(steps):
            bar = full.index(slot)
            mbarrier.wait(free.index(slot), phase)
            mbarrier.expect(bar, a.nbytes_per_cta + b.nbytes_per_cta)
            tma.async_load(a, [row * a.block_shape[0], k * a.block_shape[1]], bar, a_ring.index(slot))
            tma.async_load(b, [k * b.block_shape[0], column * b.block_shape[1]], bar, b_ring.index(slot))
            slot, phase = _next(slot, phase, SLOTS)


@gluon.jit
def _multiply_tiles(
    c, a_ring, b_ring, out, full, free, tiles_m, tiles_n, steps, SLOTS: ttgl.constexpr, GROUP: ttgl.constexpr
):
    M: ttgl.constexpr = c.block_shape[0]
    N: ttgl.constexpr = c.block_shape[1]
    layout: ttgl.constexpr = ttgl.NVMMADistributedLayout([3, 0], [ttgl.num_warps(), 1], [16, N, 16])
    slot = 0
    phase = 0
    for tile in range(ttgl.program_id(0), tiles_m * tiles_n, ttgl.num_programs(0)):
        row, column = _place(tile, tiles_m, tiles_n, GROUP)
        acc = ttgl.zeros([M, N], ttgl.float32, layout)
        before = slot
        for k in range(steps):
            mbarrier.wait(full.index(slot), phase)
            acc = warpgroup_mma(a_ring.index(slot), b_ring.index(slot), acc, use_acc=k > 0, is_async=True)
            acc = warpgroup_mma_wait(1, deps=[acc])
            mbarrier.arrive(free.index(before), pred=k > 0)  # The product before this one has read its blocks.
            before = slot
            slot, phase = _next(slot, phase, SLOTS)
        acc = warpgroup_mma_wait(0, deps=[acc])
        mbarrier.arrive(free.index(before))
        tma.store_wait(0)
        out.store(acc.to(c.dtype))
        fence_async_shared()
        tma.async_store(c, [row * M, column * N], out)
    tma.store_wait(0)


@gluon.jit
def product_kernel(a, b, c, tiles_m, tiles_n, steps, SLOTS: ttgl.constexpr, GROUP: ttgl.constexpr):
    a_ring = ttgl.allocate_shared_memory(a.dtype, [SLOTS] + a.block_shape, a.layout)
    b_ring = ttgl.allocate_shared_memory(b.dtype, [SLOTS] + b.block_shape, b.layout)
    out = ttgl.allocate_shared_memory(c.dtype, c.block_shape, c.layout)
    full = mbarrier.allocate_mbarrier(batch=SLOTS)
    free = mbarrier.allocate_mbarrier(batch=SLOTS)
    _init_barriers(full, SLOTS, 1)
    _init_barriers(free, SLOTS, 1)
    ttgl.warp_specialize(
        [
            (_multiply_tiles, (c, a_ring, b_ring, out, full, free, tiles_m, tiles_n, steps, SLOTS, GROUP)),
            (_load_tiles, (a, b, a_ring, b_ring, full, free, tiles_m, tiles_n, steps, SLOTS, GROUP)),
        ],
        [1],
        [24],
    )


def _described(array, block, dtype=ttgl.float16):
    return TensorDescriptor.from_tensor(array, block, ttgl.NVMMASharedLayout.get_default_for(block, dtype))


def multiply(a, b, c, programs, blocks=(128, 256, 64), slots=3, warps=8):
    """c = a @ b, of float16 arrays that begin at multiples of 16 bytes; M rows, N columns and K steps a block."""
    m, n, k = blocks
    tiles_m, tiles_n = triton.cdiv(a.shape[0], m), triton.cdiv(b.shape[1], n)
    described = _described(a, [m, k]), _described(b, [k, n]), _described(c, [m, n])
    grid = (min(programs, tiles_m * tiles_n),)
    steps = triton.cdiv(a.shape[1], k)
    return product_kernel[grid](*described, tiles_m, tiles_n, steps, slots, 8, num_warps=warps)


# ------------------------------------------------------------------------------------------------------------------
# Attention: two groups of warps have half of the queries each, and one warp loads what both read
# ------------------------------------------------------------------------------------------------------------------


@gluon.jit
def _load_heads(q, k, v, queries, keys, values, first, first_key, blocks, bars, SLOTS: ttgl.constexpr):
    query_bars, key_full, key_free, value_full, value_free = bars
    for half in ttgl.static_range(2):
        bar = query_bars.index(half)
        mbarrier.expect(bar, q.nbytes_per_cta)
        tma.async_load(q, [first + half * q.block_shape[0], 0], bar, queries.index(half))
    slot = 0
    phase = 1
    for block in range(blocks):
        row = first_key + block * k.block_shape[0]
        mbarrier.wait(key_free.index(slot), phase)
        mbarrier.expect(key_full.index(slot), k.nbytes_per_cta)
        tma.async_load(k, [row, 0], key_full.index(slot), keys.index(slot))
        mbarrier.wait(value_free.index(slot), phase)
        mbarrier.expect(value_full.index(slot), v.nbytes_per_cta)
        tma.async_load(v, [row, 0], value_full.index(slot), values.index(slot))
        slot, phase = _next(slot, phase, SLOTS)


@gluon.jit
def _weigh(scores, most, scale, first, block, CAUSAL: ttgl.constexpr):
    """exp2(scores - their new maximum) of a block of keys, what earlier sums are multiplied by, and the maximum."""
    M: ttgl.constexpr = scores.shape[0]
    N: ttgl.constexpr = scores.shape[1]
    if CAUSAL:
        row = first + ttgl.arange(0, M, layout=ttgl.SliceLayout(1, scores.type.layout))
        column = block * N + ttgl.arange(0, N, layout=ttgl.SliceLayout(0, scores.type.layout))
        scores = ttgl.where(row[:, None] >= column[None, :], scores, -1.0e30)
    highest = ttgl.maximum(most, ttgl.max(scores, 1) * scale)
    weights = ttgl.exp2(scores * scale - highest[:, None])
    return weights, ttgl.exp2(most - highest), highest


@gluon.jit
def _attend(
    o,
    queries,
    keys,
    values,
    out,
    first,
    head,
    blocks,
    scale,
    bars,
    HALF: ttgl.constexpr,
    CAUSAL: ttgl.constexpr,
    SLOTS: ttgl.constexpr,
):
    query_bars, key_full, key_free, value_full, value_free = bars
    M: ttgl.constexpr = o.block_shape[0]
    D: ttgl.constexpr = o.block_shape[1]
    N: ttgl.constexpr = keys.shape[1]
    score_layout: ttgl.constexpr = ttgl.NVMMADistributedLayout([3, 0], [ttgl.num_warps(), 1], [16, N, 16])
    sum_layout: ttgl.constexpr = ttgl.NVMMADistributedLayout([3, 0], [ttgl.num_warps(), 1], [16, D, 16])
    operand: ttgl.constexpr = ttgl.DotOperandLayout(0, sum_layout, 2)
    rows: ttgl.constexpr = ttgl.SliceLayout(1, sum_layout)
    first += HALF * M
    query = queries.index(HALF)
    nothing = ttgl.zeros([M, N], ttgl.float32, score_layout)
    acc = ttgl.zeros([M, D], ttgl.float32, sum_layout)
    most = ttgl.full([M], -1.0e30, ttgl.float32, ttgl.SliceLayout(1, score_layout))
    mbarrier.wait(query_bars.index(HALF), 0)
    mbarrier.wait(key_full.index(0), 0)
    scores = warpgroup_mma(query, keys.index(0).permute((1, 0)), nothing, use_acc=False)
    mbarrier.arrive(key_free.index(0))
    weights, factor, most = _weigh(scores, most, scale, first, 0, CAUSAL)
    total = ttgl.sum(weights, 1)
    weights = ttgl.convert_layout(weights.to(o.dtype), operand)
    slot = 0  # of values; keys are one block ahead
    phase = 0
    for block in range(1, blocks):
        next_slot, next_phase = _next(slot, phase, SLOTS)
        mbarrier.wait(key_full.index(next_slot), next_phase)
        scores = warpgroup_mma(query, keys.index(next_slot).permute((1, 0)), nothing, use_acc=False, is_async=True)
        mbarrier.wait(value_full.index(slot), phase)
        acc = warpgroup_mma(weights, values.index(slot), acc, is_async=True)
        scores = warpgroup_mma_wait(1, deps=[scores])
        mbarrier.arrive(key_free.index(next_slot))
        new_weights, factor, most = _weigh(scores, most, scale, first, block, CAUSAL)
        total = total * factor + ttgl.sum(new_weights, 1)
        acc = warpgroup_mma_wait(0, deps=[acc])
        mbarrier.arrive(value_free.index(slot))
        acc = acc * ttgl.convert_layout(factor, rows)[:, None]
        weights = ttgl.convert_layout(new_weights.to(o.dtype), operand)
        slot = next_slot
        phase = next_phase
    mbarrier.wait(value_full.index(slot), phase)
    acc = warpgroup_mma(weights, values.index(slot), acc)
    acc = acc / ttgl.convert_layout(total, rows)[:, None]
    out.index(HALF).store(acc.to(o.dtype))
    fence_async_shared()
    tma.async_store(o, [head + first, 0], out.index(HALF))
    tma.store_wait(0)


@gluon.jit
def attention_kernel(q, k, v, o, length, scale, CAUSAL: ttgl.constexpr, SLOTS: ttgl.constexpr):
    M: ttgl.constexpr = q.block_shape[0]
    N: ttgl.constexpr = k.block_shape[0]
    queries = ttgl.allocate_shared_memory(q.dtype, [2] + q.block_shape, q.layout)
    keys = ttgl.allocate_shared_memory(k.dtype, [SLOTS] + k.block_shape, k.layout)
    values = ttgl.allocate_shared_memory(v.dtype, [SLOTS] + v.block_shape, v.layout)
    out = ttgl.allocate_shared_memory(o.dtype, [2] + o.block_shape, o.layout)
    query_bars = mbarrier.allocate_mbarrier(batch=2)
    key_full = mbarrier.allocate_mbarrier(batch=SLOTS)
    key_free = mbarrier.allocate_mbarrier(batch=SLOTS)
    value_full = mbarrier.allocate_mbarrier(batch=SLOTS)
    value_free = mbarrier.allocate_mbarrier(batch=SLOTS)
    _init_barriers(query_bars, 2, 1)
    _init_barriers(key_full, SLOTS, 1)
    _init_barriers(key_free, SLOTS, 2)
    _init_barriers(value_full, SLOTS, 1)
    _init_barriers(value_free, SLOTS, 2)
    bars = (query_bars, key_full, key_free, value_full, value_free)
    head = ttgl.program_id(1) * length
    first = ttgl.program_id(0) * (2 * M)
    if CAUSAL:  # The longest rows come first, so that the last programs are short.
        first = length - 2 * M - first
        blocks = ttgl.cdiv(first + 2 * M, N)
    else:
        blocks = ttgl.cdiv(length, N)
    ttgl.warp_specialize(
        [
            (_attend, (o, queries, keys, values, out, first, head, blocks, scale, bars, 0, CAUSAL, SLOTS)),
            (_attend, (o, queries, keys, values, out, first, head, blocks, scale, bars, 1, CAUSAL, SLOTS)),
            (_load_heads, (q, k, v, queries, keys, values, head + first, head, blocks, bars, SLOTS)),
        ],
        [4, 1],
        [240, 24],
    )


def attend(q, k, v, o, length, causal, blocks=(64, 128), slots=2):
    """Attention of heads that lie one after the other, as rows of float16 arrays. The length of a head must be a
    multiple of two blocks of queries and of a block of keys."""
    m, n = blocks
    depth = q.shape[1]
    described = (
        _described(q, [m, depth]),
        _described(k, [n, depth]),
        _described(v, [n, depth]),
        _described(o, [m, depth]),
    )
    grid = (length // (2 * m), q.shape[0] // length)
    scale = depth**-0.5 * 1.4426950408889634  # exp2 instead of exp
    return attention_kernel[grid](*described, length, scale, causal, slots, num_warps=4)
