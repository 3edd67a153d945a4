import triton
import triton.language as tl


# lower: loads(*fp32, *i1, i32)
@triton.jit
def loads(p, flags, n):
    i = tl.arange(0, 16)
    mask = i < n
    x = tl.load(p + i)
    x += tl.load(p + i, mask=mask)
    x += tl.load(p + i, mask=mask, other=0)
    x += tl.load(p + i, mask, 1.5, cache_modifier=".ca", eviction_policy="evict_last")
    x += tl.load(p + i, mask=n > 3, other=x, volatile=True)
    x += tl.load(p, mask=n > 3, other=0.0, cache_modifier=".cg", eviction_policy="evict_first")
    x += tl.load(p + i[:, None], mask=mask[None, :]).sum(0)
    x = tl.where(tl.load(flags + i, mask=mask, other=True), x, 0)
    tl.store(p + i, x)


# lower: stores(*fp16, *i1, i32)
@triton.jit
def stores(p, flags, n):
    i = tl.arange(0, 16)
    tl.store(p + i, i.to(tl.float32), mask=i < n, cache_modifier=".wb", eviction_policy="evict_first")
    tl.store(p + i, 1, mask=n > 1)
    (p + i).store(0.5, cache_modifier=".cs")
    tl.store(flags + i, i > n)
    tl.store(p, n, n > 3)


# lower: block_pointers(*fp16, *fp16, i32, i32)
@triton.jit
def block_pointers(p, q, m, n):
    a = tl.make_block_ptr(p, shape=(m, n), strides=(n, 1), offsets=(tl.program_id(0) * 16, 0), block_shape=(16, 32),
                          order=(1, 0))
    b = tl.make_block_ptr(base=q, shape=[m, n], strides=[n, 1], offsets=[0, 0], block_shape=[16, 32], order=[1, 0])
    x = tl.load(a)
    a = tl.advance(a, (0, 32))
    x += tl.load(a, boundary_check=(0, 1), padding_option="zero")
    x += a.advance([m, 0]).load(boundary_check=[1], padding_option="nan", cache_modifier=".ca")
    tl.store(b, x.to(b.dtype.element_ty))
    tl.store(b, x.to(tl.float32) * 2, boundary_check=(0,))
    tl.store(b, x.to(b.type.element_ty))
    tl.static_assert(b.type.element_ty.element_ty == tl.float16 and b.type.is_ptr() and b.type == a.type)
    tl.static_print(a.dtype, a.type.element_ty, b.shape)


# lower: flags(*i1, i32)
@triton.jit
def flags(p, n):
    a = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
    tl.store(a, ~tl.load(a))


# lower: descriptors(*fp16, *i32, i32, i32)
@triton.jit
def descriptors(p, q, m, n):
    a = tl.make_tensor_descriptor(p, shape=[m, n], strides=[n, 1], block_shape=[16, 32])
    b = tl.make_tensor_descriptor(q, [m, n], [n, 1], [16, 32])
    x = a.load([0, 32])
    a.store([m, 0], x + 1)
    y = tl.load_tensor_descriptor(b, [0, n])
    tl.store_tensor_descriptor(b, [0, 0], y + a.shape[0] + a.strides[0].to(tl.int32) + a.block_shape[1])
    tl.static_print(a.dtype, a.block_type.element_ty)


# lower: descriptor_atomics(*i32, *fp16, i32, i32)
@triton.jit
def descriptor_atomics(p, q, m, n):
    a = tl.make_tensor_descriptor(p, [m, n], [n, 1], [16, 32])
    x = a.load([0, 0])
    a.atomic_add([m, 0], x)
    a.atomic_min([m, 0], x)
    a.atomic_max([m, 0], x)
    a.atomic_and([m, 0], x)
    a.atomic_or([m, 0], x)
    a.atomic_xor([m, 0], x)
    b = tl.make_tensor_descriptor(q, [m, n], [n, 1], [1, 32])
    rows = tl.arange(0, 8)
    b.scatter(b.gather(rows * 2, 16), rows, n)


# lower: atomics(*fp32, *i32, *u64, *fp16, i32)
@triton.jit
def atomics(f, i, u, h, n):
    r = tl.arange(0, 16)
    tl.atomic_add(f + r, 1.5, mask=r < n)
    tl.atomic_add(i, n, sem="relaxed", scope="cta")
    tl.atomic_add(h + r, 1)
    tl.atomic_max(i + r, r)
    tl.atomic_min(u + r, r)
    tl.atomic_max(f + r, 0.5, mask=r < n, sem="release")
    tl.atomic_min(f, 2, sem="acquire", scope="sys")
    tl.atomic_and(i, 7)
    tl.atomic_or(i, 7)
    (i + r).atomic_xor(r)
    tl.atomic_xchg(f, n)
    tl.atomic_cas(i, 0, 1)
    tl.store(i + r, tl.atomic_cas(i + r, r, r + 1))


# lower: atomic_accesses(*fp16, *i1, *u64, i32)
@triton.jit
def atomic_accesses(h, b, u, n):
    r = tl.arange(0, 16)
    x = tl.atomic_load(h + r, mask=r < n)
    tl.atomic_store(h + r, x + 1, sem="relaxed", scope="sys")
    (b + 1).atomic_store(b.atomic_load(sem="relaxed"), mask=n > 0)
    done = tl.atomic_poll(u + r, n, scope="cta", timeout_ns=n)
    tl.atomic_store(b + r, done)
    tl.atomic_poll(u, 1, sem="relaxed")
