"""Wrong kernels in Gluon: their layouts, shapes and views of buffers. Each has one line that is marked with what its
error must say: `# error: regular expression`. test_gluon_errors.py says what types the parameters have."""
# ruff: noqa
# fmt: off

import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl

FLAT = ttgl.BlockedLayout([1], [32], [4], [0])
PAIRED = ttgl.BlockedLayout([2], [32], [4], [0])
ROWS = ttgl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
COLUMNS = ttgl.BlockedLayout([4, 1], [8, 4], [1, 4], [0, 1])
PLAIN = ttgl.SwizzledSharedLayout(1, 1, 1, [0])
MATRIX = ttgl.SwizzledSharedLayout(4, 1, 8, [1, 0])
PADDED = ttgl.PaddedSharedLayout.with_identity_for([[32, 4]], [32, 32], [1, 0])


@gluon.jit
def combine(a, b, c, d):
    return a + c, b + d


@gluon.jit
def larger(a, b):
    return ttgl.maximum(a, b)


@gluon.jit
def square(layout: ttgl.constexpr):
    i = ttgl.arange(0, 32, layout=ttgl.SliceLayout(1, layout))[:, None]
    j = ttgl.arange(0, 32, layout=ttgl.SliceLayout(0, layout))[None, :]
    return i * 32 + j


@gluon.jit
def first_sum(a, b, c, d):
    return a + c


@gluon.jit
def one_of_two_layouts(n):
    if n > 3:
        return ttgl.arange(0, 256, layout=FLAT)
    return ttgl.arange(0, 256, layout=PAIRED)  # here


# Blocks whose layouts differ


@gluon.jit
def adds_other_layout(x):
    a = ttgl.arange(0, 256, layout=FLAT) + ttgl.arange(0, 256, layout=PAIRED)  # error: int32\[256\] with.*sizePerThread = \[1\].*sizePerThread = \[2\]


@gluon.jit
def compares_other_layout(x):
    a = ttgl.arange(0, 256, layout=FLAT) < ttgl.arange(0, 256, layout=PAIRED)  # error: sizePerThread = \[1\].*sizePerThread = \[2\]


@gluon.jit
def selects_by_other_layout(x):
    a = ttgl.arange(0, 256, layout=FLAT)
    b = ttgl.where(ttgl.arange(0, 256, layout=PAIRED) > 3, a, 0)  # error: sizePerThread = \[[12]\].*sizePerThread = \[[12]\]


@gluon.jit
def stores_other_layout(x):
    i = ttgl.arange(0, 256, layout=FLAT)
    ttgl.store(x + i, ttgl.arange(0, 256, layout=PAIRED))  # error: sizePerThread = \[[12]\].*sizePerThread = \[[12]\]


@gluon.jit
def stores_by_mask_of_other_layout(x):
    i = ttgl.arange(0, 256, layout=FLAT)
    ttgl.store(x + i, i, mask=ttgl.arange(0, 256, layout=PAIRED) < 9)  # error: sizePerThread = \[[12]\].*sizePerThread = \[[12]\]


@gluon.jit
def loads_by_mask_of_other_layout(x):
    i = ttgl.arange(0, 256, layout=FLAT)
    a = ttgl.load(x + i, mask=ttgl.arange(0, 256, layout=PAIRED) < 9)  # error: sizePerThread = \[[12]\].*sizePerThread = \[[12]\]


@gluon.jit
def loads_other_of_other_layout(x):
    i = ttgl.arange(0, 256, layout=FLAT)
    a = ttgl.load(x + i, mask=i < 9, other=ttgl.arange(0, 256, layout=PAIRED))  # error: sizePerThread = \[[12]\].*sizePerThread = \[[12]\]


@gluon.jit
def joins_other_layout(x):
    a = ttgl.join(ttgl.arange(0, 256, layout=FLAT), ttgl.arange(0, 256, layout=PAIRED))  # error: sizePerThread = \[1\].*sizePerThread = \[2\]


@gluon.jit
def maximum_of_other_layout(x):
    a = ttgl.maximum(ttgl.arange(0, 256, layout=FLAT), ttgl.arange(0, 256, layout=PAIRED))  # error: sizePerThread = \[1\].*sizePerThread = \[2\]


