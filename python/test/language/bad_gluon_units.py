"""Wrong kernels in Gluon: their matrix units, groups of warps and what AMD's GPUs have. Each has one line that is marked
as in bad_gluon_buffers.py; `# error in function: regular expression` names a function, whose line is marked `# here`."""
# ruff: noqa
# fmt: off

from bad_gluon_blocks import FLAT, MATRIX, ROWS
from bad_gluon_buffers import TILE
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language.amd import AMDMFMALayout, AMDWMMALayout, cdna3, gfx1250, rdna3, rdna4
from triton.experimental.gluon.language.nvidia import ampere
from triton.experimental.gluon.language.nvidia.hopper import warpgroup_mma, warpgroup_mma_wait

WAVE = ttgl.BlockedLayout([1], [64], [4], [0])
WAVES = ttgl.BlockedLayout([1, 4], [8, 8], [4, 1], [1, 0])
UNIT = ttgl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])
GROUP = ttgl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
MFMA = AMDMFMALayout(3, [16, 16, 16], True, [2, 2])
WMMA = AMDWMMALayout(2, True, [[0, 1], [1, 0]])


@gluon.jit
def nothing():
    pass


@gluon.jit
def takes_one(x):
    ttgl.store(x, 1)


@gluon.jit
def uses_four_warps(x):
    i = ttgl.arange(0, 128, layout=FLAT)  # here
    ttgl.store(x + i, i)


@gluon.jit
def splits_again(x):
    ttgl.warp_specialize([(nothing, ()), (takes_one, (x,))], [4])  # here


def plain_function():
    pass


# NVIDIA's matrix units


@gluon.jit
def operand_of_other_unit(h):
    a = ttgl.zeros([64, 64], ttgl.float16, ROWS)
    b = ampere.mma_v2(a, a, ttgl.zeros([64, 64], ttgl.float32, UNIT))  # error: `a` of `.*mma_v2` must have the layout `DotOperandLayout\(0.*blocked.*nvidia_mma


@gluon.jit
def operands_exchanged(h):
    a = ttgl.zeros([64, 64], ttgl.float16, ttgl.DotOperandLayout(1, UNIT, 2))
    b = ampere.mma_v2(a, a, ttgl.zeros([64, 64], ttgl.float32, UNIT))  # error: DotOperandLayout\(0


@gluon.jit
def operand_of_other_width(h):
    a = ttgl.zeros([64, 64], ttgl.float16, ttgl.DotOperandLayout(0, UNIT, 2))
    b = ttgl.zeros([64, 64], ttgl.float16, ttgl.DotOperandLayout(1, UNIT, 4))
    c = ampere.mma_v2(a, b, ttgl.zeros([64, 64], ttgl.float32, UNIT))  # error: the same `k_width`.*kWidth = 2.*kWidth = 4


@gluon.jit
def sum_of_other_unit(h):
    a = ttgl.zeros([64, 64], ttgl.float16, ROWS)
    b = ampere.mma_v2(a, a, ttgl.zeros([64, 64], ttgl.float32, GROUP))  # error: of another unit


@gluon.jit
def factors_of_other_depth(h):
    a = ttgl.zeros([64, 32], ttgl.float16, ttgl.DotOperandLayout(0, UNIT, 2))
    b = ttgl.zeros([64, 64], ttgl.float16, ttgl.DotOperandLayout(1, UNIT, 2))
    c = ampere.mma_v2(a, b, ttgl.zeros([64, 64], ttgl.float32, UNIT))  # error: \[64, 32\].*\[64, 64\]


@gluon.jit
def factors_of_other_dtypes(h):
    a = ttgl.zeros([64, 64], ttgl.float16, ttgl.DotOperandLayout(0, UNIT, 2))
    b = ttgl.zeros([64, 64], ttgl.bfloat16, ttgl.DotOperandLayout(1, UNIT, 2))
    c = ampere.mma_v2(a, b, ttgl.zeros([64, 64], ttgl.float32, UNIT))  # error: fp16.*bf16


@gluon.jit
def fma_of_unit_layout(h):
    a = ttgl.zeros([64, 64], ttgl.float16, ttgl.DotOperandLayout(0, UNIT, 2))
    b = ttgl.zeros([64, 64], ttgl.float16, ttgl.DotOperandLayout(1, UNIT, 2))
    c = ttgl.dot_fma(a, b, ttgl.zeros([64, 64], ttgl.float32, UNIT))  # error: of another unit


