"""A product of matrices and attention in triton.language: the compiler arranges what gluon_kernels.py places."""

import triton
import triton.language as tl


@triton.jit
def place(tile, tiles_m, tiles_n):
    """The row and column of a tile: eight rows of tiles share the columns of B that are in the cache."""
    group: tl.constexpr = 8
    in_group = group * tiles_n
    first = tile // in_group * group
    size = min(tiles_m - first, group)
    return first + tile % in_group % size, tile % in_group // size


@triton.jit
def product(a, b, c, tiles_m, tiles_n, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row, column = place(tl.program_id(0), tiles_m, tiles_n)
    sum = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        sum = tl.dot(a.load([row * BM, k]), b.load([k, column * BN]), sum)
    c.store([row * BM, column * BN], sum.to(tl.float16))


@triton.jit
def persistent_product(a, b, c, tiles_m, tiles_n, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """As many programs as multiprocessors go on from tile to tile, and one group of warps loads for the others."""
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0), flatten=True, warp_specialize=True):
        row, column = place(tile, tiles_m, tiles_n)
        sum = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            sum = tl.dot(a.load([row * BM, k]), b.load([k, column * BN]), sum)
        c.store([row * BM, column * BN], sum.to(tl.float16))


@triton.jit
def add_block(scores, values, most, total, sum, scale):
    """The running maximum, the sum of the weights and the weighted sum, with those of one more block of keys."""
    highest = tl.maximum(most, tl.max(scores, 1) * scale)
    weights = tl.exp2(scores * scale - highest[:, None])
    factor = tl.exp2(most - highest)
    total = total * factor + tl.sum(weights, 1)
    return highest, total, tl.dot(weights.to(tl.float16), values, sum * factor[:, None])


@triton.jit
def attention(q, k, v, o, length, scale, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    head = tl.program_id(1) * length
    if CAUSAL:
        first = length - BM - tl.program_id(0) * BM
        whole, end = first // BN * BN, first + BM
    else:
        first = tl.program_id(0) * BM
        whole, end = length, length
    queries = q.load([head + first, 0])
    most = tl.full([BM], -1.0e30, tl.float32)
    total = tl.zeros([BM], tl.float32)
    sum = tl.zeros([BM, D], tl.float32)
    for start in range(0, whole, BN):
        scores = tl.dot(queries, k.load([head + start, 0]).T)
        most, total, sum = add_block(scores, v.load([head + start, 0]), most, total, sum, scale)
    for start in range(whole, end, BN):
        scores = tl.dot(queries, k.load([head + start, 0]).T)
        row, column = first + tl.arange(0, BM), start + tl.arange(0, BN)
        scores = tl.where(row[:, None] >= column[None, :], scores, -1.0e30)
        most, total, sum = add_block(scores, v.load([head + start, 0]), most, total, sum, scale)
    o.store([head + first, 0], (sum / total[:, None]).to(tl.float16))
