"""Wrong kernels in Gluon: their buffers, copies and barriers. Each has one line that is marked as in
bad_gluon_blocks.py. `# error on gfx942: regular expression` names another target than compute capability 9.0."""
# ruff: noqa
# fmt: off

from bad_gluon_blocks import FLAT, MATRIX, PADDED, PAIRED, PLAIN, ROWS, square
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language.amd import cdna4
from triton.experimental.gluon.language.nvidia import ampere
from triton.experimental.gluon.language.nvidia.hopper import async_copy, async_store, mbarrier, tma

TILE = ttgl.NVMMASharedLayout(128, 16)

# Buffers


@gluon.jit
def buffer_of_thread_layout(x):
    a = ttgl.allocate_shared_memory(ttgl.int32, [256], FLAT)  # error: a layout of shared memory is needed here


@gluon.jit
def buffer_of_48(x):
    a = ttgl.allocate_shared_memory(ttgl.int32, [48], PLAIN)  # error: powers of two, not 48


@gluon.jit
def buffer_of_other_rank(x):
    a = ttgl.allocate_shared_memory(ttgl.int32, [2, 2, 32, 32], MATRIX)  # error: cannot exist


@gluon.jit
def buffer_of_runtime_extent(x, n):
    a = ttgl.allocate_shared_memory(ttgl.int32, [n], PLAIN)  # error: shape


@gluon.jit
def buffer_without_dtype(x):
    a = ttgl.allocate_shared_memory(32, [256], PLAIN)  # error: dtype


@gluon.jit
def buffer_of_bits(x):
    a = ttgl.allocate_shared_memory(ttgl.int1, [256], PLAIN)  # error: hold whole bytes


@gluon.jit
def buffer_of_other_bits(x):
    a = ttgl.allocate_shared_memory(ttgl.float32, [64, 64], TILE)  # error: 32.*16|16.*32


@gluon.jit
def writes_other_shape(x):
    ttgl.allocate_shared_memory(ttgl.int32, [128], PLAIN).store(ttgl.arange(0, 256, layout=FLAT))  # error: int32\[256\].*int32\[128\].*shape and dtype must be equal


@gluon.jit
def writes_other_dtype(x):
    ttgl.allocate_shared_memory(ttgl.float32, [256], PLAIN).store(ttgl.arange(0, 256, layout=FLAT))  # error: int32\[256\].*fp32\[256\].*shape and dtype must be equal


@gluon.jit
def reads_by_other_rank(x):
    a = ttgl.allocate_shared_memory(ttgl.int32, [256], PLAIN).load(ROWS)  # error: is for 2 dimensions, but the block has 1


@gluon.jit
def reads_without_layout(x):
    a = ttgl.allocate_shared_memory(ttgl.int32, [256], PLAIN).load()  # error: layout


@gluon.jit
def index_of_one_buffer(x):
    a = ttgl.allocate_shared_memory(ttgl.int32, [32, 32], MATRIX).index(0)  # error: one buffer


@gluon.jit
def index_by_block(x):
    a = ttgl.allocate_shared_memory(ttgl.int32, [2, 32, 32], MATRIX).index(ttgl.arange(0, 256, layout=FLAT))  # error: an integer scalar, not


@gluon.jit
def subscript_of_buffers(x):
    a = ttgl.allocate_shared_memory(ttgl.int32, [2, 32, 32], MATRIX)[0]  # error: takes no subscripts


@gluon.jit
def part_beyond_the_end(x):
    a = ttgl.allocate_shared_memory(ttgl.int32, [256], PLAIN).slice(256, 64)  # error: a part must lie inside


@gluon.jit
def part_that_cuts_pattern(x):
    a = ttgl.allocate_shared_memory(ttgl.int32, [32, 32], MATRIX).slice(4, 4)  # error: cuts the pattern
    a.store(ttgl.full([4, 32], 0, ttgl.int32, ROWS))


@gluon.jit
def part_at_runtime_place(x, n):
    a = ttgl.allocate_shared_memory(ttgl.int32, [256], PLAIN).slice(n, 64)  # error: start


@gluon.jit
def part_of_missing_dimension(x):
    a = ttgl.allocate_shared_memory(ttgl.int32, [256], PLAIN).slice(0, 64, dim=1)  # error: axis 1.*number of dimensions is 1


@gluon.jit
def permutes_count(x):
    a = ttgl.allocate_shared_memory(ttgl.int32, [2, 32, 32], MATRIX).permute([1, 0])  # error: 2 dimensions