@gluon.jit
def fma_of_other_layout(f):
    a = ttgl.full([256], 1.0, ttgl.float32, FLAT)
    b = ttgl.fma(a, a, ttgl.full([256], 1.0, ttgl.float32, PAIRED))  # error: sizePerThread = \[1\].*sizePerThread = \[2\]


@gluon.jit
def reduces_other_layout(x):
    a = ttgl.reduce((ttgl.arange(0, 256, layout=FLAT), ttgl.arange(0, 256, layout=PAIRED)), 0, combine)  # error: sizePerThread = \[1\].*sizePerThread = \[2\]


@gluon.jit
def scans_other_layout(x):
    a = ttgl.associative_scan((ttgl.arange(0, 256, layout=FLAT), ttgl.arange(0, 256, layout=PAIRED)), 0, combine)  # error: sizePerThread = \[1\].*sizePerThread = \[2\]


@gluon.jit
def maps_other_layout(x):
    a = ttgl.map_elementwise(larger, ttgl.arange(0, 256, layout=FLAT), ttgl.arange(0, 256, layout=PAIRED))  # error: sizePerThread = \[1\].*sizePerThread = \[2\]


@gluon.jit
def adds_atomically_other_layout(x):
    i = ttgl.arange(0, 256, layout=FLAT)
    ttgl.atomic_add(x + i, ttgl.arange(0, 256, layout=PAIRED))  # error: sizePerThread = \[[12]\].*sizePerThread = \[[12]\]


@gluon.jit
def rows_of_other_parent(x):
    i = ttgl.arange(0, 32, layout=ttgl.SliceLayout(1, COLUMNS))[:, None]
    a = i + ttgl.arange(0, 32, layout=ttgl.SliceLayout(0, ROWS))[None, :]  # error: sizePerThread = \[4, 1\].*sizePerThread = \[1, 4\]


@gluon.jit
def rows_of_other_dimension(x):
    a = ttgl.arange(0, 32, layout=ttgl.SliceLayout(0, ROWS))[:, None]  # error: dimension 1 of size 1.*dim = 0.*SliceLayout\(1, parent\)


@gluon.jit
def adds_sum_to_range(x):
    sums = ttgl.sum(square(ROWS), 1)
    a = sums + ttgl.arange(0, 32, layout=FLAT)  # error: slice.*blocked


@gluon.jit
def adds_transposed(x):
    a = square(ROWS)
    b = a + a.T  # error: sizePerThread = \[1, 4\].*sizePerThread = \[4, 1\]


@gluon.jit
def adds_half(x):
    a = ttgl.arange(0, 256, layout=PAIRED)
    first, second = ttgl.split(a.reshape([128, 2]))
    b = first + ttgl.arange(0, 128, layout=PAIRED)  # error: sizePerThread = \[2\]


@gluon.jit
def loop_changes_layout(x, n):
    a = ttgl.arange(0, 256, layout=FLAT)
    for _ in range(n):
        a = ttgl.convert_layout(a, PAIRED)  # error: sizePerThread = \[[12]\].*sizePerThread = \[[12]\]
    ttgl.store(x + ttgl.arange(0, 256, layout=FLAT), a)


@gluon.jit
def while_changes_layout(x, n):
    a = ttgl.arange(0, 256, layout=FLAT)
    while n > 0:
        a = ttgl.convert_layout(a, PAIRED)  # error: sizePerThread = \[[12]\].*sizePerThread = \[[12]\]
        n -= 1
    ttgl.store(x + ttgl.arange(0, 256, layout=FLAT), a)


@gluon.jit
def branch_changes_layout(x, n):
    a = ttgl.arange(0, 256, layout=FLAT)
    if n > 3:
        a = ttgl.convert_layout(a, PAIRED)  # error: sizePerThread = \[[12]\].*sizePerThread = \[[12]\]
    ttgl.store(x + ttgl.arange(0, 256, layout=FLAT), a)


