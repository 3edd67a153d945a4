"""Wrong kernels in Gluon: what they do wrong with functions that Gluon has in Python, whose errors are at the line of
the kernel. Each has one line that is marked as in bad_gluon_buffers.py."""
# ruff: noqa
# fmt: off

from bad_gluon_blocks import MATRIX, PADDED, ROWS, square
from bad_gluon_units import WAVES
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language.amd import cdna3, cdna4
from triton.experimental.gluon.language.amd.gfx1250 import tdm

PLAIN_ROWS = ttgl.SwizzledSharedLayout(1, 1, 1, [1, 0])
PADDED_ROWS = ttgl.PaddedSharedLayout.with_identity_for([[64, 8]], [64, 64], [1, 0])
NUMBERS = ttgl.BlockedLayout([1], [32], [4], [0])


@gluon.jit
def conflicts_of_paddings(x):
    b = ttgl.allocate_shared_memory(ttgl.int32, [32, 32], PADDED)
    ttgl.static_print(ttgl.bank_conflicts(square(ROWS).type, b.type))  # error: PaddedSharedLayout; give it one of another


@gluon.jit
def conflicts_of_other_shape(x):
    b = ttgl.allocate_shared_memory(ttgl.int32, [64, 32], MATRIX)
    ttgl.static_print(ttgl.bank_conflicts(square(ROWS).type, b.type))  # error: must have the same shape and dtype


@gluon.jit
def conflicts_of_values(x):
    b = ttgl.allocate_shared_memory(ttgl.int32, [32, 32], MATRIX)
    ttgl.static_print(ttgl.bank_conflicts(square(ROWS), b))  # error: takes the types of .* `x.type` and `buffer.type`


@gluon.jit
def conflicts_of_blocks(x):
    ttgl.static_print(ttgl.bank_conflicts(square(ROWS).type, square(ROWS).type))  # error: takes the types of .* `x.type` and `buffer.type`


@gluon.jit
def halves_of_floats(h):
    a = ttgl.fp4_to_fp(ttgl.zeros([64, 64], ttgl.float16, ROWS), ttgl.float16, 1)  # error: `src` must have bytes


@gluon.jit
def repacked_for_blocks(h):
    b = ttgl.allocate_shared_memory(ttgl.uint8, [64, 64], ttgl.SwizzledSharedLayout(1, 1, 1, [0, 1]))
    a = cdna4.load_shared_fp4_repacked(b, WAVES)  # error on gfx950: `layout` must be a DotOperandLayout


@gluon.jit
def scales_of_fewer_rows(h):
    s = ttgl.full([32, 2], 127, ttgl.uint8, WAVES)
    b = cdna3.scaled_upcast(ttgl.zeros([64, 32], ttgl.uint8, WAVES), s, ttgl.float16, axis=1)  # error on gfx942: a scale must be for a whole number


@gluon.jit
def part_between_parts(x):
    a = ttgl.amd.slice(ttgl.zeros([64, 64], ttgl.int32, WAVES), [32, 32], [48, 0])  # error on gfx942: must be one of equal parts of 64, not 32 from 48 on


@gluon.jit
def engine_of_other_gpu(h):
    d = tdm.make_tensor_descriptor(h, [64, 64], [64, 1], [64, 64], PADDED_ROWS)  # error: need AMD's gfx1250


@gluon.jit
def engine_with_swizzle(h):
    d = tdm.make_tensor_descriptor(h, [64, 64], [64, 1], [64, 64], ttgl.SwizzledSharedLayout(8, 1, 8, [1, 0]))  # error on gfx1250: must be a PaddedSharedLayout.*max_phase=8


@gluon.jit
def engine_to_other_shape(h):
    d = tdm.make_tensor_descriptor(h, [64, 64], [64, 1], [64, 64], PADDED_ROWS)
    tdm.async_load(d, [0, 0], ttgl.allocate_shared_memory(ttgl.float16, [32, 64], PLAIN_ROWS))  # error on gfx1250: fp16\[64, 64\].*fp16\[32, 64\] must have the same shape and dtype


@gluon.jit
def engine_from_other_dtype(h):
    d = tdm.make_tensor_descriptor(h, [64, 64], [64, 1], [64, 64], PADDED_ROWS)
    tdm.async_store(d, [0, 0], ttgl.allocate_shared_memory(ttgl.float32, [64, 64], PADDED_ROWS))  # error on gfx1250: fp16\[64, 64\].*fp32\[64, 64\] must have the same shape and dtype


@gluon.jit
def engine_to_block(h):
    d = tdm.make_tensor_descriptor(h, [64, 64], [64, 1], [64, 64], PADDED_ROWS)
    tdm.async_load(d, [0, 0], ttgl.zeros([64, 64], ttgl.float16, ROWS))  # error on gfx1250: need a buffer in shared memory


@gluon.jit
def engine_to_descriptor(h):
    d = tdm.make_tensor_descriptor(h, [64, 64], [64, 1], [64, 64], PADDED_ROWS)
    tdm.async_load(d, [0, 0], d)  # error on gfx1250: need a buffer in shared memory


@gluon.jit
def engine_with_few_offsets(h):
    d = tdm.make_tensor_descriptor(h, [64, 64], [64, 1], [64, 64], PADDED_ROWS)
    tdm.async_load(d, [0], ttgl.allocate_shared_memory(ttgl.float16, [64, 64], PADDED_ROWS))  # error on gfx1250: the offsets must be as many


@gluon.jit
def engine_through_pointer(h):
    tdm.async_load(h, [0, 0], ttgl.allocate_shared_memory(ttgl.float16, [64, 64], PADDED_ROWS))  # error on gfx1250: need a descriptor, not a pointer


@gluon.jit
def rows_by_floats(h):
    d = tdm.make_tensor_descriptor(h, [64, 64], [64, 1], [8, 64], PLAIN_ROWS)
    b = ttgl.allocate_shared_memory(ttgl.float16, [8, 64], PLAIN_ROWS)
    tdm.async_gather(d, ttgl.zeros([8], ttgl.float32, NUMBERS), b)  # error on gfx1250: must be a block of int16 or int32


@gluon.jit
def rows_by_number(h):
    d = tdm.make_tensor_descriptor(h, [64, 64], [64, 1], [8, 64], PLAIN_ROWS)
    b = ttgl.allocate_shared_memory(ttgl.float16, [8, 64], PLAIN_ROWS)
    tdm.async_gather(d, 3, b)  # error on gfx1250: must be a block of int16 or int32


@gluon.jit
def assembly_of_block(x):
    ttgl.inline_asm("mov.b32 $0, $1;", ("=r", "r"), ttgl.arange(0, 32, layout=NUMBERS), ttgl.int32)  # error: must be a tuple of values


@gluon.jit
def constraints_of_results(x):
    ttgl.inline_asm("mov.b32 $0, $1;", ("=r",), (1,), ttgl.int32)  # error: must have one for each of the 2 results and arguments