@gluon.jit
def other_shape_of_other_count(x):
    a = ttgl.allocate_shared_memory(ttgl.int32, [32, 32], MATRIX).reshape([32, 16])  # error: the 1024 elements of .* a shape of 512


@gluon.jit
def more_bytes_than_there_are(x):
    a = ttgl.allocate_shared_memory(ttgl.int32, [32, 32], MATRIX).reinterpret(ttgl.int64)  # error: 4096 bytes.*8192


@gluon.jit
def other_paddings(x):
    a = ttgl.allocate_shared_memory(ttgl.int32, [32, 32], PADDED).reinterpret(layout=MATRIX)  # error: has other paddings


@gluon.jit
def gathers_by_floats(f):
    a = ttgl.allocate_shared_memory(ttgl.float32, [256], PLAIN).gather(ttgl.zeros([256], ttgl.float32, FLAT), 0)  # error: a block of integers


@gluon.jit
def gathers_along_missing_dimension(f):
    a = ttgl.allocate_shared_memory(ttgl.float32, [256], PLAIN).gather(ttgl.arange(0, 256, layout=FLAT), 1)  # error: axis 1


@gluon.jit
def gathers_more_rows(f):
    a = ttgl.allocate_shared_memory(ttgl.float32, [16, 32], MATRIX).gather(square(ROWS) * 0, 1)  # error: 16|shape


@gluon.jit
def scatters_other_dtype(f):
    i = ttgl.arange(0, 256, layout=FLAT)
    ttgl.allocate_shared_memory(ttgl.float32, [256], PLAIN).scatter(i, i, 0)  # error: shape and dtype must be equal


@gluon.jit
def keeps_larger_floats(f):
    i = ttgl.arange(0, 256, layout=FLAT)
    ttgl.allocate_shared_memory(ttgl.float32, [256], PLAIN).atomic_scatter_max(1.0, i, 0)  # error: does not support elements of dtype fp32


@gluon.jit
def counts_in_bytes(x):
    i = ttgl.arange(0, 256, layout=FLAT)
    ttgl.allocate_shared_memory(ttgl.int8, [256], PLAIN).atomic_scatter_add(1, i, 0)  # error: does not support elements of dtype int8


@gluon.jit
def adds_where_numbers_say(x):
    i = ttgl.arange(0, 256, layout=FLAT)
    ttgl.allocate_shared_memory(ttgl.int32, [256], PLAIN).atomic_scatter_add(1, i, 0, mask=i)  # error: mask


@gluon.jit
def scatters_other_layout(x):
    i = ttgl.arange(0, 256, layout=FLAT)
    ttgl.allocate_shared_memory(ttgl.int32, [256], PLAIN).scatter(i, ttgl.arange(0, 256, layout=PAIRED), 0)  # error: sizePerThread = \[1\].*sizePerThread = \[2\]


@gluon.jit
def adds_to_buffer(x):
    a = ttgl.allocate_shared_memory(ttgl.int32, [256], PLAIN) + 1  # error: a buffer of int32\[256\] .* is not a number or tensor


@gluon.jit
def stores_buffer(x):
    i = ttgl.arange(0, 256, layout=FLAT)
    ttgl.store(x + i, ttgl.allocate_shared_memory(ttgl.int32, [256], PLAIN))  # error: buffer|shared


@gluon.jit
def loads_through_buffer(x):
    a = ttgl.load(ttgl.allocate_shared_memory(ttgl.int32, [256], PLAIN))  # error: buffer|shared


@gluon.jit
def misspelled_method(x):
    a = ttgl.allocate_shared_memory(ttgl.int32, [256], PLAIN).lod(FLAT)  # error: has no attribute `lod`


@gluon.jit
def buffer_by_condition(x, n):
    a = ttgl.allocate_shared_memory(ttgl.int32, [256], PLAIN)
    if n > 3:
        a = ttgl.allocate_shared_memory(ttgl.int32, [128], PLAIN)  # error: int32\[(256|128)\].*int32\[(256|128)\]
    ttgl.store(x, ttgl.sum(a.load(FLAT), 0))


# Copies


@gluon.jit
def copies_to_other_shape(x):
    ampere.async_copy.async_load(ttgl.allocate_shared_memory(ttgl.int32, [128], PLAIN), x + ttgl.arange(0, 256, layout=FLAT))  # error: \[256\].*\[128\].*shape and dtype must be equal