@gluon.jit
def condition_chooses_layout(x, n):
    a = ttgl.arange(0, 256, layout=FLAT) if n > 3 else ttgl.arange(0, 256, layout=PAIRED)  # error: sizePerThread = \[[12]\].*sizePerThread = \[[12]\]


# Layouts that do not follow


@gluon.jit
def no_layout_follows(x):
    ttgl.device_print("a", ttgl.arange(0, 256))  # error: no layout follows


@gluon.jit
def two_layouts_follow(x):
    a = ttgl.arange(0, 256)  # error: would need two of them
    ttgl.store(x + ttgl.arange(0, 256, layout=FLAT), a)
    ttgl.store(x + ttgl.arange(0, 256, layout=PAIRED), a)


@gluon.jit
def sets_known_layout(x):
    a = ttgl.set_auto_layout(ttgl.arange(0, 256, layout=FLAT), PAIRED)  # error: has a layout already


@gluon.jit
def sets_layout_of_other_rank(x):
    a = ttgl.set_auto_layout(ttgl.arange(0, 256), ROWS)  # error: is for 2 dimensions, but the block has 1


@gluon.jit
def converts_scalar(x, n):
    a = ttgl.convert_layout(n, FLAT)  # error: is for 1 dimensions, but the block has 0


@gluon.jit
def converts_to_other_rank(x):
    a = ttgl.convert_layout(ttgl.arange(0, 256, layout=FLAT), ROWS)  # error: is for 2 dimensions, but the block has 1


@gluon.jit
def conversion_moves_elements(x):
    a = ttgl.convert_layout(ttgl.arange(0, 256, layout=FLAT), PAIRED, assert_trivial=True)  # error: sizePerThread = \[1\].*sizePerThread = \[2\].*exchange elements


@gluon.jit
def conversion_of_unknown_layout(x):
    a = ttgl.convert_layout(ttgl.arange(0, 256), PAIRED, assert_trivial=True)  # error: auto.*sizePerThread = \[2\]


@gluon.jit
def loads_by_placeholder(x):
    a = ttgl.allocate_shared_memory(ttgl.int32, [256], PLAIN).load(ttgl.AutoLayout())  # error: a layout over threads


# Layouts that cannot exist, or not here


@gluon.jit
def three_elements_a_thread(x):
    a = ttgl.arange(0, 256, layout=ttgl.BlockedLayout([3], [32], [4], [0]))  # error: cannot exist: sizes must be powers of two


@gluon.jit
def no_elements_a_thread(x):
    a = ttgl.arange(0, 256, layout=ttgl.BlockedLayout([0], [32], [4], [0]))  # error: cannot exist


@gluon.jit
def negative_elements_a_thread(x):
    a = ttgl.arange(0, 256, layout=ttgl.BlockedLayout([-1], [32], [4], [0]))  # error: cannot exist


@gluon.jit
def order_names_dimension_twice(x):
    a = ttgl.full([16, 16], 0, ttgl.int32, ttgl.BlockedLayout([1, 1], [8, 4], [4, 1], [0, 0]))  # error: cannot exist.*order


@gluon.jit
def lengths_of_layout_differ(x):
    layout: ttgl.constexpr = ttgl.BlockedLayout([1, 1], [32], [4], [0])  # error: one number for each dimension


@gluon.jit
def layout_of_runtime_value(x, n):
    layout: ttgl.constexpr = ttgl.BlockedLayout([n], [32], [4], [0])  # error: must be known at compile time


@gluon.jit
def half_a_warp(x):
    a = ttgl.arange(0, 256, layout=ttgl.BlockedLayout([1], [16], [4], [0]))  # error: 4 warps of 16 threads, but the program has 4 of 32


@gluon.jit
def too_many_warps(x):
    a = ttgl.zeros([256], ttgl.int32, ttgl.BlockedLayout([1], [32], [8], [0]))  # error: 8 warps of 32 threads, but the program has 4 of 32


@gluon.jit
def wave_of_amd(x):
    a = ttgl.arange(0, 256, layout=ttgl.BlockedLayout([1], [64], [4], [0]))  # error: 4 warps of 64 threads, but the program has 4 of 32


@gluon.jit
def slice_of_missing_dimension(x):
    a = ttgl.arange(0, 32, layout=ttgl.SliceLayout(2, ROWS))  # error: cannot exist.*2