@gluon.jit
def sum_of_ampere(h):
    a = ttgl.allocate_shared_memory(ttgl.float16, [64, 64], TILE)
    b = warpgroup_mma(a, a, ttgl.zeros([64, 64], ttgl.float32, UNIT))  # error: version \[3, 0\]


@gluon.jit
def factor_with_other_swizzle(h):
    a = ttgl.allocate_shared_memory(ttgl.float16, [64, 64], MATRIX)
    b = warpgroup_mma(a, a, ttgl.zeros([64, 64], ttgl.float32, GROUP))  # error: `NVMMASharedLayout`, not.*swizzled_shared


@gluon.jit
def second_factor_in_registers(h):
    a = ttgl.allocate_shared_memory(ttgl.float16, [64, 64], TILE)
    b = ttgl.zeros([64, 64], ttgl.float16, ttgl.DotOperandLayout(1, GROUP, 2))
    c = warpgroup_mma(a, b, ttgl.zeros([64, 64], ttgl.float32, GROUP))  # error: `b` must be a buffer


@gluon.jit
def group_of_other_depth(h):
    a = ttgl.allocate_shared_memory(ttgl.float16, [64, 64], TILE)
    b = ttgl.allocate_shared_memory(ttgl.float16, [128, 64], TILE)
    c = warpgroup_mma(a, b, ttgl.zeros([64, 64], ttgl.float32, GROUP))  # error: do not fit together


@gluon.jit
def group_of_few_rows(h):
    a = ttgl.allocate_shared_memory(ttgl.float16, [32, 64], TILE)
    b = ttgl.allocate_shared_memory(ttgl.float16, [64, 64], TILE)
    c = warpgroup_mma(a, b, ttgl.zeros([32, 64], ttgl.float32, GROUP))  # error: 32 rows and 64 columns of .* multiples of 64 and 64


@gluon.jit
def group_of_few_columns(h):
    a = ttgl.allocate_shared_memory(ttgl.float16, [64, 64], TILE)
    b = ttgl.allocate_shared_memory(ttgl.float16, [64, 32], ttgl.NVMMASharedLayout(64, 16))
    c = warpgroup_mma(a, b, ttgl.zeros([64, 32], ttgl.float32, GROUP))  # error: 64 rows and 32 columns of .* multiples of 64 and 64


@gluon.jit
def group_of_two_warps(h):
    layout: ttgl.constexpr = ttgl.NVMMADistributedLayout([3, 0], [2, 2], [16, 64, 16])
    a = ttgl.allocate_shared_memory(ttgl.float16, [128, 64], TILE)
    b = ttgl.allocate_shared_memory(ttgl.float16, [64, 128], TILE)
    c = warpgroup_mma(a, b, ttgl.zeros([128, 128], ttgl.float32, layout))  # error: four|4


@gluon.jit
def group_of_other_dtypes(h):
    a = ttgl.allocate_shared_memory(ttgl.float16, [64, 64], TILE)
    b = ttgl.allocate_shared_memory(ttgl.bfloat16, [64, 64], TILE)
    c = warpgroup_mma(a, b, ttgl.zeros([64, 64], ttgl.float32, GROUP))  # error: does not multiply fp16.*bf16


@gluon.jit
def waits_for_no_product(h):
    warpgroup_mma_wait(0)  # error: needs the results of the products


@gluon.jit
def waits_for_scalar(n):
    a = warpgroup_mma_wait(0, deps=[n])  # error: needs the results of the products for which it waits, as `deps`, not int32


@gluon.jit
def adds_by_block(h):
    a = ttgl.allocate_shared_memory(ttgl.float16, [64, 64], TILE)
    use: ttgl.constexpr = ttgl.SliceLayout(1, GROUP)
    b = warpgroup_mma(a, a, ttgl.zeros([64, 64], ttgl.float32, GROUP), use_acc=ttgl.arange(0, 64, layout=use) > 3)  # error: `use_acc` of .* must be one truth value for all threads, not int1\[64\]


@gluon.jit
def group_of_older_gpu(h):
    a = ttgl.allocate_shared_memory(ttgl.float16, [64, 64], TILE)
    c = warpgroup_mma(a, a, ttgl.zeros([64, 64], ttgl.float32, GROUP))  # error on 80: compute capability 9.0