@gluon.jit
def copies_to_other_dtype(x):
    ampere.async_copy.async_load(ttgl.allocate_shared_memory(ttgl.float32, [256], PLAIN), x + ttgl.arange(0, 256, layout=FLAT))  # error: int32.*fp32.*shape and dtype must be equal


@gluon.jit
def copies_to_block(x):
    i = ttgl.arange(0, 256, layout=FLAT)
    ampere.async_copy.async_load(i, x + i)  # error: a buffer in shared memory is needed here


@gluon.jit
def copies_by_mask_of_numbers(x):
    i = ttgl.arange(0, 256, layout=FLAT)
    ampere.async_copy.async_load(ttgl.allocate_shared_memory(ttgl.int32, [256], PLAIN), x + i, mask=i)  # error: mask


@gluon.jit
def copies_by_mask_of_other_layout(x):
    i = ttgl.arange(0, 256, layout=FLAT)
    buffer = ttgl.allocate_shared_memory(ttgl.int32, [256], PLAIN)
    ampere.async_copy.async_load(buffer, x + i, mask=ttgl.arange(0, 256, layout=PAIRED) < 9)  # error: sizePerThread = \[[12]\].*sizePerThread = \[[12]\]


@gluon.jit
def waits_for_less_than_none(x):
    ampere.async_copy.wait_group(-1)  # error: cannot leave -1 groups


@gluon.jit
def waits_for_runtime_count(x, n):
    ampere.async_copy.wait_group(n)  # error: num_outstanding


@gluon.jit
def old_name_of_copy(x):
    ampere.async_copy.async_copy_global_to_shared(x, x)  # error: async_copy_global_to_shared


@gluon.jit
def copies_of_nvidia(x):
    ampere.async_copy.wait_group(0)  # error on gfx942: needs an NVIDIA GPU, but the target is hip:gfx942


@gluon.jit
def copies_of_amd(x):
    cdna4.async_copy.wait_group(0)  # error: needs an AMD GPU, but the target is cuda:90


# Barriers and copies of blocks


@gluon.jit
def barriers_of_older_gpu(x):
    bar = mbarrier.allocate_mbarrier()  # error on 80: needs an NVIDIA GPU of compute capability 9.0 or more, but the target is cuda:80


@gluon.jit
def barrier_of_buffer(x):
    mbarrier.init(ttgl.allocate_shared_memory(ttgl.int32, [1], PLAIN), count=1)  # error: a buffer of one int64, not


@gluon.jit
def barrier_of_several(x):
    mbarrier.init(mbarrier.allocate_mbarrier(batch=2), count=1)  # error: a buffer of one int64, not


@gluon.jit
def barrier_for_none(x):
    mbarrier.init(mbarrier.allocate_mbarrier(), count=0)  # error: at which 0 arrive


@gluon.jit
def barrier_for_runtime_count(x, n):
    mbarrier.init(mbarrier.allocate_mbarrier(), count=n)  # error: count


@gluon.jit
def phase_of_block(x):
    mbarrier.wait(mbarrier.allocate_mbarrier(), ttgl.arange(0, 256, layout=FLAT))  # error: phase|integer scalar


@gluon.jit
def bytes_left_out(x):
    mbarrier.expect(mbarrier.allocate_mbarrier())  # error: bytes_per_cta


@gluon.jit
def arrival_elsewhere(x):
    mbarrier.arrive(mbarrier.allocate_mbarrier(), from_cta=1)  # error: `from_cta` of .* is 1, and must be a mask of the numbers of the program's blocks, 0 to 0


@gluon.jit
def barrier_of_a_pair(x):
    mbarrier.allocate_mbarrier(two_ctas=True)  # error: is for programs of several blocks, and this one has one


@gluon.jit
def store_to_other_blocks(x):
    buffer = ttgl.allocate_shared_memory(ttgl.int32, [256], PLAIN)
    async_store(buffer, ttgl.arange(0, 256, layout=FLAT), mbarrier.allocate_mbarrier())  # error: `ttgl.nvidia.hopper.async_store` is for programs of several blocks


@gluon.jit
def arrival_at_nothing(x):
    mbarrier.arrive(mbarrier.allocate_mbarrier())  # error: never makes this barrier; call `mbarrier.init


@gluon.jit
def copy_to_barrier_of_nothing(source):
    buffer = ttgl.allocate_shared_memory(source.dtype, source.block_shape, source.layout)
    bars = mbarrier.allocate_mbarrier(batch=2)
    for slot in range(2):
        tma.async_load(source, [0, 0], bars.index(slot), buffer)  # error: never makes this barrier


