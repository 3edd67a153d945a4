"""Kernels that tests about several things run."""

import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def one_kernel(x):
    tl.store(x, 1.0)


@triton.jit
def combine_block(target, row, column, value, KIND: tl.constexpr):
    """Combines the block of a descriptor atomically with `value`."""
    if KIND == "add":
        target.atomic_add([row, column], value)
    elif KIND == "min":
        target.atomic_min([row, column], value)
    elif KIND == "max":
        target.atomic_max([row, column], value)
    elif KIND == "and":
        target.atomic_and([row, column], value)
    elif KIND == "or":
        target.atomic_or([row, column], value)
    else:
        target.atomic_xor([row, column], value)


COMBINATIONS = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


@triton.jit
def product_by_maps(a, b, c, N, K, BLOCK: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [BLOCK, K], [K, 1], [BLOCK, BLOCK])
    right = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BLOCK, BLOCK])
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, K, BLOCK):
        total = tl.dot(left.load([0, k]), right.load([k, 0]), total)
    tl.store(c + tl.arange(0, BLOCK)[:, None] * BLOCK + tl.arange(0, BLOCK), total)


def compiled_product():
    signature = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "N": "i32", "K": "i32", "BLOCK": "constexpr"}
    facts = {(index,): [["tt.divisibility", 16]] for index in range(5)}
    source = ASTSource(product_by_maps, signature, {"BLOCK": 64}, facts)
    return triton.compile(source, target=GPUTarget("cuda", 90, 32))
