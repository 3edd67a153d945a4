"""Kernels in Gluon as texts of files, for tools that load kernels without running the file."""

HEADER = """from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma, warpgroup_mma

raise RuntimeError("tools read this file and do not run it")
"""

ROWS = (
    HEADER
    + """
LAYOUT = ttgl.BlockedLayout([1, 4], [8, 4], [4, 1], order=[1, 0])


@gluon.jit
def row_sums(x, sums, M: ttgl.constexpr, N: ttgl.constexpr, layout: ttgl.constexpr):
    i = ttgl.arange(0, M, layout=ttgl.SliceLayout(1, layout))
    j = ttgl.arange(0, N, layout=ttgl.SliceLayout(0, layout))
    block = ttgl.load(x + i[:, None] * N + j[None, :])
    ttgl.store(sums + i, ttgl.sum(block, axis=1))
"""
)

#: A warp loads blocks by TMA, four others multiply them.
PRODUCT = (
    HEADER
    + """

@gluon.jit
def load_blocks(a, b, a_ring, b_ring, full, free, steps):
    for k in range(steps):
        slot = k % 2
        mbarrier.wait(free.index(slot), (k // 2 + 1) & 1)
        mbarrier.expect(full.index(slot), a.nbytes_per_cta + b.nbytes_per_cta)
        tma.async_load(a, [0, k * 64], full.index(slot), a_ring.index(slot))
        tma.async_load(b, [k * 64, 0], full.index(slot), b_ring.index(slot))


@gluon.jit
def multiply(out, a_ring, b_ring, full, free, steps):
    layout: ttgl.constexpr = ttgl.NVMMADistributedLayout([3, 0], [ttgl.num_warps(), 1], [16, 64, 16])
    acc = ttgl.zeros([64, 64], ttgl.float32, layout)
    for k in range(steps):
        slot = k % 2
        mbarrier.wait(full.index(slot), k // 2 & 1)
        acc = warpgroup_mma(a_ring.index(slot), b_ring.index(slot), acc)
        mbarrier.arrive(free.index(slot))
    rows = ttgl.arange(0, 64, layout=ttgl.SliceLayout(1, layout))
    columns = ttgl.arange(0, 64, layout=ttgl.SliceLayout(0, layout))
    ttgl.store(out + rows[:, None] * 64 + columns[None, :], acc)


@gluon.jit
def product(a, b, out, steps):
    a_ring = ttgl.allocate_shared_memory(a.dtype, [2, 64, 64], a.layout)
    b_ring = ttgl.allocate_shared_memory(b.dtype, [2, 64, 64], b.layout)
    full = mbarrier.allocate_mbarrier(batch=2)
    free = mbarrier.allocate_mbarrier(batch=2)
    for slot in ttgl.static_range(2):
        mbarrier.init(full.index(slot), count=1)
        mbarrier.init(free.index(slot), count=1)
    ttgl.warp_specialize(
        [
            (multiply, (out, a_ring, b_ring, full, free, steps)),
            (load_blocks, (a, b, a_ring, b_ring, full, free, steps)),
        ],
        [1],
    )
"""
)

DESCRIBED = (
    "tensordesc<fp16[64, 64], NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2, "
    "transposed=False, fp4_padded=False, cga_layout=())>"
)
#: Of the product.
SIGNATURE = f"{DESCRIBED}, {DESCRIBED}, *fp32:16, i32"
LAUNCH = [f"a=rand:{DESCRIBED}[64, 256]", f"b=rand:{DESCRIBED}[256, 64]", "out=zeros:f32[64, 64]", "steps=4"]


def line_of(text, part):
    """The number of the first line that has the part."""
    return 1 + next(index for index, line in enumerate(text.splitlines()) if part in line)