@gluon.jit
def coordinates_of_other_rank(source):
    buffer = ttgl.allocate_shared_memory(source.dtype, source.block_shape, source.layout)
    tma.async_load(source, [0], mbarrier.allocate_mbarrier(), buffer)  # error: 1.*2


@gluon.jit
def block_to_other_shape(source):
    buffer = ttgl.allocate_shared_memory(source.dtype, [32, 64], source.layout)
    tma.async_load(source, [0, 0], mbarrier.allocate_mbarrier(), buffer)  # error: fp16\[64, 64\].*fp16\[32, 64\]


@gluon.jit
def block_to_other_pattern(source):
    buffer = ttgl.allocate_shared_memory(source.dtype, source.block_shape, ttgl.NVMMASharedLayout(64, 16))
    tma.async_load(source, [0, 0], mbarrier.allocate_mbarrier(), buffer)  # error: swizzlingByteWidth = 128.*swizzlingByteWidth = 64


@gluon.jit
def block_to_part(source):
    buffer = ttgl.allocate_shared_memory(source.dtype, [128, 64], source.layout).slice(64, 64)
    tma.async_load(source, [0, 0], mbarrier.allocate_mbarrier(), buffer)  # error: copies to whole buffers, and this is a part


@gluon.jit
def block_through_pointer(x):
    buffer = ttgl.allocate_shared_memory(ttgl.float16, [64, 64], TILE)
    tma.async_load(x, [0, 0], mbarrier.allocate_mbarrier(), buffer)  # error: needs a descriptor of an array with the layout of its buffers, not


@gluon.jit
def block_without_barrier(source):
    buffer = ttgl.allocate_shared_memory(source.dtype, source.block_shape, source.layout)
    tma.async_load(source, [0, 0], buffer, buffer)  # error: a barrier is needed here


@gluon.jit
def bits_of_floats(source):
    buffer = ttgl.allocate_shared_memory(source.dtype, source.block_shape, source.layout)
    tma.async_atomic_and(source, [0, 0], buffer)  # error: async_atomic_and


# More of buffers


@gluon.jit
def buffer_behind_the_last(x):
    a = ttgl.allocate_shared_memory(ttgl.int32, [2, 256], PLAIN).index(2)  # error: is for buffer number 2 of int32\[2, 256\].*must be 0 to 1


@gluon.jit
def buffer_before_the_first(x):
    a = ttgl.allocate_shared_memory(ttgl.int32, [2, 256], PLAIN).index(-1)  # error: is for buffer number -1 of


@gluon.jit
def buffer_of_a_large_unsigned_number(x):
    a = ttgl.allocate_shared_memory(ttgl.int32, [2, 256], PLAIN).index(ttgl.full([], 200, ttgl.uint8))  # error: is for buffer number 200 of


@gluon.jit
def paddings_of_other_shape(x):
    a = ttgl.allocate_shared_memory(ttgl.int32, [64, 64], PADDED)  # error: is for buffers of 32 x 32 elements


@gluon.jit
def bases_that_meet(x):
    a = ttgl.allocate_shared_memory(ttgl.int32, [4, 4], ttgl.SharedLinearLayout([[0, 1], [0, 2], [1, 0], [1, 0]]))  # error: must reach each element once


@gluon.jit
def begins_with_other_shape(x):
    a = ttgl.allocate_shared_memory(ttgl.int32, [128], PLAIN, ttgl.arange(0, 256, layout=FLAT))  # error: int32\[256\].*int32\[128\].*shape and dtype must be equal


@gluon.jit
def writes_without_layout(x):
    ttgl.allocate_shared_memory(ttgl.int32, [256], PLAIN).store(ttgl.arange(0, 256))  # error: no layout follows


@gluon.jit
def relaxed_read_of_block(x):
    layout: ttgl.constexpr = ttgl.BlockedLayout([1], [64], [4], [0])
    a = cdna4.async_copy.load_shared_relaxed(ttgl.arange(0, 256, layout=layout), layout)  # error on gfx950: a buffer in shared memory is needed here


@gluon.jit
def buffer_of_other_machine(x):
    a = ttgl.allocate_shared_memory(ttgl.int32, [256], ttgl.amd.cdna5.PartitionedSharedLayout(2, 2, 0, PLAIN))  # error: it is for AMD's gfx1250, and the target is cuda:90