@gluon.jit
def slice_of_shared_layout(x):
    a = ttgl.arange(0, 32, layout=ttgl.SliceLayout(0, MATRIX))  # error: Slice|parent|layout over threads


@gluon.jit
def slice_of_number(x):
    a = ttgl.arange(0, 32, layout=ttgl.SliceLayout(0, 3))  # error: parent


@gluon.jit
def warps_with_mixed_elements(x):
    layout: ttgl.constexpr = ttgl.DistributedLinearLayout([[1]], [[2], [4], [8], [16], [32]], [[64], [96]], [], [128])
    ttgl.store(x, ttgl.sum(ttgl.load(x + ttgl.arange(0, 128, layout=layout)), 0))  # error: mixes the reduced dimension with others; convert it first


@gluon.jit
def linear_layout_of_other_rank(x):
    layout: ttgl.constexpr = ttgl.DistributedLinearLayout([[1, 0]], [[2]], [], [], [4])  # error: must have 1 numbers


@gluon.jit
def third_operand(x):
    a = ttgl.zeros([32, 32], ttgl.int32, ttgl.DotOperandLayout(2, ROWS, 0))  # error: cannot exist


@gluon.jit
def operand_of_slice(x):
    a = ttgl.zeros([32], ttgl.int32, ttgl.DotOperandLayout(0, ttgl.SliceLayout(0, ROWS), 0))  # error: cannot exist


@gluon.jit
def unit_of_version_4(x):
    a = ttgl.zeros([32, 32], ttgl.int32, ttgl.NVMMADistributedLayout([4, 0], [4, 1], [16, 8]))  # error: cannot exist


@gluon.jit
def unit_of_other_shape(x):
    a = ttgl.zeros([32, 32], ttgl.int32, ttgl.NVMMADistributedLayout([2, 0], [4, 1], [16, 7]))  # error: cannot exist


@gluon.jit
def swizzle_of_three(x):
    a = ttgl.allocate_shared_memory(ttgl.int32, [32, 32], ttgl.SwizzledSharedLayout(3, 1, 8, [1, 0]))  # error: cannot exist


@gluon.jit
def swizzle_of_48_bytes(x):
    layout: ttgl.constexpr = ttgl.NVMMASharedLayout(48, 16)  # error: must be 0, 32, 64 or 128


@gluon.jit
def padding_of_three(x):
    layout: ttgl.constexpr = ttgl.PaddedSharedLayout([[32, 3]], [[1]], [], [2])  # error: powers of two


@gluon.jit
def cluster_of_blocks(x):
    a = ttgl.arange(0, 256, layout=ttgl.BlockedLayout([1], [32], [4], [0], [[1]]))  # error: is over 2 blocks of a cluster, and the program has 1


@gluon.jit
def class_for_layout(x):
    a = ttgl.arange(0, 256, layout=ttgl.BlockedLayout)  # error: a layout is needed here, not


@gluon.jit
def text_for_layout(x):
    a = ttgl.arange(0, 256, layout="blocked")  # error: a layout is needed here, not


@gluon.jit
def number_for_layout(x, n):
    a = ttgl.arange(0, 256, layout=n)  # error: layout


@gluon.jit
def shared_layout_of_block(x):
    a = ttgl.arange(0, 256, layout=PLAIN)  # error: a layout over threads is needed here


# Shapes


@gluon.jit
def adds_other_extent(x):
    a = ttgl.arange(0, 256, layout=FLAT) + ttgl.arange(0, 128, layout=FLAT)  # error: 256.*128


@gluon.jit
def layout_of_other_rank(x):
    a = ttgl.full([16, 16], 0, ttgl.int32, FLAT)  # error: is for 1 dimensions, but the block has 2


@gluon.jit
def range_of_matrix_layout(x):
    a = ttgl.arange(0, 256, layout=ROWS)  # error: is for 2 dimensions, but the block has 1


@gluon.jit
def range_of_100(x):
    a = ttgl.arange(0, 100, layout=FLAT)  # error: 100.*power|power.*100


