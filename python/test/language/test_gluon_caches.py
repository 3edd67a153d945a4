"""How accesses in Gluon go through caches."""

import pytest
import triton
from triton.backends.compiler import GPUTarget
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language.nvidia import ampere, rubin
from triton.experimental.gluon.language.nvidia.ampere import FractionalEvictionPolicy

FLAT = ttgl.BlockedLayout([1], [32], [4], [0])
FIRST = ttgl.CachePolicy(eviction_policy="evict_first")


@gluon.jit
def copied(x, y, policy: ttgl.constexpr):
    i = ttgl.arange(0, 128, layout=FLAT)
    block = ttgl.load(x + i, cache_policy=policy)
    ttgl.store(y + i, block, cache_policy=ttgl.CachePolicy(".cs"))


@gluon.jit
def copied_to_buffer(x, y, policy: ttgl.constexpr):
    i = ttgl.arange(0, 128, layout=FLAT)
    buffer = ttgl.allocate_shared_memory(ttgl.int32, [128], ttgl.SwizzledSharedLayout(1, 1, 1, [0]))
    ampere.async_copy.async_load(buffer, x + i, cache_policy=policy)
    ampere.async_copy.commit_group()
    ampere.async_copy.wait_group(0)
    ttgl.store(y + i, buffer.load(FLAT))


@gluon.jit
def says_it_twice(x, y, policy: ttgl.constexpr):
    ttgl.load(x, cache_modifier=".cg", cache_policy=policy)


@gluon.jit
def gives_a_place(x, y, policy: ttgl.constexpr):
    ttgl.load(x, None, None, ".cg")


def compiled(kernel, policy):
    types = {"x": "*i32", "y": "*i32", "policy": "constexpr"}
    return triton.compile(gluon.GluonASTSource(kernel, types, {"policy": policy}), target=GPUTarget("cuda", 90, 32))


@pytest.mark.parametrize(
    "policy, expected",
    [
        (ttgl.CachePolicy("cg"), "ld.global.cg"),
        (FIRST, "ld.global.L1::evict_first"),
        (ampere.CachePolicy(l1="evict_last"), "ld.global.L1::evict_last"),
        (ampere.CachePolicy(".cv", l2=FractionalEvictionPolicy("evict_last", 0.5)), "ld.global.cv"),
        (ampere.CachePolicy(l1="no_allocate", l2_prefetch_size=128), "ld.global.b32"),
    ],
)
def test_policies_of_accesses(policy, expected):
    code = compiled(copied, policy).asm["ptx"]
    assert expected in code and "st.global.cs" in code


def test_policies_of_asynchronous_copies():
    assert "evictionPolicy = evict_first" in compiled(copied_to_buffer, FIRST).asm["ttgir"]


@pytest.mark.parametrize(
    "kernel, policy, expected",
    [
        (copied, "cg", "`cache_policy` of `ttgl.load` must be a `CachePolicy`, not the string 'cg'"),
        (copied_to_buffer, 3, "must be a `CachePolicy`, not the constant 3"),
        (says_it_twice, FIRST, "`cache_modifier` of `ttgl.load` is given beside a `cache_policy`"),
        (gives_a_place, None, "`ttgl.load` takes"),
    ],
)
def test_wrong_policies_in_kernels(kernel, policy, expected):
    with pytest.raises(triton.CompilationError) as caught:
        compiled(kernel, policy)
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    "make, error, expected",
    [
        (lambda: ttgl.CachePolicy("cx"), ValueError, "cache_modifier must be one of 'none', 'ca'"),
        (lambda: ttgl.CachePolicy(None), ValueError, "cache_modifier must be one of .* not None"),
        (lambda: ampere.CachePolicy(3), ValueError, "cache_modifier must be one of .* not 3"),
        (lambda: ttgl.CachePolicy("cg", "evict_none"), ValueError, "eviction_policy must be one of 'evict_normal'"),
        (lambda: ampere.CachePolicy(), ValueError, "needs at least one of"),
        (lambda: ampere.CachePolicy(l1="evict"), ValueError, "l1 must be one of"),
        (lambda: ampere.CachePolicy(l2="evict_last"), TypeError, "l2 must be a FractionalEvictionPolicy"),
        (lambda: ampere.CachePolicy(l2_prefetch_size=32), ValueError, "l2_prefetch_size must be one of 64, 128, 256"),
        (lambda: ampere.CachePolicy("cg", "evict_last"), ValueError, "not both"),
        (lambda: FractionalEvictionPolicy("evict_last", 0), ValueError, "fraction must be above 0"),
        (lambda: FractionalEvictionPolicy("evict_last", 1, "evict_last"), ValueError, "secondary must be one of"),
    ],
)
def test_wrong_policies(make, error, expected):
    with pytest.raises(error, match=expected):
        make()


def test_policies_are_values():
    assert ttgl.CachePolicy(ttgl.constexpr(".cg")) == ttgl.CachePolicy("cg")
    assert ttgl.CachePolicy(".cg") == ttgl.CachePolicy("cg") and rubin.CachePolicy is ampere.CachePolicy
    assert ttgl.CachePolicy("cg").mangle() != FIRST.mangle()
