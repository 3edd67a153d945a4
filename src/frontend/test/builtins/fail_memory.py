import triton
import triton.language as tl


# lower: no_pointer(i32)
@triton.jit
def no_pointer(p):
    x = tl.load(p)


# lower: read_only(*kfp32)
@triton.jit
def read_only(p):
    tl.store(p, 1)


# lower: descriptor(*fp32, i32)
@triton.jit
def descriptor(p, q):
    d = tl.make_tensor_descriptor(p, [q], [1], [16])
    x = tl.load(d)


# lower: mask_type(*fp32, i32)
@triton.jit
def mask_type(p, q):
    x = tl.load(p, mask=q)


# lower: block_mask(*fp32, i32)
@triton.jit
def block_mask(p, q):
    x = tl.load(p, mask=tl.arange(0, 4) < q)


# lower: block_value(*fp32)
@triton.jit
def block_value(p):
    tl.store(p, tl.arange(0, 4))


# lower: boundary(*fp32)
@triton.jit
def boundary(p):
    x = tl.load(p + tl.arange(0, 4), boundary_check=(0,))


# lower: padding(*fp32)
@triton.jit
def padding(p):
    x = tl.load(p + tl.arange(0, 4), padding_option="zero")


# lower: other(*fp32)
@triton.jit
def other(p):
    x = tl.load(p + tl.arange(0, 4), other=0.0)


# lower: block_pointer_mask(*fp32, i32)
@triton.jit
def block_pointer_mask(p, q):
    a = tl.make_block_ptr(p, (q,), (1,), (0,), (16,), (0,))
    x = tl.load(a, mask=q > 1)


# lower: unchecked_padding(*fp32, i32)
@triton.jit
def unchecked_padding(p, q):
    a = tl.make_block_ptr(p, (q,), (1,), (0,), (16,), (0,))
    x = tl.load(a, padding_option="zero")


# lower: nan_padding(*i32, i32)
@triton.jit
def nan_padding(p, q):
    a = tl.make_block_ptr(p, (q,), (1,), (0,), (16,), (0,))
    x = tl.load(a, boundary_check=(0,), padding_option="nan")


# lower: checked_twice(*i32, i32)
@triton.jit
def checked_twice(p, q):
    a = tl.make_block_ptr(p, (q,), (1,), (0,), (16,), (0,))
    x = tl.load(a, boundary_check=(0, 0))


# lower: checked_axis(*i32, i32)
@triton.jit
def checked_axis(p, q):
    a = tl.make_block_ptr(p, (q,), (1,), (0,), (16,), (0,))
    x = tl.load(a, boundary_check=(1,))


# lower: base(*fp32, i32)
@triton.jit
def base(p, q):
    a = tl.make_block_ptr(p + tl.arange(0, 4), (q,), (1,), (0,), (16,), (0,))


# lower: ranks(*fp32, i32)
@triton.jit
def ranks(p, q):
    a = tl.make_block_ptr(p, (q, q), (1,), (0,), (16,), (0,))


# lower: order(*fp32, i32)
@triton.jit
def order(p, q):
    a = tl.make_block_ptr(p, (q,), (1,), (0,), (16,), (1,))


# lower: float_shape(*fp32, fp32)
@triton.jit
def float_shape(p, q):
    a = tl.make_block_ptr(p, (q,), (1,), (0,), (16,), (0,))


# lower: advance(*fp32)
@triton.jit
def advance(p):
    a = tl.advance(p, (1,))


# lower: descriptor_rank(*fp32, i32)
@triton.jit
def descriptor_rank(p, q):
    d = tl.make_tensor_descriptor(p, [], [], [])


# lower: descriptor_stride(*fp32, i32)
@triton.jit
def descriptor_stride(p, q):
    d = tl.make_tensor_descriptor(p, [q], [q], [16])


# lower: descriptor_offset(*fp32, i64)
@triton.jit
def descriptor_offset(p, q):
    d = tl.make_tensor_descriptor(p, [64], [1], [16])
    x = d.load([q])


# lower: descriptor_value(*fp32, i32)
@triton.jit
def descriptor_value(p, q):
    d = tl.make_tensor_descriptor(p, [q], [1], [16])
    d.store([0], tl.arange(0, 8))


# lower: descriptor_reduction(*i8, i32)
@triton.jit
def descriptor_reduction(p, q):
    d = tl.make_tensor_descriptor(p, [q], [1], [16])
    d.atomic_add([0], d.load([0]))


# lower: gathered_rows(*fp32, i32)
@triton.jit
def gathered_rows(p, q):
    d = tl.make_tensor_descriptor(p, [q, 64], [64, 1], [1, 32])
    x = d.gather(tl.arange(0, 4), 0)


# lower: gather_block(*fp32, i32)
@triton.jit
def gather_block(p, q):
    d = tl.make_tensor_descriptor(p, [q, 64], [64, 1], [2, 32])
    x = d.gather(tl.arange(0, 8), 0)


# lower: no_descriptor(*fp32)
@triton.jit
def no_descriptor(p):
    x = tl.load_tensor_descriptor(p, [0])


# lower: atomic_type(*i8)
@triton.jit
def atomic_type(p):
    tl.atomic_add(p, 1)


# lower: atomic_float(*fp32)
@triton.jit
def atomic_float(p):
    tl.atomic_and(p, 1)


# lower: atomic_order(*i32)
@triton.jit
def atomic_order(p):
    tl.atomic_add(p, 1, sem="strict")


# lower: swap_type(*i32, i64)
@triton.jit
def swap_type(p, q):
    tl.atomic_cas(p, q, 1)


# lower: load_order(*i32)
@triton.jit
def load_order(p):
    tl.atomic_load(p, sem="release")


# lower: store_order(*i32)
@triton.jit
def store_order(p):
    tl.atomic_store(p, 1, sem="acq_rel")


# lower: stored_to_constant(*ki32)
@triton.jit
def stored_to_constant(p):
    tl.atomic_store(p, 1)


# lower: loaded_pointers(*i64)
@triton.jit
def loaded_pointers(p):
    tl.atomic_load(p.to(tl.pointer_type(tl.pointer_type(tl.int32))))


# lower: polled_type(*fp32)
@triton.jit
def polled_type(p):
    tl.atomic_poll(p, 1.0)


# lower: poll_timeout(*i32)
@triton.jit
def poll_timeout(p):
    tl.atomic_poll(p, 1, timeout_ns=-1)


# lower: poll_timeouts(*i32)
@triton.jit
def poll_timeouts(p):
    tl.atomic_poll(p, 1, timeout_ns=tl.arange(0, 16))


# lower: poll_shape(*i32)
@triton.jit
def poll_shape(p):
    tl.atomic_poll(p, tl.arange(0, 16))


# lower: through_void(*fp32)
@triton.jit
def through_void(p):
    x = tl.load(p.to(tl.pointer_type(tl.void), bitcast=True))


# lower: past_void(*fp32)
@triton.jit
def past_void(p):
    x = p.to(tl.pointer_type(tl.void), bitcast=True) + 4


# lower: described_void(*fp32)
@triton.jit
def described_void(p):
    x = tl.make_tensor_descriptor(p.to(tl.pointer_type(tl.void), bitcast=True), [64], [1], [16])


# lower: block_of_void(*fp32)
@triton.jit
def block_of_void(p):
    x = tl.make_block_ptr(p.to(tl.pointer_type(tl.void), bitcast=True), [64], [1], [0], [16], [0])
