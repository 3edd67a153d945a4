import triton
import triton.language as tl


# lower: missing(*fp32)
@triton.jit
def missing(p):
    x = tl.load()


# lower: doubled(*fp32)
@triton.jit
def doubled(p):
    x = tl.load(p, pointer=p)


# lower: unknown(*fp32)
@triton.jit
def unknown(p):
    x = tl.load(p, msk=None)


# lower: surplus(i32)
@triton.jit
def surplus(p):
    x = tl.program_id(0, 1)


# lower: runtime_axis(i32)
@triton.jit
def runtime_axis(p):
    x = tl.program_id(p)


# lower: runtime_size(i32)
@triton.jit
def runtime_size(p):
    x = tl.arange(0, p)


# lower: kind(i32)
@triton.jit
def kind(p):
    x = tl.arange(0, "8")


# lower: choice(*fp32)
@triton.jit
def choice(p):
    x = tl.load(p, eviction_policy="first")


# lower: grid_axis(i32)
@triton.jit
def grid_axis(p):
    x = tl.program_id(3)


# lower: negative_range(i32)
@triton.jit
def negative_range(p):
    x = tl.arange(-8, 8)


# lower: empty_range(i32)
@triton.jit
def empty_range(p):
    x = tl.arange(8, 8)


# lower: fill(*i32)
@triton.jit
def fill(p):
    x = tl.full((4,), tl.arange(0, 4), tl.int32)


# lower: huge_fill(*i32)
@triton.jit
def huge_fill(p):
    x = tl.full((4,), 2**70, tl.int32)


# lower: join_types(*i32)
@triton.jit
def join_types(p):
    x = tl.join(1, p)


# lower: no_axis(*i32)
@triton.jit
def no_axis(p):
    x, i = tl.max(tl.zeros((4, 4), tl.int32), return_indices=True)


# lower: cat_rank(*i32)
@triton.jit
def cat_rank(p):
    x = tl.zeros((4, 4), tl.int32)
    y = tl.cat(x, x, can_reorder=True)


# lower: dtype_name(i32)
@triton.jit
def dtype_name(k):
    x = k.to(tl.dtype("int33"))


# lower: unlike_all(*fp32)
@triton.jit
def unlike_all(p):
    x = tl.load(p, somewhere=None)


# lower: void_elements()
@triton.jit
def void_elements():
    x = tl.zeros([64], tl.void)


# lower: full_of_void()
@triton.jit
def full_of_void():
    x = tl.full([64], 3, tl.void)


# lower: void_output(i32)
@triton.jit
def void_output(k):
    tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [k], dtype=tl.void, is_pure=True, pack=1)
