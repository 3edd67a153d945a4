"""The kernel that tests of tuning launch, and its grid."""

import triton
import triton.language as tl


def tuned_kernel(**options):
    """A kernel of its own with two configurations; ``options`` are further ones of `triton.autotune`."""

    @triton.autotune([triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 64})], key=["n"], **options)
    @triton.jit
    def fill(x, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(x + i, n, mask=i < n)

    return fill


def grid(meta):
    return (triton.cdiv(meta["n"], meta["BLOCK"]),)