@gluon.jit
def wait_is_dropped(f):
    a = ttgl.allocate_shared_memory(ttgl.float16, [64, 64], TILE)
    acc = warpgroup_mma(a, a, ttgl.zeros([64, 64], ttgl.float32, GROUP), is_async=True)
    warpgroup_mma_wait(0, deps=[acc])
    b = acc + 1  # error: uses the result of an asynchronous product
    ttgl.store(f, ttgl.max(ttgl.max(b, 1), 0))


@gluon.jit
def product_is_not_awaited(f):
    a = ttgl.allocate_shared_memory(ttgl.float16, [64, 64], TILE)
    acc = warpgroup_mma(a, a, ttgl.zeros([64, 64], ttgl.float32, GROUP), is_async=True)
    ttgl.store(f, ttgl.sum(ttgl.sum(acc, 1), 0))  # error: uses the result of an asynchronous product


@gluon.jit
def unit_of_other_vendor(h):
    a = ttgl.zeros([64, 64], ttgl.float16, ROWS)
    b = cdna3.mfma(a, a, a)  # error: needs an AMD GPU, but the target is cuda:90


@gluon.jit
def unit_of_rubin(h):
    ttgl.nvidia.rubin.add4(h, h)  # error: not implemented yet.*compute capability 10.7


@gluon.jit
def group_of_shallow_instruction(f):
    layout: ttgl.constexpr = ttgl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 8])
    a = ttgl.allocate_shared_memory(ttgl.float16, [64, 64], TILE)
    b = warpgroup_mma(a, a, ttgl.zeros([64, 64], ttgl.float32, layout))  # error: an instruction adds 16 products of fp16.*instrShape = \[16, 64, 8\].* has the depth 8


@gluon.jit
def group_of_bytes_along_columns(x):
    layout: ttgl.constexpr = ttgl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 32])
    a = ttgl.allocate_shared_memory(ttgl.float8e4nv, [64, 64], ttgl.NVMMASharedLayout(64, 8))
    acc = warpgroup_mma(a, a, ttgl.zeros([64, 64], ttgl.float32, layout))  # error: of 8 bits the unit needs neighbours along K.* has neighbours along N; .*permute


@gluon.jit
def group_of_bytes_along_rows(x):
    layout: ttgl.constexpr = ttgl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 32])
    a = ttgl.allocate_shared_memory(ttgl.float8e4nv, [64, 64], ttgl.NVMMASharedLayout(64, 8)).permute((1, 0))
    acc = warpgroup_mma(a, a, ttgl.zeros([64, 64], ttgl.float32, layout))  # error: has neighbours along M; .*M rows of K elements in memory and pass its buffer


@gluon.jit
def group_of_twelve_columns(f):
    a = ttgl.zeros([64, 64], ttgl.float32, ttgl.NVMMADistributedLayout([3, 0], [4, 1], [16, 12, 16]))  # error: from 8 to 256 columns, a power of two, not 12


# AMD's GPUs


@gluon.jit
def warps_of_nvidia(x):
    a = ttgl.arange(0, 256, layout=FLAT)  # error on gfx942: 4 warps of 32 threads, but the program has 4 of 64


@gluon.jit
def mfma_of_blocks(h):
    a = ttgl.zeros([64, 64], ttgl.float16, WAVES)
    b = cdna3.mfma(a, a, ttgl.zeros([64, 64], ttgl.float32, MFMA))  # error on gfx942: `a` of `.*mfma` must have the layout `DotOperandLayout\(0


@gluon.jit
def mfma_of_other_parent(h):
    other: ttgl.constexpr = AMDMFMALayout(3, [32, 32, 8], True, [2, 2])
    a = ttgl.zeros([64, 64], ttgl.float16, ttgl.DotOperandLayout(0, other, 4))
    b = ttgl.zeros([64, 64], ttgl.float16, ttgl.DotOperandLayout(1, other, 4))
    c = cdna3.mfma(a, b, ttgl.zeros([64, 64], ttgl.float32, MFMA))  # error on gfx942: 32, 32.*16, 16


@gluon.jit
def mfma_of_blocked_sum(h):
    a = ttgl.zeros([64, 64], ttgl.float16, WAVES)
    b = cdna3.mfma(a, a, ttgl.zeros([64, 64], ttgl.float32, WAVES))  # error on gfx942: of another unit