@gluon.jit
def writes_block_of_other_pattern(source):
    tma.async_store(source, [0, 0], ttgl.allocate_shared_memory(ttgl.float16, [64, 64], ttgl.NVMMASharedLayout(64, 16)))  # error: swizzlingByteWidth = 128.*swizzlingByteWidth = 64


@gluon.jit
def writes_block_of_swizzled_rows(source):
    tma.async_store(source, [0, 0], ttgl.allocate_shared_memory(ttgl.float16, [64, 64], MATRIX))  # error: nvmma_shared.*swizzled_shared


@gluon.jit
def place_of_block_is_block(source):
    buffer = ttgl.allocate_shared_memory(source.dtype, source.block_shape, source.layout)
    tma.async_load(source, [ttgl.arange(0, 256, layout=FLAT), 0], mbarrier.allocate_mbarrier(), buffer)  # error: `coord` of .* must be a sequence of integer scalars


@gluon.jit
def leaves_less_than_no_store(source):
    tma.store_wait(-1)  # error: `pendings` must be 0 to


@gluon.jit
def phase_two(x):
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.wait(bar, 2)  # error: an even phase, 0, or an odd one, 1, not 2


@gluon.jit
def block_to_registers(source):
    a = source.load([0, 0])  # error: `.load` moves blocks between an array and registers, and this descriptor is for buffers: fp16\[64, 64\]


@gluon.jit
def phase_of_float(x):
    mbarrier.wait(mbarrier.allocate_mbarrier(), 0.5)  # error: the phase of a barrier is an integer scalar


@gluon.jit
def arrives_less_than_once(x):
    mbarrier.arrive(mbarrier.allocate_mbarrier(), count=0)  # error: `count` must be 1 to


@gluon.jit
def arrives_too_often(x):
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=2)
    mbarrier.arrive(bar, count=3)  # error: arrives 3 times at once, and a phase of the barrier takes 2 arrivals
    mbarrier.wait(bar, 0)


@gluon.jit
def waits_for_second_phase(x):
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.wait(bar, 1)
    mbarrier.arrive(bar)
    mbarrier.wait(bar, 0)
    mbarrier.wait(bar, 1)  # error: each of the 2 phases until then of the barrier takes 1 arrivals, and the kernel has 1


@gluon.jit
def makes_barrier_again(x):
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.arrive(bar)
    mbarrier.init(bar, count=2)  # error: ^the kernel is wrong: this makes a barrier that is there already
    mbarrier.wait(bar, 0)


@gluon.jit
def copies_arrive_at_buffer(x):
    async_copy.mbarrier_arrive(ttgl.allocate_shared_memory(ttgl.int32, [1], PLAIN))  # error: a buffer of one int64, not


@gluon.jit
def copies_arrive_before(x):
    async_copy.mbarrier_arrive(mbarrier.allocate_mbarrier())  # error: the kernel never makes this barrier


@gluon.jit
def assembly_of_any_layout(x):
    ttgl.inline_asm("", "r", (ttgl.arange(0, 128),))  # error: AutoLayout.* does not say which registers a thread has; name another layout


@gluon.jit
def bytes_at_runtime(x, n):
    mbarrier.expect(mbarrier.allocate_mbarrier(), n)  # error: `bytes_per_cta` of .* must be known at compile time


@gluon.jit
def arrives_by_block(x):
    mbarrier.arrive(mbarrier.allocate_mbarrier(), pred=ttgl.arange(0, 256, layout=FLAT) > 2)  # error: `pred` of .* must be one truth value for all threads, not int1\[256\]


@gluon.jit
def block_by_block(source):
    buffer = ttgl.allocate_shared_memory(source.dtype, source.block_shape, source.layout)
    tma.async_load(source, [0, 0], mbarrier.allocate_mbarrier(), buffer, pred=ttgl.arange(0, 256, layout=FLAT) > 2)  # error: `pred` of .* must be one truth value


@gluon.jit
def block_lives_until_phase(x):
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.arrive(bar)
    mbarrier.wait(bar, 0, deps=[ttgl.arange(0, 256, layout=FLAT)])  # error: a buffer in shared memory is needed here, not int32\[256\]


@gluon.jit
def barrier_has_ended(x):
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.invalidate(bar)
    mbarrier.arrive(bar)  # error: after its `mbarrier.invalidate`; call that later
    mbarrier.wait(bar, 0)