@gluon.jit
def range_of_runtime_value(x, n):
    a = ttgl.arange(0, n, layout=FLAT)  # error: constexpr|compile


@gluon.jit
def zeros_of_48(x):
    a = ttgl.zeros([48], ttgl.int32, FLAT)  # error: 48.*power|power.*48


@gluon.jit
def row_without_layout_of_row(x):
    a = ttgl.arange(0, 256, layout=FLAT)[:, None]  # error: a dimension 1 of size 1 cannot be inserted


@gluon.jit
def expands_missing_dimension(x):
    a = ttgl.expand_dims(ttgl.arange(0, 32, layout=ttgl.SliceLayout(1, ROWS)), 3)  # error: 3


@gluon.jit
def sums_missing_dimension(x):
    a = ttgl.sum(square(ROWS), 2)  # error: 2


@gluon.jit
def reshapes_to_other_count(x):
    a = square(ROWS).reshape([32, 16])  # error: 1024.*512


@gluon.jit
def permutes_dimension_twice(x):
    a = square(ROWS).permute([0, 0])  # error: must be an order of all 2 dimensions


@gluon.jit
def adds_row_to_matrix(x):
    a = square(ROWS) + ttgl.arange(0, 32, layout=ttgl.SliceLayout(0, ROWS))  # error: dimensions|layouts


@gluon.jit
def splits_four(x):
    a = ttgl.split(ttgl.zeros([256, 4], ttgl.int32, ROWS))  # error: 4


@gluon.jit
def splits_between_threads(x):
    a = ttgl.split(ttgl.zeros([64, 2], ttgl.int32, ttgl.BlockedLayout([1, 1], [16, 2], [4, 1], [1, 0])))  # error: without moving elements between threads


@gluon.jit
def gathers_by_other_rank(x):
    a = ttgl.gather(square(ROWS), ttgl.arange(0, 32, layout=ttgl.SliceLayout(0, ROWS)), 0)  # error: int32\[32, 32\].*int32\[32\]


@gluon.jit
def counts_matrix(x):
    a = ttgl.histogram(square(ROWS), 8, layout=FLAT)  # error: histogram


@gluon.jit
def product_of_language(h):
    a = ttgl.zeros([32, 32], ttgl.float16, ROWS)
    b = tl.dot(a, a)  # error: `tl.dot` leaves the choice of a unit to the compiler


@gluon.jit
def name_of_language(h):
    a = ttgl.zeros([32, 32], ttgl.float16, ROWS)
    b = ttgl.dot(a, a)  # error: leaves the choice of a unit to the compiler


@gluon.jit
def reduces_two_to_one(x):
    i = ttgl.arange(0, 256, layout=FLAT)
    a = ttgl.reduce((i, i), 0, first_sum)  # error: returns 1 values for 2 operands


@gluon.jit
def returns_other_layout(x, n):
    ttgl.store(x + ttgl.arange(0, 256, layout=FLAT), one_of_two_layouts(n))  # error in one_of_two_layouts: sizePerThread = \[[12]\].*sizePerThread = \[[12]\]


@gluon.jit
def converts_to_shared_layout(x):
    a = ttgl.convert_layout(ttgl.arange(0, 256, layout=FLAT), PLAIN)  # error: a layout over threads is needed here


@gluon.jit
def bases_of_other_rank(x):
    layout: ttgl.constexpr = ttgl.to_linear_layout(ROWS, [64])  # error: is for 2 dimensions, but the block has 1


@gluon.jit
def three_neighbours_along_k(x):
    a = ttgl.zeros([64, 64], ttgl.float16, ttgl.DotOperandLayout(0, ttgl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]), 3))  # error: kWidth must be a power of two


@gluon.jit
def joins_scalars(n):
    a = ttgl.join(n, n)  # error: `a` of `tl.join` must be a block, from whose layout that of the result follows, not int32


@gluon.jit
def bases_of_half_a_block(x):
    layout: ttgl.constexpr = ttgl.DistributedLinearLayout([[1]], [[2], [4], [8], [16], [32]], [[0], [0]], [], [128])
    a = ttgl.arange(0, 128, layout=layout)  # error: the bases must reach each element of the shape, and reach one in 2