@gluon.jit
def mfma_of_rdna(h):
    a = ttgl.zeros([64, 64], ttgl.float16, ROWS)
    b = cdna3.mfma(a, a, a)  # error on gfx1201: mfma


@gluon.jit
def mfma_of_integers_for_floats(h):
    a = ttgl.zeros([64, 64], ttgl.float16, ttgl.DotOperandLayout(0, MFMA, 4))
    b = ttgl.zeros([64, 64], ttgl.float16, ttgl.DotOperandLayout(1, MFMA, 4))
    c = cdna3.mfma(a, b, ttgl.zeros([64, 64], ttgl.int32, MFMA))  # error on gfx942: products of fp16 are not added to i32


@gluon.jit
def mfma_of_narrow_sums(h):
    a = ttgl.zeros([64, 64], ttgl.float16, ttgl.DotOperandLayout(0, MFMA, 4))
    b = ttgl.zeros([64, 64], ttgl.float16, ttgl.DotOperandLayout(1, MFMA, 4))
    c = cdna3.mfma(a, b, ttgl.zeros([64, 64], ttgl.float16, MFMA))  # error on gfx942: products of fp16 are not added to fp16


@gluon.jit
def mfma_of_newer_gpu(f):
    layout: ttgl.constexpr = AMDMFMALayout(4, [16, 16, 32], True, [2, 2])
    a = ttgl.zeros([64, 64], ttgl.float16, ttgl.DotOperandLayout(0, layout, 8))
    b = ttgl.zeros([64, 64], ttgl.float16, ttgl.DotOperandLayout(1, layout, 8))
    c = cdna3.mfma(a, b, ttgl.zeros([64, 64], ttgl.float32, layout))  # error on gfx942: no matrix instruction multiplies.*16, 16, 32
    ttgl.store(f, ttgl.max(ttgl.max(c, 1), 0))


@gluon.jit
def mfma_of_two_warps(f):
    a = ttgl.zeros([64, 64], ttgl.float32, AMDMFMALayout(3, [16, 16, 16], True, [2, 1]))  # error on gfx942: over 2 warps of 64 threads, but the program has 4 of 64


@gluon.jit
def mfma_of_missing_shape(h):
    a = ttgl.zeros([64, 64], ttgl.float32, AMDMFMALayout(3, [8, 8, 8], True, [2, 2]))  # error on gfx942: cannot exist


@gluon.jit
def mfma_of_short_k(f):
    a = ttgl.zeros([64, 8], ttgl.float16, ttgl.DotOperandLayout(0, MFMA, 4))
    b = ttgl.zeros([8, 64], ttgl.float16, ttgl.DotOperandLayout(1, MFMA, 4))
    c = cdna3.mfma(a, b, ttgl.zeros([64, 64], ttgl.float32, MFMA))  # error on gfx942: adds 16 products at once, and .* has only 8 columns; pad them
    ttgl.store(f, ttgl.max(ttgl.max(c, 1), 0))


@gluon.jit
def mfma_of_other_width(h):
    a = ttgl.zeros([64, 64], ttgl.float16, ttgl.DotOperandLayout(0, MFMA, 4))
    b = ttgl.zeros([64, 64], ttgl.float16, ttgl.DotOperandLayout(1, MFMA, 8))
    c = cdna3.mfma(a, b, ttgl.zeros([64, 64], ttgl.float32, MFMA))  # error on gfx942: the same `k_width`.*kWidth = 4.*kWidth = 8


@gluon.jit
def mfma_of_doubles_and_floats(h):
    a = ttgl.zeros([64, 64], ttgl.float32, ttgl.DotOperandLayout(0, MFMA, 4))
    b = ttgl.zeros([64, 64], ttgl.float16, ttgl.DotOperandLayout(1, MFMA, 4))
    c = cdna3.mfma(a, b, ttgl.zeros([64, 64], ttgl.float32, MFMA))  # error on gfx942: fp32.*fp16


@gluon.jit
def wmma_of_other_generation(h):
    a = ttgl.zeros([64, 64], ttgl.float16, ROWS)
    b = rdna3.wmma(a, a, a)  # error on gfx1201: needs an AMD GPU of the kind gfx11, but the target is hip:gfx1201


