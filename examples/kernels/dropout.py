"""Dropout that stores no mask: the seed alone says which elements are kept, so a backward pass can recompute it."""

import triton
import triton.language as tl


@triton.jit
def seeded_dropout_kernel(x_ptr, output_ptr, n_elements, p, seed, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    random = tl.rand(seed, offsets)
    keep = random > p
    output = tl.where(keep, x / (1 - p), 0.0)
    tl.store(output_ptr + offsets, output, mask=mask)
