# Counter-based random numbers (Philox) in the kernel language. Every function here is a kernel; `tl` is
# triton.language, other names are those of this file.


def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: tl.constexpr = 10):
    """`n_rounds` rounds of Philox on four counters of 32 or 64 bits with the keys `k0` and `k1`."""
    wide: tl.constexpr = c0.dtype == tl.uint64
    key_step0: tl.constexpr = 0x9E3779B97F4A7C15 if wide else 0x9E3779B9
    key_step1: tl.constexpr = 0xBB67AE8584CAA73B if wide else 0xBB67AE85
    factor0: tl.constexpr = 0xD2E7470EE14C6C93 if wide else 0xD2511F53
    factor1: tl.constexpr = 0xCA5A826395121157 if wide else 0xCD9E8D57
    for _ in tl.static_range(n_rounds):
        high0 = tl.umulhi(factor0, c0)
        high1 = tl.umulhi(factor1, c2)
        low0 = tl.mul(c0, factor0, sanitize_overflow=False)
        low1 = tl.mul(c2, factor1, sanitize_overflow=False)
        c0 = high1 ^ c1 ^ k0
        c2 = high0 ^ c3 ^ k1
        c1 = low1
        c3 = low0
        k0 = tl.add(k0, key_step0, sanitize_overflow=False)
        k1 = tl.add(k1, key_step1, sanitize_overflow=False)
    return c0, c1, c2, c3


def philox(seed, c0, c1, c2, c3, n_rounds: tl.constexpr = 10):
    """Four blocks of random bits for the counters `c0` to `c3`: uint32 for 32-bit counters, uint64 for 64-bit ones."""
    seed = tl.to_tensor(seed)
    c0 = tl.to_tensor(c0)
    c1 = tl.to_tensor(c1)
    c2 = tl.to_tensor(c2)
    c3 = tl.to_tensor(c3)
    tl.static_assert(seed.dtype.is_int(), "the seed must be an integer")
    tl.static_assert(c0.dtype.primitive_bitwidth == 32 or c0.dtype.primitive_bitwidth == 64,
                     "the counters must have 32 or 64 bits")
    seed = seed.to(tl.uint64)
    if c0.dtype.primitive_bitwidth == 32:
        return philox_impl(c0.to(tl.uint32, bitcast=True), c1.to(tl.uint32, bitcast=True),
                           c2.to(tl.uint32, bitcast=True), c3.to(tl.uint32, bitcast=True),
                           (seed & 0xFFFFFFFF).to(tl.uint32), (seed >> 32).to(tl.uint32), n_rounds)
    else:
        return philox_impl(c0.to(tl.uint64, bitcast=True), c1.to(tl.uint64, bitcast=True),
                           c2.to(tl.uint64, bitcast=True), c3.to(tl.uint64, bitcast=True),
                           seed, tl.full((), 0, tl.uint64), n_rounds)


def randint4x(seed, offset, n_rounds: tl.constexpr = 10):
    """Four blocks of uint32 random numbers for each element of `offset`."""
    offset = tl.to_tensor(offset)
    low = offset.to(tl.uint32)
    zero = low * 0
    if offset.dtype.primitive_bitwidth > 32:
        return philox(seed, low, (offset >> 32).to(tl.uint32), zero, zero, n_rounds)
    else:
        return philox(seed, low, zero, zero, zero, n_rounds)


def randint(seed, offset, n_rounds: tl.constexpr = 10):
    """A block of uint32 random numbers, one for each element of `offset`."""
    first, second, third, fourth = randint4x(seed, offset, n_rounds)
    return first


def uint_to_uniform_float(x):
    """Random bits as float32 numbers, uniform between 0 and 1."""
    tl.static_assert(x.dtype.is_int(), "uint_to_uniform_float needs integers")
    if x.dtype.primitive_bitwidth == 32:
        bits = x.to(tl.int32, bitcast=True)
        scale: tl.constexpr = 4.6566127342e-10
    else:
        tl.static_assert(x.dtype.primitive_bitwidth == 64, "uint_to_uniform_float needs 32 or 64 bits")
        bits = x.to(tl.int64, bitcast=True)
        scale: tl.constexpr = 1.0842020432385337e-19
    return tl.where(bits < 0, ~bits, bits) * scale  # ~bits is -bits - 1, which would overflow


def rand(seed, offset, n_rounds: tl.constexpr = 10):
    """A block of float32 random numbers, uniform between 0 and 1, one for each element of `offset`."""
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


def rand4x(seed, offsets, n_rounds: tl.constexpr = 10):
    """Four blocks of float32 random numbers, uniform between 0 and 1, for each element of `offsets`."""
    i1, i2, i3, i4 = randint4x(seed, offsets, n_rounds)
    return uint_to_uniform_float(i1), uint_to_uniform_float(i2), uint_to_uniform_float(i3), uint_to_uniform_float(i4)


def pair_uniform_to_normal(u1, u2):
    """Two independent blocks of standard normal numbers from two uniform ones (Box-Muller)."""
    radius = tl.sqrt(-2.0 * tl.log(tl.maximum(1.0e-7, u1)))
    angle = 6.283185307179586 * u2
    return radius * tl.cos(angle), radius * tl.sin(angle)


def randn(seed, offset, n_rounds: tl.constexpr = 10):
    """A block of float32 standard normal numbers, one for each element of `offset`."""
    i1, i2, i3, i4 = randint4x(seed, offset, n_rounds)
    n1, n2 = pair_uniform_to_normal(uint_to_uniform_float(i1), uint_to_uniform_float(i2))
    return n1


def randn4x(seed, offset, n_rounds: tl.constexpr = 10):
    """Four blocks of float32 standard normal numbers for each element of `offset`."""
    u1, u2, u3, u4 = rand4x(seed, offset, n_rounds)
    n1, n2 = pair_uniform_to_normal(u1, u2)
    n3, n4 = pair_uniform_to_normal(u3, u4)
    return n1, n2, n3, n4