@gluon.jit
def wmma_of_other_version(h):
    a = ttgl.zeros([64, 64], ttgl.float16, ROWS)
    b = rdna4.wmma(a, a, ttgl.zeros([64, 64], ttgl.float32, AMDWMMALayout(1, True, [[0, 1], [1, 0]])))  # error on gfx1201: of another unit


@gluon.jit
def wmma_of_other_width(h):
    a = ttgl.zeros([64, 64], ttgl.float16, ttgl.DotOperandLayout(0, WMMA, 2))
    b = ttgl.zeros([64, 64], ttgl.float16, ttgl.DotOperandLayout(1, WMMA, 8))
    c = rdna4.wmma(a, b, ttgl.zeros([64, 64], ttgl.float32, WMMA))  # error on gfx1201: the same `k_width`.*kWidth = 2.*kWidth = 8


@gluon.jit
def wmma_of_shallow_instruction(h):
    layout: ttgl.constexpr = AMDWMMALayout(3, True, [[0, 1]], [], [16, 16, 16])  # error on gfx1250: instr_shape


@gluon.jit
def wmma_of_short_k(f):
    a = ttgl.zeros([64, 8], ttgl.float16, ttgl.DotOperandLayout(0, WMMA, 8))
    b = ttgl.zeros([8, 64], ttgl.float16, ttgl.DotOperandLayout(1, WMMA, 8))
    c = rdna4.wmma(a, b, ttgl.zeros([64, 64], ttgl.float32, WMMA))  # error on gfx1201: adds 16 products at once, and .* has only 8 columns
    ttgl.store(f, ttgl.max(ttgl.max(c, 1), 0))


@gluon.jit
def wmma_of_other_depth(f):
    layout: ttgl.constexpr = AMDWMMALayout(3, True, [[0, 1], [1, 0]], [], [16, 16, 64])
    a = ttgl.zeros([64, 64], ttgl.float16, ttgl.DotOperandLayout(0, layout, 8))
    b = ttgl.zeros([64, 64], ttgl.float16, ttgl.DotOperandLayout(1, layout, 8))
    c = gfx1250.wmma(a, b, ttgl.zeros([64, 64], ttgl.float32, layout))  # error on gfx1250: no matrix instruction multiplies.*16, 16, 64
    ttgl.store(f, ttgl.max(ttgl.max(c, 1), 0))


@gluon.jit
def offsets_of_pointers(x):
    i = ttgl.arange(0, 256, layout=WAVE)
    a = cdna3.buffer_load(x + i, i)  # error on gfx942: a pointer to one element


@gluon.jit
def offsets_of_64_bits(x):
    a = cdna3.buffer_load(x, ttgl.arange(0, 256, layout=WAVE).to(ttgl.int64))  # error on gfx942: int32 or uint32


@gluon.jit
def other_without_mask(x):
    a = cdna3.buffer_load(x, ttgl.arange(0, 256, layout=WAVE), other=0)  # error on gfx942: mask


@gluon.jit
def mask_of_other_extent(x):
    a = cdna3.buffer_load(x, ttgl.arange(0, 256, layout=WAVE), mask=ttgl.arange(0, 128, layout=WAVE) < 9)  # error on gfx942: 256.*128|128.*256


@gluon.jit
def stores_other_extent(x):
    cdna3.buffer_store(ttgl.arange(0, 128, layout=WAVE), x, ttgl.arange(0, 256, layout=WAVE))  # error on gfx942: 128.*256|256.*128


@gluon.jit
def atomic_bits_of_floats(f):
    cdna3.buffer_atomic_and(f, ttgl.arange(0, 256, layout=WAVE), 1)  # error on gfx942: buffer_atomic_and.*fp32


@gluon.jit
def atomic_of_unknown_order(x):
    cdna3.buffer_atomic_add(x, ttgl.arange(0, 256, layout=WAVE), 1, sem="strict")  # error on gfx942: strict


@gluon.jit
def atomic_of_unknown_scope(x):
    cdna3.buffer_atomic_add(x, ttgl.arange(0, 256, layout=WAVE), 1, scope="warp")  # error on gfx942: warp


@gluon.jit
def wmma_of_other_parent(h):
    layout: ttgl.constexpr = AMDWMMALayout(3, True, [[0, 1], [1, 0]], [], [16, 16, 32])
    a = ttgl.zeros([64, 64], ttgl.float16, ttgl.DotOperandLayout(0, WMMA, 8))
    b = ttgl.zeros([64, 64], ttgl.float16, ttgl.DotOperandLayout(1, layout, 8))
    c = gfx1250.wmma(a, b, ttgl.zeros([64, 64], ttgl.float32, layout))  # error on gfx1250: instrShape = \[16, 16, 16\].*instrShape = \[16, 16, 32\]


@gluon.jit
def offset_of_one_element(x, n):
    a = cdna3.buffer_load(x, n)  # error on gfx942: must be a block of int32 or uint32


@gluon.jit
def unknown_way_through_caches(x):
    a = cdna3.buffer_load(x, ttgl.arange(0, 256, layout=WAVE), cache=".xx")  # error on gfx942: `cache` of .* cannot be


# Groups of warps


@gluon.jit
def worker_without_tuple(x):
    ttgl.warp_specialize([(nothing, ()), nothing], [1])  # error: a function and the tuple of its arguments


@gluon.jit
def workers_without_counts(x):
    ttgl.warp_specialize([(nothing, ()), (nothing, ())], [])  # error: needs 1 numbers, one for each function but the first, not 0


@gluon.jit
def worker_of_three_warps(x):
    ttgl.warp_specialize([(nothing, ()), (nothing, ())], [3])  # error: powers of two up to 32


@gluon.jit
def worker_of_runtime_warps(x, n):
    ttgl.warp_specialize([(nothing, ()), (nothing, ())], [n])  # error: worker_num_warps


@gluon.jit
def worker_with_few_registers(x):
    ttgl.warp_specialize([(nothing, ()), (nothing, ())], [4], [16])  # error: 24 to 256 registers


@gluon.jit
def worker_takes_block(x):
    ttgl.warp_specialize([(nothing, ()), (takes_one, (x + ttgl.arange(0, 128, layout=FLAT),))], [4])  # error: in the registers of other threads


@gluon.jit
def worker_takes_more(x):
    ttgl.warp_specialize([(nothing, ()), (takes_one, (x, 1))], [4])  # error: takes_one|argument


@gluon.jit
def worker_of_python(x):
    ttgl.warp_specialize([(nothing, ()), (plain_function, ())], [4])  # error: function


@gluon.jit
def worker_with_layout_of_others(x):
    ttgl.warp_specialize([(nothing, ()), (uses_four_warps, (x,))], [1])  # error in uses_four_warps: 4 warps of 32 threads, but the program has 1 of 32


@gluon.jit
def groups_in_loop(x, n):
    for _ in range(n):
        ttgl.warp_specialize([(nothing, ()), (takes_one, (x,))], [4])  # error: neither in a loop nor in a branch


@gluon.jit
def groups_of_amd(x):
    ttgl.warp_specialize([(nothing, ()), (nothing, ())], [4])  # error on gfx942: warp_specialize.*needs an NVIDIA GPU


@gluon.jit
def groups_in_group(x):
    ttgl.warp_specialize([(nothing, ()), (splits_again, (x,))], [4])  # error in splits_again: neither in a loop nor in a branch


@gluon.jit
def otherwise_without_mask(f):
    i = ttgl.arange(0, 1024, layout=ttgl.BlockedLayout([4], [64], [4], [0]))
    cdna3.buffer_load(f, i, other=0.0)  # error on gfx942: `other` of `ttgl.amd.cdna3.buffer_load` has no effect without `mask`


@gluon.jit
def unit_of_hopper(f):
    tile = ttgl.allocate_shared_memory(ttgl.float16, [64, 64], TILE)
    acc = warpgroup_mma(tile, tile, ttgl.zeros([64, 64], ttgl.float32, GROUP))  # error on 100: products of groups of warps, which compute capability 9.0 alone has; use .*tcgen05_mma
    ttgl.store(f + ttgl.zeros([64, 64], ttgl.int32, GROUP), acc)


@gluon.jit
def copy_by_no_warp(f):
    plain: ttgl.constexpr = ttgl.SwizzledSharedLayout(1, 1, 1, [0])
    buffer = ttgl.allocate_shared_memory(ttgl.float32, [64], plain)
    desc = gfx1250.tdm.make_tensor_descriptor(f, [64], [1], [64], plain)
    gfx1250.tdm.async_load(desc, [0], buffer, warp_used_hint=0)  # error on gfx1250: `warp_used_hint` must have a bit for each warp that copies, not 0
